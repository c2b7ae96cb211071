"""Features: the moments that raking matches, learned from a table."""

from drr.features.feature_map import RakingFeatureMap

__all__ = ["RakingFeatureMap"]
