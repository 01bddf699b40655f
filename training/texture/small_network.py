# SPDX-License-Identifier: Apache-2.0
"""The networks `small` that make the blocks of a doubled texture, and their file. What stands here is what the C++ side computes.

A block of BC7 covers 2x2 texels of the texture. The networks see these and those around, 4x4 texels of three channels: (x - m) / 64, channel by channel, with m the mean of the
2x2. Beyond the texture stands what its border says.

    predictor: 48 - 64 - 64 - submodes, relu between: the logarithm of the squared error that each submode leaves
    network of a submode: 48 - 128 - 128 - 64 - 64 - outputs, relu between, plus source[how the input was stored] in the first layer

The submode with the least predicted error makes the block. Its outputs are the ends of the lines, ENDS_UNIT codes from m, and for each texel how far along the line it is moved from where
the filter's texel (Lanczos3 with one pass of back-projection, with means; of unit vectors made unit) lies on it: submodes.py.
"""
import pathlib
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

import network
import submodes

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))  # what the trainings share
import weight_file

VERSION = "texture-small-1"
WIDTHS = (128, 128, 64, 64)
PREDICTOR = (64, 64)
INPUTS = 48
MARGIN = 6  # texels of the filter around: three of back-projection, three of Lanczos3
# Of masks by search_submodes.py; of the others by an earlier search with a full encoder.
SUBMODES = {"albedo": "6 1/13 1/0 5/1", "normal": "4/1/1 4/2/1 5/1 3/13", "mask": "1/13 4/1/1 4/2/1 4/3/1"}
UNIT = (249 / 255, 261 / 255)  # lengths of what counts as a unit vector, as in kernels/texture/formats.h


def layers(widths: list[int]) -> nn.ModuleList:
    made = nn.ModuleList(nn.Linear(a, b) for a, b in zip(widths, widths[1:]))
    for layer in made[:-1]:
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
        nn.init.zeros_(layer.bias)
    return made


def through_layers(x: torch.Tensor, made: nn.ModuleList) -> torch.Tensor:
    for layer in made[:-1]:
        x = F.relu(layer(x))
    return made[-1](x)


class SmallNetwork(nn.Module):
    def __init__(self, kind: str, names: str):
        super().__init__()
        self.kind = kind
        self.submodes = [submodes.submode_of(name) for name in names.split()]
        self.predictor = layers([INPUTS, *PREDICTOR, len(self.submodes)])
        self.nets = nn.ModuleList(layers([INPUTS, *WIDTHS, s.outputs]) for s in self.submodes)
        self.source = nn.Parameter(torch.zeros(len(self.submodes), len(network.SOURCES), WIDTHS[0]))
        with torch.no_grad():
            for net, submode in zip(self.nets, self.submodes):
                net[-1].weight *= 0.05
                net[-1].bias.zero_()
                place = 0
                for part in submode.parts:  # the first end is darker
                    count = len(part.channels)
                    net[-1].bias[place:place + count] = -0.25
                    net[-1].bias[place + count:place + 2 * count] = 0.25
                    place += 2 * count

    def outputs(self, number: int, inputs: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        net = self.nets[number]
        x = F.relu(net[0](inputs) + self.source[number][source])
        return through_layers(x, net[1:])

    def predicted(self, inputs: torch.Tensor) -> torch.Tensor:
        return through_layers(inputs, self.predictor)

    def whole(self, x: torch.Tensor, source: str) -> torch.Tensor:
        """A whole texture (1, 3, h, w), whose border repeats, as the blocks of twice the size are decoded. Sides are even."""
        wide = F.pad(x, (MARGIN,) * 4, mode="replicate")
        parts = Blocks(wide, self.kind)
        code = torch.full((len(parts.inputs),), network.SOURCES.index(source), device=x.device)
        chosen = self.predicted(parts.inputs).argmin(1)
        made = torch.empty_like(parts.base)
        for i, submode in enumerate(self.submodes):
            which = (chosen == i).nonzero()[:, 0]
            made[which] = submodes.decoded(submode, self.outputs(i, parts.inputs[which], code[which]), *parts.of(which))
        return from_blocks(made, 2 * x.shape[2], 2 * x.shape[3])


class Blocks:
    """What the networks and the decoder are told of each 2x2 texels of x (n, 3, h, w), but for those within MARGIN of the edges."""

    def __init__(self, x: torch.Tensor, kind: str):
        inside = x[:, :, MARGIN:-MARGIN, MARGIN:-MARGIN]
        context = F.unfold(x[:, :, MARGIN - 1:1 - MARGIN, MARGIN - 1:1 - MARGIN], 4, stride=2)  # n, 48, blocks
        context = context.permute(0, 2, 1).reshape(-1, 3, 16)
        self.mean = context[:, :, [5, 6, 9, 10]].mean(2)
        self.inputs = ((context - self.mean[:, :, None]) / 64).flatten(1)
        large = network.with_means(network.plain(x), x)[:, :, 2 * MARGIN:-2 * MARGIN, 2 * MARGIN:-2 * MARGIN]
        self.is_vector = None
        if kind == "normal":
            length = (inside / 127.5 - 1).norm(dim=1, keepdim=True)
            is_unit = ((length >= UNIT[0]) & (length <= UNIT[1])).float()
            vector = large / 127.5 - 1
            vector = (vector / vector.norm(dim=1, keepdim=True).clamp(min=1e-3) + 1) * 127.5
            large = torch.where(F.interpolate(is_unit, scale_factor=2, mode="nearest") > 0, vector, large)
            self.is_vector = F.avg_pool2d(is_unit, 2).flatten() > 0.99
        self.base = to_blocks(large)

    def of(self, which) -> tuple:
        return self.mean[which], self.base[which], None if self.is_vector is None else self.is_vector[which]


def to_blocks(x: torch.Tensor) -> torch.Tensor:
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 4, 4, w // 4, 4).permute(0, 2, 4, 3, 5, 1).reshape(-1, 16, c)


def from_blocks(b: torch.Tensor, h: int, w: int) -> torch.Tensor:
    return b.reshape(-1, h // 4, w // 4, 4, 4, b.shape[2]).permute(0, 5, 1, 3, 2, 4).reshape(-1, b.shape[2], h, w)


def read(path: pathlib.Path) -> tuple[SmallNetwork, dict]:
    """The networks of a file, in float32, and the file's metadata."""
    state, metadata = weight_file.read(path)
    made = SmallNetwork(metadata["kind"], metadata["submodes"])
    made.load_state_dict({name: value.view_as(made.state_dict()[name]) for name, value in state.items()})
    return made.eval(), metadata


def write(path: pathlib.Path, made: SmallNetwork, metadata: dict) -> None:
    """Weights as (outputs, inputs, 1, 1): layers of one texel."""
    state = {name: value[:, :, None, None] if name.endswith(".weight") else value for name, value in made.state_dict().items()}
    weight_file.write(path, state, {"kind": made.kind, "submodes": " ".join(s.name for s in made.submodes), "version": VERSION, **metadata})
