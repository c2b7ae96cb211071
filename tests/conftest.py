"""Shared fixtures. Data sets are found through DRR_DATA; tests that need them skip where it is unset."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import hypothesis
import numpy as np
import pytest

# A shell starts background commands with Ctrl-C ignored, and processes started by the tests would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# OpenMP's threads spin while they wait, which takes a processor that other work has away from the boosted trees.
# Read when the library is loaded, so it is set before any test imports one.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# The number of generated cases per property: small and repeatable by default, large in the long run
# (DRR_PROPERTY_CASES=2000 pytest tests/property).
_cases = int(os.environ.get("DRR_PROPERTY_CASES", "0"))
hypothesis.settings.register_profile(
    "drr",
    max_examples=_cases or 50,
    derandomize=_cases == 0,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("drr")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240725)


@pytest.fixture(scope="session")
def data_directory() -> Path:
    """The folder with tabular24/, genes/ and large/, each with a manifest.json."""
    path = os.environ.get("DRR_DATA")
    if not path:
        pytest.skip("set DRR_DATA to the folder that holds tabular24/, genes/ and large/")
    return Path(path)
