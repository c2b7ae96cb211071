from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

import drr
from drr import _native


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True
    )


def test_the_best_available_set_is_chosen():
    result = run("from drr._native import instruction_set; print(instruction_set)", DRR_ISA="")
    assert result.stdout.strip() == _native.available_instruction_sets()[0]


def test_every_available_set_can_be_forced():
    for name in _native.available_instruction_sets():
        result = run("from drr._native import core; print(core.__name__)", DRR_ISA=name)
        assert result.stdout.strip() == f"drr._native._core_{name}"


def test_an_unknown_set_is_refused():
    result = run("import drr._native", DRR_ISA="mmx")
    assert result.returncode == 1
    assert "DRR_ISA='mmx' is not the name of an instruction set; unset it or choose one of:" in result.stderr


def test_a_set_that_is_not_built_is_refused():
    missing = next(name for name in _native.INSTRUCTION_SETS if not _native._is_built(name))
    result = run("import drr._native", DRR_ISA=missing)
    assert f"DRR_ISA='{missing}' is not built into this installation" in result.stderr


def test_a_set_that_the_processor_lacks_is_refused(monkeypatch):
    monkeypatch.setattr(_native, "_is_supported", lambda name: name == "x86_64_v2")
    monkeypatch.setattr(_native, "_is_built", lambda name: True)
    monkeypatch.setenv("DRR_ISA", "x86_64_v4")
    with pytest.raises(
        ImportError, match="cannot run on this processor; unset it or choose one of: x86_64_v2"
    ):
        _native._choose()


def test_a_machine_below_the_baseline_gets_a_clear_error(monkeypatch):
    monkeypatch.setattr(_native, "_is_supported", lambda name: False)
    monkeypatch.delenv("DRR_ISA", raising=False)
    with pytest.raises(ImportError, match="x86-64-v2"):
        _native._choose()


def test_a_build_for_another_processor_says_so(monkeypatch):
    monkeypatch.setattr(_native, "_is_built", lambda name: name == "x86_64_v3")
    monkeypatch.setattr(_native, "_is_supported", lambda name: name == "x86_64_v2")
    monkeypatch.delenv("DRR_ISA", raising=False)
    with pytest.raises(ImportError, match="-Dportable=true"):
        _native._choose()


@pytest.mark.skipif(sys.platform == "win32", reason="the flags of that compiler promise less")
def test_show_config_tells_the_vector_instructions_of_the_chosen_set():
    expected = {"x86_64_v2": "SSE4.2", "x86_64_v3": "AVX2, FMA", "x86_64_v4": "AVX-512, FMA"}
    for name in set(_native.available_instruction_sets()) & expected.keys():
        result = run("import drr; drr.show_config()", DRR_ISA=name)
        assert re.search(rf"^vector instructions: +{expected[name]}$", result.stdout, re.MULTILINE), result


def test_show_config(capsys):
    drr.show_config()
    printed = capsys.readouterr().out
    for name in ("drr", "instruction set", "compiler", "Eigen", "threads"):
        assert re.search(rf"^{name}: +\S", printed, re.MULTILINE), name
    assert drr.__version__ in printed
