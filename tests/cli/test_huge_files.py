"""Files that are small to send and large to read: an answer of one line, within bounds of time and memory."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits and /proc of Linux")

PROGRAM = """
import json, resource, sys, time
limit = int(float(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from drr.cli import main
code = main(sys.argv[2:])
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print(json.dumps({"code": code, "seconds": time.process_time(), "peak": int(peak.split()[1]) * 1024}))
"""


class Measured(NamedTuple):
    code: int
    error: str
    seconds: float
    peak: int


def drr(*arguments, address_space: float = 8e9) -> Measured:
    """Run the command line in a process of its own that may have so many bytes; measure it."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", PROGRAM, str(address_space), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout.splitlines()[-1])
    return Measured(values["code"], done.stderr, values["seconds"], values["peak"])


def write_bomb(path, repeated: bytes, n_megabytes: int) -> None:
    """Write a table that unpacks to a thousand times its size: one compressed megabyte, many times."""
    member = gzip.compress(repeated * (2**20 // len(repeated)))
    path.write_bytes(gzip.compress(b"a,y\n1,0\n2,1\n") + member * n_megabytes)
    assert path.stat().st_size < 2e-3 * n_megabytes * 2**20


@pytest.mark.parametrize("repeated", [b"0,0\n", b"0"], ids=["rows", "one line"])
@pytest.mark.parametrize("command", ["check", "fit"])
def test_a_bomb_that_exceeds_the_memory_is_one_line(repeated, command, tmp_path):
    write_bomb(tmp_path / "bomb.csv.gz", repeated, 4000)
    options = ["-o", tmp_path / "m.skops"] if command == "fit" else []
    result = drr(command, tmp_path / "bomb.csv.gz", "--target", "y", *options, address_space=1e9)
    assert result.code == 1
    assert result.error.count("\n") == 1, result.error
    assert "does not fit into memory" in result.error
    assert result.seconds < 30
    assert not (tmp_path / "m.skops").exists()


def test_a_bomb_is_not_unpacked_to_read_its_header(tmp_path):
    write_bomb(tmp_path / "bomb.csv.gz", b"0,0\n", 4000)
    result = drr("check", tmp_path / "bomb.csv.gz", "--target", "z")
    assert result.code == 1
    assert "no column 'z'" in result.error
    assert result.seconds < 10
    assert result.peak < 4e8


def test_a_row_of_100_megabytes_takes_a_few_times_its_size(tmp_path):
    (tmp_path / "long.csv").write_text("a,y\n1,0\n" + "7" * 100_000_000 + ",1\n3,0\n")
    result = drr("check", tmp_path / "long.csv", "--target", "y")
    assert result.code == 1
    assert "column 'a' is infinite in row 2" in result.error
    assert len(result.error) < 1000
    assert result.seconds < 20
    assert result.peak < 1.2e9


def test_a_header_of_100_megabytes_is_not_a_table(tmp_path):
    (tmp_path / "long.csv").write_text("x" * 100_000_000 + ",y\n1,0\n2,1\n")
    result = drr("check", tmp_path / "long.csv", "--target", "y")
    assert result.code == 1
    assert "field larger than field limit" in result.error
    assert len(result.error) < 1000
    assert result.seconds < 20
    assert result.peak < 8e8


def write_wide(path, n_columns: int) -> None:
    header = ",".join(f"c{k}" for k in range(n_columns)) + ",y\n"
    row = ",".join(["1.5"] * n_columns)
    path.write_text(header + f"{row},0\n{row},1\n{row},0\n")


def test_a_header_of_200_000_names_is_read_and_searched_in_seconds(tmp_path):
    write_wide(tmp_path / "wide.csv", 200_000)
    result = drr("check", tmp_path / "wide.csv", "--target", "z", "--drop", "c7")
    assert result.code == 1
    assert "no column 'z'" in result.error
    assert len(result.error) < 1000
    assert result.seconds < 15
    assert result.peak < 6e8


def test_the_time_for_a_wide_table_grows_with_its_columns_not_their_square(tmp_path):
    write_wide(tmp_path / "wide.csv", 20_000)  # with names compared pair by pair, 40 000 took minutes
    result = drr("fit", tmp_path / "wide.csv", "--target", "y", "-o", tmp_path / "m.skops")
    assert result.code == 1
    assert "has 1 rows" in result.error
    assert result.seconds < 25
    assert result.peak < 1.5e9
