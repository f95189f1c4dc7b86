import numpy as np
import pytest

from compare import METRICS, compare, difference, log_odds, score_of
from metrics import bootstrap_interval, roc_auc
from photos import Photo


class LeftHalf:
    """Takes the brightness of the left half for a confidence."""

    def look(self, image):
        return float(image[:, : image.shape[1] // 2].mean() / 255), None


class Bright:
    def look(self, image):
        return float(image.mean() / 255), None


def half_lit(left, right):
    image = np.zeros((8, 8, 3), np.uint8)
    image[:, :4], image[:, 4:] = left, right
    return image


def photo(name, failing, left, right):
    boxes = np.array([[0, 0, 4, 4]], np.float32) if failing else np.zeros((0, 4), np.float32)
    return Photo(name, "source", name, half_lit(left, right), boxes)


def test_a_mirrored_score_is_the_mean_of_both_looks_in_log_odds():
    image = half_lit(204, 51)
    assert score_of(LeftHalf(), image) == pytest.approx(np.log(4))
    assert score_of(LeftHalf(), image, mirrored=True) == pytest.approx(0)


@pytest.mark.parametrize("confidence", [0.0, 1.0])
def test_a_confidence_without_odds_still_has_a_score(confidence):
    assert np.isfinite(log_odds(confidence))


def test_a_model_is_no_better_than_itself():
    rng = np.random.default_rng(0)
    scores, failing = rng.normal(0, 1, 60), np.arange(60) % 2 == 0
    found = difference(roc_auc, scores, scores, failing, np.arange(60), rounds=50)
    assert (found["gain"], found["interval_95"]) == (0, [0, 0])


def test_the_interval_of_a_gain_is_narrower_than_those_of_both_models():
    rng = np.random.default_rng(0)
    failing, groups = np.arange(200) % 2 == 0, np.arange(200) // 2
    scores = rng.normal(0, 1, 200) + failing
    better = scores + 0.3 * failing
    found = difference(roc_auc, better, scores, failing, groups, rounds=200)
    low, high = found["interval_95"]
    own_low, own_high = bootstrap_interval(roc_auc, scores, failing, groups, rounds=200)
    assert 0 < low < found["gain"] < high
    assert high - low < (own_high - own_low) / 2


def test_models_are_compared_on_each_set_of_photos():
    photos = [
        photo("a", True, 200, 10),
        photo("b", True, 210, 20),
        photo("c", False, 20, 250),
        photo("d", False, 10, 240),
    ]
    table = compare(LeftHalf(), Bright(), {"all": photos, "three": photos[:3]})
    assert [(table[name]["failing"], table[name]["good"]) for name in table] == [(2, 2), (2, 1)]
    assert set(METRICS) < set(table["all"])
    assert (table["all"]["roc_auc"]["model"], table["all"]["roc_auc"]["against"]) == (1, 0)
    assert table["all"]["roc_auc"]["gain"] == 1
