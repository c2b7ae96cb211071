"""Ctrl-C stops a kernel within a second, and the process goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

INTERRUPTED_PASS = """
import signal, threading, time, os
import numpy as np, drr

signal.signal(signal.SIGINT, signal.default_int_handler)
# A pass of several seconds without the memory: one stored row, shown twenty million times.
features = np.broadcast_to(np.ones(2000), (20_000_000, 2000))
theta = np.zeros(2000)
drr.tilt([[0.0]], [0.0])  # loads what the pass needs
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
started = time.monotonic()
try:
    drr.tilt(features, theta)
except KeyboardInterrupt:
    print("interrupted after", time.monotonic() - started)
print("alive", drr.tilt([[0.0], [1.0]], [0.0]).weights.tolist(), threading.active_count())
"""


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_ctrl_c_during_a_pass():
    # A busy machine may keep any one of them waiting.
    assert any(seconds_until_interrupted() < 1.5 for _ in range(3))


def seconds_until_interrupted():
    command = [sys.executable, "-c", INTERRUPTED_PASS]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.stdout.startswith("interrupted after"), result
    assert "alive [0.5, 0.5]" in result.stdout
    assert result.returncode == 0
    return float(result.stdout.split()[2])


def test_a_signal_handler_that_returns_does_not_stop_the_pass(rng):
    import numpy as np

    import drr

    calls = []
    previous = signal.signal(signal.SIGINT, lambda *_: calls.append(1))
    try:
        signal.raise_signal(signal.SIGINT)  # os.kill would end the process on Windows
        drr.tilt(np.ones((10, 2)), [0.0, 0.0])
    finally:
        signal.signal(signal.SIGINT, previous)
    assert calls
