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


def logistic_slope(logits, failing, rounds=50):
    """By how much logits must be multiplied to be log-odds of failing: the slope of a logistic regression, by Newton's method."""
    logits, failing = np.asarray(logits, float), np.asarray(failing, float)
    design = np.stack([logits, np.ones_like(logits)], 1)
    weights = np.zeros(2)
    for _ in range(rounds):
        probability = 1 / (1 + np.exp(-design @ weights))
        curvature = (design * (probability * (1 - probability))[:, None]).T @ design
        weights += np.linalg.solve(curvature + 1e-9 * np.eye(2), design.T @ (failing - probability))
    return float(weights[0])


def overlap_share(box, boxes):
    """Intersection over union of one corner box with many [K, 4]."""
    sides = np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2])
    both = np.clip(sides, 0, None).prod(1)
    return both / ((box[2:] - box[:2]).prod() + (boxes[:, 2:] - boxes[:, :2]).prod(1) - both + 1e-9)


def suppress(boxes, confidences, limit, most=50):
    """Indices of the boxes left when each that overlaps a surer one by more than `limit` is dropped."""
    order = np.argsort(-confidences)[:300]
    kept = []
    while len(order) and len(kept) < most:
        kept.append(order[0])
        order = order[1:][overlap_share(boxes[order[0]], boxes[order[1:]]) <= limit]
    return np.array(kept, int)


def average_precision(found, labelled, iou=0.5):
    """AP at one IoU over all pictures. `found`: (boxes [K, 4], confidences [K]) a picture; `labelled`: boxes [L, 4]."""
    total = sum(len(boxes) for boxes in labelled)
    ranked = sorted(
        ((confidence, picture, i) for picture, (_, sure) in enumerate(found) for i, confidence in enumerate(sure)),
        reverse=True,
    )
    free = [np.ones(len(boxes), bool) for boxes in labelled]
    hits = np.zeros(len(ranked))
    for rank, (_, picture, i) in enumerate(ranked):
        if not len(labelled[picture]):
            continue
        overlaps = overlap_share(found[picture][0][i], labelled[picture]) * free[picture]
        best = int(overlaps.argmax())
        if overlaps[best] >= iou:
            free[picture][best] = False
            hits[rank] = 1
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    # The precision at a recall is the best that can be had at that recall or more.
    best_from = np.maximum.accumulate(precision[::-1])[::-1]
    return float((best_from * hits).sum() / total) if total else None
