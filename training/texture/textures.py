# SPDX-License-Identifier: Apache-2.0
"""Pairs to train on, taken on the GPU from a pack of prepare.py: squares of a texture and of its
half, as texels or as blocks would give it.

Textures come as they are and reduced. Normals come of heights as well, which textures' luma stands
for. Masks have channels of several textures.
"""
import math
import pathlib

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

import blocks
import network

CROP = 256  # side of the half
SIDE = 64    # default side of a square of the half
SCALES = {"albedo": (1, 0.75, 0.5), "normal": (1, 0.8, 0.62, 0.5)}
HEIGHT_MAPS = 4  # height maps for each albedo
# Shares of squares by the form they were stored in: network.SOURCES.
SHARES = {"albedo": (0.4, 0.4, 0.2, 0), "mask": (0.4, 0.35, 0.15, 0.1), "normal": (0.4, 0.33, 0.07, 0.2)}


def load(path: pathlib.Path) -> torch.Tensor:
    return torch.from_numpy(np.array(Image.open(path).convert("RGB"))).permute(2, 0, 1)[None]


def half_of(x: torch.Tensor) -> torch.Tensor:
    return (F.avg_pool2d(x.float(), 2) + 0.5).floor()


def unit(v: torch.Tensor) -> torch.Tensor:
    return v / (v.norm(dim=1, keepdim=True) + 1e-6)


def pieces(x: torch.Tensor, side: int) -> list[torch.Tensor]:
    """Squares that cover x; a smaller one is repeated, mirrored."""
    while min(x.shape[2:]) < side:
        x = torch.cat((x, x.flip(3)), 3)
        x = torch.cat((x, x.flip(2)), 2)
    tops, lefts = (sorted({*range(0, size - side, side), (size - side) // 8 * 8}) for size in x.shape[2:])
    return [x[:, :, top:top + side, left:left + side] for top in tops for left in lefts]


class Textures:
    """All squares of a kind: large (n, 3, 512, 512), small (SOURCES, n, 3, 256, 256), weights."""

    def __init__(self, pack: pathlib.Path, kind: str, device: str, seed: int, side: int = SIDE, bc7=blocks.bc7):
        self.kind, self.device, self.side = kind, device, side
        torch.manual_seed(seed)
        large, counts, difficulty = [], [], []
        for picture, share in self.pictures(pack / "train"):
            error = (network.plain(half_of(picture)) - picture.float()).square().mean().item()
            parts = pieces(picture, 2 * CROP)
            large += parts
            counts += [share / len(parts)] * len(parts)
            difficulty += [error] * len(parts)
        self.large = torch.cat(large)
        self.counts = torch.tensor(counts, device=device)
        # The score is a mean of decibels over textures: easy ones count as much as hard ones.
        self.weights = 1 / (torch.tensor(difficulty, device=device) + 4)
        self.weights /= (self.weights * self.counts).sum() / self.counts.sum()
        small = []
        for part in self.large.split(8):
            texels = half_of(part)
            last = blocks.bc5_normal(texels) if kind == "normal" else texels
            small.append(torch.stack((texels, bc7(texels), blocks.bc1(texels), last)).to(torch.uint8))
        self.small = torch.cat(small, 1)
        self.shares = torch.tensor(SHARES[kind], device=device)

    def pictures(self, folder: pathlib.Path):
        name = "normal" if self.kind == "normal" else "albedo"
        for path in sorted((folder / name).iterdir()):
            picture = load(path).to(self.device)
            for scale in SCALES[name]:
                if scale == 1:
                    yield picture, 1.0
                    continue
                size = [int(side * scale) // 8 * 8 for side in picture.shape[2:]]
                reduced = F.interpolate(picture.float(), size, mode="bicubic", antialias=True, align_corners=False).clamp(0, 255)
                if name == "normal" and torch.rand(()) < 0.5:
                    reduced = (unit(reduced / 127.5 - 1) + 1) * 127.5
                yield reduced.round().to(torch.uint8), 0.5
        if self.kind != "normal":
            return
        for path in sorted((folder / "albedo").iterdir()):
            for _ in range(HEIGHT_MAPS):
                yield self.normals_of(load(path).to(self.device)), 0.12

    def normals_of(self, picture: torch.Tensor) -> torch.Tensor:
        """Normals of a surface with the height of the luma of half of `picture`, or of a channel's
        steps."""
        random = lambda low, high: low + (high - low) * torch.rand(()).item()
        height = picture.float().mean(1, keepdim=True)
        if torch.rand(()) < 0.5:
            height = F.interpolate(height, scale_factor=random(0.5, 0.9), mode="bicubic", antialias=True)
        top, left = (int(random(0, max(side - 514, 0))) for side in height.shape[2:])
        height = height[:, :, top:top + 514, left:left + 514]
        kind = torch.rand(()).item()
        if kind < 0.25:  # plateaus with edges, as panels have
            step = random(20, 70)
            inside = height / step
            height = (inside.floor() + ((inside - inside.floor() - 0.5) * random(2, 8) + 0.5).clamp(0, 1)) * step
        sigma = random(0.3, 2.0)
        taps = torch.exp(-torch.arange(-6, 7, device=height.device).float().square() / (2 * sigma * sigma))
        taps /= taps.sum()
        height = F.pad(height, (6,) * 4, mode="replicate")
        height = F.conv2d(F.conv2d(height, taps.view(1, 1, 1, 13)), taps.view(1, 1, 13, 1))
        gx, gy = height[:, :, 1:-1, 2:] - height[:, :, 1:-1, :-2], height[:, :, 2:, 1:-1] - height[:, :, :-2, 1:-1]
        strength = math.exp(random(math.log(0.15), math.log(0.9))) / ((gx.square() + gy.square()).mean().sqrt() + 1e-3)
        normal = unit(torch.cat((-gx * strength, -gy * strength, torch.ones_like(gx)), 1))
        return ((normal + 1) * 127.5).round().clamp(0, 255).to(torch.uint8)[:, :, :normal.shape[2] // 8 * 8, :normal.shape[3] // 8 * 8]

    def squares(self, n: int):
        """n squares with their halves, mirrored and turned."""
        device = self.device
        which = torch.multinomial(self.counts, n, replacement=True)
        source = torch.multinomial(self.shares, n, replacement=True)
        top, left = (torch.randint(CROP - self.side + 1, (n, 1, 1), device=device) for _ in range(2))
        flip_y, flip_x, swap = (torch.rand(n, 1, 1, device=device) < 0.5 for _ in range(3))

        def of(side: int, factor: int):
            step = torch.arange(side, device=device)
            down, across = step[None, :, None].expand(n, side, side), step[None, None, :].expand(n, side, side)
            down, across = torch.where(swap, across, down), torch.where(swap, down, across)
            down, across = torch.where(flip_y, side - 1 - down, down), torch.where(flip_x, side - 1 - across, across)
            return top * factor + down, left * factor + across

        y, x = of(self.side, 1)
        small = self.small[source[:, None, None], which[:, None, None], :, y, x].permute(0, 3, 1, 2).float()
        y, x = of(2 * self.side, 2)
        large = self.large[which[:, None, None], :, y, x].permute(0, 3, 1, 2).float()
        return small, large, source, self.weights[which], swap[..., None]

    def channels(self, small, large, swap):
        n = len(small)
        if self.kind == "normal":
            # A turned surface has turned vectors. Signs are free: hollows are as good as hills, and
            # makers differ in the sign of y.
            signs = (torch.rand(n, 2, 1, 1, device=self.device) < 0.5).float()

            def turned(v):
                first = torch.where(swap, v[:, [1]], v[:, [0]])
                second = torch.where(swap, v[:, [0]], v[:, [1]])
                both = torch.cat((first, second), 1)
                return torch.cat((torch.where(signs > 0, 255 - both, both), v[:, [2]]), 1)
            return turned(small), turned(large)
        order = torch.rand(n, 3, device=self.device).argsort(1)[:, :, None, None]
        small, large = (torch.gather(v, 1, order.expand_as(v)) for v in (small, large))
        if self.kind == "mask":
            # In half of the squares, each channel is of another texture; in the others it may be
            # inverted.
            mixed = torch.arange(n, device=self.device) < n // 2
            def mix(v):
                others = torch.stack((v[:, 0], v[:, 1].roll(1, 0), v[:, 2].roll(3, 0)), 1)
                return torch.where(mixed[:, None, None, None], others, v)
            over = (torch.rand(n, 3, 1, 1, device=self.device) < 0.5).float()
            small, large = (torch.where(over > 0, 255 - v, v) for v in (mix(small), mix(large)))
        return small, large

    def batch(self, n: int):
        small, large, source, weights, swap = self.squares(n)
        small, large = self.channels(small, large, swap)
        return small, large, source, weights
