#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: score.py MODEL... --pack PACK [--part check]

PSNR of red, green and blue of each texture of PACK/PART/KIND, made from its half by Lanczos3, by
Lanczos3 with back-projection and by the network: from the half itself, and from its BC7 (for
normals also BC5: x and y alone) by blocks.py; free texels, and after BC7 again. The means are of
the textures' decibels.
"""
import argparse
import pathlib

import torch

import blocks
import network
import textures

UNIT = (249 / 255, 261 / 255)  # bounds of a unit vector's length, as in kernels/texture/formats.h


def made_unit(made: torch.Tensor, small: torch.Tensor) -> torch.Tensor:
    """The result for normals of unit length has it too."""
    length = (small / 127.5 - 1).norm(dim=1, keepdim=True)
    is_unit = ((length >= UNIT[0]) & (length <= UNIT[1])).float()
    is_unit = torch.nn.functional.interpolate(is_unit, scale_factor=2, mode="nearest")
    return torch.where(is_unit > 0, (textures.unit(made / 127.5 - 1) + 1) * 127.5, made)


def finished(made: torch.Tensor, small: torch.Tensor, kind: str) -> torch.Tensor:
    """Rounded; the result for normals of unit length is normalised."""
    if kind == "normal":
        made = made_unit(made, small)
    return made.clamp(0, 255).round()


@torch.no_grad()
def score(model, pictures: list, with_blocks: bool = False, in_halves: bool = False) -> dict:
    """Rows of (texture, input): dB of Lanczos3, back-projected, network; then of their BC7."""
    rows = {}
    for name, picture in pictures:
        texels = textures.half_of(picture)
        inputs = {"texels": texels, "bc7": blocks.bc7(texels)}
        if model.kind == "normal":
            inputs["bc5"] = blocks.bc5_normal(texels)
        for source, small in inputs.items():
            with torch.autocast("cuda", dtype=torch.float16, enabled=in_halves):
                made = model.whole(small, source).float()
            results = [network.lanczos(small).clamp(0, 255).round(), finished(network.plain(small), small, model.kind),
                       finished(made, small, model.kind)]
            shown = slice(0, 2 if source == "bc5" else 3)
            row = [network.decibels(r[:, shown], picture[:, shown]) for r in results]
            if with_blocks:
                row += [network.decibels(blocks.bc7(r)[:, shown], picture[:, shown]) for r in results]
            rows[name, source] = row
    return rows


def means(rows: dict) -> dict:
    table = {}
    for source in dict.fromkeys(source for _, source in rows):
        columns = list(zip(*(row for (_, s), row in rows.items() if s == source)))
        table[source] = [sum(column) / len(column) for column in columns]
    return table


def line(name: str, row: list) -> str:
    text = f"{name:>32}: Lanczos3 {row[0]:.2f} back-projected {row[1] - row[0]:+.2f} network {row[2] - row[0]:+.2f}"
    return text + (f"; as BC7 {row[3]:.2f} {row[4] - row[3]:+.2f} {row[5] - row[3]:+.2f}" if len(row) > 3 else "")


def pictures_of(pack: pathlib.Path, part: str, kind: str, device: str, most: int = 10 ** 6) -> list:
    folder = pack / part / ("normal" if kind == "normal" else "albedo")
    pictures = [(path.stem, textures.load(path).to(device)) for path in sorted(folder.iterdir())]
    if kind == "mask":  # red stays, green and blue are of other textures
        same = [picture for _, picture in pictures]
        size = [min(p.shape[i] for p in same) for i in (2, 3)]
        cut = [p[:, :, :size[0], :size[1]] for p in same]
        pictures = [(name, torch.cat((cut[i][:, :1], 255 - cut[i - 1][:, 1:2], cut[i - 2][:, 2:]), 1)) for i, (name, _) in enumerate(pictures)]
    return pictures[:most]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    parser.add_argument("--pack", type=pathlib.Path, required=True)
    parser.add_argument("--part", default="check")
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for path in options.models:
        model, metadata = network.read(path)
        rows = score(model.to(device), pictures_of(options.pack, options.part, model.kind, device), True)
        for (name, source), row in rows.items():
            print(line(f"{name} {source}", row), flush=True)
        for source, row in means(rows).items():
            print(line(f"{path.stem} mean of {source}", row), flush=True)


if __name__ == "__main__":
    main()
