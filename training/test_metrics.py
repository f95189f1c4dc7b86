import numpy as np
import pytest

from metrics import best_cut, bootstrap_interval, recall_at_fpr, roc_auc, threshold_at_fpr


@pytest.mark.parametrize(
    ("scores", "failing", "expected"),
    [
        ([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0], 1.0),
        ([0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0], 0.0),
        ([0.5, 0.5], [1, 0], 0.5),
        ([0.9, 0.3, 0.5, 0.1], [1, 1, 0, 0], 0.75),
        ([0.9, 0.3], [1, 1], None),
    ],
)
def test_roc_auc(scores, failing, expected):
    assert roc_auc(scores, failing) == expected


def test_the_threshold_lets_no_more_good_pictures_through_than_allowed():
    scores = np.linspace(0, 1, 100)
    failing = np.zeros(100, bool)
    for fpr in (0.0, 0.01, 0.05, 0.5):
        assert (scores > threshold_at_fpr(scores, failing, fpr)).mean() <= fpr


def test_recall_counts_failures_above_the_threshold():
    assert recall_at_fpr([0.9, 0.4, 0.5, 0.1], [1, 1, 0, 0], 0.0) == 0.5


def test_the_interval_is_drawn_over_groups_and_holds_the_value():
    rng = np.random.default_rng(0)
    failing = np.arange(200) % 2 == 0
    scores = rng.normal(0, 1, 200) + failing
    low, high = bootstrap_interval(roc_auc, scores, failing, np.arange(200) // 4, rounds=200)
    assert low < roc_auc(scores, failing) < high
    assert high - low < 0.2


def test_the_cut_lies_between_failing_and_good():
    cut = best_cut([3.0, 2.5, 2.8, -1.0, -2.0, 0.0], [1, 1, 1, 0, 0, 0], false_alarm_cost=1)
    assert 0.0 < cut < 2.5


def test_dear_false_alarms_move_the_cut_up():
    rng = np.random.default_rng(0)
    failing = np.arange(400) % 2 == 0
    scores = rng.normal(0, 1, 400) + 1.5 * failing
    assert best_cut(scores, failing, false_alarm_cost=4) > best_cut(scores, failing, false_alarm_cost=1) + 0.2
