"""Fusion: two scores standardised and added, and what their separation says about the sum.

The fused score is s = z(base) + w·z(dual), where z standardises by the marginal mean and standard deviation.
Its gain is estimated in two ways: by two moments (`separation`, with the formulas of `drr.theory`), and by
the ranking itself (`gain_interval`, the paired bootstrap of the average precision). Both resample within each
class: held-out rows are split by stratification, so the class counts are fixed by design, and no resample
lacks a positive row.
"""

from drr.fusion.gain import GainInterval, gain_interval
from drr.fusion.separation import Interval, Separation, closed_form_weight, separation
from drr.fusion.standardisation import Standardisation, fuse, standardise
from drr.fusion.weight import choose_fusion_weight
from drr.theory import fusion_deflection, optimal_weight

__all__ = [
    "GainInterval",
    "Interval",
    "Separation",
    "Standardisation",
    "choose_fusion_weight",
    "closed_form_weight",
    "fuse",
    "fusion_deflection",
    "gain_interval",
    "optimal_weight",
    "separation",
    "standardise",
]
