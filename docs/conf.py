"""Settings of the documentation: ``sphinx-build -W docs build/docs`` builds it, without a network."""

from __future__ import annotations

import importlib.metadata
import math
import os
import sys
from pathlib import Path

import drr

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))
# A solve in an example takes milliseconds; more threads than idle cores would only slow it down.
os.environ.setdefault("OMP_NUM_THREADS", "2")

project = "drr"
author = "The drr developers"
copyright = "the drr developers"
version = release = drr.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "reference",
    "command_help",
]
exclude_patterns = ["_extensions", "_templates"]
templates_path = ["_templates"]

# Pages
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence", "attrs_inline", "substitution"]
myst_heading_anchors = 3
myst_substitutions = {"version": release}
html_math_renderer = "mathml"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

# Reference
autodoc_typehints = "none"  # numpydoc's sections say the types
autodoc_member_order = "bysource"
default_role = "py:obj"  # a name in single backticks is a link if the reference has it
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False  # the template of a class lists them
numpydoc_xref_param_type = False

# Gallery
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "generated/gallery",
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("drr",),
    "abort_on_example_error": True,
    "min_reported_time": math.inf,
    "write_computation_times": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
    "matplotlib_animations": False,
}

# Appearance
html_theme = "pydata_sphinx_theme"
html_title = "drr"
html_static_path = ["_static"]
html_css_files = ["drr.css"]
html_favicon = html_logo = "_static/drr.svg"
html_copy_source = False
html_show_sourcelink = False
# The addresses are those of the package, in pyproject.toml: a repository appears here once it is named there.
_ICONS = {"Repository": "fa-brands fa-github", "Paper": "fa-solid fa-file-lines"}
_ADDRESSES = dict(
    entry.split(", ", 1)
    for entry in importlib.metadata.metadata("density-ratio-rescoring").get_all("Project-URL", [])
)
html_theme_options = {
    "logo": {"text": f"drr {release}"},
    "icon_links": [
        {"name": name, "url": _ADDRESSES[name], "icon": icon}
        for name, icon in _ICONS.items()
        if name in _ADDRESSES
    ],
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher", "navbar-icon-links"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}
