"""Rescoring: everything after the two scores of one class, fitted on held-out rows, as one frozen value."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr._checks.scores import is_number
from drr.calibration import Calibration, fit_calibration
from drr.decision.cuts import check_rule, choose_cut, place_cut
from drr.fusion.standardisation import Standardisation, fuse, standardise
from drr.fusion.weight import check_weight_method, choose_fusion_weight, fuse_crosswise
from drr.theory import DEPLOYED_WEIGHT

# A cut or a calibration learned from fewer rows of a class would be that row's score.
MIN_ROWS = 2


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Both scores of rows that fitted neither model."""

    base: NDArray[np.float64]
    dual: NDArray[np.float64]
    positive: NDArray[np.bool_]
    """which rows are of the rare class"""
    weights: NDArray[np.float64] | None = None
    rows: NDArray[np.intp] | None = None
    """which rows of the table these are, if they are rows of one"""

    @property
    def rare_share(self) -> float:
        """The share of the rare class among these rows, by weight."""
        return float(np.average(self.positive, weights=self.weights))


@dataclass(frozen=True, eq=False)
class Rescoring:
    """The fused score s = z(base) + w·z(dual) with its calibration and its cut.

    Examples
    --------
    >>> import numpy as np
    >>> from drr import DRRClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(600) < 40
    >>> X = rng.normal(size=(600, 4)) + y[:, None]
    >>> model = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    >>> rescoring = model.rescorings_[0]
    >>> by_hand = rescoring.fuse(model.base_score(X), model.dual_score(X))
    >>> bool(np.allclose(by_hand, model.fused_score(X))), rescoring.cut == model.threshold_
    (True, True)
    """

    base_standardisation: Standardisation
    dual_standardisation: Standardisation
    fusion_weight: float
    calibration: Calibration | None
    cut: float
    held_out: HeldOutScores
    """the standardised scores from which weight, calibration and cut were learned"""
    weight_method: str | None = None
    """how the weight was chosen on these scores; None if it was given"""

    def standardise(
        self, base: NDArray[np.float64], dual: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the two raw scores on the scale on which they are added."""
        return self.base_standardisation.transform(base), self.dual_standardisation.transform(dual)

    def fuse(self, base: NDArray[np.float64], dual: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the fused score of raw scores."""
        return fuse(*self.standardise(base, dual), self.fusion_weight)

    @property
    def held_out_fused(self) -> NDArray[np.float64]:
        """The fused score of the held-out rows."""
        return fuse(self.held_out.base, self.held_out.dual, self.fusion_weight)


def honest_fused(rescoring: Rescoring) -> NDArray[np.float64]:
    """Return fused scores of the held-out rows in which no row had a part in the choice of its own weight."""
    held_out = rescoring.held_out
    if rescoring.weight_method is None:
        return rescoring.held_out_fused
    return fuse_crosswise(
        held_out.base, held_out.dual, held_out.positive, rescoring.weight_method, held_out.weights
    )


def check_settings(fusion_weight: object, calibration: object, threshold: object, *, weighted: bool) -> None:
    """Check the settings of `fit_rescoring` before the models are fitted."""
    check_weight_method(fusion_weight)
    if calibration not in (None, "sigmoid", "isotonic", "platt"):
        raise ValueError(f"calibration must be 'sigmoid', 'isotonic', 'platt' or None, got {calibration!r}")
    if threshold is not None:
        check_rule(threshold, "threshold", weighted=weighted)
    elif calibration is None:
        raise ValueError("threshold=None cuts at a probability of one half, which needs a calibration")


def fit_rescoring(
    parts: Sequence[HeldOutScores],
    *,
    fusion_weight: float | str,
    calibration: str | None,
    threshold: Any,
    rare_share: float,
    one_base: bool = False,
) -> Rescoring:
    """Standardise, weigh, calibrate and cut.

    Parameters
    ----------
    parts : sequence of HeldOutScores
        One for a single split, one per fold of a cross-fit. Models fitted on different rows give scores of different
        offset and scale, so each part is standardised by itself before all are pooled.
    fusion_weight, calibration, threshold
        As in `choose_fusion_weight`, `fit_calibration` (None for no map) and `choose_cut` (None for the probability ½).
    rare_share : float
        The share of the rare class, for the cut if too few of its rows are held out to learn one.
    one_base : bool, default=False
        One base scored all parts: its scores are standardised over all of them.
    """
    # 1. Standardise each part, and pool.
    if one_base:
        whole = np.concatenate([part.base for part in parts])
        base_maps = [standardise(whole, sample_weight=_concatenated([part.weights for part in parts]))] * len(
            parts
        )
    else:
        base_maps = [standardise(part.base, sample_weight=part.weights) for part in parts]
    dual_maps = [standardise(part.dual, sample_weight=part.weights) for part in parts]
    held_out = HeldOutScores(
        np.concatenate([each.transform(part.base) for each, part in zip(base_maps, parts, strict=True)]),
        np.concatenate([each.transform(part.dual) for each, part in zip(dual_maps, parts, strict=True)]),
        np.concatenate([part.positive for part in parts]),
        _concatenated([part.weights for part in parts]),
        _concatenated([part.rows for part in parts]),
    )
    positive, weights = held_out.positive, held_out.weights
    learnable = min(_present(positive, weights), _present(~positive, weights)) >= MIN_ROWS

    # 2. The weight of the dual, and the fused score.
    if learnable:
        weight = choose_fusion_weight(held_out.base, held_out.dual, positive, fusion_weight, weights)
    else:
        weight = DEPLOYED_WEIGHT if isinstance(fusion_weight, str) else float(fusion_weight)
    fused = fuse(held_out.base, held_out.dual, weight)

    # 3. Probabilities and the cut.
    calibrator = None
    if learnable:
        if calibration is not None:
            calibrator = _calibrate(fused, positive, calibration, weights)
        if threshold is not None:
            cut = choose_cut(fused, positive, threshold, weights)
        else:
            assert calibrator is not None  # by check_settings
            cut = calibrator.score_at(0.5)
    else:
        _warn_of_few_rows(positive, calibration, is_cross_fitted=len(parts) > 1)
        cut = float(threshold) if is_number(threshold) else cut_at_share(fused, rare_share)
    method = fusion_weight if learnable and isinstance(fusion_weight, str) else None
    return Rescoring(_pooled(base_maps), _pooled(dual_maps), weight, calibrator, cut, held_out, method)


def cut_at_share(score: NDArray[np.float64], share: float) -> float:
    """Return the cut that labels that share of the scores positive, and at least the highest."""
    levels, counts = np.unique(-score, return_counts=True)
    n_levels = int(np.searchsorted(np.cumsum(counts), share * len(score), side="right"))
    return place_cut(-levels, max(n_levels, 1))


def _calibrate(
    fused: NDArray[np.float64],
    positive: NDArray[np.bool_],
    calibration: str,
    weights: NDArray[np.float64] | None,
) -> Calibration:
    if calibration == "platt":
        return fit_calibration(fused, positive, "sigmoid", weights, constrained=False)
    return fit_calibration(fused, positive, calibration, weights)  # type: ignore[arg-type]


def _pooled(maps: list[Standardisation]) -> Standardisation:
    """Return the mean offset and the root mean square scale of the parts that vary."""
    varying = [each for each in maps if not each.is_constant]
    if not varying:
        # All parts were constant. A final model that varies was never seen on held-out rows: it counts nothing.
        return maps[0] if len(maps) == 1 else Standardisation(maps[0].mean, np.inf, is_constant=True)
    mean = float(np.mean([each.mean for each in varying]))
    scale = float(np.sqrt(np.mean([each.scale**2 for each in varying])))
    return Standardisation(mean, scale)


def _present(members: NDArray[np.bool_], weights: NDArray[np.float64] | None) -> int:
    return int(members.sum() if weights is None else (members & (weights > 0)).sum())


def _concatenated(parts: list[NDArray[Any] | None]) -> NDArray[Any] | None:
    present = [each for each in parts if each is not None]
    return np.concatenate(present) if present else None


def _warn_of_few_rows(positive: NDArray[np.bool_], calibration: str | None, is_cross_fitted: bool) -> None:
    consequence = "" if calibration is None else " and there are no probabilities"
    remedy = "Find more" if is_cross_fitted else "Hold out more, or cross-fit with a number of folds"
    warnings.warn(
        f"{int(positive.sum())} rows of the rare class and {int((~positive).sum())} others are held out, but "
        f"{MIN_ROWS} of each are needed to learn a cut: the cut is the one that labels as many held-out rows "
        f"positive as the class has on average{consequence}. {remedy}.",
        UserWarning,
        stacklevel=3,
    )
