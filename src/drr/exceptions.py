"""What the functions of `drr` raise beyond ValueError and TypeError."""

from __future__ import annotations

import math


class InfeasibleToleranceError(ValueError):
    """No weights bring the mean of the rows within the tolerance: the feasibility floor is higher.

    Attributes
    ----------
    tolerance : float
        What was asked for.
    lower_bound : float
        A certified lower bound of the floor, above the tolerance: the proof.
    upper_bound : float
        A certified upper bound of the floor, reachable; NaN where no floor was given.

    Examples
    --------
    >>> import numpy as np, drr
    >>> rows, target = np.array([[0.0], [1.0]]), [3.0]
    >>> try:
    ...     drr.solve_dual(rows, target, 0.5, floor=drr.find_floor(rows, target))
    ... except drr.InfeasibleToleranceError as error:
    ...     print(error.tolerance, error.lower_bound, error.upper_bound)
    0.5 2.0 2.0
    """

    def __init__(self, tolerance: float, lower_bound: float, upper_bound: float = math.nan) -> None:
        self.tolerance = tolerance
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        known = f"at least {lower_bound:.10g}"
        if not math.isnan(upper_bound):
            known = f"between {lower_bound:.10g} and {upper_bound:.10g}"
        super().__init__(
            f"tolerance {tolerance:.10g} cannot be reached: the feasibility floor is {known}. Choose a larger one, for "
            "example drr.choose_tolerance(floor, floor.base_discrepancy) with floor = drr.find_floor(features, target)"
        )

    def __reduce__(self) -> tuple[type[InfeasibleToleranceError], tuple[float, float, float]]:
        # The message is not the constructor's argument; workers of joblib send exceptions by pickle.
        return type(self), (self.tolerance, self.lower_bound, self.upper_bound)


class ModelFileError(ValueError):
    """A file is not a model that this version of drr can load: damaged, foreign, newer, or with types nobody trusts.

    Examples
    --------
    >>> import pathlib, tempfile, drr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.skops"
    ...     _ = path.write_text("not a model")
    ...     try:
    ...         drr.load(path)
    ...     except drr.ModelFileError:
    ...         print("refused")
    refused
    """
