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
        A certified upper bound of the floor, reachable; NaN if no floor was given.

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
    """A file is not a model that this version can load: damaged, foreign, newer, or with untrusted types.

    Examples
    --------
    >>> import pathlib, tempfile, drr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.skops"
    ...     _ = path.write_text("not a model")
    ...     try:
    ...         drr.load(path)
    ...     except drr.ModelFileError:
    ...         print("not a model file")
    not a model file
    """


class NonfiniteRowError(ValueError):
    """A block of rows that are read in passes holds NaN or infinity; the message names the file if it is known.

    Attributes
    ----------
    what : str
        What was found: NaN or infinity.
    block, row, column : int
        The position, counted from zero; the row within its block.

    Examples
    --------
    >>> import numpy as np, drr
    >>> try:
    ...     drr.rake(drr.open_rows([np.zeros((2, 1)), np.array([[np.nan]])]), [0.5])
    ... except drr.NonfiniteRowError as error:
    ...     print(error.block, error.row, error.column)
    1 0 0
    """

    def __init__(self, what: str, block: int, row: int, column: int, where: str = "") -> None:
        self.what, self.block, self.row, self.column = what, block, row, column
        place = f"block {block}, row {row} of the block, column {column}"
        super().__init__(f"the rows contain {what} in {place}{where}; impute or drop such rows before raking")
        self._where = where

    def __reduce__(self) -> tuple[type[NonfiniteRowError], tuple[str, int, int, int, str]]:
        return type(self), (self.what, self.block, self.row, self.column, self._where)


class SourceChangedError(ValueError):
    """A file is shorter than it says, or changed between two passes over it.

    Examples
    --------
    >>> import pathlib, tempfile, numpy as np, drr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "rows.npy"
    ...     np.save(path, np.ones((100, 2)))
    ...     _ = path.write_bytes(path.read_bytes()[:-8])
    ...     try:
    ...         drr.rake(path, [1.0, 1.0])
    ...     except drr.SourceChangedError:
    ...         print("cut short")
    cut short
    """


class CheckpointError(ValueError):
    """A checkpoint belongs to another problem, or is not a checkpoint.

    Examples
    --------
    >>> import tempfile, numpy as np, drr
    >>> rows = drr.open_rows(np.random.default_rng(0).normal(size=(50, 2)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = drr.rake(rows, [0.1, 0.1], checkpoint=folder)
    ...     try:
    ...         drr.rake(rows, [0.2, 0.1], checkpoint=folder)
    ...     except drr.CheckpointError:
    ...         print("another problem")
    another problem
    """
