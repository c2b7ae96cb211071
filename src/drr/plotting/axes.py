"""What the display classes share: axes from a lazily imported matplotlib, and the part of an estimator to show."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

# One hue per role in all pictures: what there was, and what the method makes of it.
BEFORE_COLOUR, AFTER_COLOUR = "0.55", "tab:blue"


def axes(ax: Any, height: float | None = None) -> tuple[Any, Any]:
    """Return the axes to draw on and their figure; new ones if none are given."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "plotting needs matplotlib; install it with: pip install 'density-ratio-rescoring[plot]'"
        ) from None
    if ax is None:
        size = None if height is None else (plt.rcParams["figure.figsize"][0], height)
        _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax, ax.figure


def innermost(estimator: Any, X: Any = None) -> tuple[Any, Any]:
    """Return what fitted searches and pipelines end in, and X as it arrives there when they predict."""
    while True:
        if isinstance(estimator, Pipeline):
            for _, step in estimator.steps[:-1] if X is not None else ():
                # As in predict: samplers, which imbalanced-learn's pipelines hold, act only in fit.
                if step not in (None, "passthrough") and not hasattr(step, "fit_resample"):
                    X = step.transform(X)
            estimator = estimator.steps[-1][1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            return estimator, X


def rare_labels(estimator: Any) -> list[Any]:
    """Return the classes that are scored: the rare one of two, or each of more."""
    return estimator.classes_.tolist() if estimator.pos_label_ is None else [_plain(estimator.pos_label_)]


def class_index(estimator: Any, pos_label: Any) -> int:
    labels = rare_labels(estimator)
    if pos_label is None and len(labels) == 1:
        return 0
    if pos_label is None:
        raise ValueError(f"pass pos_label, the class to show: one of {labels}")
    matches = [k for k, label in enumerate(labels) if label == pos_label]
    if not matches:
        raise ValueError(f"pos_label={pos_label!r} is not among the classes scored: {labels}")
    return matches[0]


def dual_of(estimator: Any, pos_label: Any) -> Any:
    """Return the fitted dual within an estimator, of the class asked for."""
    estimator, _ = innermost(estimator)
    check_is_fitted(estimator)
    dual = getattr(estimator, "dual_", estimator)
    if isinstance(dual, list):
        return dual[class_index(estimator, pos_label)]
    if not hasattr(dual, "moments_"):
        raise TypeError(
            f"{type(estimator).__name__} holds no raking dual; pass a fitted RakingDual, DRRClassifier or "
            "RakingResampler, a Pipeline that ends in one, or a search that refitted one (best_estimator_)"
        )
    if pos_label is not None and dual.pos_label_ != pos_label:
        raise ValueError(
            f"pos_label={pos_label!r}, but the dual scores the class {_plain(dual.pos_label_)!r} against the rest"
        )
    return dual


def _plain(label: Any) -> Any:
    """Return a Python object instead of a NumPy scalar, which prints its type."""
    return label.item() if hasattr(label, "item") else label
