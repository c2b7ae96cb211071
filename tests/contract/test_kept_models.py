"""Model files of every released version load, and say what they said when they were written.

`python tools/keep_models.py` writes them, once per release.
"""

from __future__ import annotations

import importlib.util
import json
import warnings
from pathlib import Path

import numpy as np
import pandas
import pytest
import sklearn
from packaging.version import Version
from sklearn.exceptions import InconsistentVersionWarning

import drr

pytest.importorskip("skops")

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "tests" / "data" / "models"
WITHOUT_BASE = {"feature_map", "dual", "rescored", "resampler"}


def keep_models():
    spec = importlib.util.spec_from_file_location("keep_models", ROOT / "tools" / "keep_models.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "path", sorted(MODELS.glob("*/*.skops")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_kept_models_say_what_they_said(path):
    writer = drr.read_note(path).versions["scikit-learn"]
    if path.stem not in WITHOUT_BASE and Version(sklearn.__version__) < Version(writer):
        pytest.skip(f"its base is of scikit-learn {writer}, whose models older versions do not read")
    with warnings.catch_warnings():
        # scikit-learn's warning of models from other versions; whether the scores are right is seen below.
        warnings.simplefilter("ignore", InconsistentVersionWarning)
        model = drr.load(path)
    kept = json.loads(path.with_suffix(".json").read_text())
    rows = pandas.DataFrame(kept["rows"])
    found = keep_models().outputs(model, rows)
    assert found.keys() == kept["outputs"].keys()
    for name, expected in kept["outputs"].items():
        if name == "predict":
            assert found[name] == expected
        else:
            np.testing.assert_allclose(found[name], expected, rtol=1e-9, atol=1e-12, err_msg=name)


def test_this_version_has_kept_models():
    kept = {path.stem for path in (MODELS / drr.__version__).glob("*.skops")}
    assert kept == set(keep_models().KEPT), "run `python tools/keep_models.py` before a release"
