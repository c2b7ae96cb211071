"""The steps of fitting a dual on rows in memory, for one class or for several at once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drr._checks.arrays import Features, check_features
from drr._checks.labels import Labels
from drr._checks.scores import check_sample_weight
from drr._checks.seeds import seed_nested
from drr._native.progress import make_callback
from drr.features.feature_map import RakingFeatureMap
from drr.features.sparse_rows import scaled_rows
from drr.raking.arguments import check_method
from drr.raking.diagnostics import Moments, diagnose, explain_zero_dual
from drr.raking.ess import rake_to_ess
from drr.raking.functions import rake_problem
from drr.raking.problem import RakingProblem
from drr.raking.repeated_rows import Repetition, find_repetition
from drr.raking.results import Dual, Raking, Status
from drr.raking.tolerance import check_eta

# Features of the majority in double precision by default: 64 MB. More are beyond the caches, and a pass over them takes
# as long as reading them; in single precision that is half, and so is the memory.
_MAX_DOUBLES = 2**23
# Columns per row, and columns, above which the default map has no random features.
_WIDE, _MANY = 2, 5000


def split_classes(
    dual: Any, labels: Labels, sample_weight: ArrayLike | None
) -> tuple[NDArray[np.bool_], NDArray[np.float64] | None]:
    """Set the classes of `dual`; return which rows are of the rare one, and the weights of all rows."""
    rare = labels.rare_index(dual.pos_label)
    positive = labels.codes == rare
    dual.majority_ = np.flatnonzero(~positive)
    dual.classes_, dual.pos_label_ = labels.classes, labels.classes[rare]
    return positive, check_sample_weight(sample_weight, positive)


def fit_map(dual: Any, X: Any, y: ArrayLike, n_majority: int) -> Any:
    """Return the feature map of `dual`, fitted."""
    is_default = dual.feature_map is None
    feature_map = RakingFeatureMap(random_state=dual.random_state) if is_default else dual.feature_map
    feature_map = seed_nested(feature_map, dual.random_state)
    if is_default and is_wide(X):
        feature_map.set_params(n_random_features=0)
    feature_map.fit(X, y)
    if is_default:
        n_features = max(block.stop for block in feature_map.blocks_.values())
        if n_majority * n_features > _MAX_DOUBLES:
            feature_map.set_params(dtype=np.float32)
    return feature_map


def embed_all(dual: Any, X: Any) -> tuple[Features, NDArray[np.float64] | None, Repetition | None]:
    """Return the rows in the feature map of `dual`, the offset to take from them, and how often they repeat.

    There is an offset if that keeps sparse rows sparse, and a repetition if only distinct rows are returned.
    """
    sparse = scaled_rows(dual.feature_map_, X)
    if sparse is not None:
        return *sparse, None
    found = find_repetition(dual, X) if isinstance(dual.feature_map_, RakingFeatureMap) else None
    rows, repetition = (X, None) if found is None else found
    features = check_features(dual.embed(rows), "the transformed rows")
    if repetition is None and (found := find_repetition(dual, features)):
        features, repetition = found
    return features, None, repetition


def is_wide(X: Any) -> bool:
    """Return whether the columns alone separate nearly everything: the default map has then no random features."""
    return bool(X.shape[1] > min(_WIDE * X.shape[0], _MANY))


def rake_dual(
    dual: Any,
    problem: RakingProblem,
    base_weights: NDArray[np.float64] | None,
    start: Dual | None = None,
) -> tuple[Raking, float]:
    """Return the raking that `dual` asks for, and its η; the dual is searched for from `start`, if there is one."""
    check_method(dual.method)
    if dual.min_ess is not None:
        return rake_to_ess(problem, dual.min_ess, base_weights, dual.method)
    eta = check_eta(dual.eta)
    return rake_problem(problem, eta, None, dual.method, make_callback(0, None), start), eta


def conclude(dual: Any, target: NDArray[np.float64]) -> None:
    """Set `moments_` and `diagnostics_`, and warn of a dual that is zero."""
    raking, limit_direction = dual.raking_, dual.limit_direction
    warn_of_zero_dual(dual, raking, dual.eta_)
    names = _moment_names(dual.feature_map_, len(target))
    dual.moments_ = Moments(names, target, raking.floor.base_mean, raking.dual.mean)
    dual.diagnostics_ = diagnose(raking, dual.moments_, dual.feature_map_, limit_direction=limit_direction)


def warn_of_zero_dual(dual: Any, raking: Raking, eta: float) -> None:
    """Warn at the line of the caller's caller if the raking that `dual` asked for left the majority as it is."""
    if raking.dual.status is not Status.ZERO_DUAL:
        return
    message = explain_zero_dual(
        raking,
        eta,
        label=np.asarray(dual.pos_label_).item(),
        has_random_features=_n_random_features(dual.feature_map_) > 0,
        chosen_by_ess=dual.min_ess is not None,
        limit_direction=dual.limit_direction,
    )
    warnings.warn(message, UserWarning, stacklevel=4)


def _n_random_features(feature_map: Any) -> int:
    block = getattr(feature_map, "blocks_", {}).get("fourier", slice(0, 0))
    return int(block.stop - block.start)


def _moment_names(feature_map: Any, n_features: int) -> NDArray[Any]:
    if hasattr(feature_map, "get_feature_names_out"):
        return np.asarray(feature_map.get_feature_names_out(), dtype=object)
    return np.array([f"feature{k}" for k in range(n_features)], dtype=object)
