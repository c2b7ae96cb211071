"""The grid of raking duals: resolutions, tolerances and feature draws, with the names of their arms."""

from __future__ import annotations

from dataclasses import dataclass

RESOLUTIONS = (0, 32, 64, 128, 256, 512)
TOLERANCES = (0.01, 0.05, 0.2, 0.5)
WEIGHTS = (0.0, 0.1, 0.25, 0.5, 1.0)
DRAWS = (0, 1, 2)
PRIMARY = (0, 128)


@dataclass(frozen=True)
class Variant:
    """One dual: D random features, tolerance fraction η, draw of the features."""

    n_random: int
    eta: float = 0.05
    draw: int = 0

    @property
    def label(self) -> str:
        parts = [f"D={self.n_random}"]
        if self.eta != 0.05:
            parts.append(f"eta={self.eta:g}")
        if self.draw:
            parts.append(f"draw={self.draw}")
        return ",".join(parts)

    @property
    def is_primary(self) -> bool:
        """One of the two that the paper reports."""
        return self.n_random in PRIMARY and self.eta == 0.05 and self.draw == 0


PRIMARY_VARIANTS = tuple(Variant(n) for n in PRIMARY)
SWEEP_VARIANTS = (
    *(Variant(n) for n in RESOLUTIONS if n not in PRIMARY),
    *(Variant(n, eta) for n in PRIMARY for eta in TOLERANCES if eta != 0.05),
    *(Variant(128, draw=draw) for draw in DRAWS if draw),
)
