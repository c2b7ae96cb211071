"""The pages of the reference, from the package itself: one per stage, so that no public name can be forgotten."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.application import Sphinx

import drr

# Modules in the order of the method, with the heading of their page; those not named here follow by their own name.
STAGES = {
    "classifier": "The whole: DRRClassifier",
    "features": "Features",
    "raking": "Raking: floor, tolerance, dual",
    "results": "Results of raking",
    "score": "The dual as an estimator",
    "diagnostics": "Diagnostics of a dual",
    "fusion": "Fusion and separation",
    "fusion_weight": "The fusion weight",
    "gain": "The gain with its interval",
    "theory": "Theory of fusion",
    "calibration": "Calibration",
    "decision": "Decision: cuts",
    "rescoring": "Rescoring",
    "resampling": "Resampling",
    "fusion_curve": "Display: the fusion curve",
    "moment_balance": "Display: the balance of moments",
    "weight_concentration": "Display: the concentration of weights",
    "sources": "Rows out of memory",
    "passes": "Passes over rows",
    "persistence": "Saving and loading",
    "export": "Export to ONNX",
    "report": "The report",
    "exceptions": "Exceptions",
}
# Modules whose functions are public without being repeated in drr.__all__.
PUBLIC_MODULES = {"theory", "calibration", "export", "report"}
# Modules whose names users import from another.
SHOWN_IN = {"drr.decision.rules": "drr.decision"}


def modules() -> dict[str, ModuleType]:
    """Every public module that has public names, in the order of the pages."""
    found = {
        info.name: importlib.import_module(f"drr.{info.name}")
        for info in pkgutil.iter_modules(drr.__path__)
        if not info.name.startswith("_")
    }
    order = [name for name in STAGES if name in found] + sorted(set(found) - set(STAGES))
    return {name: found[name] for name in order if public_names(found[name])}


def public_names(module: ModuleType) -> list[str]:
    """The names that the page of a module documents, classes before functions."""
    stem = module.__name__.removeprefix("drr.")
    listed = set(getattr(module, "__all__", ()))
    names = []
    for name, value in vars(module).items():
        if name.startswith("_") or not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        home = SHOWN_IN.get(value.__module__, value.__module__)
        if home == module.__name__ and (name in drr.__all__ or name in listed or stem in PUBLIC_MODULES):
            names.append(name)
    return sorted(names, key=lambda name: (inspect.isfunction(getattr(module, name)), name.lower()))


def qualified_name(module: ModuleType, name: str) -> str:
    """The shortest name under which users import it."""
    return f"drr.{name}" if name in drr.__all__ else f"{module.__name__}.{name}"


def page(title: str, module: ModuleType) -> str:
    """One page: what the module says of itself, and a table of its names."""
    names = [f"   ~{qualified_name(module, name)}" for name in public_names(module)]
    lines = [
        title,
        "=" * len(title),
        "",
        inspect.getdoc(module) or "",
        "",
        ".. autosummary::",
        "   :toctree: names",
    ]
    return "\n".join([*lines, "   :nosignatures:", "", *names, ""])


def write_pages(app: Sphinx, config: object) -> None:
    """Write the pages and their table of contents before anything is read."""
    folder = Path(app.srcdir) / "generated" / "reference"
    folder.mkdir(parents=True, exist_ok=True)
    contents = ["Reference", "=========", "", "One page per stage of the method, in its order.", ""]
    contents += [".. toctree::", "   :maxdepth: 2", ""]
    for name, module in modules().items():
        title = STAGES.get(name, name.replace("_", " ").capitalize())
        (folder / f"{name}.rst").write_text(page(title, module))
        contents.append(f"   {name}")
    (folder / "index.rst").write_text("\n".join([*contents, ""]))
    # By name: a build that continues an older one would not look into pages that are new.
    app.config.autosummary_generate = [f"generated/reference/{name}.rst" for name in modules()]


def skip_routing(
    app: Sphinx, what: str, name: str, value: object, skip: bool, options: object
) -> bool | None:
    """Leave out the methods that scikit-learn adds for metadata routing; its own pages describe them."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before Sphinx looks which documents there are."""
    app.connect("config-inited", write_pages)
    app.connect("autodoc-skip-member", skip_routing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
