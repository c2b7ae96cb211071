"""The mean of the rare class in the feature map: the target of raking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from drr.streaming.block import Block
from drr.streaming.embedding import embed, is_label
from drr.streaming.queries.query import Query, Vector


@dataclass(frozen=True, eq=False)
class WeightedMean:
    """The mean of some rows, with their total weight."""

    mean: Vector
    weight: float

    def merge(self, other: WeightedMean) -> WeightedMean:
        """Return the mean of the rows of both."""
        weight = self.weight + other.weight
        share = other.weight / weight if weight else 0.0
        return WeightedMean((1 - share) * self.mean + share * other.mean, weight)


@dataclass(frozen=True, eq=False)
class MeasureTarget(Query):
    """Ask for the mean of the rows of a class in the feature map. The weights of all rows are checked."""

    feature_map: Any
    rare: Any

    def answer(self, block: Block) -> WeightedMean:
        weights = block.check_weights()
        rare = np.flatnonzero(is_label(block, self.rare))
        features = embed(self.feature_map, block, rare)
        v = np.ones(len(rare)) if weights is None else weights[rare]
        total = float(v.sum())
        mean = np.asarray(features.T @ v, dtype=np.float64).ravel() / (total or 1.0)
        return WeightedMean(mean, total)
