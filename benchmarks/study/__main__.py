"""Command line of the study: ``python -m benchmarks.study COMMAND --help``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.study.datasets import TABULAR, available, compare_counts, load_dataset, missing_from
from benchmarks.study.datasets.public import save, sources
from benchmarks.study.learners import LEARNERS
from benchmarks.study.methods import METHODS
from benchmarks.study.pps_audit import audit
from benchmarks.study.publish import RESULTS, publish, restore, write_tables
from benchmarks.study.results import Results
from benchmarks.study.runner import run
from benchmarks.study.tables import TABLES
from benchmarks.tabular import N_TRIALS

# From quick to slow, so that the slowest is the last to start within a trial.
ORDER = (
    "isolet",
    "mammography",
    "scene",
    "boundary",
    "abalone_19",
    "sick",
    "yeast_ml8",
    "us_crime",
    "abalone",
)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.study", description="The paper's evaluation, rerun."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    _add_run(commands.add_parser("run", help="compute cells; continues where an earlier run stopped"))
    _add_tables(commands.add_parser("tables", help="every table as CSV, the paper's figures beside ours"))
    _add_figures(commands.add_parser("figures", help="every figure as PNG, SVG and CSV"))
    _add_reliability(
        commands.add_parser("reliability", help="compute the reliability curves and the PPS audit")
    )
    _add_publish(
        commands.add_parser("publish", help="compressed results, tables, figures and the pages of docs/")
    )
    _add_restore(commands.add_parser("restore", help="unpack committed results, for run to continue"))
    _add_headline(commands.add_parser("headline", help="print the figures that decide"))
    _add_fetch(commands.add_parser("fetch", help="fetch data sets from their public sources"))
    _add_check(commands.add_parser("check", help="compare a folder of data with the paper's table"))
    options = parser.parse_args(arguments)
    try:
        return int(options.action(options))
    except (ValueError, FileNotFoundError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped; the same command continues", file=sys.stderr)
        return 130


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, help="folder with tabular24/ and genes/")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--datasets", nargs="*", help="default: every tabular set of the paper that is there")
    parser.add_argument(
        "--trials", nargs="*", default=["30"], help="a number, and exceptions such as isolet=5 (default: 30)"
    )
    parser.add_argument("--methods", nargs="*", choices=sorted(METHODS), default=None, help="default: all")
    parser.add_argument("--learners", nargs="*", choices=list(LEARNERS), default=list(LEARNERS))
    parser.add_argument("--jobs", type=int, default=1, help="worker processes of one thread each")
    parser.set_defaults(action=_run)


def _run(options: argparse.Namespace) -> int:
    directory = options.data.resolve()
    present = available(directory)
    if options.datasets:
        unknown = [name for name in options.datasets if name not in present]
        if unknown:
            raise FileNotFoundError(f"not in {options.data}: {', '.join(unknown)}")
        names = list(options.datasets)
    else:
        names = [name for name in present if name in TABULAR]
        for name, reason in missing_from(directory).items():
            print(f"missing, and counted as missing: {name} ({reason.split(':')[0]})")
        names.sort(key=lambda name: -ORDER.index(name) if name in ORDER else -len(ORDER))
    methods = tuple(options.methods or METHODS)
    n_failed = run(
        directory,
        options.out,
        {name: range(n) for name, n in _trials(options.trials, names).items()},
        methods,
        tuple(options.learners),
        options.jobs,
    )
    print(f"{n_failed} cells failed; their rows have the reason" if n_failed else "no cell failed")
    return 0


def _trials(texts: list[str], names: list[str]) -> dict[str, int]:
    """The number of trials of each data set."""
    default, exceptions = N_TRIALS, {}
    for text in texts:
        name, is_exception, number = text.rpartition("=")
        if not number.isdigit() or not 1 <= int(number) <= N_TRIALS:
            raise ValueError(f"--trials takes numbers from 1 to {N_TRIALS} and name=number, got {text!r}")
        if is_exception:
            exceptions[name] = int(number)
        else:
            default = int(number)
    return {name: exceptions.get(name, default) for name in names}


def _add_tables(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--results", type=Path, required=True, help="folder of cells.csv or *.csv.gz")
    parser.add_argument("--out", type=Path, required=True)
    parser.set_defaults(action=_tables)


def _tables(options: argparse.Namespace) -> int:
    left_out = write_tables(Results.read(options.results), options.out)
    if left_out:
        print(f"no results yet for: {', '.join(left_out)}")
    return 0


def _add_figures(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.set_defaults(action=_figures)


def _figures(options: argparse.Namespace) -> int:
    from benchmarks.study.figures import write_figures  # matplotlib is needed for this alone

    left_out = write_figures(Results.read(options.results), options.out)
    if left_out:
        print(f"no results yet for: {', '.join(left_out)}")
    return 0


def _add_reliability(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    parser.set_defaults(action=_reliability)


def _reliability(options: argparse.Namespace) -> int:
    from benchmarks.study.figures.reliability import compute

    directory = options.data.resolve()
    ratios = audit(directory)
    ratios.to_csv(options.out / "pps_audit.csv", index=False, float_format="%.6g")
    print(
        f"PPS variance: {len(ratios)} states, ratio {ratios['ratio'].min():.3f} to {ratios['ratio'].max():.3f}"
    )
    compute(directory, options.out)
    return 0


def _add_publish(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="folder of a run; default: those committed"
    )
    parser.add_argument(
        "--out", type=Path, help="folder for results/ and docs/; default: those of the repository"
    )
    parser.set_defaults(action=_publish)


def _publish(options: argparse.Namespace) -> int:
    if options.out is None:
        publish(options.results.resolve())
    else:
        out = options.out.resolve()
        publish(options.results.resolve(), out / "results", out / "docs")
    return _headline(options)


def _add_restore(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, required=True, help="an empty folder, then --out of run")
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="default: the results of the repository"
    )
    parser.set_defaults(action=_restore)


def _restore(options: argparse.Namespace) -> int:
    print(f"{restore(options.results, options.out)} cells")
    return 0


def _add_headline(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="default: the results of the repository"
    )
    parser.set_defaults(action=_headline)


def _headline(options: argparse.Namespace) -> int:
    results = Results.read(options.results)
    for name in ("headline", "trials"):
        print(TABLES[name](results).to_string(index=False), end="\n\n")
    return 0


def _add_fetch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", help="default: all that have a public address")
    parser.add_argument("--out", type=Path, required=True, help="folder to write, for --data of run")
    parser.set_defaults(action=_fetch)


def _fetch(options: argparse.Namespace) -> int:
    known = sources()
    unknown = [name for name in options.names if name not in known]
    if unknown:
        raise ValueError(f"no public address for {', '.join(unknown)}; there is one for {', '.join(known)}")
    for name in options.names or known:
        path = save(known[name](), options.out, "fetched from its public source")
        print(f"{name}: {path}")
    return 0


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True)
    parser.set_defaults(action=_check)


def _check(options: argparse.Namespace) -> int:
    directory, n_different = options.data.resolve(), 0
    for name in available(directory):
        dataset = load_dataset(name, directory)
        differences = compare_counts(dataset)
        n_different += bool(differences)
        counts = dataset.counts
        print(
            f"{name:<40} n {counts.n:6}  continuous {counts.n_continuous:6}  categorical {counts.n_categorical:4}  "
            f"rare {counts.n_minority:5}  {differences or ('as in the paper' if name in TABULAR else '')}"
        )
    for name, reason in missing_from(directory).items():
        print(f"{name:<40} missing: {reason}")
    return int(n_different > 0)


if __name__ == "__main__":
    sys.exit(main())
