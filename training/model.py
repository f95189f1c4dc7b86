"""The detector: an EfficientNet-Lite0 trunk, a light pyramid with anchor-free heads, and one image-level logit."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.fusion import fuse_conv_bn_eval

from trunk import FEATURE_CHANNELS, EfficientNetLite0

STRIDES = (8, 16, 32)
PYRAMID_CHANNELS = 48
IMAGE_DROPOUT = 0.3
# Sigmoid of this is about 3 %: at the start nearly every point should say "nothing here".
BOX_LOGIT_AT_START = -3.5


def conv_bn_relu(channels_in, channels_out, kernel=3):
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, kernel, 1, kernel // 2, bias=False),
        nn.BatchNorm2d(channels_out),
        nn.ReLU(inplace=True),
    )


def upsample(x):
    return F.interpolate(x, scale_factor=2.0, mode="nearest")


class Detector(nn.Module):
    """Takes RGB in 0..1 whose sides are multiples of 32.

    Returns, for the N points of all three strides together:
    box logits [B, N], distances to left, top, right and bottom in pixels [B, N, 4], and an image logit [B].
    """

    def __init__(self, trunk=None):
        super().__init__()
        self.trunk = trunk if trunk is not None else EfficientNetLite0()
        channels8, channels16, channels32 = FEATURE_CHANNELS
        width = PYRAMID_CHANNELS
        self.lateral8 = conv_bn_relu(channels8, width, 1)
        self.lateral16 = conv_bn_relu(channels16, width, 1)
        self.lateral32 = conv_bn_relu(channels32, width, 1)
        self.smooth8 = conv_bn_relu(width, width)
        self.smooth16 = conv_bn_relu(width, width)
        self.tower = conv_bn_relu(width, width)
        self.box_logit = nn.Conv2d(width, 1, 1)
        self.box_distance = nn.Conv2d(width, 4, 1)
        self.distance_scale = nn.Parameter(torch.ones(len(STRIDES)))
        self.image_logit = nn.Sequential(nn.Dropout(IMAGE_DROPOUT), nn.Linear(2 * channels32, 1))
        for head in (self.box_logit, self.box_distance):
            nn.init.normal_(head.weight, std=0.01)
        nn.init.constant_(self.box_logit.bias, BOX_LOGIT_AT_START)
        nn.init.zeros_(self.box_distance.bias)

    def forward(self, x):
        return self.heads(*self.trunk(x))

    def from_front(self, maps):
        """The same from what the frozen part of the trunk made of the pictures."""
        return self.heads(*self.trunk.back(maps))

    def heads(self, at8, at16, at32):
        image = self.image_logit(torch.cat([at32.mean((2, 3)), at32.amax((2, 3))], 1))[:, 0]
        p32 = self.lateral32(at32)
        p16 = self.smooth16(self.lateral16(at16) + upsample(p32))
        p8 = self.smooth8(self.lateral8(at8) + upsample(p16))
        logits, distances = [], []
        for i, level in enumerate((p8, p16, p32)):
            level = self.tower(level)
            distance = F.softplus(self.box_distance(level) * self.distance_scale[i]) * STRIDES[i] * 2.0
            logits.append(self.box_logit(level).flatten(2))
            distances.append(distance.flatten(2))
        return torch.cat(logits, 2)[:, 0], torch.cat(distances, 2).transpose(1, 2), image

    def fold_batch_norms(self):
        """Merges every batch norm that is left into its convolution; returns itself, ready to answer and not to train."""
        self.eval()
        for block in self.trunk.blocks[self.trunk.frozen_blocks :]:
            block.fold_batch_norms()
        for layer in (self.lateral8, self.lateral16, self.lateral32, self.smooth8, self.smooth16, self.tower):
            layer[0], layer[1] = fuse_conv_bn_eval(layer[0], layer[1]), nn.Identity()
        return self


def grid_points(size):
    """Centres in pixels [N, 2] and strides [N] of the points of a square input, in the order of Detector's outputs."""
    centres, strides = [], []
    for stride in STRIDES:
        n = size // stride
        y, x = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
        centres.append(torch.stack([x, y], -1).reshape(-1, 2).float() * stride + stride / 2)
        strides.append(torch.full((n * n,), float(stride)))
    return torch.cat(centres), torch.cat(strides)


def image_score_logit(box_logits, image_logits):
    """The uncalibrated logit of "this picture shows a failure" [B]."""
    return box_logits.amax(1) + image_logits


class ExportedDetector(nn.Module):
    """The detector in its shipped form: boxes [B, N, 1, 4] as corners in 0..1, confidences [B, N, 1], embedding [B, K].

    The best box of a picture carries the picture's score, sigmoid(slope * (box + image + bias)); weaker boxes fall off with the
    square of their own probability. That ranks pictures far better than box scores alone. The embedding is the mean of
    the top features, less `centre` [320], on the columns of `axes` [320, K].
    """

    def __init__(self, detector, size, bias=0.0, centre=None, axes=None, slope=1.0):
        super().__init__()
        top = FEATURE_CHANNELS[-1]
        self.detector, self.size, self.bias, self.slope = detector, size, bias, slope
        self.register_buffer("points", grid_points(size)[0])
        self.register_buffer("centre", torch.zeros(top) if centre is None else centre)
        self.register_buffer("axes", torch.eye(top) if axes is None else axes)

    def forward(self, x):
        maps = self.detector.trunk(x)
        logits, distances, image = self.detector.heads(*maps)
        top_left = self.points - distances[..., :2]
        bottom_right = self.points + distances[..., 2:]
        boxes = torch.cat([top_left, bottom_right], -1) / self.size
        score = torch.sigmoid(self.slope * (image_score_logit(logits, image) + self.bias))[:, None]
        share = torch.sigmoid(logits) / torch.sigmoid(logits.amax(1, keepdim=True))
        embedding = (maps[-1].mean((2, 3)) - self.centre) @ self.axes
        return boxes.clamp(0, 1)[:, :, None, :], (score * share**2)[:, :, None], embedding
