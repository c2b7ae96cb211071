"""What the values that commands print mean for the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Flagged:
    """The held-out rows that a cut labels rare."""

    n_rows: int
    n_flagged: int
    precision: float
    """the share of flagged rows that are rare; NaN if none is flagged"""
    recall: float
    """the share of rare rows that are flagged; NaN if there is none"""

    @classmethod
    def at_cut(cls, score: NDArray[np.float64], positive: NDArray[np.bool_], cut: float) -> Flagged:
        """Count the rows above the cut."""
        above = score > cut
        n_hits, n_flagged, n_rare = int((above & positive).sum()), int(above.sum()), int(positive.sum())
        precision = n_hits / n_flagged if n_flagged else float("nan")
        return cls(len(score), n_flagged, precision, n_hits / n_rare if n_rare else float("nan"))

    @property
    def text(self) -> str:
        """One line for people."""
        if not self.n_flagged:
            return f"none of {self.n_rows:,} held-out rows; lower the cut with --threshold"
        return (
            f"{self.n_flagged:,} of {self.n_rows:,} held-out rows; {self.precision:.0%} of them are rare (precision), "
            f"and they are {self.recall:.0%} of the rare rows (recall)"
        )


def explain_terms(diagnostics: Any) -> str:
    """Return what the words of the diagnostics mean, in the order in which they are printed."""
    lines = [
        "  floor: how near reweighted majority rows can come to the rare class; far below the discrepancy is good",
        "  nats: how far the weights moved from equal ones; 0 is not at all",
    ]
    if any(gap.name.startswith("fourier") for gap in diagnostics.worst_moments):
        lines.append(
            "  fourier…: random combinations of all numeric columns; nothing to do about a single one"
        )
    return "\n".join(lines)
