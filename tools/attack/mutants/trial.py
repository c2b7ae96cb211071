"""One mutant before its tests, in a forked process: NumPy, SciPy and scikit-learn are imported once, by the parent."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
POLL = 0.05  # seconds
# Of processor time, which a busy machine does not eat up: several times what the tests take. A process that waits for
# ever is ended when the parent, which may be held up as much, has looked ten times as long.
SECONDS, CORE_SECONDS = 300, 30
MEMORY = 16 << 30  # bytes of addresses
# It asks for the last digit of a floor, which the rounding of an unoptimised build misses without any mutant.
DESELECTED = ["tests/unit/test_hard_cases_floor.py::test_random_features_of_a_single_column"]
HEAVY = ("numpy", "scipy.optimize", "scipy.sparse", "scipy.stats", "sklearn.linear_model", "sklearn.ensemble",
         "pandas", "pytest")  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    ending: str
    """passed, failed, crashed or hung"""
    killer: str = ""
    """the test that failed"""
    seconds: float = 0.0
    """of processor time"""


def import_what_all_tests_need() -> None:
    for name in HEAVY:
        importlib.import_module(name)


def hide_editable_installation(folder: Path) -> None:
    """Interpreters that find this folder on their path do not prefer an editable installation to it."""
    (folder / "sitecustomize.py").write_text(
        'import sys\nsys.meta_path[:] = [finder for finder in sys.meta_path if "esonpy" not in type(finder).__name__]\n'
    )


def with_compiled(folder: Path) -> Path:
    """A copy of the package of this tree with the compiled modules that this interpreter imports."""
    package = folder / "drr"
    shutil.copytree(ROOT / "src/drr", package)
    program = (
        "import sys, drr.classifier, drr._native.ranking\n"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('drr._native.')), sep='\\n')"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    for name in found.stdout.splitlines():
        if not name.endswith(".py"):
            shutil.copy2(name, package / "_native")
    return package


def with_module(package: Path, module: str, source: str, folder: Path) -> Path:
    """A copy of the package with one module exchanged."""
    copy = Path(tempfile.mkdtemp(dir=folder)) / "drr"
    shutil.copytree(package, copy)
    hide_editable_installation(copy.parent)
    (copy / f"{module}.py").write_text(source)
    return copy


def _limit(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _ending_of_signal(number: int) -> str:
    return "hung" if number in (signal.SIGXCPU, signal.SIGKILL) else "crashed"


def run_core_tests(program: Path, mutant: int | None = None) -> Outcome:
    """The C++ tests, up to the first failure."""
    environment = os.environ | ({} if mutant is None else {"DRR_MUTANT": str(mutant)})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        result = subprocess.run(
            [program, "--abort-after=1", "--no-colors"],
            env=environment,
            capture_output=True,
            timeout=10 * CORE_SECONDS,
            preexec_fn=lambda: _limit(CORE_SECONDS),
        )
    except subprocess.TimeoutExpired:
        return Outcome("hung", "C++ tests")
    seconds = _processor_seconds(resource.getrusage(resource.RUSAGE_CHILDREN)) - _processor_seconds(before)
    if result.returncode < 0:
        return Outcome(_ending_of_signal(-result.returncode), "C++ tests", seconds)
    if result.returncode == 0:
        return Outcome("passed", seconds=seconds)
    case = re.search(r"TEST CASE:\s+(.+)", result.stdout.decode(errors="replace"))
    return Outcome("failed", f"C++: {case[1]}" if case else "C++ tests", seconds)


def _processor_seconds(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime


def run(package: Path, tests: list[str], log: Path, mutant: int | None = None) -> Outcome:
    """The Python tests, up to the first failure."""
    log.write_text("")
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            _limit(SECONDS)
            if mutant is not None:
                os.environ["DRR_MUTANT"] = str(mutant)
            _run_tests(package, tests, log)
        os._exit(70)  # the tests never got to an end
    for _ in range(int(10 * SECONDS / POLL)):
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            break
        time.sleep(POLL)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return Outcome("hung")
    seconds = _processor_seconds(usage)
    if os.WIFSIGNALED(status):
        return Outcome(_ending_of_signal(os.WTERMSIG(status)), seconds=seconds)
    code = os.WEXITSTATUS(status)
    if code == 0:
        return Outcome("passed", seconds=seconds)
    failed = re.search(
        r"^(?:FAILED|ERROR) (\S+(?: \S+)*?)(?: - |$)", log.read_text(errors="replace"), re.MULTILINE
    )
    return Outcome("crashed" if code == 70 else "failed", failed[1] if failed else "", seconds)


def _run_tests(package: Path, tests: list[str], log: Path) -> None:
    import pytest

    sys.path.insert(0, str(package.parent))
    sys.dont_write_bytecode = True
    # An editable installation puts itself before the path.
    sys.meta_path[:] = [finder for finder in sys.meta_path if "esonpy" not in type(finder).__name__]
    os.environ["PYTHONPATH"] = str(package.parent)  # for tests that start an interpreter
    os.chdir(ROOT)
    with log.open("a") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        deselected = [f"--deselect={name}" for name in DESELECTED]
        code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--no-header", *deselected, *tests])
        sys.stdout.flush()
    os._exit(int(code))
