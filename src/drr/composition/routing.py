"""Which parameters of `fit` go to which part of a rescored classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sklearn
from sklearn.utils.metadata_routing import process_routing

from drr.composition.base_score import weightless_params


@dataclass(frozen=True)
class RoutedParams:
    """Parameters for the fit of the base and of the dual, and for the split."""

    base: dict[str, Any]
    dual: dict[str, Any]
    splitter: dict[str, Any]


def is_routing_enabled() -> bool:
    """Return whether the user has turned scikit-learn's metadata routing on."""
    return bool(sklearn.get_config()["enable_metadata_routing"])


def accept_sample_weight(estimator: Any) -> Any:
    """Let a default part request the weights: users do not have to name it for the weights to reach it."""
    return estimator.set_fit_request(sample_weight=True) if is_routing_enabled() else estimator


def route_fit_params(owner: Any, base: Any, fit_params: Mapping[str, Any]) -> RoutedParams:
    """Route by requests if metadata routing is enabled; otherwise weights to both models, groups to the splitter."""
    params = {name: value for name, value in fit_params.items() if value is not None}
    if is_routing_enabled():
        if not params:  # scikit-learn then returns what answers every question, even `in`, without end
            return RoutedParams({}, {}, {})
        routed = process_routing(owner, "fit", **params)
        splitter = routed.splitter.split if "splitter" in routed else {}
        return RoutedParams(dict(routed.estimator.fit), dict(routed.dual.fit), dict(splitter))
    splitter = {"groups": params.pop("groups")} if "groups" in params else {}
    dual = {"sample_weight": params["sample_weight"]} if "sample_weight" in params else {}
    return RoutedParams(weightless_params(base, params), dual, splitter)
