"""Density-Ratio Rescoring: better rare-class ranking from an existing classifier, without retraining it."""

from drr._dispatch import __version__, show_config
from drr.exceptions import InfeasibleToleranceError
from drr.raking import choose_tolerance, find_floor, rake, solve_dual, tilt
from drr.results import Dual, Floor, Raking, Status, Tilt

__all__ = [
    "Dual",
    "Floor",
    "InfeasibleToleranceError",
    "Raking",
    "Status",
    "Tilt",
    "__version__",
    "choose_tolerance",
    "find_floor",
    "rake",
    "show_config",
    "solve_dual",
    "tilt",
]
