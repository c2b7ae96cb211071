"""A child that is forked while another thread is in the middle of a solve fits and scores as its parent does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
from tools.attack import concurrency

concurrency.PATIENCE = 60
for wrong in concurrency.attack_fork_during_fits(2):
    print(wrong)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_forked_during_a_solve_fits_as_its_parent():
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, cwd=Path(__file__).parents[2])
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
