"""NaN and infinity in a block of rows, named by block and row."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from drr._checks.arrays import Features
from drr.exceptions import NonfiniteRowError


def check_finite(rows: Features, number: int) -> None:
    """Raise NonfiniteRowError at the first NaN or infinity in block `number`."""
    values = rows.data if scipy.sparse.issparse(rows) else rows
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    if scipy.sparse.issparse(rows):
        entry = int(np.argmax(bad))
        row, column = int(np.searchsorted(rows.indptr, entry, side="right")) - 1, int(rows.indices[entry])
        value = values[entry]
    else:
        row, column = (int(k) for k in np.unravel_index(int(np.argmax(bad)), bad.shape))
        value = values[row, column]
    raise NonfiniteRowError("NaN" if np.isnan(value) else "infinity", number, row, column)
