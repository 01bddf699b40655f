# SPDX-License-Identifier: Apache-2.0
"""The network `large` that upsamples a texture by two, and its file. The C++ side computes the
same.

Texels are codes, 0 to 255, in three channels. Beyond the texture its border mode applies (wrap,
clamp or mirror), within the network's margin. Every layer is 3x3 and reads only results of the
previous layer for real or border texels, so no layer pads.

    h = head((x - 128) / 64) + source[storage of the input]
    h = h + second(relu(first(h)))      BLOCKS times
    r = 32 * tail(h)                    12 channels: for each channel of the texture the four
                                        texels, left and right above, then below

The result is U(x') + r, where x' is one pass of back-projection and U is Lanczos3, moved so that
the mean of four is their source texel.
"""
import math
import pathlib
import struct
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))  # modules shared by the trainings
import weight_file

CHANNELS = 64
BLOCKS = {"albedo": 6, "normal": 4, "mask": 6}  # residual ones
SOURCES = ("texels", "bc7", "bc1", "bc5")  # without blocks, of BC7, of BC1 and BC3, of BC5 and BC4

# Those of kernels/texture/resample.h.
QUARTER = torch.tensor([30, -279, 1110, 3658, -546, 123, 0]) / 4096
THERE_AND_BACK = torch.tensor([15, -78, 282, 3658, 282, -78, 15]) / 4096


def filtered(x: torch.Tensor, taps: torch.Tensor) -> torch.Tensor:
    """Not in TF32."""
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        return F.conv2d(x, taps)


def rows_and_columns(x: torch.Tensor, taps: torch.Tensor) -> torch.Tensor:
    """Filter of 7 texels each way, the border repeated."""
    n, c, h, w = x.shape
    x = F.pad(x.reshape(n * c, 1, h, w), (3, 3, 3, 3), mode="replicate")
    return filtered(filtered(x, taps.view(1, 1, 1, 7)), taps.view(1, 1, 7, 1)).view(n, c, h, w)


def lanczos(x: torch.Tensor) -> torch.Tensor:
    """Twice the size by Lanczos3."""
    n, c, h, w = x.shape
    left = QUARTER.to(x)
    pair = torch.stack((left, left.flip(0)))
    x = F.pad(x.reshape(n * c, 1, h, w), (3, 3, 3, 3), mode="replicate")
    x = filtered(x, pair.view(2, 1, 1, 7)).permute(0, 2, 3, 1).reshape(n * c, 1, h + 6, 2 * w)
    return filtered(x, pair.view(2, 1, 7, 1)).permute(0, 2, 1, 3).reshape(n, c, 2 * h, 2 * w)


def plain(x: torch.Tensor) -> torch.Tensor:
    """Lanczos3 with one pass of back-projection: the result without the network."""
    return lanczos(2 * x - rows_and_columns(x, THERE_AND_BACK.to(x)))


def with_means(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """y moved so that the mean of four is x."""
    return y + F.interpolate(x - F.avg_pool2d(y, 2), scale_factor=2, mode="nearest")


class Network(nn.Module):
    def __init__(self, kind: str):
        super().__init__()
        self.kind = kind
        self.margin = 2 + 2 * BLOCKS[kind]  # texels that it sees each way
        self.head = nn.Conv2d(3, CHANNELS, 3)
        self.source = nn.Parameter(torch.zeros(len(SOURCES), CHANNELS))
        self.body = nn.ModuleList(nn.Conv2d(CHANNELS, CHANNELS, 3) for _ in range(2 * BLOCKS[kind]))
        self.tail = nn.Conv2d(CHANNELS, 12, 3)
        with torch.no_grad():
            # blocks begin close to the identity, the network as the filter
            for layer in self.body[1::2]:
                layer.weight *= 0.1
                layer.bias.zero_()
            self.tail.weight.zero_()
            self.tail.bias.zero_()
        self.largest = None  # a list here collects the largest activation of each layer

    def note(self, x: torch.Tensor) -> torch.Tensor:
        if self.largest is not None:
            self.largest.append(x.abs().max().item())
        return x

    def layers(self, x: torch.Tensor, source: torch.Tensor, padding: int) -> torch.Tensor:
        """r of texels x (n, 3, h, w). padding 0: of those that have a margin around them. 1: of
        all, zeros beyond, as training has it."""
        def layer(module, v):
            return F.conv2d(v, module.weight, module.bias, padding=padding)
        x = ((x - 128) / 64).contiguous(memory_format=torch.channels_last)
        h = self.note(layer(self.head, x) + self.source[source][:, :, None, None])
        for first, second in zip(self.body[0::2], self.body[1::2]):
            inside = h if padding else h[:, :, 2:-2, 2:-2]
            h = self.note(inside + layer(second, F.relu(self.note(layer(first, h)))))
        return F.pixel_shuffle(32 * self.note(layer(self.tail, h)), 2)

    def forward(self, x: torch.Tensor, source: torch.Tensor, padding: int = 1) -> torch.Tensor:
        """Four texels for each, neither rounded nor clamped."""
        return with_means(plain(x) + self.layers(x, source, padding).float(), x)

    def whole(self, x: torch.Tensor, source: str) -> torch.Tensor:
        """A whole texture (1, 3, h, w) with a repeated border."""
        wide = F.pad(x, (self.margin,) * 4, mode="replicate")
        r = self.layers(wide, torch.tensor([SOURCES.index(source)], device=x.device), 0)
        return with_means(plain(x) + r.float(), x)


def read(path: pathlib.Path) -> tuple[Network, dict]:
    """The network of a file, in float32, and the file's metadata."""
    state, metadata = weight_file.read(path)
    network = Network(metadata["kind"])
    network.load_state_dict(state)
    return network.eval(), metadata


def write_vectors(path: pathlib.Path, texels: torch.Tensor, corrections: torch.Tensor) -> None:
    """For tests, little-endian: four u32 (width, height, sources, steps a code), texels (3, h, w)
    as bytes, corrections (sources, 3, 2h, 2w) as i16 in steps."""
    steps = 256
    head = struct.pack("<4I", texels.shape[2], texels.shape[1], len(corrections), steps)
    rounded = (corrections * steps).round().clamp(-32768, 32767).numpy().astype("<i2")
    path.write_bytes(head + texels.numpy().astype(np.uint8).tobytes() + rounded.tobytes())


def decibels(a: torch.Tensor, b: torch.Tensor) -> float:
    return 10 * math.log10(255 ** 2 / max((a.float() - b.float()).square().mean().item(), 1e-9))
