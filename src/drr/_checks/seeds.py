"""One integer seed from whatever a user passes as random_state, and parts that share it."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state


def draw_seed(random_state: Any) -> int:
    """Return one integer: an integer itself, or one draw for None and generators."""
    if isinstance(random_state, numbers.Integral):
        if not 0 <= int(random_state) < 2**32:
            check_random_state(
                random_state
            )  # raises; it is not asked for others because it makes a generator
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def seed_nested(estimator: Any, random_state: Any) -> Any:
    """Return a clone in which `random_state` replaces every one that is None, at any depth."""
    copy = clone(estimator)
    unset = [
        name
        for name, value in copy.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    ]
    copy.set_params(**dict.fromkeys(unset, random_state))  # a frozen estimator returns nothing here
    return copy
