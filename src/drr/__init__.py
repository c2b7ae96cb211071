"""Density-Ratio Rescoring: better rare-class ranking from an existing classifier, without retraining it."""

from drr._dispatch import __version__, show_config
from drr.features import RakingFeatureMap
from drr.raking import tilt
from drr.results import Status, Tilt

__all__ = ["RakingFeatureMap", "Status", "Tilt", "__version__", "show_config", "tilt"]
