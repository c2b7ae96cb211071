"""Density-Ratio Rescoring: better rare-class ranking from an existing classifier, without retraining it."""

from drr._dispatch import __version__, show_config
from drr.raking import choose_tolerance, find_floor, tilt
from drr.results import Floor, Status, Tilt

__all__ = [
    "Floor",
    "Status",
    "Tilt",
    "__version__",
    "choose_tolerance",
    "find_floor",
    "show_config",
    "tilt",
]
