"""The tags that imbalanced-learn reads from a sampler in addition to scikit-learn's, without importing it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from sklearn.utils import InputTags, Tags


@dataclass
class SamplerTags:
    """What the sampler records."""

    sample_indices: bool = True


@dataclass
class SamplerInputTags(InputTags):  # type: ignore[misc]
    """What the sampler takes."""

    dataframe: bool = True


@dataclass
class ResamplerTags(Tags):  # type: ignore[misc]
    """The tags of a sampler."""

    sampler_tags: SamplerTags = field(default_factory=SamplerTags)


def as_sampler_tags(tags: Any, input_tags: Any) -> ResamplerTags:
    """Return the same tags with those of a sampler added."""
    extended = ResamplerTags(**_values(tags))
    extended.input_tags = SamplerInputTags(**_values(input_tags))
    return extended


def _values(tags: Any) -> dict[str, Any]:
    return {each.name: getattr(tags, each.name) for each in fields(tags)}
