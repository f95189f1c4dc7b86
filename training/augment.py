"""Random changes of a picture: place and size (with its boxes), then light, colour and camera faults."""

import math

import cv2
import numpy as np

NO_BOXES = np.zeros((0, 4), np.float32)
# A box of which less than this is left in the picture is no longer a failure to be found.
MIN_VISIBLE_SHARE = 0.25
MIN_BOX_SIDE = 5


def random_affine(rng, width, height, size, zoom):
    """A 2x3 matrix that puts a picture into a `size` square: zoom, stretch, a little rotation, mirror, shift."""
    scale = size / max(width, height) * math.exp(rng.uniform(math.log(zoom[0]), math.log(zoom[1])))
    stretch = min(2.2, max(0.45, math.exp(rng.normal(0, 0.12)) * (1 if rng.random() < 0.75 else width / height)))
    angle = math.radians(rng.normal(0, 6)) if rng.random() < 0.6 else 0.0
    matrix = np.zeros((2, 3))
    matrix[0, :2] = math.cos(angle) * scale * stretch**0.5, -math.sin(angle) * scale
    matrix[1, :2] = math.sin(angle) * scale, math.cos(angle) * scale / stretch**0.5
    if rng.random() < 0.5:
        matrix[:, 0] *= -1
    room = max(0.4, scale * max(width, height) / size)
    middle = size / 2 + rng.uniform(-0.25, 0.25, 2) * size * room
    matrix[:, 2] = middle - matrix[:, :2] @ [width / 2, height / 2]
    return matrix


def move_box(box, matrix, size):
    """The upright box around a moved box, cut to the picture; None when too little of it is left."""
    x0, y0, x1, y1 = box
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]) @ matrix[:, :2].T + matrix[:, 2]
    whole = np.array([*corners.min(0), *corners.max(0)])
    cut = np.clip(whole, 0, size - 1)
    sides, cut_sides = whole[2:] - whole[:2], cut[2:] - cut[:2]
    if cut_sides.prod() <= MIN_VISIBLE_SHARE * sides.prod() or cut_sides.min() <= MIN_BOX_SIDE:
        return None
    return cut


def warp(rng, image, boxes, size, zoom=(0.45, 1.5)):
    """A random view of a picture in a `size` square, the boxes left in it, and whether a box was lost."""
    height, width = image.shape[:2]
    matrix = random_affine(rng, width, height, size, zoom)
    shrinks = abs(np.linalg.det(matrix[:, :2])) < 1
    warped = cv2.warpAffine(
        image,
        matrix,
        (size, size),
        flags=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT if rng.random() < 0.6 else cv2.BORDER_REFLECT_101,
        borderValue=(int(rng.integers(0, 200)),) * 3,
    )
    moved = [box for box in (move_box(box, matrix, size) for box in boxes) if box is not None]
    return warped, np.array(moved, np.float32).reshape(-1, 4), len(moved) < len(boxes)


def clip_to_bytes(image):
    return np.clip(image, 0, 255).astype(np.uint8)


def change_hue(rng, image):
    hsv = cv2.cvtColor(image, cv2.COLOR_BGR2HSV).astype(np.int16)
    hsv[..., 0] = (hsv[..., 0] + int(rng.normal(0, 25 if rng.random() < 0.5 else 3))) % 180
    hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.4, 1.5), 0, 255)
    image = cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR)
    return clip_to_bytes(image * rng.uniform(0.75, 1.25, 3)) if rng.random() < 0.3 else image


def change_tone(rng, image):
    """Gamma, contrast and brightness."""
    levels = (np.arange(256) / 255) ** math.exp(rng.normal(0, 0.35)) - 0.5
    return clip_to_bytes(levels * rng.uniform(0.6, 1.3) * 255 + 127 + rng.normal(0, 18))[image]


def light_unevenly(rng, image):
    """A lamp at one side."""
    gain = np.linspace(rng.uniform(0.3, 1), rng.uniform(0.3, 1.3), image.shape[1])
    return clip_to_bytes(image * gain[None, :, None])


def blur_by_motion(rng, image):
    length = int(rng.integers(3, 8))
    kernel = np.zeros((length, length), np.float32)
    kernel[length // 2] = 1 / length
    return cv2.filter2D(image, -1, kernel if rng.random() < 0.5 else kernel.T)


def compress(rng, image):
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 80))])
    return cv2.imdecode(data, cv2.IMREAD_COLOR)


def change_look(rng, image):
    """What lamps and cheap cameras do to a picture."""
    if rng.random() < 0.15:
        image = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    else:
        image = change_hue(rng, image)
    image = change_tone(rng, image)
    if rng.random() < 0.15:
        image = light_unevenly(rng, image)
    if rng.random() < 0.25:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 1.4))
    if rng.random() < 0.08:
        image = blur_by_motion(rng, image)
    if rng.random() < 0.3:
        image = clip_to_bytes(image + rng.normal(0, rng.uniform(2, 12), image.shape))
    if rng.random() < 0.4:
        image = compress(rng, image)
    return image
