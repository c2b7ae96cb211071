"""Types of the compiled core; every drr._core_<instruction set> has these members."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

version: str
compiler: str
eigen_version: str
simd: str

def statuses() -> dict[str, tuple[str, bool, bool]]: ...
def validate_csr(features: Any) -> None: ...
def tilt(
    features: Any,
    theta: NDArray[np.float64],
    log_base_weights: NDArray[np.float64] | None = None,
    shift: NDArray[np.float64] | None = None,
    n_threads: int = 1,
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]: ...
def gram(features: Any, n_threads: int = 1) -> NDArray[np.float64]: ...
def combine(features: Any, coefficients: NDArray[np.float64], n_threads: int = 1) -> NDArray[np.float64]: ...
def covariance(
    features: Any, centre: NDArray[np.float64], weights: NDArray[np.float64], n_threads: int = 1
) -> NDArray[np.float64]: ...
def find_floor(
    features: Any,
    target: NDArray[np.float64],
    base_weights: NDArray[np.float64] | None,
    method: str,
    max_iter: int,
    n_threads: int,
    callback: Any,
) -> dict[str, Any]: ...
def solve_dual(
    features: Any,
    target: NDArray[np.float64],
    tolerance: float,
    log_base_weights: NDArray[np.float64] | None = None,
    floor_support: NDArray[np.int64] | None = None,
    floor_support_weights: NDArray[np.float64] | None = None,
    floor_lower_bound: float = ...,
    start_direction: NDArray[np.float64] | None = None,
    method: str = "auto",
    max_iter: int = 0,
    n_threads: int = 1,
    callback: Any = None,
    base_discrepancy: float = ...,
) -> dict[str, Any]: ...
def certify_dual(
    features: Any,
    target: NDArray[np.float64],
    tolerance: float,
    theta: NDArray[np.float64],
    log_base_weights: NDArray[np.float64] | None = None,
    floor_support: NDArray[np.int64] | None = None,
    floor_support_weights: NDArray[np.float64] | None = None,
    n_threads: int = 1,
    base_discrepancy: float = ...,
) -> dict[str, Any]: ...
def add_moments(
    rows: Any,
    count: NDArray[np.float64],
    mean: NDArray[np.float64],
    square: NDArray[np.float64],
    lowest: NDArray[np.float64],
    highest: NDArray[np.float64],
    n_threads: int = 1,
) -> None: ...
def largest_norm(
    rows: Any,
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    indicated: NDArray[np.int32],
    n_threads: int = 1,
) -> float: ...
def median_distance(
    rows: Any,
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    indicated: NDArray[np.int32],
    n_threads: int = 1,
) -> float: ...
def certify_sums(
    theta: NDArray[np.float64],
    mean: NDArray[np.float64],
    log_partition: float,
    square_sum: float,
    largest_score: float,
    largest_absolute: float,
    target: NDArray[np.float64],
    tolerance: float,
    floor_weights: NDArray[np.float64] | None = None,
    floor_log_weights: NDArray[np.float64] | None = None,
    floor_mean: NDArray[np.float64] | None = None,
) -> dict[str, float]: ...

class DualJudge:
    def __init__(self, tolerance: float, base_discrepancy: float) -> None: ...
    @property
    def gradient_goal(self) -> float: ...
    def is_minimum(
        self,
        theta: NDArray[np.float64],
        mean: NDArray[np.float64],
        log_partition: float,
        square_sum: float,
        largest_score: float,
        largest_absolute: float,
    ) -> bool: ...
    def proof_of_infeasibility(
        self,
        theta: NDArray[np.float64],
        mean: NDArray[np.float64],
        log_partition: float,
        square_sum: float,
        largest_score: float,
        largest_absolute: float,
    ) -> float: ...
    def stalled(
        self,
        theta: NDArray[np.float64],
        mean: NDArray[np.float64],
        log_partition: float,
        square_sum: float,
        largest_score: float,
        largest_absolute: float,
    ) -> bool: ...
    def is_best(self) -> bool: ...
    def status_of_stall(
        self,
        theta: NDArray[np.float64],
        mean: NDArray[np.float64],
        log_partition: float,
        square_sum: float,
        largest_score: float,
        largest_absolute: float,
        scales: NDArray[np.float64],
    ) -> str: ...

class FloorJudge:
    def __init__(self, base_discrepancy: float, largest_norm: float) -> None: ...
    def is_certified(self, value: float, lower_bound: float) -> bool: ...
    def is_round_off(self, value: float, lower_bound: float) -> bool: ...
    def stalled(self, value: float, lower_bound: float) -> bool: ...
    def is_best(self) -> bool: ...

def embed(
    map: Any,
    numeric: Any,
    codes: NDArray[np.int32] | None,
    out: NDArray[Any],
    n_threads: int = 1,
) -> None: ...
def embed_csr(
    map: Any,
    numeric: Any,
    codes: NDArray[np.int32] | None,
    values: NDArray[Any],
    columns: NDArray[Any],
    offsets: NDArray[Any],
    n_threads: int = 1,
) -> None: ...
def embed_scores(
    map: Any,
    numeric: Any,
    codes: NDArray[np.int32] | None,
    theta: NDArray[np.float64],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def survey_block(
    features: Any,
    shift: NDArray[np.float64],
    base_weights: NDArray[np.float64] | None,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], float, float, float, int, NDArray[np.int64]]: ...
def check_distances(largest_norm: float, largest_coordinate: float) -> None: ...
def price_block(
    features: Any,
    shift: NDArray[np.float64],
    base_weights: NDArray[np.float64] | None,
    x: NDArray[np.float64],
    threshold: float,
    most: int,
    n_threads: int = 1,
) -> tuple[float, NDArray[np.int64], NDArray[np.float64]]: ...
def sample_block(
    scores: NDArray[np.float64] | None,
    n_rows: int,
    block: int,
    limit: float,
    most: int,
) -> tuple[float, NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]: ...
def tilt_block(
    features: Any,
    shift: NDArray[np.float64],
    log_base_weights: NDArray[np.float64] | None,
    theta: NDArray[np.float64],
    block: int = 0,
    limit: float = 0.0,
    most: int = 0,
    n_threads: int = 1,
) -> tuple[
    float,
    float,
    float,
    float,
    float,
    NDArray[np.float64],
    tuple[float, NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]],
]: ...
