"""Makes the training pictures once, and keeps what the frozen part of the network sees in them.

    python training/views.py --data DIR --scenes DIR --out DIR

The frozen part never changes, so that the final run and the runs of the folds share its answers. A picture is put together
from photos of one pool only, a fold of the training or of the validation photos, so that a run can leave pools out.
"""

import argparse
import json
import os
import time
import warnings
import zlib
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import torch

from photos import GPL_SOURCES, load_photos, load_scenes, stack_inputs
from sampler import MIXTURES, Sampler
from trunk import load_pretrained

SIZE = 224
FOLDS = 5
CHUNK = 16
SPLITS = ("train", "val")


class Front(torch.nn.Module):
    def __init__(self, trunk):
        super().__init__()
        self.trunk = trunk

    def forward(self, x):
        return self.trunk.front(x)


class FrozenPart:
    """The frozen part of the trunk: inputs [B, 3, S, S] to its maps, float32 [B, C, H, W] each.

    onnxruntime runs it several times faster than PyTorch does on a processor.
    """

    def __init__(self, frozen_blocks, scratch):
        trunk = load_pretrained()
        trunk.freeze(frozen_blocks)
        self.gpu = Front(trunk).cuda() if torch.cuda.is_available() else None
        if self.gpu:
            return
        path = Path(scratch) / f"front-{os.getpid()}.onnx"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                Front(trunk).eval(),
                (torch.zeros(1, 3, SIZE, SIZE),),
                str(path),
                input_names=["x"],
                dynamic_axes={"x": {0: "count"}},
                opset_version=17,
                dynamo=False,
            )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        path.unlink()

    @torch.no_grad()
    def __call__(self, inputs):
        if self.gpu:
            return [part.cpu().numpy() for part in self.gpu(torch.from_numpy(inputs).cuda())]
        return self.session.run(None, {"x": inputs})


def fold_of(group):
    """The fold of a group of photos, the same in every run."""
    return zlib.crc32(group.encode()) % FOLDS


def make_pools(data, splits=SPLITS):
    """(split, fold) -> the photos that may share a picture."""
    pools = {(split, fold): [] for split in splits for fold in range(FOLDS)}
    for split in splits:
        for photo in load_photos(data, split, without=GPL_SOURCES):
            pools[split, fold_of(photo.group)].append(photo)
    for key, photos in pools.items():
        if len({photo.failing for photo in photos}) < 2:
            raise ValueError(f"pool {key} lacks failing or good photos")
    return pools


def deal(pools, count):
    """The pool of each view, in proportion to the photos, evenly spread."""
    keys, total = list(pools), sum(len(photos) for photos in pools.values())
    owed, dealt = Counter(), []
    for _ in range(count):
        for key in keys:
            owed[key] += len(pools[key]) / total
        key = max(keys, key=lambda key: owed[key])
        owed[key] -= 1
        dealt.append(key)
    return dealt


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder with images/, labels/ and manifest.json")
    parser.add_argument("--scenes", action="append", default=[], help="folder of rendered scenes; may be repeated")
    parser.add_argument("--mixture", choices=list(MIXTURES), default="photos", help="which kinds of pictures")
    parser.add_argument("--training-only", action="store_true", help="nothing of validation photos, which only folds learn")
    parser.add_argument("--lamp-share", type=float, default=0.0, help="how many pictures are lit by a coloured lamp")
    parser.add_argument("--out", required=True)
    parser.add_argument("--count", type=int, default=16000)
    parser.add_argument("--frozen-blocks", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)

    pools = make_pools(options.data, SPLITS[:1] if options.training_only else SPLITS)
    scenes = [scene for folder in options.scenes for scene in load_scenes(folder)]
    mixture = MIXTURES[options.mixture]
    samplers = {key: Sampler(photos, scenes, options.seed, mixture, options.lamp_share) for key, photos in pools.items()}
    dealt = deal(pools, options.count)
    frozen = FrozenPart(options.frozen_blocks, out)
    kept, counts, boxes, used = None, [], [], []
    started = time.monotonic()
    for start in range(0, options.count, CHUNK):
        keys = dealt[start : start + CHUNK]
        views = [samplers[key].picture(SIZE, start + i) for i, key in enumerate(keys)]
        maps = frozen(stack_inputs([image for image, _, _ in views]))
        if kept is None:
            kept = [
                np.lib.format.open_memmap(out / f"map{i}.npy", "w+", np.float16, (options.count, *part.shape[1:]))
                for i, part in enumerate(maps)
            ]
        for target, part in zip(kept, maps):
            target[start : start + len(keys)] = part
        counts += [len(found) for _, found, _ in views]
        boxes += [found for _, found, _ in views]
        used += [" ".join(names) for _, _, names in views]
        done = start + len(keys)
        if done % (CHUNK * 60) == 0 or done == options.count:
            minutes = (time.monotonic() - started) / 60
            print(f"view {done}/{options.count}  {minutes:.1f} min, {minutes / done * (options.count - done):.1f} to go", flush=True)
    np.savez(
        out / "boxes.npz",
        counts=np.array(counts),
        boxes=np.concatenate(boxes),
        splits=np.array([split for split, _ in dealt]),
        folds=np.array([fold for _, fold in dealt]),
        photos=np.array(used),
    )
    photos = [photo for (split, _), members in pools.items() if split == "train" for photo in members]
    settings = {
        "views": int(sum(split == "train" for split, _ in dealt)),
        "view_seed": options.seed,
        "shares": mixture.shares,
        "lamp_share": options.lamp_share,
        "frozen_blocks": options.frozen_blocks,
        "photos": len(photos),
        "failing_photos": sum(photo.failing for photo in photos),
        "photos_by_source": dict(sorted(Counter(photo.source for photo in photos).items())),
        "sources_left_out": list(GPL_SOURCES),
        "rendered_scenes": len(scenes),
    }
    (out / "settings.json").write_text(json.dumps(settings, indent=2) + "\n")


if __name__ == "__main__":
    main()
