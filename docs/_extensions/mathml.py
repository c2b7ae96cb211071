"""Formulas as MathML, which browsers show by themselves: no script, no fonts to download, nothing at run time."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def to_mathml(formula: str, display: str) -> str:
    """MathML of a TeX formula, with the bars of norms as high as the letters and not as the line."""
    return convert(formula, display=display).replace(
        "<mo>&#x02016;</mo>", '<mo stretchy="false">&#x02016;</mo>'
    )


def render_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """A formula within a line."""
    translator.body.append(to_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def render_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """A formula of its own, with its number where it has a label."""
    translator.body.append(translator.starttag(node, "div", CLASS="math notranslate"))
    if node.get("number"):
        translator.body.append(f'<span class="eqno">({node["number"]})</span>')
    translator.body.append(to_mathml(node.astext(), "block"))
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer the renderer under the name ``mathml``."""
    app.add_html_math_renderer(
        "mathml", inline_renderers=(render_inline, None), block_renderers=(render_block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
