"""Decision: the cut above which a score is labelled positive.

A row is positive if and only if score > cut, that is, score − cut > 0. A cut is placed midway between
the two neighbouring distinct scores it separates, so that rounding, or a new row near either, does not flip a
label. Among equally good cuts the highest is chosen: the fewest positive labels.
"""

from drr.decision.cuts import choose_cut, place_cut
from drr.decision.rules import (
    CostMatrix,
    CutRule,
    FalsePositiveRateAtMost,
    PrecisionAtLeast,
    RecallAtLeast,
    TopK,
)

__all__ = [
    "CostMatrix",
    "CutRule",
    "FalsePositiveRateAtMost",
    "PrecisionAtLeast",
    "RecallAtLeast",
    "TopK",
    "choose_cut",
    "place_cut",
]
