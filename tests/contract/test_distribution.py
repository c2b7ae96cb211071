"""What is installed, what the archive holds, and that the README, CI and the build agree with each other."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import drr

ROOT = Path(__file__).parents[2]


def installed_files() -> list[str]:
    files = [path.as_posix() for path in importlib.metadata.files("density-ratio-rescoring") or []]
    if not any(path.startswith("drr/") for path in files):
        pytest.skip("the package is installed in editable mode")
    return files


def test_the_wheel_holds_the_package_and_nothing_else():
    files = [path for path in installed_files() if "__pycache__" not in path]
    outside = [path for path in files if not path.startswith(("drr/", "density_ratio_rescoring-"))]
    assert all("/bin/" in path for path in outside), outside
    endings = {Path(path).suffix for path in files if path.startswith("drr/")}
    assert endings <= {".py", ".pyi", ".so", ".pyd", ".typed"} | {""}, endings
    assert "drr/py.typed" in files


def test_no_openmp_runtime_is_bundled():
    assert not [path for path in installed_files() if re.search(r"gomp|iomp|libomp", path)]


def test_the_version_is_the_one_of_the_build():
    declared = re.search(r"^  version: '([^']+)'", (ROOT / "meson.build").read_text(), re.MULTILINE)
    assert declared is not None
    assert declared.group(1) == drr.__version__ == importlib.metadata.version("density-ratio-rescoring")


def test_ci_runs_the_commands_of_the_readme():
    commands = re.findall(r"```sh\n(.+)\n```", (ROOT / "README.md").read_text())
    assert len(commands) == 2
    script = (ROOT / ".ci" / "run").read_text().splitlines()
    assert all(command in script for command in commands)


def test_commits_and_ci_check_style_by_the_same_versions():
    """Another version of a formatter formats otherwise, and another linter knows other rules."""
    settings = (ROOT / ".pre-commit-config.yaml").read_text()
    hooks = re.findall(r"(ruff|clang-format)(?:-pre-commit)?\n +rev: v(\S+)", settings)
    lint = re.search(r"^lint = (.*)$", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert lint is not None
    assert len(hooks) == 2
    assert all(f'"{name}=={version}"' in lint.group(1) for name, version in hooks), (hooks, lint.group(1))


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="an archive can only be made from a git checkout")
def test_the_archive_is_complete(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "build", "--sdist", "--outdir", str(tmp_path), str(ROOT)],
        check=True,
        capture_output=True,
    )
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    assert {"PKG-INFO", *tracked} <= names
