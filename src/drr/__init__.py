"""Density-Ratio Rescoring: better rare-class ranking from an existing classifier, without retraining it."""

from drr._dispatch import __version__, show_config
from drr.decision import CostMatrix, FalsePositiveRateAtMost, PrecisionAtLeast, RecallAtLeast, TopK
from drr.fusion import Separation, fusion_deflection, optimal_weight, separation
from drr.gain import GainInterval, gain_interval
from drr.raking import tilt
from drr.results import Status, Tilt

__all__ = [
    "CostMatrix",
    "FalsePositiveRateAtMost",
    "GainInterval",
    "PrecisionAtLeast",
    "RecallAtLeast",
    "Separation",
    "Status",
    "Tilt",
    "TopK",
    "__version__",
    "fusion_deflection",
    "gain_interval",
    "optimal_weight",
    "separation",
    "show_config",
    "tilt",
]
