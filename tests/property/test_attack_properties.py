"""A short stretch of the long property run: `python -m tools.attack properties --cases 20000` is the whole."""

from __future__ import annotations

import pytest

from tools.attack.problems import REGIMES, make_problem
from tools.attack.properties import attack

N_SEEDS = 11  # times nineteen regimes: more than two hundred problems


@pytest.mark.parametrize("regime", REGIMES)
def test_certificates_hold_when_computed_from_outside(regime):
    wrong = {}
    for seed in range(N_SEEDS):
        outcome = attack(make_problem(regime, seed))
        if outcome.wrong:
            wrong[f"{regime}:{seed}"] = outcome.wrong
    assert not wrong
