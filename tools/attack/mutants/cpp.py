"""Mutants of the core: one operator each, all compiled into one build and chosen by the variable DRR_MUTANT.

`const double x = a + b;` becomes `const double x = drr_mutant(17) ? double(a - b) : double(a + b);`, and a statement
without a value is written twice, behind an `if`. What does not compile when changed (a matrix divided by a vector) is
no mutant; its place in the sample goes to the next operator.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tools.attack.mutants.draw import in_random_order

SWAPS = {
    " <= ": " < ", " < ": " <= ", " >= ": " > ", " > ": " >= ", " == ": " != ", " != ": " == ",
    " && ": " || ", " || ": " && ", " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ",
    " += ": " -= ", " -= ": " += ", " *= ": " /= ", " /= ": " *= ",
    "std::max(": "std::min(", "std::min(": "std::max(",
}  # fmt: skip
OPERATOR = re.compile("|".join(re.escape(old) for old in SWAPS))
# What the library says of itself and of the processor, not what it computes.
EXCLUDED = {"build_info.cpp", "cpu_features.cpp", "cpu_features.hpp", "status.cpp"}
DECLARATION = re.compile(r"(?:static )?(?:const )?(?P<type>[\w:]+(?:<[^=;]*?>)?(?: ?[*&])?) (?=\w+ = )")
NO_STATEMENT = re.compile(
    r"(using|namespace|template|struct|class|enum|public|private|static_assert|constexpr|inline|static|#)\b"
)
SWITCH = """\
#pragma once
#include <cstdlib>
inline const int drr_chosen_mutant = std::getenv("DRR_MUTANT") ? std::atoi(std::getenv("DRR_MUTANT")) : -1;
#define drr_mutant(number) (drr_chosen_mutant == (number))
"""


@dataclass(frozen=True)
class Statement:
    path: Path
    first: int
    last: int
    text: str


@dataclass(frozen=True)
class Site:
    statement: Statement
    at: int
    old: str

    @property
    def mutated(self) -> str:
        text = self.statement.text
        return text[: self.at] + SWAPS[self.old] + text[self.at + len(self.old) :]


def _without_comments(line: str) -> str:
    return re.sub(r"\s*//.*$", "", line)


def _statements(path: Path) -> list[Statement]:
    """What stands between two ends of a statement, joined to one line; the formatter ends a line at every such end."""
    found, first, parts = [], 0, []
    for number, line in enumerate(path.read_text().splitlines()):
        code = _without_comments(line).strip()
        if not code or code.startswith("#"):
            continue
        if not parts:
            first = number
        parts.append(code)
        if code[-1] in ";{}:" or code.endswith("});"):
            found.append(Statement(path, first, number, " ".join(parts)))
            parts = []
    return found


def find_sites(tree: Path) -> list[Site]:
    """Every operator of the core that stands in code and not in a text."""
    sites = []
    for path in sorted((tree / "src/cpp/core").rglob("*.[ch]pp")):
        if path.name in EXCLUDED:
            continue
        for statement in _statements(path):
            bare = re.sub(r'"(?:[^"\\]|\\.)*"', lambda match: "_" * len(match[0]), statement.text)
            sites += [Site(statement, match.start(), match[0]) for match in OPERATOR.finditer(bare)]
    return [site for site in sites if switched(site, 0)]


def _closing(text: str, start: int) -> int:
    """The place of the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] in "([{") - (text[place] in ")]}")
        if depth == 0:
            return place
    return -1


def _pieces(text: str, separator: str) -> list[tuple[int, int]]:
    """The ranges between the separators that lie outside all brackets."""
    depth, begin, found = 0, 0, []
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == separator and depth == 0:
            found.append((begin, place))
            begin = place + 1
    return [*found, (begin, len(text))]


def switched(site: Site, number: int) -> str | None:
    """The statement with a switch between the original and the mutant; None where there is no way to write one."""
    return _switch(site.statement.text, site.at, site.old, number)


def _switch(text: str, at: int, old: str, number: int) -> str | None:
    def mutated(begin: int, end: int) -> str:
        return text[begin:at] + SWAPS[old] + text[at + len(old) : end]

    def choice(begin: int, end: int, convert: str = "") -> str:
        begin += len(text[begin:end]) - len(text[begin:end].lstrip())
        return (
            f"{text[:begin]}drr_mutant({number}) ? {convert}({mutated(begin, end)}) : {convert}({text[begin:end]})"
            f"{text[end:]}"
        )

    if prefix := re.match(r"(\} )?(else |do )|\} (?=while)", text):
        rest = _switch(text[prefix.end() :], at - prefix.end(), old, number)
        return rest and prefix[0] + rest
    if header := re.match(r"(if|while|for) \(", text):
        begin, end = header.end(), _closing(text, header.end() - 1)
        if at >= end:
            rest = _switch(text[end + 1 :].lstrip(), at - end - 1 - (text[end + 1] == " "), old, number)
            return rest and f"{text[: end + 1]} {rest}"
        parts = [(begin + first, begin + last) for first, last in _pieces(text[begin:end], ";")]
        inside = next(part for part in parts if part[0] <= at < part[1])
        if header[1] == "for" and len(parts) == 3 and inside == parts[0]:
            declared = text[inside[0] : inside[1]].find(" = ")
            if declared < 0 or len(_pieces(text[inside[0] : inside[1]], ",")) > 1:
                return None
            return choice(inside[0] + declared + 3, inside[1])
        if header[1] == "for" and len(parts) == 3 and inside == parts[2]:
            change = text[inside[0] : inside[1]].strip()
            return (
                f"{text[: inside[0]]} drr_mutant({number}) ? void(({mutated(*inside)})) : void(({change}))"
                f"{text[inside[1] :]}"
            )
        return choice(*inside, "bool") if len(parts) != 1 or header[1] != "for" else None
    if NO_STATEMENT.match(text):
        return None
    if text.endswith(";") and text.startswith(("return ", "throw ")):
        return f"{{ if (drr_mutant({number})) {mutated(0, len(text))} {text} }}"
    if text.endswith(";") and (declaration := DECLARATION.match(text)):
        begin = declaration.end()
        for first, last in _pieces(text[begin : len(text) - 1], ","):
            equals = text.find(" = ", begin + first)
            if begin + first <= at < begin + last:
                kind = declaration["type"]
                convert = "" if kind[-1] in "*&" or "auto" in kind else kind
                return choice(equals + 3, begin + last, convert) if 0 <= equals < at else None
    if text.endswith(";") and not re.match(r"(const )?[\w:]+(<[^=;]*?>)?[*&]? \w+[({]", text):
        return f"{{ if (drr_mutant({number})) {{ {mutated(0, len(text))} }} else {{ {text} }} }}"
    # What is left declares something as a whole: the body of a function on one line, or else the innermost argument.
    opened = [place for place in range(at) if text[place] in "({" and _closing(text, place) > at]
    if not opened:
        return None
    begin, end = opened[-1] + 1, _closing(text, opened[-1])
    body = text[begin:end].strip()
    if body.endswith(";"):
        lead = text.index(body, begin)
        inner = _switch(body, at - lead, old, number)
        return inner and f"{text[:lead]}{inner} {text[end:]}"
    first, last = next(piece for piece in _pieces(text[begin:end], ",") if piece[0] <= at - begin < piece[1])
    return choice(begin + first, begin + last)


def plant(tree: Path, originals: dict[Path, str], sites: list[Site]) -> None:
    """Write the sources with a switch for each of these operators, line by line where they were."""
    lines_of = {path: text.splitlines() for path, text in originals.items()}
    taken: dict[Statement, int] = {}
    for number, site in enumerate(sites):
        statement = site.statement
        assert statement not in taken
        taken[statement] = number
        lines = lines_of[statement.path]
        lines[statement.first] = switched(site, number) or ""
        for other in range(statement.first + 1, statement.last + 1):
            lines[other] = ""
    for path, lines in lines_of.items():
        if (written := "\n".join(lines) + "\n") != path.read_text():
            path.write_text(written)
    (tree / "src/cpp/drr_mutant.hpp").write_text(SWITCH)


def sample(sites: list[Site], seed: int) -> list[Site]:
    """All operators in random order, at most one of each statement: every operator has the same chance to be first."""
    order = in_random_order(
        sites, lambda site: f"{site.statement.path.name}|{site.statement.text}|{site.at}", seed
    )
    seen: set[Statement] = set()
    return [site for site in order if not (site.statement in seen or seen.add(site.statement))]


def without_those_that_fail(sites: list[Site], messages: str) -> list[Site]:
    """The sites whose lines no message of the compiler names."""
    named = {(Path(name).name, int(line)) for name, line in re.findall(r"([\w./-]+\.[ch]pp):(\d+)", messages)}
    return [
        site
        for site in sites
        if not any(
            (site.statement.path.name, line + 1) in named
            for line in range(site.statement.first, site.statement.last + 1)
        )
    ]


def build(tree: Path, folder: Path, seed: int, most: int) -> list[Site]:
    """Plant a sample of `most` operators in the copy of the sources and build it; the sample is returned."""
    originals = {path: path.read_text() for path in (tree / "src/cpp/core").rglob("*.[ch]pp")}
    candidates = sample(find_sites(tree), seed)
    reserve = candidates[: 2 * most]
    plant(tree, originals, reserve)
    subprocess.run(
        ["meson", "setup", str(folder), str(tree), "-Dcore_tests=true", "-Dx86_64_v2=false",
         "-Dx86_64_v4=false", "-Doptimization=1",
         f"-Dcpp_args=['-w', '-include{tree / 'src/cpp/drr_mutant.hpp'}']"],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    # Once with twice as many, so that all that cannot be compiled is found at once; then with the sample itself.
    while messages := _compile(folder):
        left = without_those_that_fail(reserve, messages)
        if len(left) == len(reserve):
            raise RuntimeError(f"the build fails for another reason than a mutant:\n{messages[-3000:]}")
        reserve = left
        plant(tree, originals, reserve)
    plant(tree, originals, reserve[:most])
    if _compile(folder):
        raise RuntimeError("the sample does not compile, although more did")
    return reserve[:most]


def _compile(folder: Path) -> str:
    """The compiler's messages; empty if all went well."""
    result = subprocess.run(
        ["ninja", "-C", str(folder), f"-j{os.cpu_count()}", "-k", "0"], capture_output=True, text=True
    )
    return result.stdout + result.stderr if result.returncode else ""
