"""Which point answers for which box, and what a wrong answer costs."""

import numpy as np
import torch
import torch.nn.functional as F

# Box sizes (square root of the area, pixels) that each stride answers for; they overlap on purpose.
SIZE_RANGES = {8: (0, 72), 16: (48, 150), 32: (110, np.inf)}
BOX_WEIGHT = 1.2
LABEL_SMOOTHING = 0.03
# What the summed logits of box and picture need to be even between failing and good, about as export.py finds it.
SCORE_BIAS = -1.0


def assign_boxes(boxes, centres, strides):
    """The index of the box that each point must find, or -1: the smallest box that fits its stride and is near."""
    if not len(boxes):
        return np.full(len(centres), -1)
    boxes, points = boxes[None], centres[:, None]
    extent = boxes[..., 2:] - boxes[..., :2]
    middle = (boxes[..., :2] + boxes[..., 2:]) / 2
    inside = np.concatenate([points - boxes[..., :2], boxes[..., 2:] - points], -1).min(-1) > 0
    near = (np.abs(points - middle) < np.maximum(1.6 * strides[:, None, None], 0.22 * extent)).all(-1)
    size = np.sqrt(extent[..., 0] * extent[..., 1])
    fits = np.zeros_like(inside)
    for stride, (low, high) in SIZE_RANGES.items():
        fits |= (strides == stride)[:, None] & (size >= low) & (size <= high)
    candidate = inside & near & fits
    area = np.where(candidate, extent[..., 0] * extent[..., 1], np.inf)
    return np.where(candidate.any(1), area.argmin(1), -1)


def generalised_iou(a, b):
    """Intersection over union, and its generalised form, of matching rows of corner boxes."""
    overlap = (torch.min(a[:, 2:], b[:, 2:]) - torch.max(a[:, :2], b[:, :2])).clamp(0).prod(1)
    union = (a[:, 2:] - a[:, :2]).prod(1) + (b[:, 2:] - b[:, :2]).prod(1) - overlap
    hull = (torch.max(a[:, 2:], b[:, 2:]) - torch.min(a[:, :2], b[:, :2])).prod(1)
    iou = overlap / (union + 1e-6)
    return iou, iou - (hull - union) / (hull + 1e-6)


def match(boxes_of_images, centres, strides):
    """Flat arrays over all positive points of a batch: picture index, point index, box to find."""
    images, points, targets = [], [], []
    for i, boxes in enumerate(boxes_of_images):
        chosen = assign_boxes(boxes, centres, strides)
        positive = np.flatnonzero(chosen >= 0)
        images.append(np.full(len(positive), i))
        points.append(positive)
        targets.append(boxes[chosen[positive]] if len(positive) else np.zeros((0, 4), np.float32))
    return (torch.from_numpy(np.concatenate(part)) for part in (images, points, targets))


def detection_loss(outputs, boxes_of_images, grid, score_weight=0.0):
    """The training loss, and its three parts (box logits, box places, image logit) for the log.

    With `score_weight` the loss has that much of the score that is shipped, best box and picture together, in it.
    """
    logits, distances, image_logits = outputs
    centres, strides = grid
    device = logits.device
    matched = match(boxes_of_images, centres.numpy(), strides.numpy())
    images, points, targets = (part.to(device) for part in matched)
    centres = centres.to(device)
    quality = torch.zeros_like(logits)
    count = max(1, len(points))
    place_loss = distances.sum() * 0
    if len(points):
        distance = distances[images, points]
        found = torch.cat([centres[points] - distance[:, :2], centres[points] + distance[:, 2:]], 1)
        iou, giou = generalised_iou(found, targets)
        # A point is worth what its box is worth, so that the best box also scores best.
        quality[images, points] = iou.detach().clamp(0, 1) * 0.7 + 0.3
        place_loss = (1 - giou).sum() / count
    probability = torch.sigmoid(logits).detach()
    weight = torch.where(quality > 0, (quality - probability).abs() ** 1.5 + 0.1, 0.5 * probability**2)
    box_loss = (F.binary_cross_entropy_with_logits(logits, quality, reduction="none") * weight).sum() / count
    failing = torch.tensor([float(len(boxes) > 0) for boxes in boxes_of_images], device=device)
    smoothed = failing * (1 - 2 * LABEL_SMOOTHING) + LABEL_SMOOTHING
    image_loss = F.binary_cross_entropy_with_logits(image_logits, smoothed)
    total = box_loss + BOX_WEIGHT * place_loss + image_loss
    if score_weight:
        score = logits.amax(1) + image_logits + SCORE_BIAS
        total = total + score_weight * F.binary_cross_entropy_with_logits(score, smoothed)
    return total, (box_loss.item(), place_loss.item(), image_loss.item())
