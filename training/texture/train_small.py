#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: train_small.py PACK OUT [--kinds albedo normal mask] [--teachers ../../models]
            [--steps 13000] [--resume FOLDER] [--batch 64] [--rate 2e-3] [--seed 1]

Trains the networks of small_network.py, one kind after the other, --steps each, and writes
OUT/texture_small_KIND.safetensors, OUT/checkpoint_small_KIND.pt (twenty times, and at the end),
OUT/log.txt, OUT/training.json (the command, the commit, hashes of the data and the results) and
OUT/vectors_small_KIND.bin. --resume continues from checkpoints. On a CPU one thread works, so that
a busy machine stays usable. --batch counts squares, of 36 blocks each.

The target is not the texture itself but the output of the network `large` for its half
(distillation: Hinton, Vinyals and Dean, 2015), mixed with the filter's output (TRUST): without
unpredictable detail, errors are more informative per step, and textures outside the training set
are often less sharp. The error of a submode for the filter's texels shows its fit to a block: the
predictor learns its logarithm, and each network learns mostly blocks that fit its submode (weighted
by a softmax of these errors). Neighbouring blocks are trained together: differences of first and
second order, also across their edges, count as well as texels.
"""
import datetime
import pathlib
import struct

import torch

import blocks
import network
import plan
import run
import score
import small_network
import submodes
import textures
import weight_file

AVERAGE = 0.998
# side of a square of the half: 6x6 blocks, and their surroundings
SIDE = 12 + 2 * small_network.MARGIN
FIRST, SECOND = 0.1, 0.05  # weights of the differences of first and second order
SHARP = 6.0                # sharpness of the softmax of the logarithms of errors
SHARE_LEAST = 0.05         # least share of a network in a block that others make better
# Found on the textures of CHECK.
TRUST = {"albedo": 0.65, "normal": 1.0, "mask": 0.65}
APART = 10.0               # weight of how predictions differ between submodes, which decides
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
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


@torch.no_grad()
def taught(texels: torch.Tensor, teacher: network.Network) -> torch.Tensor:
    """The teacher's output for squares that are not compressed."""
    made = []
    for part in texels.split(4):
        large = teacher.whole(part.float(), "texels")
        if teacher.kind == "normal":
            large = score.made_unit(large, part.float())
        made.append(large.clamp(0, 255).half())
    return torch.cat(made)


class Training(run.Averaged):
    def __init__(self, kind: str, pack: pathlib.Path, teachers: pathlib.Path, device: str, rate: float, seed: int):
        self.data = textures.Textures(pack, kind, device, seed, SIDE, blocks.bc7_without_partitions)
        self.data.large = taught(self.data.small[0], network.read(teachers / f"texture_{kind}.safetensors")[0].to(device))
        torch.manual_seed(seed)
        make = lambda: small_network.SmallNetwork(kind, f"{small_network.SUBMODES[kind]} {small_network.FORMATS}").to(device)
        self.network, self.average = make(), make()
        self.average.load_state_dict(self.network.state_dict())
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=rate, betas=(0.9, 0.99))
        self.decoder = submodes.Decoder(self.network.submodes, device)
        self.kind = kind

    def step(self, batch: int, rate: float) -> torch.Tensor:
        small, large, source, weights = self.data.batch(batch)
        edge = 2 * small_network.MARGIN
        wanted_image = large[:, :, edge:-edge, edge:-edge]
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        parts = small_network.Blocks(small, self.kind)
        trust = TRUST[self.kind]
        wanted_image = trust * wanted_image + (1 - trust) * small_network.from_blocks(parts.base, *wanted_image.shape[2:])
        wanted = small_network.to_blocks(wanted_image)
        each = len(parts.inputs) // batch
        code, weight = source.repeat_interleave(each), weights.repeat_interleave(each)
        outputs = self.network.outputs(parts.inputs, code)
        made = self.decoder.decoded(outputs, *parts.of(slice(None)))
        # blocks, submodes
        errors = ((made - wanted).square() * self.decoder.kept).mean((2, 3)).transpose(0, 1)
        errors, of_formats = errors[:, :self.network.of_bc7], errors[:, self.network.of_bc7:]
        with torch.no_grad():
            encoded = self.decoder.decoded(torch.zeros_like(outputs), *parts.of(slice(None)))[:self.network.of_bc7]
            left = ((encoded - parts.base).square().mean((2, 3)).transpose(0, 1) + 1).log()
            share = torch.softmax(-SHARP * left, 1) + SHARE_LEAST
        loss = (((errors * share).sum(1) / share.sum(1) + of_formats.sum(1)) * weight).mean()
        predicted = self.network.predicted(parts.inputs)
        off = predicted - left
        mean_off = off.mean(1, keepdim=True)
        guess = mean_off.square().mean() + APART * (off - mean_off).square().mean()
        chosen = predicted.detach().argmin(1)
        image = made.gather(0, chosen[None, :, None, None].expand(1, -1, 16, 3))[0]
        side = wanted_image.shape[2]
        remains = small_network.from_blocks(image, side, side) - wanted_image
        loss = loss + (differences(remains) * weights).mean()
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
    """Rows of (texture, input) as score.line has them: Lanczos3, back-projected, the network's
    blocks; then after BC7, which the last are already."""
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


@torch.no_grad()
def format_scores(model: small_network.SmallNetwork, pictures: list) -> dict:
    """Mean decibels of BC1, and of BC5's two channels, of uncompressed input: Lanczos3,
    back-projected, the network's."""
    made_by = {"bc1": (blocks.bc1, 3), "bc5": (blocks.bc5_normal, 2)}
    table = {}
    for format in small_network.FORMATS.split():
        encode, channels = made_by[format]
        rows = []
        for _, picture in pictures:
            small = textures.half_of(picture)
            filtered = score.finished(network.with_means(network.plain(small), small), small, model.kind)
            results = [encode(network.lanczos(small).clamp(0, 255).round()), encode(filtered), model.whole(small, "texels", format).clamp(0, 255)]
            rows.append([network.decibels(r[:, :channels], picture[:, :channels]) for r in results])
        table[format] = [sum(column) / len(column) for column in zip(*rows)]
    return table


def write_vectors(path: pathlib.Path, model: small_network.SmallNetwork, picture: torch.Tensor, sources: int) -> None:
    """For tests, little-endian: u32 width, height, submodes, sources, outputs of a submode at most;
    texels (3, h, w) as bytes; of each source and block the predictions, then of each submode its
    outputs, as i16 of 1/1024."""
    exact = small_network.SmallNetwork(model.kind, " ".join(s.name for s in model.submodes)).double()
    exact.load_layers({name: value.double() for name, value in weight_file.halved(model.layers_of_file()).items()})
    texels = textures.half_of(picture)[:, :, :16, :24].cpu().double()
    parts = small_network.Blocks(torch.nn.functional.pad(texels, (small_network.MARGIN,) * 4, mode="replicate").float(), model.kind)
    inputs = parts.inputs.double()
    most = max(s.outputs for s in model.submodes)
    head = struct.pack("<5I", texels.shape[3], texels.shape[2], len(model.submodes), sources, most)
    body = texels[0].numpy().astype("u1").tobytes()
    for source in range(sources):
        code = torch.full((len(inputs),), source)
        rows = [exact.predicted(inputs), *exact.outputs(inputs, code)[..., :most]]
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
    for format, row in format_scores(model, pictures).items():
        say(score.line(f"{kind} mean as {format}", row))


def train(kind: str, options, device: str, say) -> None:
    training = Training(kind, options.pack, options.teachers, device, options.rate, options.seed)
    say(f"{kind}: {len(training.data.large)} squares, submodes {small_network.SUBMODES[kind]}")
    place = options.out / f"checkpoint_small_{kind}.pt"
    few = [(name, picture[:, :, :128, :128]) for name, picture in score.pictures_of(options.pack, "check", kind, device)]
    steps = 0
    torch.manual_seed(options.seed * 1000)
    if options.resume:
        saved = torch.load(options.resume / place.name, map_location=device)
        steps = saved["steps"]
        training.load(saved)
        run.set_random_state(saved["random"])

    def save() -> None:
        torch.save({"steps": steps, "random": run.random_state(), **training.state()}, place)

    while steps < options.steps:
        loss = training.step(options.batch, plan.rate_at(steps, options.steps, options.rate, 100, 1e-2))
        steps += 1
        if steps == 20 or plan.is_report_due(steps - 1, steps, options.steps):
            save()
            table = score.means(scores(training.average, few, False))
            say(f"{steps} steps, {kind} loss {loss.item():.3f}, over Lanczos3 " +
                " ".join(f"{source} filter {row[1] - row[0]:+.2f} small {row[2] - row[0]:+.2f}" for source, row in table.items()))
    save()
    say(f"{steps} steps")
    finish(training, options.out, options.pack, say)


def main() -> None:
    options, device, say, record = run.begin(__doc__, "--kinds", list(small_network.SUBMODES), 2e-3, 13000, {"--teachers": MODELS})
    torch.backends.cuda.matmul.allow_tf32 = False  # the lines that are fitted need more
    if device == "cpu":
        torch.set_num_threads(1)
    for kind in options.kinds:
        train(kind, options, device, say)
    record.finish(options.steps, [options.out / f"texture_small_{kind}.safetensors" for kind in options.kinds])


if __name__ == "__main__":
    main()
