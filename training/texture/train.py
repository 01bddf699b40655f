#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: train.py PACK OUT [--kinds albedo normal mask] [--steps 30000] [--resume FOLDER]
            [--batch 64] [--rate 1e-3] [--seed 1]

Trains the networks of network.py, alternating a step of each, and writes
OUT/texture_KIND.safetensors, OUT/checkpoint_KIND.pt (twenty times, and at the end), OUT/log.txt,
OUT/training.json (the command, the commit, hashes of the data and the results) and
OUT/vectors_KIND.bin (a small input and the network's output, for tests). --steps is the number of
steps of all calls together: more steps with --resume continue from the checkpoint at its position
on the cosine schedule. The time of a step changes nothing. The loss is near the absolute error at
first, the squared error from 40% on; bfloat16 at first, TF32 for the last tenth. The file holds the
moving average of the weights.
"""
import datetime
import pathlib

import torch

import network  # sets the path of shared modules
import plan
import run
import score
import textures
import weight_file

AVERAGE = 0.999
VECTOR_SOURCES = 2  # those of network.SOURCES that vectors are written for
EDGE = 6  # texels of the half at the edges of a square, that see zeros: they do not count
LICENCE = "Apache-2.0; training data: see models/README.md"
ABOUT = "training/texture/train.py: textures packed by training/texture/prepare.py"


class Training(run.Averaged):
    """One network with its data, its optimiser and its averaged copy."""

    def __init__(self, kind: str, pack: pathlib.Path, device: str, rate: float, seed: int):
        self.data = textures.Textures(pack, kind, device, seed)
        torch.manual_seed(seed)
        self.network, self.average = network.Network(kind).to(device, memory_format=torch.channels_last), network.Network(kind).to(device)
        self.average.load_state_dict(self.network.state_dict())
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=rate, betas=(0.9, 0.99), fused=device == "cuda")
        self.weights, self.averages = list(self.network.parameters()), [v.data for v in self.average.parameters()]
        self.device = device

    def step(self, batch: int, rate: float, progress: float):
        small, large, source, weights = self.data.batch(batch)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=progress < 0.9):
            r = self.network.layers(small, source, 1)
        made = network.with_means(network.plain(small) + r.float(), small)
        inside = slice(2 * EDGE, -2 * EDGE)
        error = (made - large)[:, :, inside, inside].square()
        weights = weights[:, None, None, None]
        loss = ((error + 1).sqrt() * weights.sqrt() if progress < 0.4 else error * weights).mean()
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.weights, 50.0)
        self.optimiser.step()
        with torch.no_grad():
            torch._foreach_mul_(self.averages, AVERAGE)
            torch._foreach_add_(self.averages, [v.data for v in self.weights], alpha=1 - AVERAGE)
        return loss.detach()


def extremes(device: str):
    """Black and white in the worst arrangements, for the range of the activations."""
    torch.manual_seed(5)
    for size in (1, 2, 3, 5, 8, 16):
        coarse = (torch.rand(4, 3, 96 // size + 1, 96 // size + 1, device=device) < 0.5).float() * 255
        yield torch.nn.functional.interpolate(coarse, scale_factor=float(size))


@torch.no_grad()
def finish(training: Training, out: pathlib.Path, pack: pathlib.Path, say) -> None:
    """Rounds the averaged weights, writes the file and the vectors, scores it."""
    model, device, kind = training.average.eval(), training.device, training.network.kind
    model.load_state_dict(weight_file.halved(model.state_dict()))
    model.largest = []
    pictures = score.pictures_of(pack, "check", kind, device)
    rows = score.score(model, pictures, True)
    for picture in extremes(device):
        model(picture, torch.zeros(len(picture), dtype=torch.long, device=device))
    layers = 2 + len(model.body)
    largest = [max(model.largest[i::layers]) for i in range(layers)]
    model.largest = None
    metadata = {"name": f"texture_{kind}", "kind": kind, "version": "texture-1", "channels": network.CHANNELS, "blocks": network.BLOCKS[kind], "date": datetime.date.today(),
                "training": ABOUT, "licence": LICENCE, "largest_activation": f"{max(largest):.0f}"}
    weight_file.write(out / f"texture_{kind}.safetensors", model.state_dict(), metadata)
    for (name, source), row in rows.items():
        say(score.line(f"{kind} {name} {source}", row))
    for source, row in score.means(rows).items():
        say(score.line(f"{kind} mean of {source}", row))
    say(f"{kind}: largest activation of each layer " + " ".join(f"{v:.1f}" for v in largest))
    if device == "cuda":
        for source, row in score.means(score.score(model, pictures, in_halves=True)).items():
            say(score.line(f"{kind} float16 {source}", row))
    # A small input and its corrections, computed in float64.
    exact = network.Network(kind).double()
    exact.load_state_dict({name: value.double() for name, value in weight_file.halved(model.state_dict()).items()})
    texels = textures.half_of(pictures[0][1])[:, :, :24, :40].cpu().double()
    wide = torch.nn.functional.pad(texels, (exact.margin,) * 4, mode="replicate")
    made = [exact.layers(wide, torch.tensor([i]), 0)[0] for i in range(VECTOR_SOURCES)]
    network.write_vectors(out / f"vectors_{kind}.bin", texels[0], torch.stack(made))


def main() -> None:
    options, device, say, record = run.begin(__doc__, "--kinds", ["albedo", "normal", "mask"], 1e-3, 30000)
    trainings = [Training(kind, options.pack, device, options.rate, options.seed) for kind in options.kinds]
    for t in trainings:
        small = t.data.small.float()
        noise = [(small[i] - small[0]).square().mean().sqrt().item() for i in range(1, len(small))]
        say(f"{t.network.kind}: {len(t.data.large)} squares; noise of blocks " + " ".join(f"{v:.2f}" for v in noise))
    few = [score.pictures_of(options.pack, "check", t.network.kind, device) for t in trainings]
    steps = 0
    torch.manual_seed(options.seed * 1000)
    if options.resume:
        for training in trainings:
            saved = torch.load(options.resume / f"checkpoint_{training.network.kind}.pt", map_location=device)
            steps = saved["steps"]
            training.load(saved)
            run.set_random_state(saved["random"])

    def save() -> None:
        for training in trainings:
            torch.save({"steps": steps, "random": run.random_state(), **training.state()}, options.out / f"checkpoint_{training.network.kind}.pt")

    while steps < options.steps:
        rate = plan.rate_at(steps, options.steps, options.rate, 500, 2e-3)
        losses = [training.step(options.batch, rate, steps / options.steps) for training in trainings]
        steps += 1
        if steps == 50 or plan.is_report_due(steps - 1, steps, options.steps):
            save()
            for training, pictures, loss in zip(trainings, few, losses):
                table = score.means(score.score(training.average, pictures))
                say(f"{steps} steps, {training.network.kind} loss {loss.item():.3f}, over Lanczos3 " +
                    " ".join(f"{source} {row[2] - row[0]:+.2f}" for source, row in table.items()))
    save()
    say(f"{steps} steps")
    for training in trainings:
        finish(training, options.out, options.pack, say)
    record.finish(steps, [options.out / f"texture_{training.network.kind}.safetensors" for training in trainings])


if __name__ == "__main__":
    main()
