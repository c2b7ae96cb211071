"""The examples of other engines run on a local cluster, and agree with the solve in memory."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("script", "module", "program"),
    [
        ("script_1_own_map_reduce.py", "concurrent.futures", None),
        ("script_3_ray.py", "ray", None),
        ("script_4_pyspark.py", "pyspark", "java"),
    ],
)
def test_passes_on_an_engine_agree_with_memory(script, module, program, tmp_path):
    if importlib.util.find_spec(module) is None or (program is not None and shutil.which(program) is None):
        pytest.skip(f"needs {module} {program or ''}")
    # Ray keeps a token in the home directory, Spark takes the first python of the path for its workers.
    environment = os.environ | {"HOME": str(tmp_path), "PYSPARK_PYTHON": sys.executable}
    ended = subprocess.run(
        [sys.executable, str(EXAMPLES / script)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env=environment,
        cwd=tmp_path,
    )
    assert ended.returncode == 0, ended.stderr
    found = re.search(r"theta differs from the one in memory by (\S+)", ended.stdout)
    assert found is not None, ended.stdout
    assert float(found.group(1)) < 1e-9
