"""What each column of a table adds to the score of a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr.features.feature_map import RakingFeatureMap

FOURIER = "fourier"


def column_contributions(
    feature_map: RakingFeatureMap, features: Any, theta: NDArray[np.float64]
) -> tuple[list[str], NDArray[np.float64]]:
    """Return names and parts of θᵀφ(x), one per column of the table and one for all random features together.

    A numeric column has its linear term and that of its indicator of missing values, a categorical one the term of its
    level. Random features mix all numeric columns, so their sum is a part of its own.
    """
    embedding, blocks = feature_map.embedding_, feature_map.blocks_
    owners = np.full(len(theta), feature_map.n_features_in_)
    numeric = np.array(embedding.numeric, dtype=np.intp)
    owners[blocks["linear"]] = [*numeric, *numeric[embedding.indicated]]
    widths = np.diff(embedding.level_offsets)
    owners[blocks["one_hot"]] = np.repeat(np.array(embedding.categorical, dtype=np.intp), widths)
    inputs = list(getattr(feature_map, "feature_names_in_", [])) or [
        f"x{j}" for j in range(feature_map.n_features_in_)
    ]
    belongs = owners[:, None] == np.arange(len(inputs) + 1)
    parts = np.asarray(features @ (belongs * theta[:, None]))
    if len(embedding.phases):
        return [*inputs, FOURIER], parts
    return inputs, parts[:, :-1]
