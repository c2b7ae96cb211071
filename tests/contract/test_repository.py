"""The repository agrees with itself: Pythons, pinned actions, sessions of nox, the citation."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import drr
from tools.attack.mutants.tests_of import CORE, MODULES, judged, paths

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_every_action_is_pinned_by_the_hash_of_a_release():
    used = [use for path in WORKFLOWS for use in re.findall(r"uses: (.*)", path.read_text())]
    assert len(used) > 10
    assert not [use for use in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use)]
    assert len({use.partition("@")[0] for use in used}) == len(set(used)), "one action has two releases"


def test_the_oldest_python_is_the_same_everywhere():
    oldest = SETTINGS["project"]["requires-python"].removeprefix(">=")
    assert f"Python {oldest} or newer" in (ROOT / "README.md").read_text()
    assert SETTINGS["tool"]["cibuildwheel"]["build"][0] == f"cp{oldest.replace('.', '')}-*"
    assert f'python: ["{oldest}", ' in (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    assert f'("{oldest}", ' in (ROOT / "tools" / "pin_requirements.py").read_text()


def test_contributing_names_every_session():
    page = (ROOT / "CONTRIBUTING.md").read_text()
    sessions = re.findall(r"^@nox\.session.*\ndef (\w+)", (ROOT / "noxfile.py").read_text(), re.MULTILINE)
    assert len(sessions) > 5
    assert [name for name in sessions if f"nox -s {name}" not in page] == []


def test_the_citation_has_this_version_and_the_paper():
    citation = (ROOT / "CITATION.cff").read_text()
    paper = SETTINGS["project"]["urls"]["Paper"]
    assert re.findall(r"^version: (.*)", citation, re.MULTILINE) == [drr.__version__]
    assert re.findall(r"^  url: (.*)", citation, re.MULTILINE) == [paper]
    assert paper in (ROOT / "README.md").read_text()


def test_the_build_group_holds_what_builds_the_package():
    built_by, group = (
        [re.split("[>=;]", each)[0].strip() for each in requirements]
        for requirements in (SETTINGS["build-system"]["requires"], SETTINGS["dependency-groups"]["build"])
    )
    assert built_by == group


def test_the_mutation_check_knows_every_module_and_its_tests():
    assert judged(ROOT / "src" / "drr") == MODULES.keys()
    named = {path for tests in [*MODULES.values(), *CORE.values()] for path in paths(tests)}
    assert not [path for path in named if not (ROOT / path).exists()]
