"""`RakingDual.fit` on rows that are read in passes: the map, the target, the raking, each by its own passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from drr._checks.labels import Classes
from drr._checks.messages import listed
from drr.features.feature_map import RakingFeatureMap
from drr.raking.functions import rake
from drr.raking.results import Raking
from drr.streaming.columns import PassColumns
from drr.streaming.dataset import open_dataset
from drr.streaming.feature_file import stored_features
from drr.streaming.queries.target import MeasureTarget, WeightedMean


@dataclass(frozen=True, eq=False)
class PassFit:
    """What a fit learns of rows without holding them."""

    feature_map: RakingFeatureMap
    classes: NDArray[Any]
    pos_label: Any
    target: NDArray[np.float64]
    raking: Raking


def fit_in_passes(
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    feature_map: Any,
    pos_label: Any,
    feature_storage: Any,
    **options: Any,
) -> PassFit:
    """Fit the map by two passes, the target by one, and rake by the rest; `options` are those of `drr.rake`."""
    is_frozen = isinstance(feature_map, FrozenEstimator)
    feature_map = feature_map.estimator if is_frozen else feature_map
    if not isinstance(feature_map, RakingFeatureMap):
        raise TypeError(
            f"rows that are read in passes need a RakingFeatureMap, got {type(feature_map).__name__}; transform the "
            "rows block by block yourself and call drr.rake"
        )

    # 1. The map, and which classes there are.
    rows = open_dataset(X, y, sample_weight)
    columns = PassColumns(clone(feature_map) if is_frozen else feature_map, rows)
    if not is_frozen:
        feature_map.fit(columns)
    classes = _classes(columns.summary.label_counts)
    rare = classes.rare_index(pos_label)
    rare_label = classes.classes.tolist()[rare]

    # 2. The mean that the majority is to reach.
    found: WeightedMean = rows.run_pass(MeasureTarget(feature_map, rare_label))
    if not found.weight:
        raise ValueError(f"sample_weight is zero on every row of the rare class {rare_label!r}")

    # 3. Floor, tolerance and dual.
    features = rows.embedded(feature_map, rare_label, columns.summary.n_rows - int(classes.counts[rare]))
    if feature_storage == "auto" and options["checkpoint"] is not None:
        feature_storage = (
            None  # a fit that continues must see the same blocks, whatever a new measurement says
        )
    with stored_features(features, feature_storage) as majority:
        raking = rake(majority, found.mean, **options)
    return PassFit(feature_map, classes.classes, classes.classes[rare], found.mean, raking)


def _classes(counts: dict[Any, int]) -> Classes:
    """Return the classes of labels that were counted block by block."""
    try:
        labels = sorted(counts)
    except TypeError:
        raise ValueError(f"the labels of y cannot be sorted: {listed(counts)}") from None
    classes = np.array(labels)
    if classes.dtype.kind == "f" and (np.isnan(classes).any() or not (classes == np.round(classes)).all()):
        raise ValueError("y must hold class labels; it holds missing or continuous values")
    if len(classes) < 2:
        raise ValueError(f"y has one class only, {listed(labels)}; rows of both classes are needed")
    return Classes(classes, np.array([counts[label] for label in labels]))
