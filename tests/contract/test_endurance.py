"""Many small calls leave no memory, file or thread behind; a second interpreter is refused, and the first goes on."""

from __future__ import annotations

import mmap
import subprocess
import sys

import pytest

from tools.attack.endurance import fit, growth, rake, wrong_about

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts of Linux's /proc")


@pytest.mark.parametrize(("call", "times"), [(rake, 2500), (fit, 20)], ids=["rakes", "fits"])
def test_small_calls_leave_nothing_behind(call, times):
    assert wrong_about(growth(call, times)) == []


def test_what_is_left_behind_is_counted(tmp_path):
    kept: list[object] = []

    def leak(number: int) -> None:
        # Memory of its own: an array may lie in what earlier tests have given back to the allocator.
        kept.append(mmap.mmap(-1, 160_000, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        kept[-1].write(b"1" * 160_000)
        kept.append([[] for _ in range(50)])
        kept.append(open(tmp_path / "log", "a"))  # noqa: SIM115 - left open on purpose

    wrong = " ".join(wrong_about(growth(leak, 100)))
    for file in kept[2::3]:
        file.close()
    assert "megabytes" in wrong
    assert "blocks" in wrong
    assert "100 files" in wrong


SECOND_INTERPRETER = """
import {module} as interpreters
import numpy, drr
drr.rake(numpy.eye(3), [0.3, 0.3, 0.4])
other = interpreters.create()
try:
    said = interpreters.{run}(other, "from drr._native import core")
except Exception as error:
    said = error
assert said is not None, "the second interpreter has loaded the core"
assert drr.rake(numpy.eye(3), [0.3, 0.3, 0.4]).dual.status.is_success
"""


def test_a_second_interpreter_of_the_process_is_refused():
    module, run = (
        ("_xxsubinterpreters", "run_string") if sys.version_info < (3, 13) else ("_interpreters", "exec")
    )
    program = SECOND_INTERPRETER.format(module=module, run=run)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
