# SPDX-License-Identifier: Apache-2.0
"""Files of weights: safetensors of F16 tensors, in the order of their names."""
import json
import pathlib
import struct

import numpy as np
import torch


def halved(state: dict) -> dict:
    """Weights as the file stores them: rounded to float16."""
    return {name: value.detach().cpu().half().float() for name, value in state.items()}


def write(path: pathlib.Path, state: dict, metadata: dict) -> None:
    """A safetensors file: u64 length of the header, the header (JSON), the values."""
    header, values = {"__metadata__": {key: str(value) for key, value in metadata.items()}}, b""
    for name in sorted(state):
        raw = state[name].detach().cpu().half().contiguous().numpy().astype("<f2").tobytes()
        header[name] = {"dtype": "F16", "shape": list(state[name].shape), "data_offsets": [len(values), len(values) + len(raw)]}
        values += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + values)


def read(path: pathlib.Path) -> tuple[dict, dict]:
    """A file's weights, in float32, and its metadata."""
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__")
    state = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        state[name] = torch.from_numpy(np.frombuffer(data[begin:end], "<f2").astype(np.float32).reshape(entry["shape"]))
    return state, metadata
