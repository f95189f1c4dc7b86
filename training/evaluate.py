"""Measures an exported model on photos and rendered scenes that it was not trained on, and describes it in JSON.

    python training/evaluate.py --model detector.onnx --data DIR --scenes DIR --sequences DIR --out detector.json

Any model of that form can be measured so, for a comparison too.
"""

import argparse
import hashlib
import json
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import onnxruntime

from metrics import bootstrap_interval, recall_at_fpr, roc_auc, threshold_at_fpr
from photos import GPL_SOURCES, WHOLE, fit_square, load_photos, load_scenes, stack_inputs

NAME = "printwarden-lite0"
# Confidence from which one frame counts as failing; the bias of the export puts it there.
CUT = 0.5
NMS_IOU = 0.45
# The sequences of run.sh: the print fails at this progress, and its tangle has grown full this much later.
FAIL_AT, GROWTH_SPAN = 0.35, 0.3
# Of a rendered picture's pixels that show failed filament: a tangle that has just begun.
SMALL_SHARE = 0.01
GROWTH_STEPS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)


class Model:
    """An ONNX model in the project's form, on one thread."""

    def __init__(self, path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.size = self.session.get_inputs()[0].shape[2]

    def look(self, image):
        """The score of a picture, which is its best box's confidence, and that box as corners in 0..1."""
        boxes, confidences = self.session.run(["boxes", "confs"], {"input": stack_inputs([fit_square(image, self.size)])})
        best = int(confidences[0, :, 0].argmax())
        return float(confidences[0, best, 0]), boxes[0, best, 0]


def rounded(value, digits=4):
    if isinstance(value, dict):
        return {key: rounded(inner, digits) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(inner, digits) for inner in value]
    return round(float(value), digits) if isinstance(value, (float, np.floating)) else value


def points_at_failure(box, photo):
    """Whether the middle of a box lies in a labelled failure."""
    height, width = photo.image.shape[:2]
    x, y = (box[0] + box[2]) / 2 * width, (box[1] + box[3]) / 2 * height
    return any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in photo.boxes)


def share_above_cut(scores):
    return float((np.asarray(scores) > CUT).mean()) if len(scores) else None


def separation(scores, photos):
    """How well scores separate the failing of these photos from the good ones."""
    failing = np.array([photo.failing for photo in photos])
    groups = [photo.group for photo in photos]
    scores = np.asarray(scores)

    def with_interval(metric):
        return {"value": metric(scores, failing), "interval_95": bootstrap_interval(metric, scores, failing, groups)}

    return {
        "failing": int(failing.sum()),
        "good": int((~failing).sum()),
        "groups": len(set(groups)),
        "roc_auc": with_interval(roc_auc),
        "recall_at_fpr_1": with_interval(partial(recall_at_fpr, fpr=0.01)),
        "recall_at_fpr_5": with_interval(partial(recall_at_fpr, fpr=0.05)),
        "threshold_at_fpr_1": threshold_at_fpr(scores, failing, 0.01),
        "threshold_at_fpr_5": threshold_at_fpr(scores, failing, 0.05),
        "recall_at_cut": share_above_cut(scores[failing]),
        "fpr_at_cut": share_above_cut(scores[~failing]),
    }


def by_source(scores, photos):
    table = {}
    for source in sorted({photo.source for photo in photos}):
        chosen = [(score, photo.failing) for score, photo in zip(scores, photos) if photo.source == source]
        bad = [score for score, failing in chosen if failing]
        good = [score for score, failing in chosen if not failing]
        table[source] = {
            "failing": len(bad),
            "good": len(good),
            "roc_auc": roc_auc(*zip(*chosen)),
            "recall_at_cut": share_above_cut(bad),
            "fpr_at_cut": share_above_cut(good),
        }
    return table


def spread_of(scores):
    median, p95, top = np.percentile(scores, [50, 95, 100])
    return {"count": len(scores), "median": float(median), "p95": float(p95), "max": float(top)}


def evaluate_photos(model, folder):
    validation = load_photos(folder, "val", longest=WHOLE)
    answers = [model.look(photo.image) for photo in validation]
    scores = [score for score, _ in answers]
    everything = load_photos(folder, "train", longest=WHOLE) + validation
    never_trained = [photo for photo in everything if photo.source in GPL_SOURCES]
    never_trained_scores = [model.look(photo.image)[0] for photo in never_trained]
    permissive = [(score, photo) for score, photo in zip(scores, validation) if photo.source not in GPL_SOURCES]
    hits = [points_at_failure(box, photo) for (_, box), photo in zip(answers, validation) if photo.failing]
    return {
        "validation": separation(scores, validation),
        "validation_by_source": by_source(scores, validation),
        # The good photos of the sources that were kept out of training are the best stand-in for printers never seen.
        "validation_with_unseen_sources": separation(
            [score for score, _ in permissive] + never_trained_scores,
            [photo for _, photo in permissive] + never_trained,
        ),
        "unseen_sources_by_source": by_source(never_trained_scores, never_trained),
        "best_box_in_labelled_failure": float(np.mean(hits)),
    }


def evaluate_scenes(model, folder):
    scenes = load_scenes(folder, longest=WHOLE)
    answers = [model.look(scene.image) for scene in scenes]
    scores = [score for score, _ in answers]
    good = [score for score, scene in zip(scores, scenes) if not scene.failing]
    bad = [score for score, scene in zip(scores, scenes) if scene.failing]
    hits = [points_at_failure(box, scene) for (_, box), scene in zip(answers, scenes) if scene.failing]
    return {
        **separation(scores, scenes),
        "good_scores": spread_of(good),
        "failing_scores": spread_of(bad),
        "best_box_in_labelled_failure": float(np.mean(hits)),
    }


def share_with_interval(flags):
    """A share, and its 95 % interval by drawing pictures again."""
    flags = np.asarray(flags, float)
    drawn = flags[np.random.default_rng(0).integers(0, len(flags), (2000, len(flags)))].mean(1)
    return {
        "count": len(flags),
        "value": float(flags.mean()),
        "interval_95": [float(v) for v in np.percentile(drawn, [2.5, 97.5])],
    }


def evaluate_toolpaths(model, folders, thresholds):
    """Shares of rendered pictures above each threshold, by what the print suffers from; "none" is a good print."""
    scores, small = {}, []
    for folder in folders:
        lines = [json.loads(line) for line in (Path(folder) / "frames.jsonl").read_text().splitlines()]
        about = {Path(line["file"]).stem: line for line in lines}
        for scene in load_scenes(folder, longest=WHOLE):
            score = model.look(scene.image)[0]
            scores.setdefault(about[scene.name]["kind"], []).append(score)
            if scene.failing and about[scene.name]["visible_share"] < SMALL_SHARE:
                small.append(score)
    table = {**scores, f"failing, less than {SMALL_SHARE:.0%} of the pixels": small}
    return {
        kind: {name: share_with_interval(np.array(values) > cut) for name, cut in thresholds.items()}
        for kind, values in table.items()
        if values
    }


def evaluate_sequences(model, folder):
    """Scores of whole rendered prints: good ones, and failing ones by how far the tangle has grown."""
    good, growing = [], {step: [] for step in GROWTH_STEPS[1:]}
    for sequence in sorted(path for path in Path(folder).iterdir() if path.is_dir()):
        scenes = load_scenes(sequence, longest=WHOLE)
        for i, scene in enumerate(scenes):
            score, _ = model.look(scene.image)
            progress = i / (len(scenes) - 1)
            if not scene.failing:
                good.append(score)
                continue
            growth = min(1.0, (progress - FAIL_AT) / GROWTH_SPAN)
            growing[next(step for step in GROWTH_STEPS[1:] if growth <= step + 1e-9)].append(score)
    steps = [
        {"growth_from": low, "growth_to": high, **spread_of(growing[high]), "above_cut": share_above_cut(growing[high])}
        for low, high in zip(GROWTH_STEPS, GROWTH_STEPS[1:])
    ]
    return {"good_scores": spread_of(good), "failing_scores_by_growth": steps}


def about_file(path):
    data = Path(path).read_bytes()
    return {"file": Path(path).name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def describe(path, model, metrics, thresholds, version, training):
    """The machine-readable card that lies beside the model."""
    return {
        "name": NAME,
        "version": version,
        **about_file(path),
        "input": {
            "name": "input",
            "shape": [1, 3, model.size, model.size],
            "channels": "RGB",
            "range": [0, 1],
            "resize": "plain, aspect ratio not kept",
        },
        "outputs": {
            "boxes": "[1, N, 1, 4], corners x1 y1 x2 y2 in 0..1",
            "confs": "[1, N, 1]; the best one is the score of the picture",
            "embedding": "[1, 128], the mean of the top features, less its average over training photos, "
            "on their first 128 principal axes",
        },
        "classes": ["failure"],
        "thresholds": {"cut": thresholds["cut"], "nms_iou": NMS_IOU, **thresholds},
        "training": training,
        "metrics": metrics,
    }


def describe_training(paths):
    """The runs whose weights were averaged, each with its share of the mean: one that is named twice counts twice."""
    runs = [
        {**json.loads(Path(path).read_text()), "share_of_the_mean": count / len(paths)} for path, count in Counter(paths).items()
    ]
    return {"weights": "the mean of the weights of the runs, batch norms merged", "runs": runs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--int8", help="the same model in int8, measured on the photos as well")
    parser.add_argument("--data", required=True)
    parser.add_argument("--scenes", help="single rendered scenes of unseen seeds")
    parser.add_argument("--toolpaths", action="append", default=[], help="rendered toolpaths of unseen seeds")
    parser.add_argument("--sequences", help="folder of folders, each the frames of one rendered print")
    parser.add_argument("--folds", help="figures of folds.py, repeated in the description")
    parser.add_argument(
        "--settings", action="append", default=[], help="settings.json of a run whose weights were averaged, as often as for export.py"
    )
    parser.add_argument("--version", default="3")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()

    model = Model(options.model)
    metrics = evaluate_photos(model, options.data)
    unseen = metrics["validation_with_unseen_sources"]
    thresholds = {"cut": CUT, "fpr_1": unseen["threshold_at_fpr_1"], "fpr_5": unseen["threshold_at_fpr_5"]}
    if options.scenes:
        metrics["scenes"] = evaluate_scenes(model, options.scenes)
    if options.toolpaths:
        metrics["toolpaths"] = evaluate_toolpaths(model, options.toolpaths, thresholds)
    if options.sequences:
        metrics["sequences"] = evaluate_sequences(model, options.sequences)
    if options.folds:
        metrics["five_folds"] = json.loads(Path(options.folds).read_text())
    training = describe_training(options.settings) if options.settings else None
    description = describe(options.model, model, metrics, thresholds, options.version, training)
    if options.int8:
        description["int8"] = {**about_file(options.int8), "metrics": evaluate_photos(Model(options.int8), options.data)}
    Path(options.out).write_text(json.dumps(rounded(description), indent=2) + "\n")
    print(json.dumps(rounded({name: metrics[name] for name in metrics if name != "five_folds"}), indent=2))


if __name__ == "__main__":
    main()
