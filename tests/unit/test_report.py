"""The report: its figures against scikit-learn, its page against its promises."""

from __future__ import annotations

import html.parser
import re

import numpy as np
import pandas
import pytest
import scipy.integrate
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, confusion_matrix, precision_recall_curve, roc_auc_score

from drr import DRRClassifier
from drr.decision.rules import Sweep
from drr.report import render_report, write_report
from drr.report._evaluation import evaluate
from drr.report._svg import Axis, Plot
from drr.report.drivers import column_losses, moment_contributions
from drr.report.ranking import precision_at, recall_at
from drr.report.reliability import reliability_bins


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(800) % 9 == 0, "rare", "common")
    X = pandas.DataFrame(rng.normal(size=(800, 3)), columns=["signal", "noise", "<odd & name>"])
    X["signal"] += 2.0 * (y == "rare")
    return X, y


@pytest.fixture(scope="module")
def classifier(rows):
    X, y = rows
    return DRRClassifier(LogisticRegression(), random_state=0).fit(X[::2], y[::2])


@pytest.fixture(scope="module")
def evaluation(classifier, rows):
    X, y = rows
    return evaluate(classifier, X[1::2], y[1::2])


@pytest.fixture(scope="module")
def page(classifier, rows):
    X, y = rows
    details = {
        "subtitle": "a model",
        "rows_per_day": 5000,
        "donors": [(7, 0.25)],
        "versions": {"drr": "0.0.1"},
    }
    return render_report(classifier, X[1::2], y[1::2], title="Fraud <2024>", details=details)


def test_scores_are_those_of_the_classifier(evaluation, classifier, rows):
    X, y = rows
    np.testing.assert_allclose(evaluation.scores["fused"], classifier.fused_score(X[1::2]))
    assert evaluation.gain.fused_average_precision == pytest.approx(
        average_precision_score(y[1::2] == "rare", classifier.fused_score(X[1::2]))
    )


def test_curves_agree_with_scikit_learn(evaluation):
    sweep, score = evaluation.sweeps["fused"], evaluation.scores["fused"]
    precision, recall, _ = precision_recall_curve(evaluation.positive, score)
    for level in (0.1, 0.5, 0.95, 1.0):
        # scikit-learn's curve falls in recall; the first cut to reach the level is its last entry that does.
        expected = precision[np.flatnonzero(recall >= level - 1e-12)[-1]]
        assert precision_at(sweep, np.array([level]))[0] == pytest.approx(expected)
    grid = np.linspace(0, 1, 20001)
    area = scipy.integrate.trapezoid(recall_at(sweep, grid), grid)
    assert area == pytest.approx(roc_auc_score(evaluation.positive, score), abs=2e-3)


def test_the_confusion_table_is_that_of_the_predictions(page, classifier, rows):
    X, y = rows
    counts = confusion_matrix(y[1::2], classifier.predict(X[1::2]), labels=["rare", "common"])
    table = page[page.index("Confusion table at the cut") :]
    numbers = [
        int(text.replace(",", "")) for text in re.findall(r'<td class="number">([\d,]+)</td>', table)[:6]
    ]
    assert numbers == [*counts[0], counts[0].sum(), *counts[1], counts[1].sum()]


def test_bins_hold_equal_expected_numbers(rng):
    probability = rng.beta(0.3, 5.0, size=5000)
    bins = reliability_bins(probability, rng.random(5000) < probability)
    assert sorted(np.concatenate(bins)) == list(range(5000))
    masses = [probability[each].sum() for each in bins]
    assert max(masses) - min(masses) < 2.0  # one row moves a sum by one at most


def test_contributions_add_up_to_the_distance_of_the_means(evaluation):
    dual = evaluation.dual
    _, contributions = moment_contributions(evaluation)
    assert contributions.sum() == pytest.approx(dual.theta_ @ (dual.moments_.target - dual.moments_.base))


def test_shuffling_finds_the_column_that_matters(evaluation):
    names, losses = column_losses(evaluation)
    assert names[int(np.argmax(losses))] == "signal"
    assert losses[names.index("noise")] < losses[names.index("signal")] / 3


def test_held_out_rows_take_the_place_of_the_rows_of_the_fit(classifier, rows):
    X, y = rows
    evaluation = evaluate(classifier, X[::2], y[::2], held_out=True)
    assert evaluation.n_rows == len(classifier.rescorings_[0].held_out.positive)
    assert "held out when the model was fitted" in render_report(classifier, X[::2], y[::2], held_out=True)


class _Checker(html.parser.HTMLParser):
    """Collects what a page holds, and complains about tags that do not nest."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.drawings: list[dict[str, str | None]] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tags.add(tag)
        if "id" in values:
            self.ids.append(values["id"])
        self.links += [values[name] for name in ("href", "src") if name in values]
        if tag == "svg":
            self.drawings.append(values)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes something else"


def test_the_page_is_whole_and_alone(page):
    checker = _Checker()
    checker.feed(page)
    assert checker.open == []
    assert len(set(checker.ids)) == len(checker.ids)
    assert all(link.startswith("#") and link[1:] in checker.ids for link in checker.links)
    assert not checker.tags & {"script", "img", "link", "iframe", "object"}
    assert "http://" not in page
    assert "https://" not in page
    assert "default-src 'none'" in page
    assert "nan" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL).lower().split()


def test_every_drawing_has_words(page):
    checker = _Checker()
    checker.feed(page)
    plots = [each for each in checker.drawings if each.get("aria-hidden") != "true"]
    assert len(plots) >= 9
    for plot in plots:
        assert plot["role"] == "img"
        for identifier in plot["aria-labelledby"].split():
            assert re.search(rf'id="{identifier}">[^<]+<', page)


def test_names_of_users_are_text_not_markup(page):
    assert "Fraud &lt;2024&gt;" in page
    assert "&lt;odd &amp; name&gt;" in page
    assert "<odd" not in page


def test_what_the_caller_knows_is_shown(page):
    assert "5,000 rows per day" in page
    assert "heaviest rows: the majority rows most like" in page
    assert "0.0.1" in page


def test_arrays_without_names_and_rare_rows_without_pattern(rng, tmp_path):
    y = np.arange(300) % 10 == 0
    X = rng.normal(size=(300, 2))
    classifier = DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    write_report(tmp_path / "report.html", classifier, rng.normal(size=(200, 2)), np.arange(200) < 15)
    assert (tmp_path / "report.html").read_text(encoding="utf-8").endswith("</html>\n")


def test_one_class_is_refused(classifier, rows):
    X, _ = rows
    with pytest.raises(ValueError, match="rows of both classes"):
        render_report(classifier, X, np.full(len(X), "common"))


def test_axes():
    assert Axis(0, 1, "").ticks() == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert Axis(1, 7646, "", is_logarithmic=True).ticks() == [1, 10, 100, 1000]
    assert Axis(1, 100, "", is_logarithmic=True).share(10) == pytest.approx(0.5)
    plot = Plot(Axis(0, 1, "x"), Axis(0, 1, "y"), title="t", description="d")
    plot.line([0, 1], [0, 1], "fused")
    assert 'd="M50.0,256.0 406.0,10.0"' in plot.svg("p")


def test_sweeps_of_one_row():
    sweep = Sweep(np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0]))
    assert precision_at(sweep, np.array([0.5, 1.0])).tolist() == [1.0, 1.0]
