"""Time of a fit against the number of rows, with the fitted exponent and a picture.

    python -m benchmarks.scale.growth [--most 20000000] [--folder /tmp] [--picture growth.png]

The rows are the first of one file, read in passes; the file is as cached as the machine lets it be.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import drr
from benchmarks.scale.rows import make_target, write_rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=20_000_000)
    parser.add_argument("--folder", type=Path, default=Path("/tmp"))
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    path = arguments.folder / f"rows-{arguments.most}.npy"
    write_rows(path, arguments.most)
    rows = np.load(path, mmap_mode="r")
    target = make_target()
    sizes = [n for n in (10**4, 10**5, 10**6, 10**7) if n < arguments.most] + [arguments.most]
    seconds, passes = [], []
    for n_rows in sizes:
        part = drr.sources.NpySource(path, _layout=(rows.offset, (n_rows, rows.shape[1]), rows.dtype))
        counted: list[int] = []
        began = time.perf_counter()
        drr.rake(part, target, callback=lambda figures, counted=counted: counted.append(figures["passes"]))
        seconds.append(time.perf_counter() - began)
        passes.append(counted[-1])
        print(
            f"{n_rows:>9} rows: {seconds[-1]:8.2f} s, {passes[-1]} passes, {seconds[-1] / passes[-1]:.3f} s a pass"
        )
    large = [k for k, n in enumerate(sizes) if n >= 10**5]
    exponent = np.polyfit(np.log([sizes[k] for k in large]), np.log([seconds[k] for k in large]), 1)[0]
    print(f"from 100000 rows on, time grows as rows^{exponent:.2f}")
    if arguments.picture:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
        axes.loglog(sizes, seconds, "o-", label="fit in passes")
        axes.loglog(
            sizes, [seconds[-1] * n / sizes[-1] for n in sizes], "--", label="in proportion to the rows"
        )
        axes.set(xlabel="rows (100 columns, float32)", ylabel="seconds", title=f"exponent {exponent:.2f}")
        axes.legend()
        figure.savefig(arguments.picture, dpi=150)


if __name__ == "__main__":
    main()
