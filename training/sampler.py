"""Puts training pictures together: which kind of picture, which one, and how it is changed."""

from collections import Counter
from dataclasses import dataclass

import cv2
import numpy as np

from augment import NO_BOXES, change_look, warp
from synthetic import draw_picture

# Share of each kind of picture. Without rendered scenes their share goes to the other kinds.
SHARES = {
    "scene": 0.08,  # a rendered scene, as often failing as good
    "synthetic": 0.10,  # a drawn picture, as often failing as good
    "failure": 0.34,  # a photo of a failure
    "small": 0.09,  # a failure cut out of its photo, small on a picture without one
    "decoy": 0.05,  # the same with a part that shows no failure
    "background": 0.10,  # a part of a failure photo beside the failure
    "good": 0.24,  # a photo without a failure
}
# The same for pictures that show rendered scenes only, among them photos' failures pasted onto good scenes.
RENDERED_SHARES = {"scene": 0.78, "small": 0.14, "decoy": 0.08}
# Photos of failures whose failure is covered, and the same with another failure pasted on: the rest of a picture, and the
# traces of pasting, then say nothing.
HEALED_SHARES = {"healed": 0.6, "small": 0.4}
# The same for whole photos above all: nothing is pasted or covered.
PLAIN_SHARES = {"failure": 0.44, "good": 0.26, "background": 0.12, "synthetic": 0.11, "scene": 0.07}
# A photo of which failures cover more than this has too little else to show.
HEALED_AREA = 0.35
# A cover is this much larger than the box, on each side.
COVER_MARGIN = 0.12
# Of the drawn pictures, how many are drawn onto a photo of a good print.
DRAWN_ON_PHOTO = 0.6
# Scenes are shown nearly as the camera sees them.
SCENE_ZOOM = (0.9, 1.25)
# A photo that is seen about whole.
WHOLE_ZOOM = (0.97, 1.1)
# Zoom of the other photos: a part of the picture, or the picture with a margin.
PHOTO_ZOOM = (0.6, 1.6)
GOOD_ZOOM = (0.6, 2.2)
PLAIN_ZOOM = (0.45, 1.5)
WARP_TRIES = 4
BACKGROUND_TRIES = 12
# Longer side of a pasted cut-out, as a share of the picture.
PASTED_SIDE = (0.1, 0.45)
# Below this a tangle cannot be told from dirt.
MIN_PASTED_PIXELS = 12


@dataclass(frozen=True)
class Mixture:
    """Which kinds of pictures there are and how often, and how large photos are seen in them."""

    shares: dict
    mosaic_share: float = 0.15
    whole_share: float = 0.5  # of the photos, how many are seen about whole, as the server looks at them
    zoom: tuple = PHOTO_ZOOM
    good_zoom: tuple = GOOD_ZOOM


MIXTURES = {
    "photos": Mixture(SHARES),
    "rendered": Mixture(RENDERED_SHARES),
    "healed": Mixture(HEALED_SHARES),
    "plain": Mixture(PLAIN_SHARES, mosaic_share=0.2, whole_share=0.0, zoom=PLAIN_ZOOM, good_zoom=PLAIN_ZOOM),
}


class Sampler:
    """Picture number k of a seed is always the same, whatever was drawn before it."""

    def __init__(self, photos, scenes, seed, mixture=MIXTURES["photos"], lamp_share=0.0):
        self.failing = [photo for photo in photos if photo.failing]
        self.good = [photo for photo in photos if not photo.failing]
        self.failing_scenes = [scene for scene in scenes if scene.failing]
        self.good_weights = source_weights(self.good)
        self.good_scenes = [scene for scene in scenes if not scene.failing]
        self.seed = seed
        self.mixture, shares = mixture, mixture.shares
        self.kinds = [kind for kind in shares if kind != "scene" or scenes]
        weights = np.array([shares[kind] for kind in self.kinds])
        self.shares = weights / weights.sum()
        self.ground_scene_share = 0.2 if "good" in shares else 1.0
        self.lamp_share = lamp_share
        self.used = []

    def picture(self, size, number):
        """A square BGR picture, the boxes of its failures, and the names of the photos in it."""
        self.used = []
        rng = np.random.default_rng((self.seed, number))
        image, boxes = self._mosaic(rng, size) if rng.random() < self.mixture.mosaic_share else self._single(rng, size)
        return change_look(rng, image, self.lamp_share), boxes, self.used

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

    def _zoom(self, rng, good=False):
        if rng.random() < self.mixture.whole_share:
            return WHOLE_ZOOM
        return self.mixture.good_zoom if good else self.mixture.zoom

    def _use(self, photo):
        self.used.append(photo.name)
        return photo

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
        return warp_whole(rng, self._use(pick(rng, self.failing)), size, self._zoom(rng))

    def _good(self, rng, size):
        photo = self._use(self.good[rng.choice(len(self.good), p=self.good_weights)])
        return warp(rng, photo.image, NO_BOXES, size, self._zoom(rng, good=True))[:2]

    def _background(self, rng, size):
        part = self._part_beside(rng, (0.25, 0.6))
        return self._good(rng, size) if part is None else warp(rng, part, NO_BOXES, size, zoom=(0.9, 1.5))[:2]

    def _part_beside(self, rng, share):
        """A part of a failure photo that touches none of its failures, or None when the tries find none."""
        photo = self._use(pick(rng, self.failing))
        height, width = photo.image.shape[:2]
        for _ in range(BACKGROUND_TRIES):
            w, h = rng.uniform(*share) * width, rng.uniform(*share) * height
            x, y = rng.uniform(0, width - w), rng.uniform(0, height - h)
            if not any(overlaps(box, x, y, w, h) for box in photo.boxes):
                return photo.image[int(y) : int(y + h), int(x) : int(x + w)]
        return None

    def _healed(self, rng, size):
        """A photo of a failure with something else in the failure's place."""
        for _ in range(BACKGROUND_TRIES):
            photo = pick(rng, self.failing)
            height, width = photo.image.shape[:2]
            covered = (photo.boxes[:, 2:] - photo.boxes[:, :2]).prod(1).sum()
            if covered <= HEALED_AREA * width * height:
                break
        else:
            return self._good(rng, size)
        image = self._use(photo).image.copy()
        for box in photo.boxes:
            margin = (box[2:] - box[:2]) * COVER_MARGIN + 2
            x0, y0 = np.maximum(0, box[:2] - margin).astype(int)
            x1, y1 = np.minimum([width, height], box[2:] + margin).astype(int)
            if x1 - x0 >= 4 and y1 - y0 >= 4:
                cover(rng, image[y0:y1, x0:x1], self._cover_part(rng, photo, x1 - x0, y1 - y0))
        return warp(rng, image, NO_BOXES, size, self._zoom(rng))[:2]

    def _cover_part(self, rng, photo, w, h):
        """Something without a failure: from beside it in the same photo if there is room, else from a good photo."""
        height, width = photo.image.shape[:2]
        for _ in range(BACKGROUND_TRIES):
            x, y = int(rng.integers(0, max(1, width - w + 1))), int(rng.integers(0, max(1, height - h + 1)))
            if not any(overlaps(box, x, y, w, h) for box in photo.boxes):
                return photo.image[y : y + h, x : x + w]
        other = self._use(self.good[rng.choice(len(self.good), p=self.good_weights)]).image
        return other[: max(8, min(h * 2, other.shape[0])), : max(8, min(w * 2, other.shape[1]))]

    def _ground(self, rng, size):
        """A picture without a failure, for something to be pasted onto."""
        if "healed" in self.kinds:
            return self._healed(rng, size)[0].copy()
        if self.good_scenes and rng.random() < self.ground_scene_share:
            return warp(rng, pick(rng, self.good_scenes).image, NO_BOXES, size, SCENE_ZOOM)[0]
        return (self._good if rng.random() < 0.75 else self._background)(rng, size)[0].copy()

    def _small(self, rng, size):
        ground, boxes = self._ground(rng, size), []
        for _ in range(1 if rng.random() < 0.8 else 2):
            photo = self._use(pick(rng, self.failing))
            x0, y0, x1, y1 = np.round(photo.boxes[int(rng.integers(len(photo.boxes)))]).astype(int)
            cut = photo.image[max(0, y0) : y1, max(0, x0) : x1]
            if min(cut.shape[:2]) >= MIN_PASTED_PIXELS:
                boxes.append(paste(rng, ground, cut))
        return ground, np.array(boxes, np.float32).reshape(-1, 4)

    def _decoy(self, rng, size):
        ground = self._ground(rng, size)
        for _ in range(1 if rng.random() < 0.8 else 2):
            part = self._part_beside(rng, (0.15, 0.5)) if rng.random() < 0.5 else None
            if part is None or min(part.shape[:2]) < MIN_PASTED_PIXELS:
                part = self._good(rng, size)[0][size // 5 : -size // 5, size // 5 : -size // 5]
            paste(rng, ground, part)
        return ground, NO_BOXES


def source_weights(photos):
    """Chances that draw a source by the root of its size, so that one large source does not drown the rest."""
    sizes = Counter(photo.source for photo in photos)
    weights = np.array([sizes[photo.source] ** -0.5 for photo in photos])
    return weights / weights.sum()


def paste(rng, ground, cut):
    """Blends a cut-out, small and with soft edges, into a square picture in place. Returns its box in pixels."""
    size = ground.shape[0]
    side = size * np.exp(rng.uniform(*np.log(PASTED_SIDE)))
    height, width = cut.shape[:2]
    factor = side / max(height, width)
    w, h = (int(max(MIN_PASTED_PIXELS, extent * factor)) for extent in (width, height))
    cut = cv2.resize(cut, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32)
    if rng.random() < 0.5:
        cut = cut[:, ::-1]
    x, y = int(rng.integers(0, size - w + 1)), int(rng.integers(int((size - h) * 0.25), size - h + 1))
    under = ground[y : y + h, x : x + w].astype(np.float32)
    # Some of the light of where it lies.
    cut = cut * (1 + rng.uniform(0, 0.7) * (np.clip((under.mean() + 10) / (cut.mean() + 10), 0.3, 2) - 1))
    across, down = (np.abs(np.linspace(-1, 1, n)) for n in (w, h))
    roundness = rng.uniform(2.5, 8)
    distance = (across[None] ** roundness + down[:, None] ** roundness) ** (1 / roundness)
    alpha = np.clip((1.02 - distance) / rng.uniform(0.1, 0.4), 0, 1)[..., None]
    ground[y : y + h, x : x + w] = np.clip(under * (1 - alpha) + cut * alpha, 0, 255).astype(np.uint8)
    return x, y, x + w, y + h


def cover(rng, place, part):
    """Puts a part over a place in a picture, in place, with edges that are a little soft."""
    height, width = place.shape[:2]
    part = cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    part = part * np.clip((place.mean() + 10) / (part.mean() + 10), 0.4, 2) ** rng.uniform(0, 1)
    across, down = (np.abs(np.linspace(-1, 1, n)) for n in (width, height))
    distance = np.maximum(across[None], down[:, None])
    alpha = np.clip((1.01 - distance) / rng.uniform(0.05, 0.2), 0, 1)[..., None]
    place[:] = np.clip(place * (1 - alpha) + part * alpha, 0, 255).astype(np.uint8)


def pick(rng, items):
    return items[int(rng.integers(len(items)))]


def overlaps(box, x, y, width, height):
    x0, y0, x1, y1 = box
    return min(x + width, x1) > max(x, x0) and min(y + height, y1) > max(y, y0)


def warp_whole(rng, photo, size, zoom):
    """A view of a picture that keeps all of its failures, if a few tries find one."""
    for _ in range(WARP_TRIES):
        image, boxes, lost = warp(rng, photo.image, photo.boxes, size, zoom)
        if not lost:
            break
    return image, boxes
