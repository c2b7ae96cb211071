"""The long property run: generated raking problems, every certificate computed again from outside.

python -m tools.attack properties --cases 20000
python -m tools.attack properties --cases 2000 --cluster 4   # one case in four on two workers of Dask, too
python -m tools.attack properties --only "wide:17"     # one case again, with what is wrong about it

Every case is solved in memory and from blocks, one in sixteen also from a file and one in 32 from Parquet.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import math
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import drr
from tools.attack.certificates import check_dual, check_floor, check_floor_by_nnls, norm, reference_of
from tools.attack.elsewhere import (
    Place,
    in_a_file,
    in_blocks,
    in_parquet,
    on_a_cluster,
    two_workers,
    weights_on_a_cluster,
)
from tools.attack.entropy_cone import smallest_divergence
from tools.attack.problems import REGIMES, Problem, make_problem

SMALL = 3000  # entries: up to here the floor is also found by non-negative least squares
MOST_CONES = 40  # rows: up to here one case in eight is also solved as a cone programme
BLOCKS = Place("blocks", 1, in_blocks)
INNER = ["auto:newton", "auto:pcg-sampled", "auto:pcg-woodbury", "auto:wide"]


@dataclass
class Outcome:
    """What one case showed."""

    wrong: list[str] = field(default_factory=list)
    floor_status: str = "none"
    """or `refused`, where squares cannot hold the problem"""
    dual_status: str = "none"
    floor_gap: float = math.nan
    """relative, where the floor converged to a positive value"""
    gap: float = math.nan
    """rigorous, in nats, where the dual converged"""
    compared: tuple[str, ...] = ()
    """the independent solvers that were asked too"""


def attack(problem: Problem, places: Sequence[Place] = (BLOCKS,)) -> Outcome:
    """Rake the problem, from each of these places as well, and look for anything wrong about the results."""
    outcome = Outcome()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ConvergenceWarning)
            _attack(problem, places, outcome)
    except Exception as error:  # any other error is a finding: every problem here is a legal one
        if "rescale" in str(error) and _beyond_squares(problem):
            outcome.floor_status = "refused"
        else:
            outcome.wrong.append(f"raised {type(error).__name__}: {error}")
    return outcome


def _beyond_squares(problem: Problem) -> bool:
    """Whether the base mean or all rows are nearer to the target than the 1e-140 that the library promises."""
    reference = reference_of(problem)
    distances = norm(reference.base_weights @ reference.shifted), reference.largest
    return min(float(distance) for distance in distances) < 1e-140


def _attack(problem: Problem, places: Sequence[Place], outcome: Outcome) -> None:
    choice = np.random.default_rng(list(problem.name.encode()))
    reference = reference_of(problem)
    options = {"base_weights": problem.base_weights, "n_threads": int(choice.integers(1, 4))}
    raking = drr.rake(problem.features, problem.target, eta=problem.eta, **options)
    floor, dual, delta = raking.floor, raking.dual, raking.tolerance

    outcome.floor_status, outcome.dual_status = floor.status.value, dual.status.value
    outcome.wrong += check_floor(floor, reference)
    wrong, gap = check_dual(dual, delta, reference, floor)
    outcome.wrong += wrong
    if floor.status is drr.Status.CONVERGED and floor.value > 1e-10 * floor.base_discrepancy:
        outcome.floor_gap = floor.gap / floor.value
    if dual.status is drr.Status.CONVERGED:
        outcome.gap = gap
    if problem.rows.size <= SMALL:
        outcome.compared += ("NNLS",)
        outcome.wrong += check_floor_by_nnls(floor, reference)
    if len(problem.rows) <= MOST_CONES and choice.integers(8) == 0:
        _compare_with_cones(problem, raking, reference, outcome)
    _attack_tolerance(problem, raking, reference, options, choice, outcome)
    for place in places:
        _attack_elsewhere(place, problem, raking, reference, options, outcome)


def _attack_elsewhere(place, problem, raking, reference, options, outcome) -> None:
    """Rake the same rows from another place: the certificates must hold, and both answers agree."""
    outcome.compared += (place.name,)
    options = options | {"base_weights": place.put_weights(problem)}
    found = drr.rake(place.put(problem), problem.target, eta=problem.eta, **options)
    scores = np.where(reference.present, reference.shifted @ found.dual.theta.astype(np.longdouble), -np.inf)
    weights = reference.base_weights * np.exp(scores - scores.max())
    dual = dataclasses.replace(found.dual, weights=(weights / weights.sum()).astype(np.float64))
    wrong, _ = check_dual(dual, found.tolerance, reference, found.floor)
    wrong += check_floor(found.floor, reference)
    both = raking.dual.status.is_success and dual.status.is_success
    if both and abs(dual.kl - raking.dual.kl) > 1e-6 * (1 + dual.kl):
        wrong.append(f"kl {dual.kl:.12g}, in memory {raking.dual.kl:.12g}")
    outcome.wrong += [f"from {place.name}: {what}" for what in wrong]


def _compare_with_cones(problem, raking, reference, outcome) -> None:
    present = reference.base_weights[reference.present]
    if present.min() < 1e-6 * present.max():  # beyond the accuracy of an interior-point method
        return
    expected = smallest_divergence(reference, raking.tolerance)
    if math.isnan(expected):
        return
    outcome.compared += ("Clarabel",)
    # Clarabel stops at 1e-8 of its own scaled residuals; where δ is tiny, KL moves by ‖θ‖ times that.
    allowed = 1e-5 * (1 + abs(expected)) + 1e-6 * float(np.linalg.norm(raking.dual.theta)) * reference.largest
    if abs(raking.dual.kl - expected) > allowed and raking.dual.status.is_success:
        outcome.wrong.append(f"kl {raking.dual.kl:.12g}, Clarabel finds {expected:.12g}")


def _attack_tolerance(problem, raking, reference, options, choice, outcome) -> None:
    """Solve again without a floor and by every inner method; ask for less than the floor."""
    floor, delta = raking.floor, raking.tolerance
    if choice.integers(4) == 0 and raking.dual.status is drr.Status.CONVERGED:
        again = drr.solve_dual(problem.features, problem.target, delta, **options)
        wrong, _ = check_dual(again, delta, reference, floor)
        outcome.wrong += [f"without a floor: {what}" for what in wrong]
        if abs(again.kl - raking.dual.kl) > 1e-7 * (1 + again.kl) and again.status.is_success:
            outcome.wrong.append(f"kl {raking.dual.kl:.12g} with a floor, {again.kl:.12g} without")
    lower = floor.lower_bound
    if lower > 4 * reference.slack and choice.integers(2) == 0:
        share = float(choice.choice([0.0, 0.5, 0.999]))
        if lower * (1 - share) <= reference.slack * 4:
            return
        for given in (floor, None):
            try:
                impossible = drr.solve_dual(
                    problem.features, problem.target, lower * share, floor=given, **options
                )
            except drr.InfeasibleToleranceError:
                continue
            # A tolerance of zero is reached, by the documented rule, at 1e-9 of the base discrepancy.
            reached = 1e-9 * floor.base_discrepancy if share == 0 else 0.0
            if impossible.status.is_success and lower > reached:
                outcome.wrong.append(f"{impossible.status.value} at {share} of the floor's lower bound")


def run(
    n_cases: int, first_seed: int, regimes: list[str], places: Sequence[Place], report_every: float = 30.0
) -> int:
    """Attack with that many problems, the regimes in turn, and print what was found. The number of failures."""
    statuses: dict[str, Counter[str]] = defaultdict(Counter)
    compared: Counter[str] = Counter()
    failures: list[tuple[str, list[str]]] = []
    worst_floor, worst_gap = (0.0, "none"), (0.0, "none")
    started = spoke = time.monotonic()
    for case in range(n_cases):
        problem = make_problem(regimes[case % len(regimes)], first_seed + case // len(regimes))
        # Every regime comes by with every remainder: nineteen has no factor in common with the shares.
        outcome = attack(problem, [place for place in places if place.has(case)])
        statuses[problem.name.split(":")[0]][f"{outcome.floor_status}/{outcome.dual_status}"] += 1
        compared.update(outcome.compared)
        if outcome.wrong:
            failures.append((problem.name, outcome.wrong))
            print(f"FAILED {problem.name}: " + "; ".join(outcome.wrong), flush=True)
        if outcome.floor_gap > worst_floor[0]:
            worst_floor = (outcome.floor_gap, problem.name)
        if abs(outcome.gap) > worst_gap[0]:
            worst_gap = (abs(outcome.gap), problem.name)
        if time.monotonic() - spoke > report_every:
            spoke = time.monotonic()
            print(
                f"... {case + 1} of {n_cases} cases, {len(failures)} failures, {spoke - started:.0f} s",
                flush=True,
            )
    for regime, counts in statuses.items():
        print(f"{regime:20s} " + ", ".join(f"{status} {count}" for status, count in counts.most_common()))
    print(
        f"{n_cases} cases in {time.monotonic() - started:.0f} s, {len(failures)} failures; also solved by "
        + ", ".join(f"{name} {count}" for name, count in sorted(compared.items()))
        + f"; worst relative gap of a converged floor {worst_floor[0]:.2g} ({worst_floor[1]}), "
        f"worst gap of a converged dual {worst_gap[0]:.2g} nats ({worst_gap[1]})"
    )
    return len(failures)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack properties", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--regime", action="append", choices=list(REGIMES))
    parser.add_argument("--cluster", type=int, default=0, help="one case in that many on two workers of Dask")
    parser.add_argument("--only", help="one case by its name, such as 'wide:17'")
    options = parser.parse_args(arguments)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        places = [BLOCKS, Place("a file", 16, in_a_file(folder)), Place("Parquet", 32, in_parquet(folder))]
        if options.cluster:
            stack.enter_context(two_workers())
            places.append(Place("Dask", options.cluster, on_a_cluster, weights_on_a_cluster))
        if options.only:
            outcome = attack(make_problem(*options.only.split(":")), places)
            print(outcome)
            return bool(outcome.wrong)
        return bool(run(options.cases, options.first_seed, options.regime or list(REGIMES), places))
