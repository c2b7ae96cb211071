"""Density-Ratio Rescoring: better rare-class ranking from an existing classifier, without retraining it.

A name is imported when it is first used: ``import drr`` costs next to nothing, and work on rows in memory never loads
what reads files or clusters.
"""

import importlib
from typing import Any

# The public names and where each is defined; `__init__.pyi` repeats them for type checkers.
_HOMES = {
    "CheckpointError": "drr.exceptions",
    "AveragedDual": "drr.composition.second_score",
    "CostMatrix": "drr.decision",
    "DRRClassifier": "drr.classifier",
    "Dual": "drr.raking",
    "DualDiagnostics": "drr.raking",
    "FalsePositiveRateAtMost": "drr.decision",
    "Floor": "drr.raking",
    "FusionCurveDisplay": "drr.plotting",
    "GainInterval": "drr.fusion",
    "InfeasibleToleranceError": "drr.exceptions",
    "ModelFileError": "drr.exceptions",
    "ModelNote": "drr.persistence",
    "MomentBalanceDisplay": "drr.plotting",
    "MomentGap": "drr.raking",
    "Moments": "drr.raking",
    "NonfiniteRowError": "drr.exceptions",
    "PrecisionAtLeast": "drr.decision",
    "Raking": "drr.raking",
    "RakingDual": "drr.raking",
    "RakingFeatureMap": "drr.features",
    "RakingResampler": "drr.resampling",
    "RecallAtLeast": "drr.decision",
    "Rescoring": "drr.composition.rescoring",
    "Scores": "drr.composition.scores",
    "Separation": "drr.fusion",
    "SourceChangedError": "drr.exceptions",
    "Status": "drr.raking",
    "Tilt": "drr.raking",
    "TopK": "drr.decision",
    "WeightConcentrationDisplay": "drr.plotting",
    "__version__": "drr._native",
    "choose_fusion_weight": "drr.fusion",
    "choose_tolerance": "drr.raking",
    "find_floor": "drr.raking",
    "fusion_deflection": "drr.fusion",
    "gain_interval": "drr.fusion",
    "load": "drr.persistence",
    "merge_passes": "drr.streaming",
    "open_rows": "drr.streaming",
    "optimal_weight": "drr.fusion",
    "rake": "drr.raking",
    "read_note": "drr.persistence",
    "save": "drr.persistence",
    "separation": "drr.fusion",
    "show_config": "drr._native",
    "solve_dual": "drr.raking",
    "tilt": "drr.raking",
    "weighted_covariance": "drr.raking",
}
_MODULES = {
    "calibration",
    "decision",
    "exceptions",
    "export",
    "features",
    "fusion",
    "persistence",
    "raking",
    "report",
    "theory",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f"drr.{name}")
    raise AttributeError(f"module 'drr' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_MODULES})
