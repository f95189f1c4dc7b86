"""Puts training batches together: which kind of picture, which one, and how it is changed."""

from collections import Counter

import cv2
import numpy as np
import torch

from augment import NO_BOXES, change_look, warp
from photos import stack_inputs
from synthetic import draw_picture

# Share of each kind of picture. Without rendered scenes their share goes to the other kinds.
SHARES = {
    "scene": 0.09,  # a rendered scene, as often failing as good
    "synthetic": 0.13,  # a drawn picture, as often failing as good
    "failure": 0.42,  # a photo of a failure
    "background": 0.11,  # a part of a failure photo beside the failure
    "good": 0.25,  # a photo without a failure
}
MOSAIC_SHARE = 0.22
# Of the drawn pictures, how many are drawn onto a photo of a good print.
DRAWN_ON_PHOTO = 0.6
# Scenes are shown nearly as the camera sees them.
SCENE_ZOOM = (0.8, 1.25)
WARP_TRIES = 4
BACKGROUND_TRIES = 12


class Sampler:
    """Batch number k of a seed is always the same, whatever was drawn before it."""

    def __init__(self, photos, scenes, seed):
        self.failing = [photo for photo in photos if photo.failing]
        self.good = [photo for photo in photos if not photo.failing]
        self.failing_scenes = [scene for scene in scenes if scene.failing]
        self.good_weights = source_weights(self.good)
        self.good_scenes = [scene for scene in scenes if not scene.failing]
        self.seed = seed
        self.kinds = [kind for kind in SHARES if kind != "scene" or scenes]
        shares = np.array([SHARES[kind] for kind in self.kinds])
        self.shares = shares / shares.sum()

    def batch(self, count, size, number):
        """Input [count, 3, size, size] and the boxes of each picture."""
        rng = np.random.default_rng((self.seed, number))
        images, boxes = zip(*(self._picture(rng, size) for _ in range(count)))
        inputs = torch.from_numpy(stack_inputs(images))
        return inputs.contiguous(memory_format=torch.channels_last), boxes

    def _picture(self, rng, size):
        image, boxes = self._mosaic(rng, size) if rng.random() < MOSAIC_SHARE else self._single(rng, size)
        return change_look(rng, image), boxes

    def _mosaic(self, rng, size):
        """Four pictures in one, which makes failures small and puts them beside good prints."""
        split_x, split_y = (int(size * rng.uniform(0.35, 0.65)) for _ in range(2))
        canvas, all_boxes = np.zeros((size, size, 3), np.uint8), [NO_BOXES]
        for x0, x1 in ((0, split_x), (split_x, size)):
            for y0, y1 in ((0, split_y), (split_y, size)):
                image, boxes = self._single(rng, size)
                width, height = x1 - x0, y1 - y0
                canvas[y0:y1, x0:x1] = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
                scale = np.array([width, height, width, height], np.float32) / size
                all_boxes.append(boxes * scale + np.array([x0, y0, x0, y0], np.float32))
        return canvas, np.concatenate(all_boxes)

    def _single(self, rng, size):
        kind = self.kinds[rng.choice(len(self.kinds), p=self.shares)]
        return getattr(self, f"_{kind}")(rng, size)

    def _scene(self, rng, size):
        scene = pick(rng, self.failing_scenes if rng.random() < 0.5 else self.good_scenes)
        return warp_whole(rng, scene, size, SCENE_ZOOM)

    def _synthetic(self, rng, size):
        failing = rng.random() < 0.5
        photo = self._good(rng, size)[0] if rng.random() < DRAWN_ON_PHOTO else None
        return draw_picture(rng, size, failing, photo)

    def _failure(self, rng, size):
        return warp_whole(rng, pick(rng, self.failing), size)

    def _good(self, rng, size):
        photo = self.good[rng.choice(len(self.good), p=self.good_weights)]
        return warp(rng, photo.image, NO_BOXES, size)[:2]

    def _background(self, rng, size):
        photo = pick(rng, self.failing)
        height, width = photo.image.shape[:2]
        for _ in range(BACKGROUND_TRIES):
            side = rng.uniform(0.25, 0.5) * min(height, width)
            x, y = rng.uniform(0, width - side), rng.uniform(0, height - side)
            if not any(overlaps(box, x, y, side) for box in photo.boxes):
                part = photo.image[int(y) : int(y + side), int(x) : int(x + side)]
                return warp(rng, part, NO_BOXES, size, zoom=(0.8, 1.5))[:2]
        return self._good(rng, size)


def source_weights(photos):
    """Chances that draw a source by the root of its size, so that one large source does not drown the rest."""
    sizes = Counter(photo.source for photo in photos)
    weights = np.array([sizes[photo.source] ** -0.5 for photo in photos])
    return weights / weights.sum()


def pick(rng, items):
    return items[int(rng.integers(len(items)))]


def overlaps(box, x, y, side):
    x0, y0, x1, y1 = box
    return min(x + side, x1) > max(x, x0) and min(y + side, y1) > max(y, y0)


def warp_whole(rng, photo, size, zoom=(0.45, 1.5)):
    """A view of a picture that keeps all of its failures, if a few tries find one."""
    for _ in range(WARP_TRIES):
        image, boxes, lost = warp(rng, photo.image, photo.boxes, size, zoom)
        if not lost:
            break
    return image, boxes
