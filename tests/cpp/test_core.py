"""Builds the core without Python and runs its C++ tests through meson."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def missing_tools() -> str:
    if not any(shutil.which(name) for name in (os.environ.get("CXX", "c++"), "c++", "g++", "clang++", "cl")):
        return "no C++ compiler found"
    probe = subprocess.run(
        [os.environ.get("CXX", "c++"), "-E", "-x", "c++", "-"],
        input="#include <doctest/doctest.h>",
        text=True,
        capture_output=True,
    )
    return (
        "" if probe.returncode == 0 else "the header doctest/doctest.h is not installed (Debian: doctest-dev)"
    )


def test_core_without_python(tmp_path):
    reason = missing_tools()
    if reason and os.environ.get("DRR_REQUIRE_CORE_TESTS"):
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
    environment = os.environ | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    }
    build = tmp_path / "build"
    for command in (
        [*meson, "setup", str(build), str(ROOT), "-Dpython=false", "-Dcore_tests=true", "--werror"],
        [*meson, "test", "-C", str(build), "--print-errorlogs"],
    ):
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
    print(result.stdout)
