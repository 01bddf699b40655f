#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: score.py MODEL... (--frames DIR | --clips FILE...) [--skip 5] [--prescreen T]

Luma PSNR of one frame a field: frame n of a progressive clip gives the field of its even rows (n
even) or odd rows (n odd); the other rows are predicted and compared. --frames reads prepare.py's
pictures, --clips decodes whole clips with ffmpeg and leaves out the first and last frames. A clip's
PSNR is that of its mean squared error over whole frames; the mean is of the clips' decibels.
--prescreen takes the model's own value unless given; -1 is none.
"""
import argparse
import collections
import math
import pathlib
import subprocess

import numpy as np
import torch
import torch.nn.functional as F

import network


def oriented(picture: torch.Tensor, odd: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Known and missing rows of (1, 1, H, W), turned over for a field of odd rows."""
    picture = picture[:, :, :picture.shape[2] // 2 * 2].float()
    picture = picture.flip(2) if odd else picture
    return picture[:, :, 0::2].contiguous(), picture[:, :, 1::2].contiguous()


def spread(field: torch.Tensor) -> torch.Tensor:
    """Largest minus smallest of each pixel's window of 4 rows and 7 columns."""
    p = F.pad(field, (3, 3, 1, 2), mode="replicate")
    return F.max_pool2d(p, (4, 7), 1) + F.max_pool2d(-p, (4, 7), 1)


def decoded(path: pathlib.Path):
    size = subprocess.check_output(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height", "-of", "csv=p=0", str(path)])
    width, height = map(int, size.decode().strip().strip(",").split(",")[:2])
    pipe = subprocess.Popen(["ffmpeg", "-v", "error", "-i", str(path), "-vf", "extractplanes=y", "-fps_mode", "passthrough", "-f", "rawvideo", "-"], stdout=subprocess.PIPE)
    while len(raw := pipe.stdout.read(width * height)) == width * height:
        yield torch.from_numpy(np.frombuffer(raw, np.uint8).reshape(1, 1, height, width).copy())
    if pipe.wait() != 0:
        raise RuntimeError(f"ffmpeg cannot decode {path}")


def frames_of(folder: pathlib.Path) -> list[tuple[str, int, torch.Tensor]]:
    import pictures  # needs Pillow, which whole clips do not
    named = [(path.stem.rsplit("-", 1), path) for path in sorted(folder.iterdir())]
    return [(clip, int(index), pictures.load(path)) for (clip, index), path in named]


def decibels(errors: dict[str, list[float]]) -> dict[str, float]:
    table = {clip: 10 * math.log10(255 ** 2 / max(sum(values) / len(values), 1e-9)) for clip, values in errors.items()}
    return {**table, "mean": sum(table.values()) / len(table)}


@torch.no_grad()
def score(model, frames, device: str, prescreen: int = -1, limits: tuple = ()) -> dict:
    """Tables of decibels: 'cubic', 'network', one for each prescreen limit of `limits`, with the
    share of easy pixels."""
    errors = collections.defaultdict(lambda: collections.defaultdict(list))
    easy_share = collections.defaultdict(list)
    for clip, index, picture in frames:
        known, missing = oriented(picture.to(device), index % 2)
        plain, predicted = network.cubic(known), model(known).float()
        span = spread(known)
        results = {"cubic": plain, "network": torch.where(span <= prescreen, plain, predicted)}
        for limit in limits:
            results[limit] = torch.where(span <= limit, plain, predicted)
            easy_share[limit].append((span <= limit).float().mean().item())
        for name, result in results.items():
            errors[name][clip].append((result.clamp(0, 255).round() - missing).square().mean().item() / 2)
    tables = {name: decibels(clips) for name, clips in errors.items()}
    for limit in limits:
        tables[limit]["easy"] = sum(easy_share[limit]) / len(easy_share[limit])
    return tables


def line(name: str, table: dict[str, float]) -> str:
    return f"{name:>14}: " + " ".join(f"{clip} {value:.3f}" for clip, value in table.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--frames", type=pathlib.Path)
    source.add_argument("--clips", type=pathlib.Path, nargs="+")
    parser.add_argument("--skip", type=int, default=5)
    parser.add_argument("--prescreen", type=int)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for path in options.models:
        model, metadata = network.read(path)
        prescreen = int(metadata["prescreen"]) if options.prescreen is None else options.prescreen
        if options.frames:
            frames = frames_of(options.frames)
        else:
            frames = ((clip.stem, index, picture) for clip in options.clips
                      for index, picture in list(enumerate(decoded(clip)))[options.skip:-options.skip])
        for name, table in score(model.to(device), frames, device, prescreen).items():
            print(line(f"{path.stem} {name}", table), flush=True)


if __name__ == "__main__":
    main()
