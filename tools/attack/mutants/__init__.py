"""Mutation check: does some test notice when an operator of the core or of a stage is changed?

    python -m tools.attack mutants                        # a sample of 88, half of them in C++
    python -m tools.attack mutants --around 110           # as many of the stages around the solver, and none in C++
    python -m tools.attack mutants --work DIR             # keep build and results; a second call goes on from there
    python -m tools.attack mutants --only cpp:17          # one of them again, with the tests' output
    python -m tools.attack mutants --list

Every operator of the core (src/cpp/core) and of the package (src/drr, without the report) has the same chance to be in
the sample. Around the solver are fusion, calibration, decision, composition and the command line. A mutant is killed if
a test fails that passes without it, or if its tests end the process or run into the time limit, and without it pass in
a third of that time. Survivors that are explained in explained.json still count as survivors.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.attack.mutants import cpp, python, trial
from tools.attack.mutants.tests_of import MODULES, is_around_the_solver, judged, paths, tests_of_core

EXPLAINED = Path(__file__).with_name("explained.json")
KILLED_AT_LEAST = 0.85
KILLED_AROUND = 0.9


@dataclass(frozen=True)
class Mutant:
    name: str
    """cpp:number, or py:module:number"""
    file: str
    line: int
    function: str
    """of Python; what is shown of a C++ statement is long enough to tell it from others"""
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.name} {self.file}:{self.line}: {self.before}  →  {self.after}"

    @property
    def key(self) -> str:
        """What it changes, wherever the line may move."""
        return f"{self.file}{self.function and ' '}{self.function}: {self.before} → {self.after}"


def _around(site: cpp.Site) -> tuple[str, str]:
    """The part of a statement that an operator stands in, before and after the change."""
    text, begin, end = site.statement.text, max(0, site.at - 60), site.at + 60
    changed = site.mutated
    return text[begin:end].strip(), changed[begin : end + len(changed) - len(text)].strip()


class Workshop:
    """A copy of the tree with all C++ mutants in one build, and the package installed from it."""

    def __init__(self, folder: Path, seed: int, each: int, around: int = 0) -> None:
        self.folder = folder
        if not (folder / "mutants.json").exists():
            self._build(seed, each, around)
        self.package = next((folder / "installed").rglob("drr/__init__.py")).parent
        self.core_tests = next((folder / "build").rglob("core_test_x86_64_v3"), None)
        self.mutants = [Mutant(**values) for values in json.loads((folder / "mutants.json").read_text())]

    def _build(self, seed: int, each: int, around: int) -> None:
        installed, mutants = self.folder / "installed", []
        if around:
            package = trial.with_compiled(installed)
        else:
            tree, build = self.folder / "tree", self.folder / "build"
            for name in subprocess.run(
                ["git", "ls-files"], cwd=trial.ROOT, capture_output=True, text=True, check=True
            ).stdout.splitlines():
                if (trial.ROOT / name).is_file():
                    (tree / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(trial.ROOT / name, tree / name)
            for number, site in enumerate(cpp.build(tree, build, seed, each)):
                path, line = site.statement.path, site.statement.first + 1
                mutants.append(Mutant(f"cpp:{number}", path.name, line, "", *_around(site)))
            subprocess.run(
                ["meson", "install", "-C", build, "--no-rebuild", "--destdir", installed, "--quiet"],
                check=True,
            )
            package = next(installed.rglob("drr/__init__.py")).parent
        if strangers := judged(package) ^ MODULES.keys():
            raise RuntimeError(f"tests_of.py and the package disagree about the modules {sorted(strangers)}")
        trial.hide_editable_installation(package.parent)
        modules = [name for name in MODULES if not around or is_around_the_solver(name)]
        for site in python.sample(package, modules, seed, around or each):
            change = python.mutate(package, site)
            name, file = f"py:{site.module}:{site.number}", f"{site.module}.py"
            mutants.append(Mutant(name, file, change.line, change.function, change.before, change.after))
        (self.folder / "mutants.json").write_text(
            json.dumps([asdict(mutant) for mutant in mutants], indent=1, ensure_ascii=False)
        )

    def outcome_of(self, mutant: Mutant) -> Path:
        return self.folder / f"{mutant.name.replace('/', '.')}.json"

    def try_mutant(self, mutant: Mutant) -> trial.Outcome:
        language, *which = mutant.name.split(":")
        log = self.folder / f"{mutant.name.replace('/', '.')}.log"
        if language == "cpp":
            number = int(which[0])
            outcome = trial.run_core_tests(self.core_tests, number)
            if outcome.ending != "passed":
                return outcome
            return trial.run(self.package, paths(tests_of_core(mutant.file)), log, number)
        site = python.Site(which[0], int(which[1]))
        source = python.mutate(self.package, site).source
        changed = trial.with_module(self.package, site.module, source, self.folder)
        try:
            return trial.run(changed, paths(MODULES[site.module]), log)
        finally:
            shutil.rmtree(changed.parent)

    def passes_without(self, mutant: Mutant, outcome: trial.Outcome) -> bool:
        """Whether what killed a mutant passes without it: the test, or all of them well inside the time limit."""
        if outcome.killer.startswith("C++"):
            plain = trial.run_core_tests(self.core_tests)
            return plain.ending == "passed" and 3 * plain.seconds < trial.CORE_SECONDS
        language, which, *_ = mutant.name.split(":")
        tests = tests_of_core(mutant.file) if language == "cpp" else MODULES[which]
        killers = [outcome.killer] if outcome.killer else paths(tests)
        plain = trial.run(self.package, killers, self.folder / f"without-{os.getpid()}.log")
        return plain.ending == "passed" and 3 * plain.seconds < trial.SECONDS


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack mutants", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "--work",
        type=Path,
        help="keep build and results here, and go on from them (default: a temporary folder)",
    )
    parser.add_argument("--each", type=int, default=44, help="how many mutants of each language")
    parser.add_argument(
        "--around", type=int, default=0, help="how many of the stages around the solver instead"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="run this one alone, again")
    parser.add_argument(
        "--part", default="1/1", help="2/3: every third from the second; parts may run at once"
    )
    parser.add_argument("--list", action="store_true", help="print the mutants and stop")
    options = parser.parse_args(arguments)
    with contextlib.ExitStack() as stack:
        work = options.work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        work.mkdir(parents=True, exist_ok=True)
        workshop = Workshop(work.resolve(), options.seed, options.each, options.around)
        mutants = workshop.mutants
        first, step = map(int, options.part.split("/"))
        mutants = mutants[first - 1 :: step]
        if options.only:
            mutants = [mutant for mutant in mutants if mutant.name == options.only]
        if options.list:
            print(*mutants, sep="\n")
            return 0
        aim = KILLED_AROUND if options.around else KILLED_AT_LEAST
        return _judge(workshop, mutants, aim, again=bool(options.only))


def _judge(workshop: Workshop, mutants: list[Mutant], aim: float, again: bool) -> int:
    trial.import_what_all_tests_need()
    for mutant in mutants:
        kept = workshop.outcome_of(mutant)
        if again or not kept.exists():
            outcome = workshop.try_mutant(mutant)
            if outcome.ending != "passed" and not workshop.passes_without(mutant, outcome):
                print(
                    f"{mutant.name}: {outcome.killer or 'its tests'} fail or linger without the mutant, too"
                )
                return 1
            kept.write_text(json.dumps(asdict(outcome)))
        outcome = trial.Outcome(**json.loads(kept.read_text()))
        print(
            f"{outcome.ending:8s} {mutant}" + (f"   [{outcome.killer}]" if outcome.killer else ""), flush=True
        )
    return _report(workshop, mutants, aim)


def _report(workshop: Workshop, mutants: list[Mutant], aim: float) -> int:
    explained = json.loads(EXPLAINED.read_text())
    endings = {
        mutant.name: json.loads(workshop.outcome_of(mutant).read_text())["ending"] for mutant in mutants
    }
    survivors = [mutant for mutant in mutants if endings[mutant.name] == "passed"]
    print()
    for mutant in survivors:
        print(f"survived: {mutant}\n    {explained.get(mutant.key, 'NOT EXPLAINED')}")
    for language, meaning in (("cpp", "C++"), ("py", "Python")):
        total = sum(mutant.name.startswith(language) for mutant in mutants)
        left = sum(mutant.name.startswith(language) for mutant in survivors)
        print(f"{meaning}: {total - left} of {total} killed")
    killed = len(mutants) - len(survivors)
    by_limit = sum(ending == "hung" for ending in endings.values())
    unexplained = sum(mutant.key not in explained for mutant in survivors)
    print(
        f"{len(mutants)} mutants, {killed} killed, {killed / max(1, len(mutants)):.1%} ({by_limit} by the time limit); "
        f"{unexplained} survivors not explained"
    )
    return killed < aim * len(mutants) or unexplained > 0
