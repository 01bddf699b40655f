#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: train.py PACK OUT [--names best fast] [--steps 20000] [--resume CHECKPOINT] [--batch 64]
            [--rate 1.5e-3] [--seed 1]

Trains the networks of network.py, all on the same pictures, and writes OUT/edi_NAME.safetensors,
OUT/checkpoint.pt (twenty times, and at the end), OUT/log.txt and OUT/training.json (the command,
the commit, hashes of the data and the results). --steps is the number of steps of all calls
together: more steps with --resume continue from the checkpoint at its position on the cosine
schedule. The time of a step changes nothing. The loss is each picture's error relative to the
cubic's (the score is a mean of decibels over clips, so easy ones count as much as hard ones): near
the absolute error at first, the squared error from 40% on; bfloat16 at first, TF32 for the last
fifth. The file holds the moving average of the weights.
"""
import datetime
import pathlib

import torch

import network  # sets the path of shared modules
import pictures
import plan
import run
import score
import weight_file

POOL = 8  # batches made at once
AVERAGE = 0.999
LICENCE = "Apache-2.0; training data: see models/README.md"
ABOUT = "training/edi/train.py: textures, rendered text and shapes made by training/edi/prepare.py and pictures.py"


class Training(run.Averaged):
    """One network with its optimiser and its averaged copy."""

    def __init__(self, name: str, device: str, rate: float):
        self.network, self.average = network.Network(name).to(device, memory_format=torch.channels_last), network.Network(name).to(device)
        self.average.load_state_dict(self.network.state_dict())
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=rate, betas=(0.9, 0.99), fused=device == "cuda")
        self.weights, self.averages = list(self.network.parameters()), [v.data for v in self.average.parameters()]

    def step(self, known, plain, missing, weight, rate: float, progress: float, device: str):
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        with torch.autocast(device, dtype=torch.bfloat16, enabled=progress < 0.8):
            error = (plain + self.network.correction(known).float() - missing).square()
        loss = ((error + 1).sqrt() * weight.sqrt() if progress < 0.4 else error * weight).mean()
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()
        with torch.no_grad():
            torch._foreach_mul_(self.averages, AVERAGE)
            torch._foreach_add_(self.averages, [v.data for v in self.weights], alpha=1 - AVERAGE)
        return loss.detach()


def place_weights(device: str) -> torch.Tensor:
    """The outermost pixels of a picture are no picture's edge: they count a tenth."""
    weights = torch.full((1, 1, pictures.SIDE // 2, pictures.SIDE), 0.1, device=device)
    weights[:, :, 4:-4, 8:-8] = 1
    return weights


def finish(training: Training, out: pathlib.Path, frames, device: str, say) -> None:
    """Rounds the averaged weights, chooses the prescreen limit, writes the file, scores it."""
    model = training.average.eval()
    model.load_state_dict(weight_file.halved(model.state_dict()))
    limits = tuple(range(13))
    tables = score.score(model, frames, device, -1, limits)
    allowed = [limit for limit in limits if tables[limit]["mean"] >= tables["network"]["mean"] - 0.01]
    for name in ("cubic", "network", *limits):
        say(score.line(f"{model.name} {name}", tables[name]))
    model.largest = []
    score.score(model, frames, device)
    for picture in pictures_of_extremes(device):
        model(picture)
    layers = 2 + len(model.body) if model.name == "fast" else 1 + len(model.body) + 1
    largest = [max(model.largest[i::layers]) for i in range(layers)]
    model.largest = None
    say(f"{model.name}: largest activation of each layer " + " ".join(f"{v:.1f}" for v in largest))
    if device == "cuda":
        with torch.autocast("cuda", dtype=torch.float16):
            say(score.line(f"{model.name} float16", score.score(model, frames, device)["network"]))
    weight_file.write(out / f"edi_{model.name}.safetensors", model.state_dict(), {
        "name": model.name, "channels": model.channels, "version": "edi-1", "date": datetime.date.today(), "training": ABOUT, "licence": LICENCE,
        "prescreen": max(allowed), "largest_activation": f"{max(largest):.0f}"})


def pictures_of_extremes(device: str):
    """Rows of black and white in the worst arrangements, for the range of the activations."""
    torch.manual_seed(5)
    for size in (1, 2, 3, 5, 8, 16):
        coarse = (torch.rand(8, 1, 96 // size + 1, 192 // size + 1, device=device) < 0.5).float() * 255
        yield torch.nn.functional.interpolate(coarse, scale_factor=float(size))


def main() -> None:
    options, device, say, record = run.begin(__doc__, "--names", ["best", "fast"], 1.5e-3, 20000)
    source = pictures.Pictures(options.pack, device, options.seed)
    frames = [(clip, index, picture.to(device)) for clip, index, picture in score.frames_of(options.pack / "score")]
    say(f"{len(source.grounds)} grounds, {len(source.text)} pages of text, {len(frames)} frames to score")
    trainings = [Training(name, device, options.rate) for name in options.names]
    steps, positions = 0, place_weights(device)
    torch.manual_seed(options.seed * 1000)
    if options.resume:
        saved = torch.load(options.resume, map_location=device)
        steps = saved["steps"]
        for training in trainings:
            training.load(saved[training.network.name])
        run.set_random_state(saved["random"])

    def save() -> None:
        torch.save({"steps": steps, "random": run.random_state(), **{t.network.name: t.state() for t in trainings}}, options.out / "checkpoint.pt")

    while steps < options.steps:
        before = steps
        pool = source.batch(POOL * options.batch)
        pool = pool.flip(2) if steps // (2 * POOL) % 2 else pool
        # columns become rows: other pictures
        for hr in (*pool.split(options.batch), *pool.transpose(2, 3).split(options.batch)):
            if steps == options.steps:
                break
            rate = plan.rate_at(steps, options.steps, options.rate, 500, 2e-3)
            known, missing = hr[:, :, 0::2].contiguous(), hr[:, :, 1::2].contiguous()
            plain = network.cubic(known)
            difficulty = (plain - missing).square().mean((1, 2, 3), keepdim=True)
            weight = positions / (difficulty + 1)
            losses = [training.step(known, plain, missing, weight, rate, steps / options.steps, device) for training in trainings]
            steps += 1
        if plan.is_report_due(before, steps, options.steps):
            save()
            tables = [score.score(t.average, frames, device)["network"] for t in trainings]
            say(f"{steps} steps, losses " + " ".join(f"{loss.item():.4f}" for loss in losses) + " mean dB " + " ".join(f"{t['mean']:.3f}" for t in tables))
    save()
    say(f"{steps} steps")
    for training in trainings:
        finish(training, options.out, frames, device, say)
    record.finish(steps, [options.out / f"edi_{training.network.name}.safetensors" for training in trainings])


if __name__ == "__main__":
    main()
