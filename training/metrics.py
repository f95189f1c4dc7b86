"""How well scores tell failures from good prints. Pure functions on arrays."""

import numpy as np


def roc_auc(scores, failing):
    """The chance that a failing picture scores higher than a good one; None when one of the two is absent."""
    scores, failing = np.asarray(scores, float), np.asarray(failing, bool)
    bad, good = scores[failing], scores[~failing]
    if not len(bad) or not len(good):
        return None
    difference = bad[:, None] - good[None]
    return float((difference > 0).mean() + 0.5 * (difference == 0).mean())


def threshold_at_fpr(scores, failing, fpr):
    """The lowest threshold above which at most this share of good pictures lies."""
    good = np.sort(np.asarray(scores, float)[~np.asarray(failing, bool)])[::-1]
    allowed = int(np.floor(fpr * len(good)))
    return float(good[allowed])


def recall_at_fpr(scores, failing, fpr):
    """The share of failing pictures above the threshold of `threshold_at_fpr`."""
    bad = np.asarray(scores, float)[np.asarray(failing, bool)]
    return float((bad > threshold_at_fpr(scores, failing, fpr)).mean())


def bootstrap_interval(metric, scores, failing, groups, rounds=2000, seed=0):
    """95 % interval of a metric when whole groups (scenes) are drawn again with replacement."""
    scores, failing = np.asarray(scores, float), np.asarray(failing, bool)
    names, index = np.unique(np.asarray(groups), return_inverse=True)
    members = [np.flatnonzero(index == i) for i in range(len(names))]
    rng = np.random.default_rng(seed)
    values = []
    while len(values) < rounds:
        drawn = np.concatenate([members[i] for i in rng.integers(0, len(members), len(members))])
        if 0 < failing[drawn].sum() < len(drawn):
            values.append(metric(scores[drawn], failing[drawn]))
    return [float(value) for value in np.percentile(values, [2.5, 97.5])]


def best_cut(scores, failing, false_alarm_cost, rounds=400, seed=0):
    """The threshold with the least misses plus weighted false alarms, averaged so that no one photo decides."""
    scores, failing = np.asarray(scores, float), np.asarray(failing, bool)
    bad, good = scores[failing], scores[~failing]
    ordered = np.unique(scores)
    cuts = (ordered[1:] + ordered[:-1]) / 2
    rng = np.random.default_rng(seed)
    chosen = []
    for _ in range(rounds):
        b, g = rng.choice(bad, len(bad)), rng.choice(good, len(good))
        cost = (b[None] <= cuts[:, None]).mean(1) + false_alarm_cost * (g[None] > cuts[:, None]).mean(1)
        chosen.append(cuts[cost == cost.min()].mean())
    return float(np.mean(chosen))
