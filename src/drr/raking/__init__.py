"""Raking: the floor, the tolerance above it, the dual, and the estimator made of them."""

from drr.raking.diagnostics import DualDiagnostics, MomentGap, Moments
from drr.raking.estimator import RakingDual
from drr.raking.functions import find_floor, rake, solve_dual, tilt, weighted_covariance
from drr.raking.results import Dual, Floor, Raking, Status, Tilt
from drr.raking.tolerance import choose_tolerance

__all__ = [
    "Dual",
    "DualDiagnostics",
    "Floor",
    "MomentGap",
    "Moments",
    "Raking",
    "RakingDual",
    "Status",
    "Tilt",
    "choose_tolerance",
    "find_floor",
    "rake",
    "solve_dual",
    "tilt",
    "weighted_covariance",
]
