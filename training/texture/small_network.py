# SPDX-License-Identifier: Apache-2.0
"""The networks `small` that make the blocks of an upsampled texture, and their file. The C++ side
computes the same.

A block of BC7 covers 2x2 texels of the texture. The networks see these and their neighbours, 4x4
texels of three channels: (x - m) / 64, channel by channel, with m the mean of the 2x2. Beyond the
texture its border mode applies.

    predictor: 48 - 64 - 64 - submodes of BC7, relu between: the logarithm of each submode's squared
               error for the filter's output
    network of a submode: 48 - 128 - 128 - 64 - 64 - outputs, relu between, plus
               source[storage of the input] in the first layer

The submode with the least predicted error makes a block of BC7; a block of BC1 or BC5 has its own
network. Its outputs move the ends of the lines, submodes.ENDS_UNIT codes each, and each texel's
position along the line, from those of the filter's texels (Lanczos3 with one pass of
back-projection, with means; unit vectors are normalised): submodes.py.
"""
import pathlib
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

import network
import submodes

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))  # modules shared by the trainings
import weight_file

VERSION = "texture-small-2"
WIDTHS = (128, 128, 64, 64)
PREDICTOR = (64, 64)
INPUTS = 48
BLOCKS_AT_ONCE = 1 << 14
MARGIN = 6  # texels of the filter around: three of back-projection, three of Lanczos3
# Chosen by search_submodes.py from the filter's output.
SUBMODES = {"albedo": "1/0 1/6 1/7 1/13 1/19 1/21 1/35 6", "normal": "0/4 0/10 0/11 0/13 1/0 1/13 4/1/1 4/2/1", "mask": "0/5 0/7 1/0 1/13 2/21 4/1/1 4/2/1 4/3/1"}
FORMATS = "bc1 bc5"
UNIT = (249 / 255, 261 / 255)  # bounds of a unit vector's length, as in kernels/texture/formats.h


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
        # submodes of BC7, then the other formats
        self.submodes = [submodes.submode_of(name) for name in names.split()]
        self.of_bc7 = sum(submode.name not in submodes.HEADS for submode in self.submodes)
        count = len(self.submodes)
        self.predictor = layers([INPUTS, *PREDICTOR, self.of_bc7])
        # All submodes together, so that they are computed at once: (submodes, outputs, inputs).
        nets = [layers([INPUTS, *WIDTHS, submodes.OUTPUTS_MOST]) for _ in range(count)]
        self.weights = nn.ParameterList(nn.Parameter(torch.stack([net[i].weight.detach() for net in nets])) for i in range(len(WIDTHS) + 1))
        self.biases = nn.ParameterList(nn.Parameter(torch.zeros(w.shape[:2])) for w in self.weights)
        self.source = nn.Parameter(torch.zeros(count, len(network.SOURCES), WIDTHS[0]))
        with torch.no_grad():
            self.weights[-1] *= 0.05

    def outputs(self, inputs: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        """(submodes, blocks, OUTPUTS_MOST); each submode uses its first ones."""
        x = inputs.expand(len(self.submodes), -1, -1)
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases)):
            x = torch.baddbmm(bias[:, None], x, weight.transpose(1, 2))
            if i == 0:
                x = x + F.one_hot(source, len(network.SOURCES)).to(x) @ self.source
            x = F.relu(x) if i < len(WIDTHS) else x
        return x

    def predicted(self, inputs: torch.Tensor) -> torch.Tensor:
        return through_layers(inputs, self.predictor)

    def whole(self, x: torch.Tensor, source: str, format: str = "bc7") -> torch.Tensor:
        """A whole texture (1, 3, h, w), with a repeated border, as decoded from the blocks of twice
        the size. Sides are even. Missing channels of a format are 0."""
        wide = F.pad(x, (MARGIN,) * 4, mode="replicate")
        parts = Blocks(wide, self.kind)
        decoder = submodes.Decoder(self.submodes, x.device)
        code = torch.full((len(parts.inputs),), network.SOURCES.index(source), device=x.device)
        made = torch.empty_like(parts.base)
        for some in torch.arange(len(made), device=x.device).split(BLOCKS_AT_ONCE):
            chosen = self.predicted(parts.inputs[some]).argmin(1)
            if format != "bc7":
                chosen[:] = [submode.name for submode in self.submodes].index(format)
            every = decoder.decoded(self.outputs(parts.inputs[some], code[some]), *parts.of(some))
            made[some] = every[chosen, torch.arange(len(some), device=x.device)]
        return from_blocks(made, 2 * x.shape[2], 2 * x.shape[3])

    def layers_of_file(self) -> dict[str, torch.Tensor]:
        """As the file has them: the layers of each submode's network, with its own number of
        outputs."""
        state = {name: value for name, value in self.state_dict().items() if not name.startswith(("weights.", "biases."))}
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases)):
            for number, submode in enumerate(self.submodes):
                count = submode.outputs if i == len(WIDTHS) else weight.shape[1]
                state[f"nets.{number}.{i}.weight"] = weight.detach()[number, :count]
                state[f"nets.{number}.{i}.bias"] = bias.detach()[number, :count]
        return state

    @torch.no_grad()
    def load_layers(self, state: dict[str, torch.Tensor]) -> None:
        mine = self.state_dict()
        for name, value in state.items():
            if not name.startswith("nets."):
                mine[name].copy_(value.view_as(mine[name]))
                continue
            _, number, i, what = name.split(".")
            place = mine[f"{'weights' if what == 'weight' else 'biases'}.{i}"][int(number)]
            place.zero_()
            place[:len(value)] = value.view(len(value), *place.shape[1:])


class Blocks:
    """Inputs of the networks and the decoder for each 2x2 texels of x (n, 3, h, w), except those
    within MARGIN of the edges."""

    def __init__(self, x: torch.Tensor, kind: str):
        inside = x[:, :, MARGIN:-MARGIN, MARGIN:-MARGIN]
        # n, 48, blocks
        context = F.unfold(x[:, :, MARGIN - 1:1 - MARGIN, MARGIN - 1:1 - MARGIN], 4, stride=2)
        context = context.permute(0, 2, 1).reshape(-1, 3, 16)
        self.inputs = ((context - context[:, :, [5, 6, 9, 10]].mean(2, keepdim=True)) / 64).flatten(1)
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
        return self.base[which], None if self.is_vector is None else self.is_vector[which]


def to_blocks(x: torch.Tensor) -> torch.Tensor:
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 4, 4, w // 4, 4).permute(0, 2, 4, 3, 5, 1).reshape(-1, 16, c)


def from_blocks(b: torch.Tensor, h: int, w: int) -> torch.Tensor:
    return b.reshape(-1, h // 4, w // 4, 4, 4, b.shape[2]).permute(0, 5, 1, 3, 2, 4).reshape(-1, b.shape[2], h, w)


def read(path: pathlib.Path) -> tuple[SmallNetwork, dict]:
    """The networks of a file, in float32, and the file's metadata."""
    state, metadata = weight_file.read(path)
    made = SmallNetwork(metadata["kind"], metadata["submodes"])
    made.load_layers(state)
    return made.eval(), metadata


def write(path: pathlib.Path, made: SmallNetwork, metadata: dict) -> None:
    """Weights as (outputs, inputs, 1, 1): layers of one texel."""
    state = {name: value[:, :, None, None] if name.endswith(".weight") else value for name, value in made.layers_of_file().items()}
    weight_file.write(path, state, {"kind": made.kind, "submodes": " ".join(s.name for s in made.submodes), "version": VERSION, **metadata})
