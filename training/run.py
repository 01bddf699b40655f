# SPDX-License-Identifier: Apache-2.0
"""A training's command line, device, log, record and state."""
import argparse
import pathlib
import typing

import torch

import plan


class Run(typing.NamedTuple):
    options: argparse.Namespace
    device: str
    say: typing.Callable[[str], None]  # a line to the terminal and the log
    record: plan.Record


def begin(about: str | None, networks: str, names: list[str], rate: float, steps: int, folders: dict[str, pathlib.Path] = {}) -> Run:
    """`networks` is the option that chooses some of `names`; `folders` are more options, with their
    defaults."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument(networks, nargs="+", default=names)
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--resume", type=pathlib.Path)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=rate)
    parser.add_argument("--seed", type=int, default=1)
    for option, folder in folders.items():
        parser.add_argument(option, type=pathlib.Path, default=folder)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.deterministic = True
    log = open(options.out / "log.txt", "a")

    def say(text: str) -> None:
        print(text, flush=True)
        print(text, file=log, flush=True)

    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    say(f"{name}, torch {torch.__version__}, {vars(options)}")
    data = [options.pack, *(getattr(options, option.lstrip("-")) for option in folders), *([options.resume] if options.resume else [])]
    return Run(options, device, say, plan.Record(options.out, data, {"device": name, "torch": torch.__version__, "options": vars(options)}))


def random_state() -> dict:
    """State of all generators: a resumed training draws the numbers of an uninterrupted one."""
    return {"cpu": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []}


def set_random_state(state: dict) -> None:
    torch.set_rng_state(state["cpu"].cpu())
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all([each.cpu() for each in state["cuda"]])


class Averaged:
    """A training's state: its network, the average of that, and the optimiser."""
    network: torch.nn.Module
    average: torch.nn.Module
    optimiser: torch.optim.Optimizer

    def state(self) -> dict:
        return {"network": self.network.state_dict(), "average": self.average.state_dict(), "optimiser": self.optimiser.state_dict()}

    def load(self, state: dict) -> None:
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
