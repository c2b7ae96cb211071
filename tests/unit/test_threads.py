from __future__ import annotations

import os
import subprocess
import sys

import joblib
import pytest

import drr
from drr._native.threads import resolve_n_threads


def test_an_explicit_number_is_taken_as_it_is():
    assert resolve_n_threads(7) == 7


@pytest.mark.parametrize(("value", "expected"), [("1", 1), ("1,4", 1), (" 1 ", 1)])
def test_omp_num_threads_limits_the_default(monkeypatch, value, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert resolve_n_threads(None) == expected


@pytest.mark.parametrize("number", [2000, 2**31 - 1, 2**31, 10**30])
def test_threads_without_work_are_not_started(number):
    assert resolve_n_threads(number) == max(64, os.cpu_count())
    assert drr.tilt([[0.0], [1.0]], [0.0], n_threads=number).weights.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("value", ["", "0", "-3", "many", "9" * 5000])
def test_a_meaningless_omp_num_threads_is_ignored(monkeypatch, value):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert resolve_n_threads(None) == joblib.cpu_count()


def test_omp_num_threads_does_not_exceed_the_processors(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "100000")
    assert resolve_n_threads(None) == joblib.cpu_count()


def run(code, **environment):
    result = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return result.stdout.strip()


def test_loky_limit():
    code = "from drr._native.threads import resolve_n_threads; print(resolve_n_threads(None))"
    assert run(code, LOKY_MAX_CPU_COUNT="1", OMP_NUM_THREADS="") == "1"


def test_a_loky_limit_that_is_no_number_is_named(monkeypatch):
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "bad")
    with pytest.raises(ValueError, match=r"LOKY_MAX_CPU_COUNT must be a whole number, got 'bad'; unset"):
        drr.show_config()
    assert resolve_n_threads(2) == 2


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no CPU affinity")
def test_affinity():
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});"
        "from drr._native.threads import resolve_n_threads; print(resolve_n_threads(None))"
    )
    assert run(code, OMP_NUM_THREADS="") == "1"


def test_joblib_workers_share_the_processors(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)  # joblib hands a limit of the user on to its workers
    workers = joblib.Parallel(n_jobs=joblib.cpu_count())(
        joblib.delayed(resolve_n_threads)(None) for _ in range(2)
    )
    assert workers == [1, 1]
