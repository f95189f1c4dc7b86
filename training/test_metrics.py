import numpy as np
import pytest

from metrics import (
    average_precision,
    best_cut,
    bootstrap_interval,
    logistic_slope,
    recall_at_fpr,
    roc_auc,
    suppress,
    threshold_at_fpr,
)


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


def test_of_boxes_that_overlap_the_surest_is_kept():
    boxes = np.array([[0, 0, 10, 10], [1, 1, 11, 11], [40, 40, 50, 50]], float)
    assert suppress(boxes, np.array([0.6, 0.9, 0.3]), 0.45).tolist() == [1, 2]


def test_average_precision_counts_each_labelled_box_once():
    labelled = [np.array([[0, 0, 10, 10], [20, 20, 30, 30]], float), np.zeros((0, 4))]
    right = np.array([[0, 0, 10, 10], [0, 1, 10, 11]], float)
    wrong = np.array([[60, 60, 70, 70]], float)
    nothing = (np.zeros((0, 4)), np.zeros(0))
    assert average_precision([(labelled[0], np.array([0.9, 0.8])), nothing], labelled) == 1.0
    assert average_precision([(right, np.array([0.9, 0.8])), nothing], labelled) == 0.5
    assert average_precision([(right[:1], np.array([0.5])), (wrong, np.array([0.9]))], labelled) == pytest.approx(0.25)


@pytest.mark.parametrize("slope", [0.5, 1.0, 2.0])
def test_the_slope_that_made_the_labels_is_found_again(slope):
    rng = np.random.default_rng(1)
    logits = rng.normal(0, 2, 20_000)
    failing = rng.random(20_000) < 1 / (1 + np.exp(-(slope * logits - 0.7)))
    assert logistic_slope(logits, failing) == pytest.approx(slope, rel=0.06)
