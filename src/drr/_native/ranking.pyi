"""Types of the Cython module: ranking metrics and best cuts under many sample weights, from one sort."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

CUT_METRICS: tuple[str, ...]

class Ranking:
    @property
    def n_rows(self) -> int: ...
    @property
    def levels(self) -> NDArray[np.float64]: ...
    def __init__(self, score: NDArray[Any], positive: NDArray[np.bool_]) -> None: ...
    def average_precision(self, weights: NDArray[Any]) -> NDArray[np.float64]: ...
    def expected_average_precision(self, counts: Any) -> NDArray[np.float64]: ...
    def roc_auc(self, weights: NDArray[Any]) -> NDArray[np.float64]: ...
    def best_cut(
        self, weights: NDArray[Any], metric: str
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    def curve(self, weights: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

def add_draws(
    bit_generator: np.random.BitGenerator,
    n_draws: NDArray[np.int64],
    cells_of_row: NDArray[Any],
    weights: NDArray[np.float64] | None,
    totals: NDArray[Any],
) -> None: ...
