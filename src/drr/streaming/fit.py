"""`RakingDual.fit` on rows that are read in passes: the map, the target, the raking, each by passes of its own."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from drr._checks.labels import Labels
from drr._checks.seeds import seed_nested
from drr.features.feature_map import RakingFeatureMap
from drr.raking.diagnostics import Moments, diagnose, explain_zero_dual
from drr.raking.functions import rake
from drr.raking.results import Status
from drr.streaming.columns import PassColumns
from drr.streaming.embedded_rows import EmbeddedRunner, Means, MeasureMeans
from drr.streaming.raw_rows import raw_rows


def fit_from_source(dual: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Fit a RakingDual without holding the rows: two passes for the map, one for the target, the rest to rake."""
    if y is None:
        raise ValueError(f"{type(dual).__name__} requires y to be passed, but the target y is None")
    if dual.min_ess is not None:
        raise ValueError(
            "min_ess solves many duals and is for rows in memory; for rows read in passes choose eta"
        )
    feature_map = RakingFeatureMap(random_state=dual.random_state, dtype=np.float32)
    if dual.feature_map is not None:
        feature_map = seed_nested(dual.feature_map, dual.random_state)
    if not isinstance(feature_map, RakingFeatureMap):
        raise TypeError(
            f"rows that are read in passes need a RakingFeatureMap, got {type(feature_map).__name__}; transform the "
            "rows block by block yourself and call drr.rake"
        )

    # 1. The map, and which classes there are.
    rows = raw_rows(X, y, sample_weight)
    columns = PassColumns(feature_map, X, rows=rows)
    dual.feature_map_ = feature_map.fit(columns)
    dual.n_features_in_ = feature_map.n_features_in_
    if hasattr(feature_map, "feature_names_in_"):
        dual.feature_names_in_ = feature_map.feature_names_in_
    counts = columns.survey.classes
    labels = _labels(counts)
    rare_index = labels.rare_index(dual.pos_label)
    rare = labels.classes.tolist()[rare_index]
    dual.classes_, dual.pos_label_ = labels.classes, labels.classes[rare_index]
    n_majority = columns.survey.n_rows - counts[rare]

    # 2. The mean that the majority is to reach.
    n_columns = len(feature_map.get_feature_names_out())
    means: Means = rows.run(MeasureMeans(feature_map, rare, n_columns))
    if not means.rare_weight:
        raise ValueError(f"sample_weight is zero on every row of the rare class {rare!r}")

    # 3. Floor, tolerance and dual.
    runner = EmbeddedRunner(rows, feature_map, rare, n_columns, n_majority, sample_weight is not None)
    storage = dual.feature_storage
    if storage == "auto" and dual.checkpoint is not None:
        storage = None  # a fit that goes on must see the same blocks, whatever a measurement would say today
    with runner.stored(storage) as features:
        dual.raking_ = rake(
            features,
            means.rare,
            eta=dual.eta,
            method=dual.method,
            n_threads=dual.n_threads,
            checkpoint=dual.checkpoint,
        )
    dual.eta_ = float(dual.eta)
    dual.majority_ = None
    if dual.raking_.dual.status is Status.ZERO_DUAL:
        message = explain_zero_dual(dual.raking_, dual.eta_, chosen_by_ess=False)
        warnings.warn(message, UserWarning, stacklevel=3)

    # 4. What raking did to the moments.
    dual.moments_ = Moments(
        dual._moment_names(n_columns), means.rare, dual.raking_.floor.base_mean, dual.raking_.dual.mean
    )
    dual.diagnostics_ = diagnose(dual.raking_, dual.moments_, dual._absent_levels())
    return dual


def _labels(counts: dict[Any, int]) -> Labels:
    """The classes with codes in their frequencies, of which only the order matters."""
    try:
        classes = np.array(sorted(counts))
    except TypeError:
        raise ValueError(f"the labels of y cannot be sorted: {list(counts)[:5]}") from None
    if classes.dtype.kind == "f" and (np.isnan(classes).any() or not (classes == np.round(classes)).all()):
        raise ValueError("y must hold class labels; it holds missing or continuous values")
    if len(classes) < 2:
        raise ValueError(f"y has one class only, {list(counts)}; rows of both classes are needed")
    sizes = np.array([counts[label] for label in classes.tolist()], dtype=float)
    codes = np.repeat(np.arange(len(classes)), np.unique(sizes, return_inverse=True)[1] + 1)
    return Labels(classes, codes)
