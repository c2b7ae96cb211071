"""Draw the picture of the README and of the start page: ``python tools/draw_readme_picture.py``.

It is the picture of the first example in the gallery.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Run the example without a screen and save its figure."""
    matplotlib.use("agg")
    from matplotlib import pyplot

    runpy.run_path(str(ROOT / "examples" / "plot_1_first_fit.py"), run_name="__main__")
    target = ROOT / "docs" / "_static" / "first_fit.png"
    pyplot.gcf().savefig(target, dpi=90, metadata={"Software": None})
    print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
