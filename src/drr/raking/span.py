"""Many problems from one Gram matrix: rows with more columns than rows, in coordinates of their span.

With Φ = CQᵀ and orthonormal columns of Q, inner products and distances of rows are those of their coordinates, the
rows of C. A problem on Φ whose target is a mean of rows is therefore the same problem on C, which has at most as many
columns as rows: the floor and the weights are equal, and θ = Qc. C comes from the Gram matrix alone, CCᵀ = ΦΦᵀ, and
serves every target, every base weight and every tolerance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, solve_triangular

from drr._checks.arrays import Features
from drr._native import core
from drr._native.progress import Callback
from drr.exceptions import InfeasibleToleranceError
from drr.raking.problem import ArrayProblem
from drr.raking.results import Dual, Floor, Status

Vector = NDArray[np.float64]

_ROWS_PER_PROBLEM = 600  # the time of a Gram matrix grows with the square of the rows
_MAX_ROWS = 6000  # their Gram matrix and three more of its size are 1.2 GB


class RowSpan:
    """Coordinates of rows in an orthonormal basis of their span, by a pivoted Cholesky factor of their Gram matrix."""

    def __init__(self, gram: Vector) -> None:
        factor, order, rank, _ = lapack.dpstrf(gram.T, lower=1)
        order = order - 1  # LAPACK counts from one
        self._basis, self._basis_rows = factor[:rank, :rank], order[:rank]
        self.coordinates = np.empty((len(gram), rank))
        self.coordinates[order] = np.tril(factor)[:, :rank]

    def combination(self, inside: Vector) -> Vector:
        """Return the coefficients of the rows whose combination is Q·inside; those outside the basis are zero."""
        coefficients = np.zeros(len(self.coordinates))
        coefficients[self._basis_rows] = solve_triangular(
            self._basis, inside, trans="T", lower=True, check_finite=False
        )
        return coefficients

    def inside(self, scores: Vector) -> Vector:
        """Return the coordinates of a direction in the span, given by its products with the rows."""
        return np.asarray(
            solve_triangular(self._basis, scores[self._basis_rows], lower=True, check_finite=False)
        )


class SpanProblem(ArrayProblem):
    """Solve inside the span of the rows, and certify in the original coordinates.

    If the certificate finds that rounding has spoiled what was found inside, the rows are solved as usual.
    """

    def __init__(
        self, rows: Features, span: RowSpan, target_weights: Vector, weights: Vector, n_threads: int
    ) -> None:
        """Take the weights of the rows whose mean is the target, and the base weights; both sum to one."""
        super().__init__(rows, _combine(rows, target_weights, n_threads), weights, n_threads)
        self._span = span
        self._base_mean = _combine(rows, weights, n_threads)
        inside = target_weights @ span.coordinates
        self._inside = ArrayProblem(span.coordinates, inside, weights, n_threads)
        self._floor_inside: Floor | None = None
        self.scores: Vector | None = None  # Φθ of a dual found inside

    def find_floor(self, method: str, max_iter: int, callback: Callback | None) -> Floor:
        if method != "auto":
            return super().find_floor(method, max_iter, callback)
        self._floor_inside = self._inside.find_floor(method, max_iter, callback)
        floor = self._certified(self._floor_inside)
        if floor.status is not Status.CONVERGED:
            return super().find_floor(method, max_iter, callback)
        self._floor = floor
        return floor

    def solve_dual(
        self,
        tolerance: float,
        floor: Floor | None,
        start: Dual | None,
        method: str,
        max_iter: int,
        callback: Callback | None,
    ) -> Dual:
        if method != "auto" or floor is None or floor is not self._floor:
            return super().solve_dual(tolerance, floor, start, method, max_iter, callback)
        try:
            inside = self._inside.solve_dual(tolerance, self._floor_inside, None, method, max_iter, callback)
        except InfeasibleToleranceError:
            return super().solve_dual(tolerance, floor, start, method, max_iter, callback)
        values = core.certify_dual(
            self.rows,
            self.target,
            tolerance,
            _combine(self.rows, self._span.combination(inside.theta), self.n_threads),
            self._log_weights,
            floor.support,
            floor.support_weights,
            self.n_threads,
            floor.base_discrepancy,
        )
        status = Status(values["status"])
        if status is not Status.CONVERGED:
            return super().solve_dual(tolerance, floor, start, method, max_iter, callback)
        self.scores = self._span.coordinates @ inside.theta
        del values["floor_lower_bound"]
        values.pop("base_mean", None)
        return Dual(**(values | {"status": status, "method": "span", "n_iter": inside.n_iter}))

    def _certified(self, inside: Floor) -> Floor:
        """Return the floor with both bounds from the rows themselves."""
        residual = _combine(self.rows, inside.weights, self.n_threads) - self.target
        value, gamma = float(np.linalg.norm(residual)), self.base_discrepancy
        lower_bound = min(max(self._lowest_score(residual) / value, 0.0), value) if value > 0 else 0.0
        is_met = core.FloorJudge(gamma, value).is_certified(value, lower_bound)
        return Floor(
            value=value,
            lower_bound=lower_bound,
            residual=residual,
            support=inside.support,
            support_weights=inside.support_weights,
            n_rows=inside.n_rows,
            base_mean=self.base_mean,
            base_discrepancy=gamma,
            n_iter=inside.n_iter,
            n_passes=inside.n_passes,
            method=inside.method,
            status=Status.CONVERGED if is_met else Status.ROUND_OFF,
        )


def _combine(rows: Features, coefficients: Vector, n_threads: int) -> Vector:
    """Return Σᵢ cᵢ φᵢ."""
    return core.combine(rows, coefficients, n_threads=n_threads)


def is_worthwhile(rows: Features, n_problems: int) -> bool:
    """Tell whether a Gram matrix costs less than it saves so many problems on dense rows.

    Measured with 2000 rows of 15 000 columns: the Gram matrix takes as long as three duals, and a dual inside a fifth
    of one outside.
    """
    n_rows, n_columns = rows.shape
    if not isinstance(rows, np.ndarray) or n_rows >= n_columns:
        return False
    if n_rows > min(_MAX_ROWS, _ROWS_PER_PROBLEM * n_problems):
        return False
    return bool(np.isfinite(rows.sum(dtype=np.float64)))  # if not, the solvers say where
