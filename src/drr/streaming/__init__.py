"""Streaming: rows that are read in passes, from files, from any iterable of blocks, or on a Dask cluster.

A fit on rows that do not fit in memory is a sequence of passes. In each, the same small *request* is put to every
block of rows, which may be on disk or on another machine; its answer holds a few vectors of one number per column,
and a few rows. Two answers merge into the answer of all their rows, so any map-reduce engine can make the pass::

    answer = drr.merge_passes(request(rows, number, weights) for number, (rows, weights) in enumerate(blocks))

`drr.rake`, `drr.find_floor` and `drr.solve_dual` take, in place of the rows, any object with an attribute
``n_columns`` and a method ``run_pass(request)`` that returns such an answer. Answers are merged in the order of the
block numbers: sums of floating-point numbers depend on their order, and a fixed one gives the same bits every time.
"""

from drr.streaming.passes import merge_passes
from drr.streaming.sources import open_rows

__all__ = ["merge_passes", "open_rows"]
