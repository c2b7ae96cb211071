"""Rows of a block in a feature map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context

from drr._checks.tables import take_rows
from drr.streaming.block import Block


@dataclass(frozen=True, eq=False)
class EmbedMajority:
    """Makes of a block with labels a block of the features of those rows whose label is not `rare`."""

    feature_map: Any
    rare: Any

    def __call__(self, block: Block) -> Block:
        majority = np.flatnonzero(~is_label(block, self.rare))
        weights = None if block.weights is None else np.asarray(block.weights)[majority]
        return Block(embed(self.feature_map, block, majority), block.number, None, None, weights)


def embed(feature_map: Any, block: Block, rows: NDArray[np.intp]) -> Any:
    """Return the features of some rows of a block as an array or CSR matrix."""
    if not len(rows):
        return np.zeros((0, len(feature_map.get_feature_names_out())))
    with config_context(transform_output="default"):  # a frame would be converted back at once
        return feature_map.transform(take_rows(block.rows, rows))


def is_label(block: Block, label: Any) -> NDArray[np.bool_]:
    """Return which rows of a block have this label."""
    return np.asarray(np.asarray(block.y) == label).reshape(-1)
