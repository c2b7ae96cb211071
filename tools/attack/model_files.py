"""Damaged and hostile model files: refused with ModelFileError or loaded, without a crash and without running code.

    python -m tools.attack model_files --files 2000

Three kinds of damage: bytes changed or cut off; the description of the objects rewritten to name other types, among
them functions that would leave a trace if they ran; and arrays exchanged for others of another type, shape or
content, which reach the kernels when the model scores. The models are a logistic regression (with a splitter and a
scorer in it), a forest and boosted trees, whose nodes name each other by number. Every file is read in a forked child,
which may end but must not. A file with other numbers of the same kind loads and scores by them: nothing signs a model
file.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import signal
import tempfile
import warnings
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import StratifiedKFold

import drr
from tools.attack.children import in_child

TRACE = "drr_attack_trace"
PATIENCE = 30  # seconds of processor time
HOSTILE = [
    ("os", "system"), ("builtins", "eval"), ("builtins", "exec"), ("subprocess", "Popen"), ("posix", "system"),
    ("shutil", "rmtree"), ("importlib", "import_module"), ("pickle", "loads"), ("drr.raking", "rake"),
    ("tools.attack.model_files", "leave_a_trace"), ("functools", "partial"), ("operator", "methodcaller"),
]  # fmt: skip


def leave_a_trace(*_: Any, **__: Any) -> None:
    """What a hostile file would like to have called."""
    Path(tempfile.gettempdir(), TRACE).touch()


def rows_to_score() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.arange(200) < 30
    return np.column_stack([rng.normal(size=(200, 3)) + y[:, None], rng.integers(3, size=200)]), y


def save_examples(folder: Path) -> str:
    """Model files named by their base classifier."""
    X, y = rows_to_score()
    feature_map = drr.RakingFeatureMap(8, categorical_features=[3], random_state=0)
    boosting = HistGradientBoostingClassifier(max_iter=5, categorical_features=[3], random_state=0)
    models = {
        "logistic": drr.DRRClassifier(
            LogisticRegression(), holdout=StratifiedKFold(3), threshold=make_scorer(fbeta_score, beta=2)
        ),
        "forest": drr.DRRClassifier(RandomForestClassifier(5, random_state=0)),
        "boosting": drr.DRRClassifier(boosting),
    }
    for name, model in models.items():
        drr.save(model.set_params(dual=drr.RakingDual(feature_map), random_state=0).fit(X, y), folder / name)
    return " ".join(models)


def examples() -> dict[str, bytes]:
    """In a child, because boosting starts threads of OpenMP, after which a fork of that process would hang."""
    with tempfile.TemporaryDirectory() as folder:
        names = in_child(lambda: save_examples(Path(folder))).split()
        return {name: Path(folder, name).read_bytes() for name in names}


def damage_bytes(content: bytes, rng: np.random.Generator) -> bytes:
    damaged = bytearray(content)
    if rng.uniform() < 0.3:
        return bytes(damaged[: rng.integers(len(damaged))])
    for _ in range(rng.integers(1, 8)):
        damaged[rng.integers(len(damaged))] = rng.integers(256)
    return bytes(damaged)


def _members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _archive(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def _nodes(tree: Any) -> list[dict[str, Any]]:
    if isinstance(tree, dict):
        return [tree, *(node for value in tree.values() for node in _nodes(value))]
    return [node for value in tree for node in _nodes(value)] if isinstance(tree, list) else []


def damage_schema(content: bytes, rng: np.random.Generator) -> bytes:
    """Name something else in place of a type, or change what a node says."""
    members = _members(content)
    schema = json.loads(members["schema.json"])
    nodes = [node for node in _nodes(schema) if "__class__" in node]
    for node in rng.choice(np.array(nodes, dtype=object), size=rng.integers(1, 4)):
        if rng.uniform() < 0.6:
            module, name = HOSTILE[rng.integers(len(HOSTILE))]
            node["__class__"], node["__module__"] = name, module
            if rng.uniform() < 0.5:
                node["__loader__"] = str(
                    rng.choice(["FunctionNode", "TypeNode", "ObjectNode", "PartialNode", "MethodNode"])
                )
        else:
            node[str(rng.choice(list(node)))] = [None, 3, "x", [], {}, -1][rng.integers(6)]
    members["schema.json"] = json.dumps(schema).encode()
    return _archive(members)


def damage_arrays(content: bytes, rng: np.random.Generator) -> bytes:
    """Exchange arrays for others."""
    members = _members(content)
    arrays = [name for name in members if name.endswith(".npy")]
    for name in rng.choice(arrays, size=min(len(arrays), int(rng.integers(1, 5))), replace=False):
        array = np.load(io.BytesIO(members[name]))
        kind = rng.integers(6)
        if array.dtype.names and rng.uniform() < 0.8:  # the nodes of a tree
            array = array.copy()
            field = array[str(rng.choice(array.dtype.names))].reshape(-1)
            odd = [-1, 0, 1, 10**6, 2**31 - 1, -(2**31), len(array)]
            with contextlib.suppress(OverflowError):
                field[rng.integers(len(field), size=int(rng.integers(1, 4)))] = odd[rng.integers(len(odd))]
        elif kind == 0:
            array = array.ravel()[: rng.integers(array.size + 1)]
        elif kind == 1:
            array = (
                array.astype(rng.choice(["f4", "i8", "i4", "u1"])) if array.dtype.kind in "fiub" else array
            )
        elif kind == 2 and array.dtype.kind in "fiu" and array.size:
            array = array.copy()
            array.flat[rng.integers(array.size)] = rng.choice(
                [0, 1, 127] if array.dtype.kind == "u" else [-1, 10**6, 2**31 - 1, -(2**31)]
            )
        elif kind == 3 and array.dtype.kind == "f" and array.size:
            array = array.copy()
            array.flat[rng.integers(array.size)] = rng.choice([np.nan, np.inf, 1e308])
        elif kind == 4:
            array = np.concatenate([array, array]) if array.ndim else array
        else:
            array = np.asfortranarray(array.T)
        file = io.BytesIO()
        np.save(file, array)
        members[name] = file.getvalue()
    return _archive(members)


DAMAGES = [damage_bytes, damage_schema, damage_arrays]


def attack(content: bytes, X: np.ndarray, folder: Path, seed: int) -> str:
    """How a damaged file ended; what begins with FAILED is wrong."""
    rng = np.random.default_rng(seed)
    damage = DAMAGES[seed % len(DAMAGES)]
    path = folder / "model.skops"
    path.write_bytes(damage(content, rng))
    return f"{damage.__name__}: {in_child(lambda: _load_and_score(path, X))}"


def _load_and_score(path: Path, X: np.ndarray) -> str:
    signal.setitimer(
        signal.ITIMER_PROF, PATIENCE
    )  # nodes that name each other in a circle would be followed for ever
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = drr.load(path)
        except (drr.ModelFileError, MemoryError) as error:
            return "refused" if isinstance(error, drr.ModelFileError) else "MemoryError"
        except Exception as error:
            return f"FAILED: load raised {type(error).__name__}: {error}"
        try:
            model.predict_proba(X)
        except Exception as error:  # any exception will do: what matters is that the process lives
            return f"loaded, then {type(error).__name__}"
    return "loaded and scored"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack model_files", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--first-seed", type=int, default=0)
    options = parser.parse_args(arguments)
    files, (X, _) = examples(), rows_to_score()
    trace = Path(tempfile.gettempdir(), TRACE)
    trace.unlink(missing_ok=True)
    counts: Counter[str] = Counter()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first_seed, options.first_seed + options.files):
            name = list(files)[seed // len(DAMAGES) % len(files)]
            end = attack(files[name], X, Path(folder), seed)
            if trace.exists():
                trace.unlink()
                end = "FAILED: code from the file ran"
            counts[f"{name} {end.partition(': FAILED')[0]}"] += 1
            if "FAILED" in end:
                failures += 1
                print(f"FAILED {seed} {name} {end}", flush=True)
    for end, count in sorted(counts.items()):
        print(f"{end:60s} {count}")
    print(f"{options.files} damaged files of {', '.join(files)}: {failures} failures")
    return bool(failures)
