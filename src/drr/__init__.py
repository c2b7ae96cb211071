"""Density-Ratio Rescoring: better rare-class ranking from an existing classifier, without retraining it."""

from drr._dispatch import __version__, show_config
from drr.decision import CostMatrix, FalsePositiveRateAtMost, PrecisionAtLeast, RecallAtLeast, TopK
from drr.exceptions import InfeasibleToleranceError
from drr.features import RakingFeatureMap
from drr.fusion import Separation, fusion_deflection, optimal_weight, separation
from drr.gain import GainInterval, gain_interval
from drr.raking import choose_tolerance, find_floor, rake, solve_dual, tilt
from drr.results import Dual, Floor, Raking, Status, Tilt

__all__ = [
    "CostMatrix",
    "Dual",
    "FalsePositiveRateAtMost",
    "Floor",
    "GainInterval",
    "InfeasibleToleranceError",
    "PrecisionAtLeast",
    "Raking",
    "RakingFeatureMap",
    "RecallAtLeast",
    "Separation",
    "Status",
    "Tilt",
    "TopK",
    "__version__",
    "choose_tolerance",
    "find_floor",
    "fusion_deflection",
    "gain_interval",
    "optimal_weight",
    "rake",
    "separation",
    "show_config",
    "solve_dual",
    "tilt",
]
