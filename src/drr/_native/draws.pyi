"""Types of the Cython module: bootstrap draws of rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

def add_draws(
    bit_generator: np.random.BitGenerator,
    n_draws: NDArray[np.int64],
    cells_of_row: NDArray[Any],
    weights: NDArray[np.float64] | None,
    totals: NDArray[Any],
) -> None: ...
def mark_draws(
    bit_generator: np.random.BitGenerator, n_draws: int, n_rows: int, drawn: NDArray[np.uint8]
) -> None: ...
