"""On a free-threaded interpreter no module of the package brings the lock back."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig

import pytest


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this interpreter has the lock")
def test_importing_leaves_the_lock_off():
    # An interpreter of its own, and without PYTHON_GIL=0, which would keep the lock off whatever a module asks for.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    script = """
import importlib, sys
from drr._native import available_instruction_sets
for name in ("_cpu", "draws", "ranking", *(f"_core_{each}" for each in available_instruction_sets())):
    importlib.import_module(f"drr._native.{name}")
assert not sys._is_gil_enabled()
"""
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, env=environment)
