"""One integer seed from whatever a user passes as random_state."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def draw_seed(random_state: Any) -> int:
    """An integer stays itself; None and generators give one draw."""
    if isinstance(random_state, numbers.Integral):
        check_random_state(random_state)
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
