"""Reads labelled pictures: `images/SPLIT/*.jpg` beside `labels/SPLIT/*.txt` in YOLO form."""

import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

# failure and stringing; the other classes are tidy close-ups, which make good hard negatives.
FAILURE_CLASSES = (0, 1)
# Declared GPL-3.0: never trained on, so that no question arises about the shipped weights.
GPL_SOURCES = ("ercf", "sovol")
# Larger pictures are shrunk once, when read: training never looks closer than this.
LONGEST_SIDE = 384
# Pictures stay as they are, as the server gets them.
WHOLE = 10**6


@dataclass(frozen=True)
class Photo:
    """A picture (BGR uint8) and its failures as corner boxes [K, 4] in pixels."""

    name: str
    source: str
    group: str
    image: np.ndarray
    boxes: np.ndarray

    @property
    def failing(self):
        return len(self.boxes) > 0


def parse_labels(text, width, height):
    """The failure boxes of a label file as corners in pixels."""
    boxes = []
    for line in text.splitlines():
        kind, x, y, w, h = (float(value) for value in line.split())
        if int(kind) in FAILURE_CLASSES:
            boxes.append([(x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height])
    return np.array(boxes, np.float32).reshape(-1, 4)


def shrink(image, longest):
    factor = longest / max(image.shape[:2])
    if factor >= 1:
        return image
    height, width = image.shape[:2]
    return cv2.resize(image, (round(width * factor), round(height * factor)), interpolation=cv2.INTER_AREA)


def read_photo(image_path, label_path, source, group, longest):
    image = cv2.imread(str(image_path))
    if image is None:
        raise ValueError(f"not a picture: {image_path}")
    image = shrink(image, longest)
    height, width = image.shape[:2]
    boxes = parse_labels(label_path.read_text(), width, height)
    return Photo(image_path.stem, source, group, image, boxes)


def load_photos(folder, split, without=(), longest=LONGEST_SIDE):
    """The photos of a split, in a fixed order, without those of the sources in `without`."""
    folder = Path(folder)
    photos = []
    for entry in sorted(json.loads((folder / "manifest.json").read_text()), key=lambda entry: entry["file"]):
        if entry["file"].startswith(f"{split}/") and entry["source"] not in without:
            label_path = (folder / "labels" / entry["file"]).with_suffix(".txt")
            image_path = folder / "images" / entry["file"]
            photos.append(read_photo(image_path, label_path, entry["source"], entry["group"], longest))
    return photos


def stack_inputs(images):
    """Square BGR pictures of one size as a network input: [B, 3, S, S], RGB, 0..1."""
    rgb = np.stack(images)[..., ::-1]
    return np.ascontiguousarray(rgb.transpose(0, 3, 1, 2), dtype=np.float32) / 255


def fit_square(image, size):
    """A plain resize that ignores the aspect ratio, as the server does before it asks the model."""
    return cv2.resize(image, (size, size), interpolation=cv2.INTER_AREA)


def load_scenes(folder, longest=LONGEST_SIDE):
    """Rendered scenes, as `scripts/render-scenes.ts` writes them; each is its own group."""
    folder = Path(folder)
    scenes = []
    for image_path in sorted((folder / "images").glob("*.jpg")):
        label_path = folder / "labels" / f"{image_path.stem}.txt"
        scenes.append(read_photo(image_path, label_path, "scene", image_path.stem, longest))
    if not scenes:
        raise ValueError(f"no scenes in {folder}")
    return scenes
