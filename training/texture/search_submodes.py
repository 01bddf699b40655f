#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: search_submodes.py PACK [--kind albedo] [--blocks 2000] [--count 4] [--beam 24] [--seed 1]

Finds the submodes of BC7 for a kind's networks: random blocks of the filter's output for the halves
of PACK/train are stored in each submode for opaque texels (submodes.every_submode; by principal
axes and least squares, as in blocks.py), and a beam search finds the set with the least squared
error of the best submodes together (GDC 2023). Prints the best sets of each size.
"""
import argparse
import math
import pathlib

import torch

import blocks
import network
import score
import submodes
import textures


def error_of(x: torch.Tensor, submode: submodes.Submode) -> torch.Tensor:
    """The mean squared error of each block (n, 16, 3) in this submode."""
    made = x.clone()
    for part in submode.parts:
        inside = torch.tensor(part.texels, dtype=x.dtype).expand(len(x), 16)
        chosen = list(part.channels)
        # half of a bit shared by several values
        bits = part.bits + (0 if part.p_bits is None else 0.5)
        line = blocks.line(x[..., chosen], inside, bits, part.index_bits)
        made[..., chosen] = torch.where(inside[..., None] > 0, line, made[..., chosen])
    return (made.clamp(0, 255) - x).square().mean((1, 2))


def sets_of(errors: torch.Tensor, count: int, beam: int):
    """(size, mean error, indices of submodes), the best sets of each size first. errors: (submodes,
    blocks)."""
    kept = [()]
    for size in range(1, count + 1):
        found = {}
        for chosen in kept:
            least = errors[list(chosen)].amin(0) if chosen else torch.full(errors.shape[1:], 1e9)
            means = torch.minimum(errors, least).mean(1)
            for i in means.topk(min(beam, len(means)), largest=False).indices.tolist():
                if i not in chosen:
                    found[tuple(sorted((*chosen, i)))] = means[i].item()
        kept = sorted(found, key=found.get)[:beam]
        yield from ((size, found[chosen], chosen) for chosen in kept[:3])


@torch.no_grad()
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack", type=pathlib.Path)
    parser.add_argument("--kind", choices=("albedo", "normal", "mask"), default="albedo")
    parser.add_argument("--blocks", type=int, default=2000)
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--beam", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not torch.cuda.is_available():
        torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    chosen = []
    pictures = score.pictures_of(options.pack, "train", options.kind, "cpu")
    for _, picture in pictures:
        half = textures.half_of(picture)
        all_blocks = blocks.to_blocks(score.finished(network.with_means(network.plain(half), half), half, options.kind))
        chosen.append(all_blocks[torch.randperm(len(all_blocks))[:options.blocks // len(pictures)]])
    chosen = torch.cat(chosen)
    candidates = submodes.every_submode()
    errors = torch.stack([error_of(chosen, submode) for submode in candidates])
    everything = errors.amin(0).mean().item()
    print(f"{options.kind}, {len(chosen)} blocks, all {len(candidates)}: {10 * math.log10(255 ** 2 / everything):.2f} dB")
    for size, error, members in sets_of(errors, options.count, options.beam):
        print(f"{size}: {10 * math.log10(255 ** 2 / error):.2f} dB " + " ".join(candidates[i].name for i in members), flush=True)


if __name__ == "__main__":
    main()
