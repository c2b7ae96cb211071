"""The certificate: how the solves ended, with bounds that can be recomputed from outside."""

from __future__ import annotations

from drr.report._evaluation import Evaluation
from drr.report._html import Section, paragraph, table


def section(evaluation: Evaluation) -> Section:
    """List the values of floor and dual."""
    raking, dual = evaluation.dual.raking_, evaluation.dual.raking_.dual
    floor = raking.floor
    rows = [
        ["floor, upper bound", f"{floor.value:.10g}"],
        ["floor, lower bound", f"{floor.lower_bound:.10g}"],
        [
            "floor, how it ended",
            f"{floor.status.value} ({floor.method}, {floor.n_iter} solves, {floor.n_passes} passes)",
        ],
        ["distance of the means before raking, γ", f"{raking.base_discrepancy:.10g}"],
        ["tolerance, δ", f"{raking.tolerance:.10g}"],
        ["distance after raking", f"{dual.discrepancy:.10g}"],
        ["η", f"{evaluation.dual.eta_:.4g}"],
        ["gap between primal and dual", f"{dual.gap:.3g} nats"],
        ["norm of the gradient", f"{dual.gradient_norm:.3g}"],
        ["relative entropy of the weights", f"{dual.kl:.6g} nats"],
        ["effective rows", f"{dual.ess:.6g} of {floor.n_rows:,}"],
        ["dual, how it ended", f"{dual.status.value} ({dual.method}, {dual.n_iter} iterations)"],
    ]
    body = paragraph(
        f"{dual.status.description} The floor is between its two bounds; the gap bounds how far the weights are from "
        "the best ones."
    )
    body += table(["", "value"], rows, caption="Floor and dual of the fitted model", text_columns=2)
    return Section("certificate", "Solver certificate", body)
