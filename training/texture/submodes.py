# SPDX-License-Identifier: Apache-2.0
"""The 281 submodes of BC7 (a mode with a partition, or with a rotation and an index selector), and a differentiable decoder of each.

Forward everything is what the format says, in integers; backward every rounding is the identity (Bengio et al., 2013, "straight-through"). A submode is written "6", "1/13" (mode,
partition) or "4/1/1" (mode, rotation, selector).

A network's outputs for a submode, in this order: of each part (a subset, or of modes 4 and 5 the colours and then the channel by itself) its first end and its last, a value for each of its
channels; then 16 offsets of indices, and in modes 4 and 5 16 more for the channel by itself.
"""
import dataclasses

import torch

import blocks

# Three subsets: bits 2i and 2i + 1 of a partition's word are the subset of texel i (Khronos Data Format, BPTC). Modes 0 and 2.
MASKS_3 = """AA685050 6A5A5040 5A5A4200 5450A0A8 A5A50000 A0A05050 5555A0A0 5A5A5050 AA550000 AA555500 AAAA5500 90909090 94949494 A4A4A4A4 A9A59450 2A0A4250
A5945040 0A425054 A5A5A500 55A0A0A0 A8A85454 6A6A4040 A4A45000 1A1A0500 0050A4A4 AAA59090 14696914 69691400 A08585A0 AA821414 50A4A450 6A5A0200
A9A58000 5090A0A8 A8A09050 24242424 00AA5500 24924924 24499224 50A50A50 500AA550 AAAA4444 66660000 A5A0A5A0 50A050A0 69286928 44AAAA44 66666600
AA444444 54A854A8 95809580 96969600 A85454A8 80959580 AA141414 96960000 AAAA1414 A05050A0 A0A5A5A0 96000000 40804080 A9A8A9A8 AAAAAA44 2A4A5254"""
SUBSETS = (3, 2, 3, 2, 1, 1, 1, 2)
COLOUR_BITS = (4, 6, 5, 7, 5, 7, 7, 5)
ALONE_BITS = {4: 6, 5: 8}
P_BITS = ("each", "shared", None, "each", None, None, "each", "each")
INDEX_BITS = (3, 3, 2, 2, 2, 2, 4, 2)
SECOND_BITS = {4: 3, 5: 2}
ENDS_UNIT = 64  # codes, of a network's output for an end
WIDE = 65535    # what ends are quantised to, once


@dataclasses.dataclass
class Part:
    texels: tuple[bool, ...]
    channels: tuple[int, ...]
    bits: int       # stored of a channel, without the P-bit
    p_bits: str | None
    index_bits: int


@dataclasses.dataclass
class Submode:
    name: str
    mode: int
    pattern: int
    rotation: int
    selector: int

    @property
    def parts(self) -> list[Part]:
        mode, bits = self.mode, (INDEX_BITS[self.mode], SECOND_BITS.get(self.mode, 0))
        if mode in SECOND_BITS:
            first, second = bits if self.selector == 0 else bits[::-1]
            alone = self.rotation - 1
            everything = (True,) * 16
            return [Part(everything, tuple(c for c in range(3) if c != alone), COLOUR_BITS[mode], None, first),
                    Part(everything, (alone,), ALONE_BITS[mode], None, second)]
        return [Part(tuple(s == subset for s in subsets_of(mode, self.pattern)), (0, 1, 2), COLOUR_BITS[mode], P_BITS[mode], bits[0])
                for subset in range(SUBSETS[mode])]

    @property
    def is_planes(self) -> bool:
        return self.mode in SECOND_BITS

    @property
    def outputs(self) -> int:
        return sum(2 * len(part.channels) for part in self.parts) + (32 if self.is_planes else 16)


def subsets_of(mode: int, pattern: int) -> list[int]:
    if SUBSETS[mode] == 1:
        return [0] * 16
    if SUBSETS[mode] == 2:
        return [int(blocks.MASKS.split()[pattern], 16) >> i & 1 for i in range(16)]
    return [int(MASKS_3.split()[pattern], 16) >> 2 * i & 3 for i in range(16)]


def submode_of(name: str) -> Submode:
    mode, *rest = (int(word) for word in name.split("/"))
    if mode in SECOND_BITS:
        return Submode(name, mode, 0, rest[0], rest[1] if mode == 4 else 0)
    return Submode(name, mode, rest[0] if rest else 0, 0, 0)


def every_submode() -> list[Submode]:
    """Of opaque texels: a rotation brings a colour into the plane of alpha, of mode 7 nothing comes that mode 1 and 3 lack."""
    names = [f"{mode}/{p}" for mode in (0, 1, 2, 3) for p in range(16 if mode == 0 else 64)]
    names += [f"4/{r}/{s}" for r in (1, 2, 3) for s in (0, 1)] + [f"5/{r}" for r in (1, 2, 3)] + ["6"]
    return [submode_of(name) for name in names]


def through(exact: torch.Tensor, smooth: torch.Tensor) -> torch.Tensor:
    return smooth + (exact - smooth).detach()


def held(x: torch.Tensor, low: float, high: float) -> torch.Tensor:
    """Clamped; beyond the limits the gradient passes only inwards."""
    class Held(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.clamp(low, high)

        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return torch.where(((x < low) & (g > 0)) | ((x > high) & (g < 0)), torch.zeros_like(g), g)
    return Held.apply(x)


def requantised(wide: torch.Tensor, bits: int) -> torch.Tensor:
    """16 bits to fewer, ((2^m - 1) a + 2^15) >> 16: below 2^24, so that float32 has it exactly."""
    return ((2 ** bits - 1) * wide / 65536 + 0.5).floor()


def widened(value: torch.Tensor, bits: int) -> torch.Tensor:
    """`bits` repeated to 8."""
    return value * 2 ** (8 - bits) + (value / 2.0 ** (2 * bits - 8)).floor()


def decoded_ends(wide: torch.Tensor, part: Part, opaque: bool) -> torch.Tensor:
    """wide (n, 2, channels) of 0 to WIDE: codes as they are decoded, with the P-bits that come nearest. `opaque`: alpha takes the P-bits (mode 6)."""
    if part.p_bits is None:
        return widened(requantised(wide, part.bits), part.bits)
    bits = part.bits + 1
    wanted, eight = requantised(wide, bits), requantised(wide, 8)
    tried = []
    for p in (0, 1):
        stored = ((wanted - p + 1) / 2).floor().clamp(0, 2 ** part.bits - 1)
        tried.append(widened(2 * stored + p, bits))
    if opaque:
        return tried[1]
    errors = [(t - eight).square().sum(-1, keepdim=True) for t in tried]
    if part.p_bits == "shared":
        errors = [e.sum(1, keepdim=True) for e in errors]
    return torch.where(errors[1] < errors[0], tried[1], tried[0])


def decoded(submode: Submode, outputs: torch.Tensor, mean: torch.Tensor, base: torch.Tensor, is_vector: torch.Tensor | None = None) -> torch.Tensor:
    """Texels (n, 16, 3) in codes, of outputs (n, submode.outputs), the mean colour (n, 3) and the filter's texels (n, 16, 3). is_vector (n): ends of all three channels become at least a
    little longer than one unit (GDC 2023: what lies between two unit vectors is shorter)."""
    place = 0
    made = [None, None, None]
    offsets = outputs[:, -32:] if submode.is_planes else outputs[:, -16:]
    values = [torch.zeros_like(base[..., 0]) for _ in range(3)]
    for number, part in enumerate(submode.parts):
        count = len(part.channels)
        chosen = list(part.channels)
        ends = outputs[:, place:place + 2 * count].view(-1, 2, count)
        place += 2 * count
        ends = (mean[:, None, chosen] + ENDS_UNIT * ends) / 255
        if is_vector is not None and count == 3:
            vector = 2 * ends - 1
            longer = (VECTOR_LENGTH / vector.norm(dim=2, keepdim=True).clamp(min=1e-3)).clamp(min=1)
            ends = torch.where(is_vector[:, None, None], (vector * longer + 1) / 2, ends)
        ends = held(ends, 0, 1)
        exact = decoded_ends((ends.detach() * WIDE + 0.5).floor(), part, submode.mode == 6)
        ends = through(exact, ends * 255)
        along = ends[:, 1] - ends[:, 0]
        t = ((base[..., chosen] - ends[:, None, 0]) * along[:, None]).sum(2) / along.square().sum(1, keepdim=True).clamp(min=1)
        t = t + (offsets[:, 16:] if submode.is_planes and number == 1 else offsets[:, :16])
        t = held(t, 0, 1)
        weights = torch.tensor(blocks.WEIGHTS[part.index_bits], dtype=t.dtype, device=t.device)
        between = (weights[1:] + weights[:-1]) / 128
        index = torch.bucketize(t.detach(), between)
        w = through(weights[index] / 64, t)
        inside = torch.tensor(part.texels, device=t.device)
        for i, c in enumerate(chosen):
            texel = ends[:, None, 0, i] + w * along[:, None, i]
            texel = through((texel.detach() + 0.5 - 1e-4).floor(), texel)
            values[c] = torch.where(inside, texel, values[c])
    return torch.stack(values, 2)


VECTOR_LENGTH = 1 + 1.5 / 127.5
