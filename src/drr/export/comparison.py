"""The graph compared with Python: converters can be wrong without an error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr.classifier import DRRClassifier
from drr.composition.base_score import last_step
from drr.export.graph import import_extra
from drr.export.stages import MATRIX
from drr.features.feature_map import RakingFeatureMap

# Fused scores are in units of standard deviations; the single precision of a base moves them by some 1e-6.
_TOLERANCE = 1e-3
_N_ROWS = 1000


def check_against_python(model: Any, classifier: DRRClassifier, X: Any) -> None:
    """Run the graph on rows, generated ones if X is None, and raise if a score is not that of Python."""
    runtime = import_extra("onnxruntime")
    try:
        options = runtime.SessionOptions()
        options.log_severity_level = 4
        session = runtime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # of onnxruntime's own kinds
        raise ValueError(
            f"onnxruntime {runtime.__version__} does not load the graph of a {_name(classifier)}: "
            f"{str(error).splitlines()[0][:160]}; use another base, or rescore its scores with "
            "DRRClassifier.from_scores"
        ) from error
    rows = _generated(classifier) if X is None else X
    n_rows = rows.shape[0]
    feed, extra = _feed(classifier, rows), {}
    if classifier.estimator_ is None:
        given = np.random.default_rng(0).normal(size=n_rows)
        feed["base_score"], extra = given[:, None], {"base_score": given}
    found = session.run(["score"], feed)[0][:, 0]
    expected = classifier.fused_score(rows, **extra)
    differing = np.flatnonzero(~(np.abs(found - expected) <= _TOLERANCE))
    if len(differing):
        row = int(differing[0])
        raise ValueError(
            f"the graph of a {_name(classifier)} gives other scores than Python on {len(differing)} of {n_rows} "
            f"{'generated ' if X is None else ''}rows, first on row {row}: {found[row]:.6g} in place of "
            f"{expected[row]:.6g}. Its converter is wrong for this model; use another base, or rescore its scores with "
            "DRRClassifier.from_scores"
        )


def _name(classifier: DRRClassifier) -> str:
    return type(last_step(classifier.estimator_)).__name__


def _generated(classifier: DRRClassifier) -> Any:
    """Return rows that look like those of the fit: normal numbers, and levels at random."""
    feature_map: RakingFeatureMap = classifier.dual_.feature_map_
    embedding, rng = feature_map.embedding_, np.random.default_rng(0)
    columns: list[Any] = [None] * classifier.n_features_in_
    for k, j in enumerate(embedding.numeric):
        columns[j] = embedding.mean[k] + embedding.scale[k] * rng.normal(size=_N_ROWS)
    for k, j in enumerate(embedding.categorical):
        columns[j] = rng.choice(feature_map.levels_[k].values, _N_ROWS)
    if not hasattr(classifier, "feature_names_in_"):
        return np.stack(columns, axis=1)
    return import_extra("pandas").DataFrame(dict(zip(classifier.feature_names_in_, columns, strict=True)))


def _feed(classifier: DRRClassifier, rows: Any) -> dict[str, NDArray[Any]]:
    """Return the inputs of the graph: a matrix, or a column per name."""
    if not hasattr(classifier, "feature_names_in_"):
        return {MATRIX: np.asarray(rows, dtype=np.float64)}
    is_text = classifier.dual_.feature_map_.is_categorical_
    return {
        str(name): np.asarray(rows[name]).astype(object if text else np.float64).reshape(-1, 1)
        for name, text in zip(classifier.feature_names_in_, is_text, strict=True)
    }
