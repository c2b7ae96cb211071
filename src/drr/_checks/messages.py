"""Parts of messages to users."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def listed(values: Iterable[Any], most: int = 5) -> str:
    """List the first few values, and how many more there are."""
    plain = values.tolist() if isinstance(values, np.ndarray) else list(values)
    shown = ", ".join(repr(value) if isinstance(value, str) else str(value) for value in plain[:most])
    return f"{shown} and {len(plain) - most} more" if len(plain) > most else shown
