"""
Passes on Spark
===============

The rows are a Spark data frame that is cached with its executors. A pass maps one small request over the partitions and
brings back one answer for each; :func:`drr.merge_passes` merges them in the order of the partitions. No row leaves its
executor except the few that the solver asks for. Needs ``pip install pyspark`` and Java.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/own_map_reduce.png"

import numpy as np
from pyspark.sql import SparkSession

import drr

N_COLUMNS = 5


class OnSpark:
    """A data frame whose columns are the features; the number of a partition is the number of its block."""

    def __init__(self, frame):
        self.n_columns = len(frame.columns)
        # Turned into arrays once, and kept with the executors: every pass reads them again.
        self.blocks = frame.rdd.mapPartitionsWithIndex(as_block).cache()

    def run_pass(self, request):
        shared = self.blocks.context.broadcast(request)
        answers = self.blocks.map(lambda block: (block[0], shared.value(block[1], block[0]))).collect()
        return drr.merge_passes(answer for _, answer in sorted(answers, key=lambda each: each[0]))


def as_block(number, rows):
    """Return a partition as (number, array); one without rows asks for nothing."""
    values = np.array([tuple(row) for row in rows], dtype=float)
    return [(number, values)] if len(values) else []


def main():
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try:
        rows = np.random.default_rng(0).standard_normal((20_000, N_COLUMNS))
        names = [f"x{k}" for k in range(N_COLUMNS)]
        frame = spark.createDataFrame(spark.sparkContext.parallelize(rows.tolist(), 4), names)
        target = np.full(N_COLUMNS, 0.3)
        raking = drr.rake(OnSpark(frame), target)
        print(f"floor {raking.floor.value:.6g} after {raking.floor.n_passes} passes")
        print(f"effective rows {raking.dual.ess:.1f}, gap {raking.dual.gap:.1e} nats")

        in_memory = drr.rake(rows, target)
        difference = np.linalg.norm(raking.dual.theta - in_memory.dual.theta)
        print(
            f"theta differs from the one in memory by {difference / np.linalg.norm(in_memory.dual.theta):.1e}"
        )
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
