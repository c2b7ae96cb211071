"""The memory of ``drr score`` on a file of five million rows: ``python -m benchmarks.score_memory``.

Writes a table of 10 numbers and 2 categories as CSV and as Parquet into a temporary folder (about 1.3 GB), fits a model
on its first 20 000 rows, scores both files and prints rows, seconds and the largest resident memory of each command.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas

CHUNK = 250_000
LIMIT = 1e9


def make_chunk(number: int, n_rows: int) -> pandas.DataFrame:
    """Rows of which two in a hundred are rare."""
    rng = np.random.default_rng(number)
    rare = rng.random(n_rows) < 0.02
    numbers = rng.normal(size=(n_rows, 10)).round(5) + 0.8 * rare[:, None]
    frame = pandas.DataFrame(numbers, columns=[f"x{k}" for k in range(10)])
    frame["region"] = rng.choice(["north", "south", "east", "west"], n_rows)
    frame["kind"] = rng.choice([f"kind{k}" for k in range(20)], n_rows)
    frame.insert(0, "row", np.arange(number * CHUNK, number * CHUNK + n_rows))
    return frame.assign(target=rare.astype(int))


def write_tables(folder: Path, n_rows: int) -> None:
    """The same rows as train.csv (the first ones), rows.csv and rows.parquet."""
    import pyarrow
    import pyarrow.parquet

    make_chunk(0, 20_000).to_csv(folder / "train.csv", index=False)
    writer = None
    for number in range(-(-n_rows // CHUNK)):
        chunk = make_chunk(number, min(CHUNK, n_rows - number * CHUNK))
        chunk.to_csv(folder / "rows.csv", mode="a", header=number == 0, index=False)
        table = pyarrow.Table.from_pandas(chunk, preserve_index=False)
        writer = writer or pyarrow.parquet.ParquetWriter(folder / "rows.parquet", table.schema)
        writer.write_table(table)
    writer.close()


def run(folder: Path, *arguments: str) -> tuple[float, float]:
    """Seconds and peak resident bytes of a command."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "drr", *arguments], cwd=folder, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"drr {' '.join(arguments)} failed")
    return time.perf_counter() - started, usage.ru_maxrss * 1024.0


def main() -> None:
    """Measure, print, and fail above one gigabyte."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--base", default="logistic")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder, options.rows)
        fit = ["fit", "train.csv", "--target", "target", "--id", "row", "--base", options.base]
        run(folder, *fit, "-o", "model.skops")
        peaks = []
        for table, output in (("rows.csv", "scores.parquet"), ("rows.parquet", "scores.csv")):
            seconds, peak = run(folder, "score", "model.skops", table, "-o", output)
            peaks.append(peak)
            size = (folder / table).stat().st_size
            print(
                f"{table:<13} {size / 1e6:6.0f} MB  {options.rows:,} rows  {seconds:5.1f} s",
                f"peak {peak / 1e6:.0f} MB",
            )
    if max(peaks) > LIMIT:
        raise SystemExit(f"above {LIMIT / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
