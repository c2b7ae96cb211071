"""Density-Ratio Rescoring: better rare-class ranking from an existing classifier, without retraining it."""

from drr._dispatch import __version__, show_config
from drr.classifier import DRRClassifier
from drr.decision import CostMatrix, FalsePositiveRateAtMost, PrecisionAtLeast, RecallAtLeast, TopK
from drr.diagnostics import DualDiagnostics, MomentGap, Moments
from drr.exceptions import InfeasibleToleranceError, ModelFileError
from drr.features import RakingFeatureMap
from drr.fusion import Separation, fusion_deflection, optimal_weight, separation
from drr.fusion_curve import FusionCurveDisplay
from drr.fusion_weight import choose_fusion_weight
from drr.gain import GainInterval, gain_interval
from drr.moment_balance import MomentBalanceDisplay
from drr.passes import merge_passes
from drr.persistence import ModelNote, load, read_note, save
from drr.raking import choose_tolerance, find_floor, rake, solve_dual, tilt
from drr.resampling import RakingResampler
from drr.rescoring import Rescoring
from drr.results import Dual, Floor, Raking, Status, Tilt
from drr.score import RakingDual
from drr.sources import open_rows
from drr.weight_concentration import WeightConcentrationDisplay

__all__ = [
    "CostMatrix",
    "DRRClassifier",
    "Dual",
    "DualDiagnostics",
    "FalsePositiveRateAtMost",
    "Floor",
    "FusionCurveDisplay",
    "GainInterval",
    "InfeasibleToleranceError",
    "ModelFileError",
    "ModelNote",
    "MomentBalanceDisplay",
    "MomentGap",
    "Moments",
    "PrecisionAtLeast",
    "Raking",
    "RakingDual",
    "RakingFeatureMap",
    "RakingResampler",
    "RecallAtLeast",
    "Rescoring",
    "Separation",
    "Status",
    "Tilt",
    "TopK",
    "WeightConcentrationDisplay",
    "__version__",
    "choose_fusion_weight",
    "choose_tolerance",
    "find_floor",
    "fusion_deflection",
    "gain_interval",
    "load",
    "merge_passes",
    "open_rows",
    "optimal_weight",
    "rake",
    "read_note",
    "save",
    "separation",
    "show_config",
    "solve_dual",
    "tilt",
]
