# SPDX-License-Identifier: Apache-2.0
"""The networks `fast` and `best` that predict a field's missing rows, and their files.

A field has the known rows F(y, x), y = 0 .. h-1. Missing row y lies between F(y) and F(y+1). Known
values enter as (v - 128) / 64 with v in 8-bit units. Rows and columns of the field beyond its
border repeat the border, for the head. Feature maps beyond the border are ZERO in every later layer
(padding=1), also where the field repeats. Output: cubic + 16 * tail, in 8-bit units. The other
parity uses the same network with the rows reversed.
"""
import pathlib
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))  # modules shared by the trainings
import weight_file


def cubic(field: torch.Tensor) -> torch.Tensor:
    """The missing rows of field (n, 1, h, w) by (-1 9 9 -1) / 16 down each column, neither rounded
    nor clamped."""
    p = F.pad(field, (0, 0, 1, 2), mode="replicate")
    return (9 * (p[:, :, 1:-2] + p[:, :, 2:-1]) - p[:, :, :-3] - p[:, :, 3:]) / 16


class Network(nn.Module):
    def __init__(self, name: str):
        super().__init__()
        self.name = name
        self.channels, layers = {"fast": (16, 1), "best": (32, 6)}[name]
        self.head = nn.Conv2d(1, self.channels, (4, 7))
        self.body = nn.ModuleList(nn.Conv2d(self.channels, self.channels, 3, padding=1) for _ in range(layers))
        self.tail = nn.Conv2d(self.channels, 1, 3, padding=1)
        for layer in self.body[1::2]:  # a block starts as the identity, the network as the cubic
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        nn.init.zeros_(self.tail.weight)
        nn.init.zeros_(self.tail.bias)
        self.largest = None  # a list here collects the largest activation of each layer

    def note(self, x: torch.Tensor) -> torch.Tensor:
        if self.largest is not None:
            self.largest.append(x.abs().max().item())
        return x

    def correction(self, field: torch.Tensor) -> torch.Tensor:
        """16 * tail for field (n, 1, h, w) in 8-bit units."""
        x = F.pad((field - 128) / 64, (3, 3, 1, 2), mode="replicate").contiguous(memory_format=torch.channels_last)
        x = self.note(self.head(x))
        if self.name == "fast":
            x = F.relu(x)
            for layer in self.body:
                x = F.relu(self.note(layer(x)))
        else:
            for first, second in zip(self.body[0::2], self.body[1::2]):
                x = self.note(x + second(F.relu(self.note(first(x)))))
            x = F.relu(x)
        return 16 * self.note(self.tail(x))

    def forward(self, field: torch.Tensor) -> torch.Tensor:
        return cubic(field) + self.correction(field).float()


def read(path: pathlib.Path) -> tuple[Network, dict]:
    """The network of a file, in float32, and the file's metadata."""
    state, metadata = weight_file.read(path)
    network = Network(metadata["name"])
    network.load_state_dict(state)
    return network.eval(), metadata
