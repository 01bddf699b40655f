# SPDX-License-Identifier: Apache-2.0
"""A training's schedule, which counts steps alone, and the record of its run. Needs only Python."""
import datetime
import hashlib
import json
import math
import pathlib
import subprocess
import sys
import typing

RECORD = "training.json"
REPORTS = 20  # reports of a training, evenly spread over its steps


def rate_at(step: int, steps: int, rate: float, warm_up: int, least: float) -> float:
    """The rate of step `step` of `steps`: up in a line over `warm_up` steps, and down a cosine to
    `least` of it."""
    return rate * min(1, (step + 1) / warm_up) * max(0.5 * (1 + math.cos(math.pi * step / steps)), least)


def is_report_due(before: int, now: int, steps: int) -> bool:
    """Whether a report, and a checkpoint with it, falls between these numbers of steps."""
    return before * REPORTS // steps != now * REPORTS // steps


def hash_of(path: pathlib.Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def hashes_in(places: typing.Iterable[pathlib.Path]) -> dict[str, str]:
    """SHA-256 of each file, and of all files in each folder, by path."""
    files = [file for place in places for file in (sorted(place.rglob("*")) if place.is_dir() else [place])]
    return {str(file): hash_of(file) for file in files if file.is_file()}


def commit_of(folder: pathlib.Path) -> str:
    """Commit of the programs, followed by "changed" if they differ from it."""
    try:
        git = lambda *words: subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, text=True).stdout.strip()
        return git("rev-parse", "HEAD") + (", changed" if git("status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return "not known"


class Record:
    """OUT/training.json: a list of the runs that made the files in OUT, each with its command, its
    data and its results."""

    def __init__(self, out: pathlib.Path, data: typing.Iterable[pathlib.Path], info: dict[str, typing.Any]):
        self.place = out / RECORD
        self.runs = json.loads(self.place.read_text()) if self.place.is_file() else []
        self.runs.append({"command": [sys.executable, *sys.argv], "commit": commit_of(pathlib.Path(__file__).parent),
                          "begin": datetime.datetime.now().astimezone().isoformat(timespec="seconds"), **info, "data": hashes_in(data)})
        self.write()

    def finish(self, steps: int, results: typing.Iterable[pathlib.Path]) -> None:
        self.runs[-1].update({"end": datetime.datetime.now().astimezone().isoformat(timespec="seconds"), "steps": steps, "results": hashes_in(results)})
        self.write()

    def write(self) -> None:
        self.place.write_text(json.dumps(self.runs, indent=1, default=str) + "\n")
