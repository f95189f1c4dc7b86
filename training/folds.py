"""Scores every photo by the network of its fold, which never saw its group, and writes the grouped five-fold figures.

    python training/folds.py --runs DIR --data DIR --rendered NAME=DIR ... --out folds.json

`--runs` holds fold-0 to fold-4, as train.py --fold K wrote them. The GPL sources, never trained on, count as good photos.
"""

import argparse
import json
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import torch

from evaluate import rounded
from export import load_checkpoint
from metrics import average_precision, bootstrap_interval, recall_at_fpr, roc_auc, suppress, threshold_at_fpr
from model import grid_points
from photos import GPL_SOURCES, WHOLE, fit_square, load_photos, load_scenes, stack_inputs
from views import FOLDS, SIZE, FrozenPart, fold_of

WHOLE_PICTURE = (0.0, 0.0, 1.0, 1.0)
# What a user would cut to, for want of knowing where the bed is: the middle.
CROP = (0.15, 0.15, 0.85, 0.85)
# The server's four overlapping tiles, and how much surer it wants to be of what it sees in one.
TILES = tuple((x, y, x + 0.6, y + 0.6) for y in (0, 0.4) for x in (0, 0.4))
TILE_SHIFT = 1.0
NMS_IOU = 0.45
# Of the picture's area, all failure boxes together.
AREA_STEPS = (0, 0.02, 0.05, 0.15, 0.4, 1.0)
FPRS = (0.01, 0.05)


class FoldNetwork:
    """A network of train.py; looks at parts of pictures."""

    def __init__(self, checkpoint, frozen):
        self.detector, self.frozen, self.points = load_checkpoint(checkpoint), frozen, grid_points(SIZE)[0].numpy()

    @torch.no_grad()
    def look(self, image, part=WHOLE_PICTURE):
        """The logit of the score, and all boxes (in 0..1 of the part) with their confidences."""
        height, width = image.shape[:2]
        x0, y0, x1, y1 = part
        seen = image[round(y0 * height) : round(y1 * height), round(x0 * width) : round(x1 * width)]
        maps = [torch.from_numpy(m) for m in self.frozen(stack_inputs([fit_square(seen, SIZE)]))]
        logits, distances, image_logit = (out[0].numpy() for out in self.detector.from_front(maps))
        score = float(logits.max() + image_logit)
        boxes = np.concatenate([self.points - distances[:, :2], self.points + distances[:, 2:]], 1) / SIZE
        share = np.exp(np.minimum(0, logits - logits.max()))
        confidences = share**2 / (1 + np.exp(-score))
        return score, np.clip(boxes, 0, 1), confidences, float(image_logit)


def area_share(photo):
    """How much of the picture its failure boxes cover together."""
    height, width = photo.image.shape[:2]
    covered = np.zeros((100, 100), bool)
    for x0, y0, x1, y1 in photo.boxes / [width, height, width, height] * 100:
        covered[int(y0) : int(np.ceil(y1)), int(x0) : int(np.ceil(x1))] = True
    return float(covered.mean())


def score_photo(network, photo, kinds):
    score, boxes, confidences, image_logit = network.look(photo.image)
    kept = suppress(boxes, confidences, NMS_IOU)
    tiles = max(network.look(photo.image, tile)[0] for tile in TILES)
    height, width = photo.image.shape[:2]
    return {
        "name": photo.name,
        "source": photo.source,
        "group": photo.group,
        "failing": photo.failing,
        "kinds": kinds,
        "area": area_share(photo),
        "whole": score,
        "image_logit": image_logit,
        "crop": network.look(photo.image, CROP)[0],
        "tiles": max(score, tiles - TILE_SHIFT),
        "boxes": boxes[kept].tolist(),
        "confidences": confidences[kept].tolist(),
        "labelled": (photo.boxes / [width, height, width, height]).tolist(),
    }


def score_everything(runs, data, rendered, scratch):
    """Records of all photos, and of all rendered pictures by set; of these, too, each by one fold's network."""
    photos = load_photos(data, "train", longest=WHOLE) + load_photos(data, "val", longest=WHOLE)
    manifest = json.loads((Path(data) / "manifest.json").read_text())
    kinds = {Path(entry["file"]).stem: entry["classes"] for entry in manifest}
    sets = {name: load_scenes(folder, longest=WHOLE) for name, folder in rendered.items()}
    records, rendered_records, frozen = [], {name: [] for name in sets}, None
    for fold in range(FOLDS):
        checkpoint = Path(runs) / f"fold-{fold}" / "checkpoint.pt"
        if frozen is None:
            settings = torch.load(checkpoint, weights_only=True)["settings"]
            frozen = FrozenPart(settings["frozen_blocks"], scratch)
        network = FoldNetwork(checkpoint, frozen)
        mine = [photo for photo in photos if fold_of(photo.group) == fold]
        records += [score_photo(network, photo, kinds[photo.name]) for photo in mine]
        for name, scenes in sets.items():
            for scene in scenes[fold::FOLDS]:
                rendered_records[name].append(
                    {"name": scene.name, "failing": scene.failing, "whole": network.look(scene.image)[0]}
                )
        print(f"fold {fold}: {len(mine)} photos scored", flush=True)
    return records, rendered_records


def separation(records, view="whole"):
    scores = np.array([record[view] for record in records])
    failing = np.array([record["failing"] for record in records])
    groups = [record["group"] for record in records]
    metrics = {"roc_auc": roc_auc, **{f"recall_at_fpr_{round(fpr * 100)}": partial(recall_at_fpr, fpr=fpr) for fpr in FPRS}}
    return {
        "failing": int(failing.sum()),
        "good": int((~failing).sum()),
        "groups": len(set(groups)),
        **{
            name: {
                "value": metric(scores, failing),
                "interval_95": bootstrap_interval(metric, scores, failing, groups, rounds=1000),
            }
            for name, metric in metrics.items()
        },
    }


def share_above(records, cut, groups):
    """Of some pictures, the share above a cut, with its interval over groups."""
    if not records:
        return None
    above = np.array([record["whole"] > cut for record in records], float)
    names, index = np.unique(groups, return_inverse=True)
    sums, sizes = np.bincount(index, above), np.bincount(index)
    drawn = np.random.default_rng(0).integers(0, len(names), (2000, len(names)))
    values = sums[drawn].sum(1) / sizes[drawn].sum(1)
    return {
        "count": len(records),
        "groups": len(names),
        "value": float(above.mean()),
        "interval_95": [float(v) for v in np.percentile(values, [2.5, 97.5])],
    }


def fold_figures(records, rendered):
    scores = [record["whole"] for record in records]
    failing = [record["failing"] for record in records]
    cuts = {fpr: threshold_at_fpr(scores, failing, fpr) for fpr in FPRS}
    bad = [record for record in records if record["failing"]]
    good = [record for record in records if not record["failing"]]

    def at_cuts(chosen, group_key="group"):
        groups = [record[group_key] for record in chosen]
        return {f"above_fpr_{round(fpr * 100)}": share_above(chosen, cut, groups) for fpr, cut in cuts.items()}

    def by_view(chosen):
        table = {"count": len(chosen)}
        for view in ("whole", "crop", "tiles"):
            # Each way of looking has its own threshold: the same false-positive rate, measured in the same way.
            view_cuts = {fpr: threshold_at_fpr([r[view] for r in records], failing, fpr) for fpr in FPRS}
            table[view] = {
                f"recall_at_fpr_{round(fpr * 100)}": float(np.mean([r[view] > cut for r in chosen])) if chosen else None
                for fpr, cut in view_cuts.items()
            }
        return table

    sources = sorted({record["source"] for record in records})
    kinds = {
        "failure only": [r for r in bad if 0 in r["kinds"] and 1 not in r["kinds"]],
        "stringing only": [r for r in bad if 1 in r["kinds"] and 0 not in r["kinds"]],
        "both": [r for r in bad if {0, 1} <= set(r["kinds"])],
    }
    good_kinds = {
        "other defects (warping, over- and under-extrusion)": [r for r in good if r["kinds"]],
        "no defect": [r for r in good if not r["kinds"] and r["source"] not in GPL_SOURCES],
        "no defect, sources never trained on": [r for r in good if r["source"] in GPL_SOURCES],
    }
    found = [(np.array(r["boxes"]).reshape(-1, 4), np.array(r["confidences"])) for r in records]
    return {
        "photos": separation(records),
        "photos_without_gpl": separation([r for r in records if r["source"] not in GPL_SOURCES]),
        "ap50": average_precision(found, [np.array(r["labelled"]).reshape(-1, 4) for r in records]),
        "score_logit_at_fpr": {f"{round(fpr * 100)}": cut for fpr, cut in cuts.items()},
        "by_source": {
            source: {
                "failing": at_cuts([r for r in bad if r["source"] == source]),
                "good": at_cuts([r for r in good if r["source"] == source]),
            }
            for source in sources
        },
        "failing_by_kind": {kind: at_cuts(chosen) for kind, chosen in kinds.items()},
        "good_by_kind": {kind: at_cuts(chosen) for kind, chosen in good_kinds.items()},
        "failing_by_area": {
            f"{low} to {high}": by_view([r for r in bad if low < r["area"] <= high])
            for low, high in zip(AREA_STEPS, AREA_STEPS[1:])
        },
        "views": {view: separation(records, view) for view in ("whole", "crop", "tiles")},
        "rendered": {
            name: {
                "failing": at_cuts([r for r in members if r["failing"]], "name"),
                "good": at_cuts([r for r in members if not r["failing"]], "name"),
            }
            for name, members in rendered.items()
        },
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--rendered", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--out", required=True, help="the figures; the scores of every picture go beside it")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    rendered = dict(entry.split("=", 1) for entry in options.rendered)
    records, rendered_records = score_everything(options.runs, options.data, rendered, options.runs)
    Path(options.runs, "records.json").write_text(json.dumps({"photos": records, "rendered": rendered_records}))
    figures = rounded(fold_figures(records, rendered_records))
    Path(options.out).write_text(json.dumps(figures, indent=2) + "\n")
    print(json.dumps({key: figures[key] for key in ("photos", "photos_without_gpl", "ap50")}, indent=2))


if __name__ == "__main__":
    main()
