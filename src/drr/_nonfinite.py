"""NaN and infinity in a block of rows: named by block and row, and by the file where the source knows it."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from drr._validation import Features


class NonfiniteRowError(ValueError):
    """A block holds NaN or infinity; a source that knows more of the block adds its name to the message."""

    def __init__(self, what: str, block: int, row: int, column: int, where: str = "") -> None:
        self.what, self.block, self.row, self.column = what, block, row, column
        place = f"block {block}, row {row} of the block, column {column}"
        super().__init__(f"the rows contain {what} in {place}{where}; impute or drop such rows before raking")
        self._where = where

    def __reduce__(self) -> tuple[type[NonfiniteRowError], tuple[str, int, int, int, str]]:
        return type(self), (self.what, self.block, self.row, self.column, self._where)


def refuse_nonfinite_block(block: Features, number: int, error: ValueError) -> None:
    """Name the block and the row of the first NaN or infinity, if that is what the kernel stumbled on."""
    values = block.data if scipy.sparse.issparse(block) else block
    bad = ~np.isfinite(values)
    if not bad.any():
        raise ValueError(f"block {number}: {error}") from None
    if scipy.sparse.issparse(block):
        entry = int(np.argmax(bad))
        row, column = int(np.searchsorted(block.indptr, entry, side="right")) - 1, int(block.indices[entry])
        value = values[entry]
    else:
        row, column = (int(k) for k in np.unravel_index(int(np.argmax(bad)), bad.shape))
        value = values[row, column]
    what = "NaN" if np.isnan(value) else "infinity"
    raise NonfiniteRowError(what, number, row, column)
