"""The command line answers at once: nothing heavy is loaded before a command needs it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from drr.cli import main

WHAT_IS_LOADED = """
import sys
from drr.cli import main
code = main(sys.argv[1:])
print("exit", code, *sorted({name.partition(".")[0] for name in sys.modules} & {"sklearn", "scipy", "pandas"}))
"""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["fit", "--help"], 0),
        (["fti"], 2),
        (["fit", "train.csv", "--target", "y", "-o", "model.skops", "--seeed", "1"], 2),
        (["fit", "train.csv", "--target", "y", "-o", "model.skops", "--threshold", "recal=0.9"], 2),
    ],
)
def test_help_and_mistakes_load_no_scikit_learn(arguments, code):
    command = [sys.executable, "-c", WHAT_IS_LOADED, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == f"exit {code}", result.stderr


def test_a_wrong_setting_of_the_environment_is_told_in_one_line():
    command = [sys.executable, "-m", "drr", "--version"]
    result = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "DRR_ISA": "x86_64_v9"}
    )
    assert result.returncode == 1
    assert result.stderr.startswith("drr: DRR_ISA='x86_64_v9'")
    assert result.stderr.count("\n") == 1


# After the interpreter's own start, which is not ours, and then during each stage of ours.
INTERRUPTED_START = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
from drr.cli import main
sys.exit(main(["demo"]))
"""


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
@pytest.mark.parametrize("module", ["drr.cli._main", "drr.cli._parser", "drr.cli.demo", "sklearn.ensemble"])
def test_ctrl_c_while_modules_are_imported(module):
    command = [sys.executable, "-c", INTERRUPTED_START, module]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (130, "")
    assert result.stderr == "drr: interrupted; nothing was written\n"


def test_a_command_runs_in_any_thread_and_gives_the_handler_of_signals_back(capsys):
    before, codes = signal.getsignal(signal.SIGINT), []
    thread = threading.Thread(target=lambda: codes.append(main(["--version"])))
    thread.start()
    thread.join()
    codes.append(main(["--version"]))
    assert codes == [0, 0]
    assert signal.getsignal(signal.SIGINT) is before
