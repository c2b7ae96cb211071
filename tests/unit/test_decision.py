"""Cuts: placement, metrics, rules and scorers, against a search over every cut."""

import pickle

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import balanced_accuracy_score, f1_score, fbeta_score, make_scorer

from drr import CostMatrix, FalsePositiveRateAtMost, PrecisionAtLeast, RecallAtLeast, TopK
from drr.decision import choose_cut, place_cut
from drr.decision.rules import CutRule


def draw(seed, n_rows=300, decimals=1):
    rng = np.random.default_rng(seed)
    y = rng.random(n_rows) < 0.1
    y[:2] = [True, False]
    return np.round(rng.normal(size=n_rows) + 1.5 * y, decimals), y


def every_cut(score):
    """One cut in every gap, from the highest."""
    levels = np.unique(score)[::-1]
    return np.concatenate([[levels[0] + 1], (levels[:-1] + levels[1:]) / 2, [levels[-1] - 1]])


def figures(score, y, cut, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    label = score > cut
    true_positives, false_positives = weight[label & y].sum(), weight[label & ~y].sum()
    return {
        "recall": true_positives / weight[y].sum(),
        "rate": false_positives / weight[~y].sum(),
        "precision": true_positives / max(true_positives + false_positives, 1e-300),
        "predicted": true_positives + false_positives,
    }


def test_a_number_is_the_cut_itself():
    assert choose_cut([1.0, 2.0], [0, 1], 0.25) == 0.25
    assert choose_cut([1.0, 2.0], [0, 1], np.float32(0.5)) == 0.5
    assert choose_cut([1.0, 2.0], [0, 1], 1) == 1.0


@pytest.mark.parametrize(
    ("name", "metric"), [("balanced_accuracy", balanced_accuracy_score), ("f1", f1_score)]
)
@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_metrics_are_maximised_over_every_cut(name, metric, decimals):
    score, y = draw(0, decimals=decimals)
    cut = choose_cut(score, y, name)
    values = [metric(y, score > c) for c in every_cut(score)]
    np.testing.assert_allclose(metric(y, score > cut), max(values), rtol=1e-12)


def test_weighted_metrics():
    score, y = draw(1)
    weight = np.random.default_rng(0).exponential(size=300)
    cut = choose_cut(score, y, "f1", weight)
    values = [f1_score(y, score > c, sample_weight=weight) for c in every_cut(score)]
    np.testing.assert_allclose(f1_score(y, score > cut, sample_weight=weight), max(values), rtol=1e-12)


def test_the_cut_lies_midway_between_neighbours():
    assert choose_cut([0.0, 1.0, 4.0, 5.0], [0, 0, 1, 1]) == 2.5
    levels = np.array([5.0, 4.0, 1.0])
    assert [place_cut(levels, k) for k in range(4)] == [6.0, 4.5, 2.5, 0.0]


@pytest.mark.parametrize(
    "levels",
    [
        [1.0],
        [0.0],
        [1.0 + 2**-52, 1.0],
        [5e-324, 0.0, -5e-324],
        [1.7e308, -1.7e308],
        [1e300, 1.0, 1e-300],
        [1e16 + 2, 1e16],
    ],
)
def test_every_cut_separates_exactly_the_levels_above_it(levels):
    levels = np.array(levels)
    for n_levels in range(len(levels) + 1):
        cut = place_cut(levels, n_levels)
        assert np.isfinite(cut)
        assert (levels > cut).sum() == n_levels
        with np.errstate(over="ignore"):
            assert (levels - cut > 0).sum() == n_levels, "the sign of the decision function agrees"


def test_the_highest_of_equally_good_cuts_is_chosen():
    # Labelling {3} or {3, 2, 1} positive has the same balanced accuracy.
    assert choose_cut([3.0, 2.0, 1.0, 0.0], [1, 0, 1, 0]) == 2.5


@pytest.mark.parametrize("recall", [0.0, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_recall_rule_is_the_highest_cut_that_reaches_it(recall, weighted):
    score, y = draw(2)
    weight = np.random.default_rng(1).integers(1, 4, size=300).astype(float) if weighted else None
    cut = choose_cut(score, y, RecallAtLeast(recall), weight)
    reaching = [c for c in every_cut(score) if figures(score, y, c, weight)["recall"] >= recall]
    assert ((score > cut) == (score > reaching[0])).all()


def test_recall_is_exact_at_round_figures():
    score, y = np.arange(20.0), np.arange(20) >= 10
    for tenths in range(1, 11):
        assert (score > choose_cut(score, y, RecallAtLeast(tenths / 10))).sum() == tenths


@pytest.mark.parametrize("precision", [0.2, 0.5])
def test_precision_rule_has_the_largest_recall(precision):
    score, y = draw(3)
    chosen = figures(score, y, choose_cut(score, y, PrecisionAtLeast(precision)))
    allowed = [f for f in (figures(score, y, c) for c in every_cut(score)) if f["precision"] >= precision]
    assert chosen["precision"] >= precision
    assert chosen["recall"] == max(f["recall"] for f in allowed)


def test_impossible_precision_warns_with_the_best_figures():
    score, y = np.array([4.0, 3.0, 2.0, 1.0]), np.array([0, 1, 1, 0])
    with pytest.warns(UserWarning, match=r"precision of 0.9: the best has 0.6667, at a recall of 1"):
        cut = choose_cut(score, y, PrecisionAtLeast(0.9))
    assert cut == 1.5


@pytest.mark.parametrize("rate", [0.0, 0.05, 0.5, 1.0])
def test_false_positive_rule_has_the_largest_recall(rate):
    score, y = draw(4)
    chosen = figures(score, y, choose_cut(score, y, FalsePositiveRateAtMost(rate)))
    allowed = [f for f in (figures(score, y, c) for c in every_cut(score)) if f["rate"] <= rate]
    assert chosen["rate"] <= rate
    assert chosen["recall"] == max(f["recall"] for f in allowed)


def test_impossible_false_positive_rate_warns():
    with pytest.warns(UserWarning, match=r"at most 0.1: the first one needs 0.5"):
        cut = choose_cut([4.0, 3.0, 2.0], [0, 1, 0], FalsePositiveRateAtMost(0.1))
    assert cut >= 4.0


def test_top_k_labels_at_most_k_rows():
    score, y = draw(5, decimals=6)
    assert (score > choose_cut(score, y, TopK(17))).sum() == 17
    assert (score > choose_cut(score, y, TopK(0.1))).sum() == 30
    assert (score > choose_cut(score, y, TopK(1))).sum() == 1, "a count, not the share of all rows"
    assert (score > choose_cut(score, y, TopK(1000))).all()
    assert (score > choose_cut(score, y, TopK(np.int64(3)))).sum() == 3
    tied = np.array([3.0, 2.0, 2.0, 1.0])
    assert (tied > choose_cut(tied, [1, 0, 1, 0], TopK(2))).sum() == 1


def test_top_k_of_a_large_tie_warns():
    with pytest.warns(UserWarning, match="shared by 3 rows, more than the 2 allowed"):
        cut = choose_cut([1.0, 1.0, 1.0, 0.0], [1, 0, 0, 0], TopK(2))
    assert cut >= 1.0


@pytest.mark.parametrize("costs", [(1.0, 7.0, 0.5, -0.1), (1.0, 3.0, 0.0, -2.0), (0.5, 9.0, -4.0, 0.0)])
def test_cost_rule_minimises_the_cost(costs):
    score, y = draw(6)
    rule = CostMatrix(*costs)

    def cost(cut):
        label = score > cut
        return (
            rule.false_positive * (label & ~y).sum()
            + rule.false_negative * (~label & y).sum()
            + rule.true_positive * (label & y).sum()
            + rule.true_negative * (~label & ~y).sum()
        )

    np.testing.assert_allclose(cost(choose_cut(score, y, rule)), min(map(cost, every_cut(score))), rtol=1e-12)


def f2(y_true, y_pred, sample_weight=None):
    return fbeta_score(y_true, y_pred, beta=2, sample_weight=sample_weight)


@pytest.mark.parametrize("rule", [f2, make_scorer(fbeta_score, beta=2)], ids=["metric", "scorer"])
@pytest.mark.parametrize("weighted", [False, True])
def test_metrics_and_scorers_of_the_user(rule, weighted):
    score, y = draw(7)
    weight = np.random.default_rng(1).exponential(size=300) if weighted else None
    cut = choose_cut(score, y, rule, weight)
    best = max(f2(y, score > c, sample_weight=weight) for c in every_cut(score))
    np.testing.assert_allclose(f2(y, score > cut, sample_weight=weight), best, rtol=1e-12)


def test_names_of_scikit_learn_scorers():
    score, y = draw(8)
    assert choose_cut(score, y, "jaccard") == choose_cut(score, y, "f1"), "one rises with the other"
    assert choose_cut(score, y, "matthews_corrcoef") == choose_cut(score, y, "mcc")
    assert (score > choose_cut(score, y, "precision")).any()


def test_negated_scorers_are_maximised():
    score, y = draw(9)
    cut = choose_cut(score, y, make_scorer(lambda t, p: np.mean(t != p), greater_is_better=False))
    assert np.mean((score > cut) != y) == min(np.mean((score > c) != y) for c in every_cut(score))


def test_many_positives_are_thinned():
    rng = np.random.default_rng(0)
    y = rng.random(3000) < 0.5
    score = rng.normal(size=3000) + y
    calls = []

    def counted(y_true, y_pred):
        calls.append(1)
        return balanced_accuracy_score(y_true, y_pred)

    cut = choose_cut(score, y, counted)
    assert len(calls) <= 1 + 1002  # tried once, then at every candidate
    best = balanced_accuracy_score(y, score > choose_cut(score, y))
    assert balanced_accuracy_score(y, score > cut) > best - 0.005


def test_rows_of_weight_zero_are_absent():
    score, y = np.array([4.0, 3.0, 2.0, 1.0]), np.array([1, 1, 0, 0])
    assert choose_cut(score, y, "f1", [1, 1, 0, 1]) == 2.0


@pytest.mark.parametrize(
    ("rule", "error", "message"),
    [
        ("accurate", ValueError, "rule='accurate' is not known; use one of balanced_accuracy, f1"),
        ("roc_auc", ValueError, "scores probabilities or rankings"),
        ("neg_log_loss", ValueError, "scores probabilities or rankings"),
        (np.nan, ValueError, "rule must be a number"),
        (np.inf, ValueError, "rule must be a number"),
        (None, TypeError, "rule must be a number, a name, a CutRule or a callable, got None"),
        (lambda t, p: np.nan, ValueError, "NaN at every cut"),
    ],
)
def test_bad_rules_are_named(rule, error, message):
    with pytest.raises(error, match=message):
        choose_cut([1.0, 2.0, 3.0], [0, 1, 0], rule)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RecallAtLeast(1.1), r"recall must be a number in \[0, 1\], got 1.1"),
        (lambda: PrecisionAtLeast("high"), "precision must be a number"),
        (lambda: FalsePositiveRateAtMost(-0.1), "rate must be a number"),
        (lambda: TopK(0), "k must be an integer of at least 1, or a share"),
        (lambda: TopK(2.5), "k must be an integer of at least 1, or a share"),
        (lambda: TopK(True), "k must be an integer of at least 1, or a share"),
        (lambda: TopK("all"), "k must be an integer of at least 1, or a share"),
        (lambda: CostMatrix(1.0, np.inf), "false_negative must be a number"),
        (
            lambda: CostMatrix(1.0, 2.0, true_positive=3.0),
            "false_negative=2 must cost more than true_positive=3",
        ),
        (
            lambda: CostMatrix(1.0, 2.0, true_negative=1.0),
            "false_positive=1 must cost more than true_negative=1",
        ),
    ],
)
def test_bad_rule_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, 2.0], [1, 1]), "one class only, 1"),
        (([1.0, np.nan], [0, 1]), "score must be finite, got nan at position 1"),
        (([1.0, 2.0], [0, 1, 1]), r"y must have shape \(2,\)"),
        (
            ([1.0, 2.0], [0, 1], "f1", [1.0, -2.0]),
            "sample_weight must not be negative, got -2.0 at position 1",
        ),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        choose_cut(*arguments)


def test_rules_are_values():
    rules = [
        RecallAtLeast(0.9),
        PrecisionAtLeast(0.5),
        FalsePositiveRateAtMost(0.1),
        TopK(5),
        CostMatrix(1, 9),
    ]
    for rule in rules:
        assert isinstance(rule, CutRule)
        assert pickle.loads(pickle.dumps(rule)) == rule
        assert len({rule, rule}) == 1


def test_top_k_of_weights_that_cannot_be_counts():
    score, y = np.arange(100.0), np.arange(100) % 7 == 0
    assert choose_cut(score, y, TopK(10), np.full(100, 0.01)) == choose_cut(score, y, TopK(10))


def test_a_metric_without_weights_is_refused_where_rows_have_some():
    def agreement(y_true, y_pred):
        return float((y_true == y_pred).mean())

    score, y = [1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1]
    assert np.isfinite(choose_cut(score, y, agreement))
    with pytest.raises(TypeError, match="takes no sample_weight, but rows have weights"):
        choose_cut(score, y, agreement, [1.0, 1.0, 2.0, 1.0])


def test_a_metric_of_other_labels_is_explained():
    scorer = make_scorer(f1_score, pos_label="sick")
    with pytest.raises(
        ValueError, match="not a metric of labels, with the rare class as 1 and the other as 0"
    ):
        choose_cut([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1], scorer)


def test_a_guaranteed_cut_misses_as_few_as_a_binomial_distribution_allows():
    y = np.arange(200) < 60
    score = np.where(y, 100.0 + np.arange(200), np.arange(200) / 10)
    cut = choose_cut(score, y, RecallAtLeast(0.9, confidence=0.95))
    # P(B <= 2) = 0.053 and P(B <= 1) = 0.014 for B binomial with 60 and 0.1: one may be missed.
    assert ((score > cut) & y).sum() == 59
    assert ((score > choose_cut(score, y, RecallAtLeast(0.9))) & y).sum() == 54
    # P(B <= 3) = 0.077 and P(B <= 4) = 0.165 for B binomial with 140 and 0.05: three false alarms are allowed.
    y = np.isin(np.arange(200), [3, *range(5, 64)])
    falling = -np.arange(200.0)
    cut = choose_cut(falling, y, FalsePositiveRateAtMost(0.05, confidence=0.9))
    assert ((falling > cut).sum(), ((falling > cut) & y).sum()) == (4, 1)


def test_too_few_rows_for_a_guarantee_are_told():
    y = np.arange(100) < 20
    score = np.arange(100.0)[::-1]
    with pytest.warns(
        UserWarning, match="20 positive rows are too few for a recall of 0.9 with confidence 0.95"
    ):
        cut = choose_cut(score, y, RecallAtLeast(0.9, confidence=0.95))
    assert ((score > cut) & y).sum() == 20
    with pytest.warns(UserWarning, match="80 negative rows are too few for a false-positive rate"):
        choose_cut(score, y, FalsePositiveRateAtMost(0.01, confidence=0.95))
    with pytest.raises(ValueError, match="confidence must be a number in"):
        RecallAtLeast(0.9, confidence=1.0)
    with pytest.raises(ValueError, match="a cut with a confidence counts rows"):
        choose_cut(score, y, RecallAtLeast(0.5, confidence=0.9), np.full(100, 0.77) + (np.arange(100) % 2))


def test_the_guarantees_hold_on_new_rows(rng):
    y = np.arange(400) < 80
    n_kept = {"recall": 0, "rate": 0}
    for _ in range(400):
        score = rng.normal(size=400) + 2 * y
        recall_cut = choose_cut(score, y, RecallAtLeast(0.9, confidence=0.9))
        rate_cut = choose_cut(score, y, FalsePositiveRateAtMost(0.05, confidence=0.9))
        n_kept["recall"] += norm.sf(recall_cut - 2) >= 0.9
        n_kept["rate"] += norm.sf(rate_cut) <= 0.05
    # At least 90 %, less four standard errors; a cut without a guarantee keeps its word in half of the draws.
    assert min(n_kept.values()) / 400 > 0.9 - 4 * np.sqrt(0.9 * 0.1 / 400)


@pytest.mark.parametrize("prior", [0.01, 0.4])
def test_a_cost_cut_for_another_prior_is_that_of_rows_weighted_to_it(rng, prior):
    y = np.arange(500) < 60
    score = rng.normal(size=500) + y
    costs = {"false_positive": 1.0, "false_negative": 8.0, "true_positive": 0.5}
    weights = np.where(y, prior / y.mean(), (1 - prior) / (1 - y.mean()))
    weighted = choose_cut(score, y, CostMatrix(**costs), weights)
    assert choose_cut(score, y, CostMatrix(**costs, target_prior=prior)) == weighted
    assert choose_cut(score, y, CostMatrix(**costs, target_prior=y.mean())) == choose_cut(
        score, y, CostMatrix(**costs)
    )
    with pytest.raises(ValueError, match="target_prior must be"):
        CostMatrix(**costs, target_prior=0.0)
