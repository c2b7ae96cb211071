"""Pins what builds a release, with the hashes of every file that the package index offers for it.

    python tools/pin_requirements.py > requirements-release.txt
    python tools/pin_requirements.py cibuildwheel > requirements-wheels.txt
    pip install --require-hashes -r requirements-release.txt && python -m build --no-isolation

The versions are those that pip would choose today for [build-system].requires, or for the packages that the command
names; the index is the one pip is set to. What only another Python or system needs is pinned with its condition, so
that one file serves the builds of all wheels.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
ELSEWHERE = [
    {"python_version": python, "python_full_version": f"{python}.9", **system}
    for python in ("3.11", "3.12", "3.13", "3.14", "3.15")
    for system in (
        {"os_name": "posix", "sys_platform": "linux", "platform_system": "Linux"},
        {"os_name": "posix", "sys_platform": "darwin", "platform_system": "Darwin"},
        {"os_name": "nt", "sys_platform": "win32", "platform_system": "Windows"},
    )
]


def pip(*arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "pip", *arguments], capture_output=True, text=True, check=True
    ).stdout


def find_index() -> str:
    """The address of the package index: pip's help names the one that it would ask."""
    found = re.search(r"--index-url\s+<url>[^(]*\(default\s+([^)\s]+)\)", pip("install", "--help"))
    if found is None:
        sys.exit("pip does not say which package index it asks")
    return found[1].rstrip("/")


def choose(*wanted: str) -> list[dict[str, Any]]:
    """The metadata of what pip would install for `wanted`, with all that it needs here."""
    report = pip("install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-", *wanted)
    return [each["metadata"] for each in json.loads(report)["install"]]


def needed_elsewhere(chosen: Iterable[dict[str, Any]]) -> dict[str, str]:
    """What the chosen packages need on other supported Pythons and systems than this one: name -> condition."""
    conditions: dict[str, set[str]] = {}
    for package in chosen:
        for requirement in map(Requirement, package.get("requires_dist", [])):
            marker = requirement.marker
            if marker and not marker.evaluate() and any(marker.evaluate(each) for each in ELSEWHERE):
                conditions.setdefault(canonicalize_name(requirement.name), set()).add(str(marker))
    return {name: " or ".join(sorted(markers)) for name, markers in conditions.items()}


def find_hashes(index: str, name: str, version: str) -> list[str]:
    with urllib.request.urlopen(f"{index}/{name}/") as answer:
        page = answer.read().decode()
    files = re.findall(r'href="[^"]*?([^/"]+)#sha256=([0-9a-f]{64})', page)
    forms = {name, name.replace("-", "_")}
    starts = tuple(f"{form}-{version}{end}" for form in forms for end in ("-", ".tar.gz", ".zip"))
    return sorted({digest for file, digest in files if file.lower().startswith(starts)})


def main() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    chosen = choose(*(sys.argv[1:] or ["build", *wanted]))
    pins = {canonicalize_name(each["name"]): (each["version"], "") for each in chosen}
    conditions = needed_elsewhere(chosen)
    for each in choose(*conditions):
        name = canonicalize_name(each["name"])
        pins.setdefault(name, (each["version"], conditions[name]))
    index = find_index()
    print(
        "# Written by tools/pin_requirements.py: what builds a release, and the only files it may be built with."
    )
    for name, (version, condition) in sorted(pins.items()):
        pin = f"{name}=={version}" + (f" ; {condition}" if condition else "")
        hashes = find_hashes(index, name, version)
        if not hashes:
            sys.exit(f"the index shows no files of {name} {version} with their hashes")
        print(pin, *(f"--hash=sha256:{each}" for each in hashes), sep=" \\\n    ")


if __name__ == "__main__":
    main()
