"""Builds the core without Python and runs its C++ tests through meson."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]


def missing_tools() -> str:
    candidates = [os.environ["CXX"]] if "CXX" in os.environ else ["c++", "g++", "clang++"]
    compiler = next((name for name in candidates if shutil.which(name.split()[0])), None)
    if compiler is None:
        return "no C++ compiler found"
    probe = subprocess.run(
        [*compiler.split(), "-E", "-x", "c++", "-"],
        input="#include <doctest/doctest.h>",
        text=True,
        capture_output=True,
    )
    return (
        "" if probe.returncode == 0 else "the header doctest/doctest.h is not installed (Debian: doctest-dev)"
    )


@pytest.mark.parametrize("only", ["c++", "g++", "clang++"])
def test_the_compiler_that_is_there_is_asked_for_the_header(only, monkeypatch):
    asked = []
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: name if name == only else None)
    monkeypatch.setattr(
        subprocess, "run", lambda command, **_: asked.append(command[0]) or SimpleNamespace(returncode=0)
    )
    assert missing_tools() == ""
    assert asked == [only]
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert missing_tools() == "no C++ compiler found"


def test_core_without_python(tmp_path):
    reason = missing_tools()
    if reason and os.environ.get("DRR_REQUIRE_CORE_TESTS"):
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
    # Neither C nor Cython is needed, and Eigen is that of the Python which runs meson, not of the first on the path.
    other = tmp_path / "other"
    other.mkdir()
    (other / "python3").write_text("#!/bin/sh\nexit 1\n")
    (other / "python3").chmod(0o755)
    environment = os.environ | {
        "PATH": os.pathsep.join([str(other), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "CC": "no-such-compiler",
        "CYTHON": "no-such-compiler",
    }
    # With the kernels of an older processor, what is compiled for older processors.
    older = ["-Dnative=true", "-Dx86_64_v2=true", "-Dx86_64_v4=false"]
    options = older if os.environ.get("DRR_ISA") == "x86_64_v2" else []
    build = tmp_path / "build"
    for command in (
        [*meson, "setup", str(build), str(ROOT), "-Dpython=false", "-Dcore_tests=true", "--werror", *options],
        [*meson, "test", "-C", str(build), "--print-errorlogs"],
    ):
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
    print(result.stdout)
