#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: train_small.py PACK OUT [--kinds albedo normal mask] [--seconds 480] [--resume FOLDER] [--batch 64] [--rate 2e-3] [--seed 1]

Trains the networks of small_network.py, one kind after the other, --seconds each, and writes OUT/texture_small_KIND.safetensors, OUT/checkpoint_small_KIND.pt (each minute and at the end),
OUT/log.txt and OUT/vectors_small_KIND.bin. --resume goes on from checkpoints. A CPU does: one thread, so that a busy machine stays usable. --batch counts squares, of 36 blocks each.

All networks of a kind see all blocks; each learns most of those where it is the best (a softmax of the errors weighs them), so that submodes specialise. The predictor learns the logarithms
of their errors beside. Neighbouring blocks are trained together: differences of first and second order, also across their edges, count as well as texels.
"""
import datetime
import math
import pathlib
import struct
import time

import torch

import blocks
import network
import run
import score
import small_network
import submodes
import textures
import weight_file

AVERAGE = 0.998
SIDE = 12 + 2 * small_network.MARGIN  # of a square of the half: 6x6 blocks, and what is seen around
FIRST, SECOND = 0.1, 0.05  # weights of the differences of first and second order
SHARP = 6.0                # of the softmax, over the mean error of the best
LICENCE = "Apache-2.0; training data: see models/README.md"
ABOUT = "training/texture/train_small.py: textures packed by training/texture/prepare.py"


def differences(d: torch.Tensor) -> torch.Tensor:
    """Squares of the first and second differences of (n, 3, h, w), their means by square."""
    total = 0
    for axis in (2, 3):
        first = d.diff(dim=axis)
        second = first.diff(dim=axis)
        total = total + FIRST * first.square().mean((1, 2, 3)) + SECOND * second.square().mean((1, 2, 3))
    return total


class Training(run.Averaged):
    def __init__(self, kind: str, pack: pathlib.Path, device: str, rate: float, seed: int):
        self.data = textures.Textures(pack, kind, device, seed, SIDE, blocks.bc7_without_partitions)
        torch.manual_seed(seed)
        make = lambda: small_network.SmallNetwork(kind, small_network.SUBMODES[kind]).to(device)
        self.network, self.average = make(), make()
        self.average.load_state_dict(self.network.state_dict())
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=rate, betas=(0.9, 0.99))
        self.kind = kind

    def step(self, batch: int, rate: float) -> torch.Tensor:
        small, large, source, weights = self.data.batch(batch)
        edge = 2 * small_network.MARGIN
        wanted_image = large[:, :, edge:-edge, edge:-edge]
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        parts = small_network.Blocks(small, self.kind)
        wanted = small_network.to_blocks(wanted_image)
        each = len(parts.inputs) // batch
        code, weight = source.repeat_interleave(each), weights.repeat_interleave(each)
        everything = slice(None)
        made = [submodes.decoded(s, self.network.outputs(i, parts.inputs, code), *parts.of(everything)) for i, s in enumerate(self.network.submodes)]
        errors = torch.stack([(m - wanted).square().mean((1, 2)) for m in made], 1)  # blocks, submodes
        with torch.no_grad():
            best = errors.amin(1, keepdim=True)
            share = torch.softmax(-SHARP * errors / (best + 1), 1) + 0.05
            share /= share.sum(1, keepdim=True)
        loss = ((errors * share).sum(1) * weight).mean()
        predicted = self.network.predicted(parts.inputs)
        guess = (predicted - (errors.detach() + 1).log()).square().mean()
        chosen = predicted.detach().argmin(1)
        image = torch.stack(made, 1)[torch.arange(len(chosen), device=chosen.device), chosen]
        side = wanted_image.shape[2]
        off = small_network.from_blocks(image, side, side) - wanted_image
        loss = loss + (differences(off) * weights).mean()
        self.optimiser.zero_grad(set_to_none=True)
        (loss + guess).backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 20.0)
        self.optimiser.step()
        with torch.no_grad():
            for a, b in zip(self.average.parameters(), self.network.parameters()):
                a.lerp_(b, 1 - AVERAGE)
        return loss.detach()


@torch.no_grad()
def scores(model: small_network.SmallNetwork, pictures: list, with_blocks: bool) -> dict:
    """Rows of (texture, input) as score.line has them: Lanczos3, back-projected, the network's blocks; then after BC7, which the last are already."""
    rows = {}
    for name, picture in pictures:
        texels = textures.half_of(picture)
        inputs = {"texels": texels, "bc7": blocks.bc7(texels) if with_blocks else blocks.bc7_without_partitions(texels)}
        for source, small in inputs.items():
            made = model.whole(small, source).clamp(0, 255)
            results = [network.lanczos(small).clamp(0, 255).round(), score.finished(network.with_means(network.plain(small), small), small, model.kind), made]
            row = [network.decibels(r, picture) for r in results]
            if with_blocks:
                row += [network.decibels(blocks.bc7(r), picture) for r in results[:2]] + row[2:3]
            rows[name, source] = row
    return rows


def write_vectors(path: pathlib.Path, model: small_network.SmallNetwork, picture: torch.Tensor, sources: int) -> None:
    """For tests, little-endian: u32 width, height, submodes, sources, outputs of a submode at most; texels (3, h, w) as bytes; of each source and block the predictions, then of each submode
    its outputs, as i16 of 1/1024."""
    exact = small_network.SmallNetwork(model.kind, " ".join(s.name for s in model.submodes)).double()
    exact.load_state_dict({name: value.double() for name, value in weight_file.halved(model.state_dict()).items()})
    texels = textures.half_of(picture)[:, :, :16, :24].cpu().double()
    parts = small_network.Blocks(torch.nn.functional.pad(texels, (small_network.MARGIN,) * 4, mode="replicate").float(), model.kind)
    inputs = parts.inputs.double()
    most = max(s.outputs for s in model.submodes)
    head = struct.pack("<5I", texels.shape[3], texels.shape[2], len(model.submodes), sources, most)
    body = texels[0].numpy().astype("u1").tobytes()
    for source in range(sources):
        code = torch.full((len(inputs),), source)
        rows = [exact.predicted(inputs)]
        for i, submode in enumerate(model.submodes):
            made = exact.outputs(i, inputs, code)
            rows.append(torch.nn.functional.pad(made, (0, most - made.shape[1])))
        body += (torch.cat(rows, 1) * 1024).round().clamp(-32768, 32767).detach().numpy().astype("<i2").tobytes()
    path.write_bytes(head + body)


@torch.no_grad()
def finish(training: Training, out: pathlib.Path, pack: pathlib.Path, say) -> None:
    model, kind = training.average.eval(), training.kind
    model.load_state_dict(weight_file.halved(model.state_dict()))
    small_network.write(out / f"texture_small_{kind}.safetensors", model,
                        {"name": f"texture_small_{kind}", "date": datetime.date.today(), "training": ABOUT, "licence": LICENCE})
    pictures = score.pictures_of(pack, "check", kind, str(training.data.device))
    write_vectors(out / f"vectors_small_{kind}.bin", model, pictures[0][1], 2)
    rows = scores(model, pictures, True)
    for (name, source), row in rows.items():
        say(score.line(f"{kind} {name} {source}", row))
    for source, row in score.means(rows).items():
        say(score.line(f"{kind} mean of {source}", row))


def train(kind: str, options, device: str, say) -> None:
    training = Training(kind, options.pack, device, options.rate, options.seed)
    say(f"{kind}: {len(training.data.large)} squares, submodes {small_network.SUBMODES[kind]}")
    place = options.out / f"checkpoint_small_{kind}.pt"
    few = [(name, picture[:, :, :128, :128]) for name, picture in score.pictures_of(options.pack, "check", kind, device)]
    spent, steps = 0.0, 0
    if options.resume:
        saved = torch.load(options.resume / place.name, map_location=device)
        spent, steps = saved["spent"], saved["steps"]
        training.load(saved)
    torch.manual_seed(options.seed * 1000 + steps)
    start, next_report = time.monotonic() - spent, spent + 60
    while (now := time.monotonic() - start) < options.seconds:
        rate = options.rate * min(1, (steps + 1) / 100) * max(0.5 * (1 + math.cos(math.pi * now / options.seconds)), 1e-2)
        loss = training.step(options.batch, rate)
        steps += 1
        if steps == 20 or now > next_report:
            next_report += 60 if now > next_report else 0
            torch.save({"spent": now, "steps": steps, **training.state()}, place)
            table = score.means(scores(training.average, few, False))
            say(f"{now:.0f} s, {steps} steps, {kind} loss {loss.item():.3f}, over Lanczos3 " +
                " ".join(f"{source} filter {row[1] - row[0]:+.2f} small {row[2] - row[0]:+.2f}" for source, row in table.items()))
    torch.save({"spent": time.monotonic() - start, "steps": steps, **training.state()}, place)
    say(f"{steps} steps")
    finish(training, options.out, options.pack, say)


def main() -> None:
    options, device, say = run.begin(__doc__, "--kinds", list(small_network.SUBMODES), 2e-3)
    if device == "cpu":
        torch.set_num_threads(1)
    for kind in options.kinds:
        train(kind, options, device, say)


if __name__ == "__main__":
    main()
