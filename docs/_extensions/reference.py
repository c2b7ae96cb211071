"""Write the pages of the reference from the package itself, so that no public name can be forgotten.

The public names are those of ``drr`` (each with its home, in ``drr._HOMES``) and those of the modules that users
import by name. There is one page per stage of the method, and an index with one line per name.
"""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import drr

# The pages in the order of the method: the modules and packages whose names they hold, and their heading.
PAGES = {
    "classifier": (("classifier", "composition"), "The classifier"),
    "features": (("features",), "Features"),
    "raking": (("raking",), "Raking: floor, tolerance, dual"),
    "fusion": (("fusion",), "Fusion: weight, separation, gain"),
    "theory": (("theory",), "Theory of fusion"),
    "calibration": (("calibration",), "Calibration"),
    "decision": (("decision",), "Decision: rules and cuts"),
    "resampling": (("resampling",), "Resampling"),
    "plotting": (("plotting",), "Pictures"),
    "streaming": (("streaming",), "Rows from files and clusters"),
    "persistence": (("persistence",), "Saving and loading"),
    "export": (("export",), "Export to ONNX"),
    "report": (("report",), "The report"),
    "exceptions": (("exceptions",), "Exceptions"),
    "configuration": (("_native",), "Configuration"),
}
# Modules whose names are public without being repeated in drr.
PUBLIC_MODULES = {"calibration", "decision", "export", "fusion", "report", "theory"}


def public_names(module: str) -> list[str]:
    """List what a module offers to users, under the names by which they import it."""
    names = {name for name, home in drr._HOMES.items() if f"{home}.".startswith(f"drr.{module}.")}
    if module in PUBLIC_MODULES:
        names |= set(own_names(module)) - set(drr._HOMES)
    described = [name for name in names if callable(resolve(module, name))]
    classes_first = sorted(described, key=lambda name: (not name[0].isupper(), name.lower()))
    return [f"drr.{name}" if name in drr._HOMES else f"drr.{module}.{name}" for name in classes_first]


def own_names(module: str) -> list[str]:
    """List the names that a public module exports: its ``__all__``, or what it defines without an underscore."""
    loaded = importlib.import_module(f"drr.{module}")
    if hasattr(loaded, "__all__"):
        return list(loaded.__all__)
    return [
        name
        for name, value in vars(loaded).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == loaded.__name__
    ]


def resolve(module: str, name: str) -> Any:
    """Return the object behind a public name."""
    return getattr(importlib.import_module(drr._HOMES.get(name, f"drr.{module}")), name)


def names_of(page: str) -> list[str]:
    """List the names on a page."""
    return [name for module in PAGES[page][0] for name in public_names(module)]


def table(names: list[str], *options: str) -> list[str]:
    """Write a table with one line per name, which takes the first line of its docstring."""
    return [
        ".. autosummary::",
        "   :nosignatures:",
        *(f"   {option}" for option in options),
        "",
        *(f"   ~{name}" for name in names),
        "",
    ]


def write_page(folder: Path, page: str) -> None:
    """Write one page: what the module says about itself, and a table of its names."""
    modules, title = PAGES[page]
    summary = inspect.getdoc(importlib.import_module(f"drr.{modules[0]}")) or ""
    lines = [title, "=" * len(title), "", summary, "", *table(names_of(page), ":toctree: names")]
    (folder / f"{page}.rst").write_text("\n".join(lines))


def write_index(folder: Path) -> None:
    """Write the index: every name of every page with its line."""
    lines = ["Reference", "=========", "", "All public names, in the order of the method.", ""]
    lines += [".. toctree::", "   :hidden:", "", *(f"   {page}" for page in PAGES), ""]
    for page, (_, title) in PAGES.items():
        heading = f":doc:`{title} <{page}>`"
        lines += [heading, "-" * len(heading), "", *table(names_of(page))]
    (folder / "index.rst").write_text("\n".join(lines))


def write_pages(app: Sphinx, config: object) -> None:
    """Write all pages before Sphinx looks for documents."""
    shown = {name.removeprefix("drr.") for page in PAGES for name in names_of(page)}
    homeless = sorted(name for name in drr._HOMES if callable(getattr(drr, name)) and name not in shown)
    if homeless:
        raise ValueError(f"no page of the reference shows {', '.join(homeless)}; add the modules to PAGES")
    folder = Path(app.srcdir) / "generated" / "reference"
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        write_page(folder, page)
    write_index(folder)
    # By name: a build that continues an older one does not search pages that are new.
    app.config.autosummary_generate = [f"generated/reference/{page}.rst" for page in PAGES]


def skip_routing(
    app: Sphinx, what: str, name: str, value: object, skip: bool, options: object
) -> bool | None:
    """Leave out the methods that scikit-learn adds for metadata routing; its own pages describe them."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the writer of the pages and the filter of the members."""
    app.connect("config-inited", write_pages)
    app.connect("autodoc-skip-member", skip_routing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
