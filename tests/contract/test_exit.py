"""A process ends as it should while a daemon thread is in a kernel."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest


@pytest.mark.parametrize("callback", ["None", "lambda figures: None"])
def test_a_daemon_thread_in_a_solve_does_not_abort_the_exit(callback):
    code = textwrap.dedent(
        f"""
        import threading, time
        import numpy as np, drr

        features = np.random.default_rng(0).normal(size=(20_000, 40))

        def solve():
            while True:
                drr.find_floor(features, np.full(40, 3.0), callback={callback})

        threading.Thread(target=solve, daemon=True).start()
        time.sleep(0.3)
        """
    )
    for _ in range(3):  # the moment of the exit is left to chance
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, result.stderr
