"""Says how much better one model is than another on the same photos, with an interval, so that chance is not taken for a gain.

    python training/compare.py --data DIR --model new.onnx --against old.onnx [--mirrored]

Both are measured as evaluate.py measures one. The intervals are of the difference: whole scenes are drawn again, the same ones
for both models, which tells far smaller differences than two intervals beside each other. With --mirrored the first model's score
is the mean, in log-odds, of the picture and its mirror image, which takes two looks.
"""

import argparse
import json

import numpy as np

from evaluate import Model, rounded
from metrics import bootstrap_interval, recall_at_fpr, roc_auc
from photos import GPL_SOURCES, WHOLE, load_photos

# Confidences of 0 and 1 have no odds.
EDGE = 1e-6
METRICS = {
    "roc_auc": roc_auc,
    "recall_at_fpr_1": lambda scores, failing: recall_at_fpr(scores, failing, 0.01),
    "recall_at_fpr_5": lambda scores, failing: recall_at_fpr(scores, failing, 0.05),
}


def log_odds(confidence):
    confidence = min(max(confidence, EDGE), 1 - EDGE)
    return float(np.log(confidence / (1 - confidence)))


def score_of(model, image, mirrored=False):
    """The log-odds of a picture's score."""
    score = log_odds(model.look(image)[0])
    return (score + log_odds(model.look(image[:, ::-1])[0])) / 2 if mirrored else score


def difference(metric, scores, others, failing, groups, rounds=2000):
    """What a metric is with the first scores, with the others, and how much more with the first, with its 95 % interval."""
    failing = np.asarray(failing, bool)

    def gain(both, failing):
        return metric(both[:, 0], failing) - metric(both[:, 1], failing)

    both = np.stack([np.asarray(scores, float), np.asarray(others, float)], 1)
    return {
        "model": metric(both[:, 0], failing),
        "against": metric(both[:, 1], failing),
        "gain": gain(both, failing),
        "interval_95": bootstrap_interval(gain, both, failing, groups, rounds),
    }


def measured_sets(data):
    """Name -> photos: the validation split, the same without the GPL sources, and its failures against all of these sources."""
    validation = load_photos(data, "val", longest=WHOLE)
    unseen = [photo for photo in load_photos(data, "train", longest=WHOLE) + validation if photo.source in GPL_SOURCES]
    return {
        "validation": validation,
        "validation_without_gpl": [photo for photo in validation if photo.source not in GPL_SOURCES],
        "unseen_sources": [photo for photo in validation if photo.failing] + unseen,
    }


def compare(model, other, sets, mirrored=False):
    """For each set of photos its sizes, and for each metric the difference between the models."""
    looked = {}

    def scores(photo):
        if photo.name not in looked:
            looked[photo.name] = score_of(model, photo.image, mirrored), score_of(other, photo.image)
        return looked[photo.name]

    table = {}
    for name, photos in sets.items():
        first, second = zip(*(scores(photo) for photo in photos))
        failing, groups = [photo.failing for photo in photos], [photo.group for photo in photos]
        table[name] = {
            "failing": sum(failing),
            "good": len(failing) - sum(failing),
            **{key: difference(metric, first, second, failing, groups) for key, metric in METRICS.items()},
        }
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder with images/, labels/ and manifest.json")
    parser.add_argument("--model", required=True)
    parser.add_argument("--against", required=True)
    parser.add_argument("--mirrored", action="store_true", help="the first model also looks at the mirror image")
    options = parser.parse_args()
    table = compare(Model(options.model), Model(options.against), measured_sets(options.data), options.mirrored)
    print(json.dumps(rounded(table), indent=2))


if __name__ == "__main__":
    main()
