# SPDX-License-Identifier: Apache-2.0
"""A training's command line, device, log and state."""
import argparse
import pathlib
import typing

import torch


def begin(about: str | None, networks: str, names: list[str], rate: float, folders: dict[str, pathlib.Path] = {}) -> tuple[argparse.Namespace, str, typing.Callable[[str], None]]:
    """The options, the device, and what says a line to the terminal and the log. `networks` is the option that chooses some of `names`; `folders`
    are more options, with what they are if not given."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument(networks, nargs="+", default=names)
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--resume", type=pathlib.Path)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=rate)
    parser.add_argument("--seed", type=int, default=1)
    for option, folder in folders.items():
        parser.add_argument(option, type=pathlib.Path, default=folder)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cudnn.benchmark = torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = True
    log = open(options.out / "log.txt", "a")

    def say(text: str) -> None:
        print(text, flush=True)
        print(text, file=log, flush=True)

    say(f"{torch.cuda.get_device_name() if device == 'cuda' else 'CPU'}, torch {torch.__version__}, {vars(options)}")
    return options, device, say


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
