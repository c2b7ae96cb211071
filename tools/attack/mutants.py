"""Mutation check: does some test notice when an operator of the core or of a stage is changed?

    python -m tools.attack mutants                        # a sample of 88, half of them in C++
    python -m tools.attack mutants --only cpp:17          # one of them again, with the tests' output
    python -m tools.attack mutants --list

All C++ mutants are compiled into one module: in a copy of the tree `const double x = a + b;` becomes
`const double x = drr_mutant(17) ? (a - b) : (a + b);`, and DRR_MUTANT=17 chooses the first. A Python mutant is a module
with one node of its syntax tree changed, in a copy of the installed package. Every mutant gets a forked process, so
that NumPy, SciPy and scikit-learn are imported once.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SECONDS = 120  # of wall time, after which a mutant that hangs counts as killed

CPP_TESTS = [
    "tests/unit/test_tilt.py",
    "tests/unit/test_floor.py",
    "tests/unit/test_dual.py",
    "tests/unit/test_hard_cases_dual.py",
    "tests/unit/test_hard_cases_floor.py",
    "tests/unit/test_features.py",
    "tests/property/test_attack_properties.py",
    "tests/oracle/test_features_oracle.py",
    "tests/contract/test_threads_and_sets.py",
]
# A module is tested by the file of its name and by the files of the stages that use it.
MODULES = {
    "raking": ["test_floor", "test_dual", "test_hard_cases_dual"],
    "score": ["test_score"],
    "fusion": ["test_fusion"],
    "fusion_weight": ["test_fusion_weight"],
    "calibration": ["test_calibration"],
    "decision": ["test_decision"],
    "cut_rules": ["test_decision", "test_cut_rules"],
    "resampling": ["test_resampling"],
    "gain": ["test_gain"],
    "_bootstrap": ["test_bootstrap", "test_gain"],
    "_ess_target": ["test_score", "test_ess_target"],
    "_holdout": ["test_classifier"],
    "_embedding": ["test_features"],
    "_validation": ["test_validation", "test_dual"],
    "theory": ["test_theory"],
    "diagnostics": ["test_score", "test_diagnostics"],
}


@dataclass(frozen=True)
class Mutant:
    name: str
    """cpp:number or py:module:number"""
    place: str
    change: str
    source: str = ""
    """the whole mutated module, for a Python mutant"""

    @property
    def tests(self) -> list[str]:
        if self.name.startswith("cpp"):
            return CPP_TESTS
        names = MODULES[self.name.split(":")[1]]
        return [path for name in names if (ROOT / (path := f"tests/unit/{name}.py")).exists()]


# --- C++: statements of the form `TYPE name = expression;` and `if (condition)`, on one line, are given a switch.

SWAPS = [
    (" <= ", " < "), (" < ", " <= "), (" >= ", " > "), (" > ", " >= "), (" == ", " != "), (" != ", " == "),
    (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + "), (" * ", " / "), (" / ", " * "),
    ("std::max", "std::min"), ("std::min", "std::max"), ("std::sqrt", "std::abs"), (" 0.5 ", " 0.4 "),
]  # fmt: skip
DECLARATION = re.compile(r"^(\s*(?:const )?(?:double|Index|bool|int) \w+ = )(.+)(;.*)$")
CONDITION = re.compile(r"^(\s*(?:\} else )?if \()(.+)(\)(?: \{)?)$")
SWITCH = """
#pragma once
#include <cstdlib>
inline bool drr_mutant(int number) {
  static const int chosen = std::getenv("DRR_MUTANT") ? std::atoi(std::getenv("DRR_MUTANT")) : -1;
  return chosen == number;
}
"""


def _splits(text: str) -> bool:
    """Whether a comma, a semicolon or an unmatched bracket lies outside all brackets."""
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0 or (depth == 0 and character in ",;?"):
            return True
    return depth != 0


def plant_cpp(tree: Path, chosen: random.Random, most: int) -> list[Mutant]:
    """Give switches to a sample of the core's statements, in place."""
    sites = []
    for path in sorted((tree / "src/cpp/core").glob("*.cpp")):
        if path.name in ("build_info.cpp", "cpu_features.cpp", "status.cpp"):
            continue
        for number, line in enumerate(path.read_text().splitlines()):
            match = DECLARATION.match(line) or CONDITION.match(line)
            if not match or "constexpr" in line or " = " in match[2] or "[" in match[2] or _splits(match[2]):
                continue
            swaps = [(old, new) for old, new in SWAPS if old in match[2]]
            if swaps:
                sites.append((path, number, match, chosen.choice(swaps)))
    mutants, lines_of = [], {}
    for path, number, match, (old, new) in sorted(chosen.sample(sites, min(most, len(sites))), key=str):
        lines = lines_of.setdefault(path, path.read_text().splitlines())
        original, mutated = match[2], match[2].replace(old, new, 1)
        lines[number] = f"{match[1]}drr_mutant({len(mutants)}) ? ({mutated}) : ({original}){match[3]}"
        place = f"{path.relative_to(tree)}:{number + 1}"
        mutants.append(Mutant(f"cpp:{len(mutants)}", place, f"{original.strip()}  →  {mutated.strip()}"))
    for path, lines in lines_of.items():
        path.write_text("\n".join(lines) + "\n")
    (tree / "src/cpp/drr_mutant.hpp").write_text(SWITCH)
    return mutants


# --- Python: one node of the syntax tree.

OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def _changes(tree: ast.AST) -> list[tuple[ast.AST, str, ast.AST]]:
    """(node, attribute, new operator) of every operator inside a function body."""
    found = []
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in (inner for statement in function.body for inner in ast.walk(statement)):
            if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in OPERATORS:
                if isinstance(node, ast.BinOp) and any(
                    isinstance(side, ast.JoinedStr) for side in (node.left, node.right)
                ):
                    continue  # text
                found.append((node, "op", OPERATORS[type(node.op)]()))
            elif isinstance(node, ast.Compare) and type(node.ops[0]) in OPERATORS:
                found.append((node, "ops", [OPERATORS[type(node.ops[0])](), *node.ops[1:]]))
    return found


def plan_python(package: Path, chosen: random.Random, most: int) -> list[Mutant]:
    """A sample of the operators of the stages, each as a mutated module."""
    sites = []
    for module in MODULES:
        path = package / f"{module}.py"
        if path.exists():
            sites += [(module, path, number) for number in range(len(_changes(ast.parse(path.read_text()))))]
    mutants = []
    for module, path, number in sorted(chosen.sample(sites, min(most, len(sites)))):
        tree = ast.parse(path.read_text())
        node, attribute, new = _changes(tree)[number]
        before = ast.unparse(node)
        setattr(node, attribute, new)
        mutants.append(
            Mutant(
                f"py:{module}:{number}",
                f"{module}.py:{node.lineno}",
                f"{before}  →  {ast.unparse(node)}",
                ast.unparse(tree),
            )
        )
    return mutants


# --- building and running


def build(work: Path, seed: int, most: int) -> tuple[Path, list[Mutant]]:
    """A copy of the tree with switches, built and installed below `work`: its package, and its mutants."""
    tree = work / "tree"
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    for name in filter(None, files):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    mutants = plant_cpp(tree, random.Random(seed), most)
    header = f"-include{tree / 'src/cpp/drr_mutant.hpp'}"
    for command in (
        [
            "meson",
            "setup",
            str(work / "build"),
            str(tree),
            "-Dx86_64_v2=false",
            "-Doptimization=1",
            f"-Dcpp_args={header}",
        ],
        ["meson", "compile", "-C", str(work / "build")],
        ["meson", "install", "-C", str(work / "build"), "--destdir", str(work / "installed"), "--quiet"],
    ):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next((work / "installed").rglob("drr/__init__.py")).parent, mutants


def is_killed(mutant: Mutant | None, package: Path, log: Path) -> tuple[bool, float]:
    """Run the tests in a forked process: whether one failed, and the seconds it took."""
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            _run_tests(mutant, package, log)
        os._exit(70)  # the tests never got to an end
    while time.monotonic() - started < SECONDS:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status != 0, time.monotonic() - started
        time.sleep(0.05)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return True, time.monotonic() - started


def _run_tests(mutant: Mutant | None, package: Path, log: Path) -> None:
    import pytest

    if mutant and mutant.name.startswith("cpp"):
        os.environ["DRR_MUTANT"] = mutant.name.split(":")[1]
    elif mutant:
        private = Path(tempfile.mkdtemp(dir=package.parent.parent))
        shutil.copytree(package, private / "drr")
        (private / "drr" / f"{mutant.name.split(':')[1]}.py").write_text(mutant.source)
        package = private / "drr"
    sys.path.insert(0, str(package.parent))
    sys.dont_write_bytecode = True
    # An editable installation puts itself before the path.
    sys.meta_path[:] = [finder for finder in sys.meta_path if "esonpy" not in type(finder).__name__]
    os.chdir(ROOT)
    with log.open("a") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        tests = (
            mutant.tests
            if mutant
            else sorted({path for name in MODULES for path in Mutant(f"py:{name}:0", "", "").tests})
        )
        code = pytest.main(
            ["-x", "-q", "-p", "no:cacheprovider", "--no-header", *(tests if mutant else CPP_TESTS + tests)]
        )
        file.flush()
    os._exit(int(code))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack mutants", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "--work", type=Path, help="keep the build here, and use it again (default: a temporary folder)"
    )
    parser.add_argument("--each", type=int, default=44, help="how many mutants of each language")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="run this one alone")
    parser.add_argument("--list", action="store_true", help="print the mutants and stop")
    options = parser.parse_args(arguments)
    with contextlib.ExitStack() as stack:
        work = options.work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        work.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(work / "tree", ignore_errors=True)
        package, mutants = build(work.resolve(), options.seed, options.each)
        mutants += plan_python(package, random.Random(options.seed), options.each)
        if options.only:
            mutants = [mutant for mutant in mutants if mutant.name == options.only]
        if options.list:
            for mutant in mutants:
                print(mutant.name, mutant.place, mutant.change)
            return 0
        return _judge(mutants, package, work)


def _judge(mutants: list[Mutant], package: Path, work: Path) -> int:
    for name in ("numpy", "scipy.optimize", "scipy.sparse", "scipy.stats", "sklearn.linear_model", "sklearn.ensemble",
                 "hypothesis", "pandas", "pytest"):  # fmt: skip
        importlib.import_module(name)  # once, before the forks
    log = work / "log.txt"
    failed, seconds = is_killed(None, package, log)
    if failed:
        print(f"the tests fail without a mutant; see {log}")
        return 1
    print(f"all tests pass without a mutant, {seconds:.0f} s", flush=True)
    survivors = []
    for mutant in mutants:
        killed, seconds = is_killed(mutant, package, log)
        if not killed:
            survivors.append(mutant)
        print(
            f"{'killed  ' if killed else 'SURVIVED'} {seconds:5.1f} s  {mutant.name} {mutant.place}: {mutant.change}",
            flush=True,
        )
    for language in ("cpp", "py"):
        total = sum(mutant.name.startswith(language) for mutant in mutants)
        left = sum(mutant.name.startswith(language) for mutant in survivors)
        print(f"{language}: {total - left} of {total} killed")
    rate = 1 - len(survivors) / max(1, len(mutants))
    print(f"{len(mutants)} mutants, {len(mutants) - len(survivors)} killed, {rate:.1%}")
    return rate < 0.85
