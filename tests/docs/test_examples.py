"""Every script of the gallery runs to its end and draws something."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("plot_*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_draws(script, monkeypatch, tmp_path):
    matplotlib = pytest.importorskip("matplotlib", reason="the examples draw with matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DRR_DATA", raising=False)  # the way of a reader without the data sets
    pyplot.close("all")
    try:
        runpy.run_path(str(script), run_name="__main__")
        drawn = [axes for number in pyplot.get_fignums() for axes in pyplot.figure(number).axes]
        assert drawn, "no picture"
        assert all(axes.has_data() or axes.texts for axes in drawn), "an empty panel"
    finally:
        pyplot.close("all")
