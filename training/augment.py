"""Random changes of a picture: place and size (with its boxes), then light, colour and camera faults."""

import math

import cv2
import numpy as np

NO_BOXES = np.zeros((0, 4), np.float32)
# A box of which less than this is left in the picture is no longer a failure to be found.
MIN_VISIBLE_SHARE = 0.25
MIN_BOX_SIDE = 5


# How often a picture is squashed into the square whole, as the server does it, rather than kept in proportion.
SQUASH_SHARE = 0.75


def random_affine(rng, width, height, size, zoom):
    """A 2x3 matrix that puts a picture into a `size` square: zoom, stretch, a little rotation, mirror, shift.

    Zoom 1 fills the square; below 1 a margin is left, above 1 a part of the picture is seen.
    """
    zoom = math.exp(rng.uniform(math.log(zoom[0]), math.log(zoom[1])))
    if rng.random() < SQUASH_SHARE:
        scale = np.array([size / width, size / height])
    else:
        scale = np.full(2, size / max(width, height))
    stretch = min(1.6, max(0.625, math.exp(rng.normal(0, 0.12))))
    scale = scale * zoom * [stretch**0.5, stretch**-0.5]
    angle = math.radians(rng.normal(0, 6)) if rng.random() < 0.5 else 0.0
    matrix = np.zeros((2, 3))
    matrix[:, 0] = math.cos(angle) * scale[0], math.sin(angle) * scale[0]
    matrix[:, 1] = -math.sin(angle) * scale[1], math.cos(angle) * scale[1]
    if rng.random() < 0.5:
        matrix[:, 0] *= -1
    # The picture moves within the square, or the square within the picture.
    room = np.abs(scale * [width, height] - size) / 2 + 0.04 * size
    middle = size / 2 + rng.uniform(-1, 1, 2) * room
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


def warp(rng, image, boxes, size, zoom=(0.6, 1.6)):
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


def darken(rng, image):
    """A printer at night: little light, then noise in the darks."""
    dark = image * rng.uniform(0.2, 0.55) + rng.uniform(0, 12)
    return clip_to_bytes(dark + rng.normal(0, rng.uniform(1, 7), image.shape))


def light_in_colour(rng, image):
    """A coloured lamp, red more often than others."""
    gains = rng.uniform(0.15, 1.0, 3)
    gains[2 if rng.random() < 0.5 else int(rng.integers(3))] = rng.uniform(0.9, 1.3)
    return clip_to_bytes(image * gains)


def lose_detail(rng, image):
    """A coarse camera, or a bed seen from far away."""
    height, width = image.shape[:2]
    factor = rng.uniform(0.35, 0.8)
    small = cv2.resize(image, (round(width * factor), round(height * factor)), interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)


def change_look(rng, image, lamp_share=0.0):
    """What lamps and cheap cameras do to a picture."""
    if rng.random() < 0.12:
        image = lose_detail(rng, image)
    if rng.random() < 0.15:
        image = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    else:
        image = change_hue(rng, image)
    if lamp_share and rng.random() < lamp_share:
        image = light_in_colour(rng, image)
    image = change_tone(rng, image)
    if rng.random() < 0.15:
        image = light_unevenly(rng, image)
    if rng.random() < 0.25:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 1.4))
    if rng.random() < 0.08:
        image = blur_by_motion(rng, image)
    if rng.random() < 0.08:
        image = darken(rng, image)
    if rng.random() < 0.3:
        image = clip_to_bytes(image + rng.normal(0, rng.uniform(2, 12), image.shape))
    if rng.random() < 0.4:
        image = compress(rng, image)
    return image
