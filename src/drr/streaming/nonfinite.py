"""NaN and infinity in a block of rows: named by block and row, and by the file where the source knows it."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from drr._checks.arrays import Features
from drr.exceptions import NonfiniteRowError


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
