"""Plotting: the fusion curve, the balance of the moments, the concentration of the weights."""

from drr.plotting.fusion_curve import FusionCurveDisplay
from drr.plotting.moment_balance import MomentBalanceDisplay
from drr.plotting.weight_concentration import WeightConcentrationDisplay

__all__ = ["FusionCurveDisplay", "MomentBalanceDisplay", "WeightConcentrationDisplay"]
