"""Streaming: rows that are read in passes, from files, from any iterable of blocks, or on a Dask cluster."""

from drr.streaming.passes import merge_passes
from drr.streaming.sources import open_rows

__all__ = ["merge_passes", "open_rows"]
