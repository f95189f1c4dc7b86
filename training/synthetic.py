"""Drawn pictures: beds, tidy prints with layer lines, cables and lettering, and tangles of filament.

Alone they teach little; mixed in, they show tangles in colours and sizes that photos lack, and things that are no
tangle. All pictures are BGR uint8, all randomness comes from the generator passed in.
"""

import cv2
import numpy as np

SUBPIXEL_BITS = 3


def random_colour(rng):
    """A BGR colour as floats; a third of them grey."""
    saturation = rng.choice([0, 30, rng.integers(60, 256)])
    hsv = np.uint8([[[rng.integers(0, 180), saturation, rng.integers(25, 256)]]])
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(float)


def as_scalar(colour):
    return tuple(np.clip(colour, 0, 255).tolist())


def draw_line(image, points, colour, thickness):
    """A smooth line through float points."""
    fixed = np.round(points * (1 << SUBPIXEL_BITS)).astype(np.int32)[:, None]
    cv2.polylines(image, [fixed], False, colour, max(1, int(round(thickness))), cv2.LINE_AA, SUBPIXEL_BITS)


def filament_path(rng, steps, step_length, turn, centre, spread):
    """A wandering line that is pulled back to its centre: filament that was extruded into the air."""
    angle, turning = rng.uniform(0, 2 * np.pi), 0.0
    point = centre + rng.normal(0, spread * 0.5, 2)
    path = [point]
    for _ in range(steps):
        turning = 0.85 * turning + rng.normal(0, turn)
        angle += turning
        point = point + np.array([np.cos(angle), np.sin(angle)]) * step_length
        if np.linalg.norm(point - centre) > spread:
            point = point + (centre - point) * 0.004 * step_length * rng.uniform(0, 3)
        path.append(point)
    return np.array(path, np.float32)


def draw_strand(image, rng, path, thickness, colour, light):
    """One strand with a dark edge and a lit side; hair-thin ones are a single line."""
    draw_line(image, path, as_scalar(colour * 0.45), thickness)
    if thickness < 1.6:
        draw_line(image, path, as_scalar(colour * rng.uniform(0.7, 1.0)), 1)
        return
    draw_line(image, path + 0.2 * thickness * light, as_scalar(colour), thickness * 0.6)
    if thickness >= 3:
        draw_line(image, path + 0.3 * thickness * light, as_scalar(colour * 1.25 + 25), int(thickness * 0.25))


def draw_tangle(image, rng):
    """Draws a tangle in place. Returns its box (x0, y0, x1, y1) in pixels, or None when nearly nothing is visible."""
    height, width = image.shape[:2]
    radius = min(height, width) * np.exp(rng.uniform(np.log(0.06), np.log(0.34)))
    centre = np.array([rng.uniform(0.12, 0.88) * width, rng.uniform(0.25, 0.9) * height])
    colour = random_colour(rng)
    light = rng.normal(0, 1, 2)
    light = (light / (np.linalg.norm(light) + 1e-6)).astype(np.float32)
    thickness = max(0.8, radius * rng.uniform(0.015, 0.06))
    turn, flatness = rng.uniform(0.05, 0.35), rng.uniform(0.45, 1.0)

    paths = []
    for _ in range(int(rng.integers(3, 28))):
        step_length = max(1.0, radius * rng.uniform(0.05, 0.16))
        path = filament_path(rng, int(rng.integers(25, 110)), step_length, turn, centre, radius * 0.7)
        path[:, 1] = centre[1] + (path[:, 1] - centre[1]) * flatness
        paths.append(path)

    mask = np.zeros((height, width), np.uint8)
    for path in paths:
        draw_line(mask, path, 255, int(thickness * 1.4))
    shadow = cv2.GaussianBlur(np.roll(mask, (int(thickness * 2), int(thickness)), (0, 1)), (0, 0), max(1, thickness))
    layer = (image * (1 - rng.uniform(0.2, 0.6) * (shadow[..., None] / 255.0))).astype(np.uint8)
    for i, path in enumerate(paths):
        depth = 0.55 + 0.45 * (i + 1) / len(paths)
        draw_strand(layer, rng, path, thickness * rng.uniform(0.85, 1.15), colour * depth, light)
    if rng.random() < 0.4:
        layer = cv2.GaussianBlur(layer, (0, 0), rng.uniform(0.4, 1.1))
    image[:] = layer

    ys, xs = np.where(mask > 60)
    if len(xs) < 30:
        return None
    (x0, x1), (y0, y1) = np.percentile(xs, [2, 98]), np.percentile(ys, [2, 98])
    return float(x0), float(y0), float(x1) + 1, float(y1) + 1


def bed_corners(rng, size):
    """Four corners of a bed seen in perspective, and the height of its far edge."""
    horizon = int(rng.uniform(0.2, 0.6) * size)
    corners = [
        [rng.uniform(-0.2, 0.3) * size, horizon],
        [rng.uniform(0.7, 1.2) * size, horizon],
        [rng.uniform(1.0, 1.5) * size, size * 1.1],
        [rng.uniform(-0.5, 0.0) * size, size * 1.1],
    ]
    return np.array(corners, np.int32)


def draw_bed_grid(image, rng, to_picture, colour):
    line_colour = as_scalar(colour + rng.choice([-1, 1]) * rng.uniform(15, 70))
    for t in np.linspace(0, 1, int(rng.integers(4, 16))):
        for ends in (((t, 0), (t, 1)), ((0, t), (1, t))):
            a, b = cv2.perspectiveTransform(np.float32([ends]), to_picture)[0].astype(int)
            cv2.line(image, tuple(a.tolist()), tuple(b.tolist()), line_colour, 1, cv2.LINE_AA)


def draw_bed_lettering(image, rng, to_picture):
    """Lettering on the bed, which a careless network takes for strings."""
    size = image.shape[0]
    flat = np.zeros((size, size), np.uint8)
    text = "".join(rng.choice(list("ABCDEFGHKLMNOPRSTUVWXYZabdegknorst0123456789 "), int(rng.integers(4, 12))))
    origin = (int(size * 0.1), int(rng.uniform(0.3, 0.9) * size))
    font = int(rng.choice([0, 2, 4, 5, 6, 7]))
    cv2.putText(flat, text, origin, font, rng.uniform(0.5, 2), 255, int(rng.integers(1, 4)), cv2.LINE_AA)
    onto_bed = to_picture @ np.diag([1 / size, 1 / size, 1])
    alpha = cv2.warpPerspective(flat, onto_bed, (size, size))[..., None] / 255.0
    image[:] = (image * (1 - alpha) + random_colour(rng) * alpha).astype(np.uint8)


def draw_rods(image, rng):
    size = image.shape[0]
    for _ in range(int(rng.integers(0, 4))):
        y, slope, colour = int(rng.uniform(0, 0.8) * size), int(rng.normal(0, size * 0.05)), random_colour(rng)
        width = int(rng.integers(3, 22))
        cv2.line(image, (0, y), (size, y + slope), as_scalar(colour * 0.6), width, cv2.LINE_AA)
        cv2.line(image, (0, y - 2), (size, y + slope - 2), as_scalar(colour), 2, cv2.LINE_AA)


def draw_background(rng, size):
    """An empty printer: wall, bed, perhaps a grid, lettering and rods."""
    top, bottom = random_colour(rng) * rng.uniform(0.1, 0.9), random_colour(rng) * rng.uniform(0.1, 0.9)
    t = np.linspace(0, 1, size)[:, None, None]
    image = np.clip((top * (1 - t) + bottom * t) * np.ones((size, size, 1)), 0, 255).astype(np.uint8)
    corners, bed_colour = bed_corners(rng, size), random_colour(rng) * rng.uniform(0.15, 0.8)
    cv2.fillPoly(image, [corners], as_scalar(bed_colour), cv2.LINE_AA)
    unit_square = np.float32([[0, 0], [1, 0], [1, 1], [0, 1]])
    to_picture = cv2.getPerspectiveTransform(unit_square, corners.astype(np.float32))
    if rng.random() < 0.5:
        draw_bed_grid(image, rng, to_picture, bed_colour)
    if rng.random() < 0.5:
        draw_bed_lettering(image, rng, to_picture)
    draw_rods(image, rng)
    return image


def draw_print(image, rng):
    """A tidy print with layer lines: a wavy body, a cone, a box or a lattice."""
    size, colour = image.shape[0], random_colour(rng)
    shape = rng.choice(["wavy", "cone", "box", "lattice"])
    x, base = rng.uniform(0.25, 0.75) * size, rng.uniform(0.6, 0.95) * size
    height, half_width = rng.uniform(0.08, 0.5) * size, rng.uniform(0.06, 0.25) * size
    phase, waviness, waves = rng.uniform(0, 6), rng.uniform(0, 0.4), rng.uniform(0.5, 2)
    layers = max(4, int(height / rng.uniform(1.5, 6)))
    for i in range(layers):
        t = i / layers
        half = half_width * (1 + waviness * np.sin(phase + waves * 2 * np.pi * t) if shape in ("wavy", "cone") else 1)
        half *= 1 - 0.5 * t if shape == "cone" else 1
        shade = 0.75 + 0.25 * (i % 2) + rng.normal(0, 0.03)
        low, high = int(base - height * t), int(base - height * (t + 1 / layers) - 1)
        cv2.rectangle(image, (int(x - half), high), (int(x + half), low), as_scalar(colour * shade), -1)
    shade_sides(image, rng, x, base, height, half_width)
    if shape == "lattice":
        step = max(6, int(half_width / rng.uniform(2, 5)))
        for hole_x in range(int(x - half_width), int(x + half_width), step):
            for hole_y in range(int(base - height), int(base), step):
                cv2.circle(image, (hole_x, hole_y), max(1, step // 3), as_scalar(colour * 0.3), -1, cv2.LINE_AA)


def shade_sides(image, rng, x, base, height, half_width):
    """Darkens a body towards its edges, so that it looks round."""
    size = image.shape[0]
    across = (np.arange(size) - x) / (half_width * 1.4)
    gain = np.clip(1.15 - 0.6 * across**2 - 0.3 * across * rng.choice([-1, 1]), 0.35, 1.3)
    rows = slice(int(max(0, base - height)), int(min(size, base)))
    columns = slice(int(max(0, x - half_width * 1.4)), int(min(size, x + half_width * 1.4)))
    image[rows, columns] = np.clip(image[rows, columns] * gain[None, columns, None], 0, 255)


def draw_cables(image, rng):
    size = image.shape[0]
    light = np.array([0.5, -0.5], np.float32)
    for _ in range(int(rng.integers(1, 5))):
        centre = np.array([rng.uniform(0, 1), rng.uniform(0, 0.6)]) * size
        path = filament_path(rng, 60, size * 0.02, 0.03, centre, size)
        draw_strand(image, rng, path, rng.uniform(1.5, 7), random_colour(rng) * 0.6, light)


def draw_tool_head(image, rng):
    size = image.shape[0]
    corner = (int(rng.uniform(0.1, 0.7) * size), 0)
    opposite = (int(rng.uniform(0.3, 0.95) * size), int(rng.uniform(0.1, 0.5) * size))
    cv2.rectangle(image, corner, opposite, as_scalar(random_colour(rng) * 0.5), -1)


def draw_picture(rng, size, failing, photo=None):
    """A square picture and the boxes of its tangles [K, 4]. With `photo`, tangles are drawn onto a copy of it."""
    if photo is None:
        image = draw_background(rng, size)
        for _ in range(int(rng.integers(0, 3))):
            draw_print(image, rng)
    else:
        image = photo.copy()
    if rng.random() < 0.35:
        draw_cables(image, rng)
    boxes = []
    if failing:
        tangles = (draw_tangle(image, rng) for _ in range(1 if rng.random() < 0.8 else 2))
        boxes = [box for box in tangles if box is not None]
    if photo is None:
        if rng.random() < 0.3:
            draw_tool_head(image, rng)
        noise = rng.normal(0, rng.uniform(2, 14), (size // 4, size // 4, 3))
        image = np.clip(image + cv2.resize(noise, (size, size)), 0, 255).astype(np.uint8)
    return image, np.array(boxes, np.float32).reshape(-1, 4)
