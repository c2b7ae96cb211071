"""Pins what builds a release, with the hashes of every file that the package index offers for it.

    python tools/pin_requirements.py > requirements-release.txt
    pip install --require-hashes -r requirements-release.txt && python -m build --no-isolation

The versions are those that pip would choose today for [build-system].requires; the index is the one pip is set to.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import tomllib

ROOT = Path(__file__).parents[1]


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


def main() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    report = json.loads(
        pip("install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-", "build", *wanted)
    )
    index = find_index()
    print(
        "# Written by tools/pin_requirements.py: what builds a release, and the only files it may be built with."
    )
    for name, version in sorted(
        (each["metadata"]["name"].lower(), each["metadata"]["version"]) for each in report["install"]
    ):
        with urllib.request.urlopen(f"{index}/{name.replace('_', '-')}/") as answer:
            page = answer.read().decode()
        files = re.findall(r'href="[^"]*?([^/"]+)#sha256=([0-9a-f]{64})', page)
        forms = {name, name.replace("-", "_")}
        starts = tuple(f"{form}-{version}{end}" for form in forms for end in ("-", ".tar.gz", ".zip"))
        hashes = sorted({digest for file, digest in files if file.lower().startswith(starts)})
        print(f"{name}=={version}", *(f"--hash=sha256:{each}" for each in hashes), sep=" \\\n    ")


if __name__ == "__main__":
    main()
