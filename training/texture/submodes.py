# SPDX-License-Identifier: Apache-2.0
"""The 281 submodes of BC7 (a mode with a partition, or with a rotation and an index selector), and
a differentiable decoder of several at once.

The forward pass follows the format, in integers; in the backward pass every rounding is the
identity (Bengio et al., 2013, "straight-through"). A submode is written "6", "1/13" (mode,
partition) or "4/1/1" (mode, rotation, selector). Its parts are its subsets, or in modes 4 and 5 the
colours and then the separate channel.

The formats BC1 and BC5 are included as submodes "bc1" and "bc5": BC1 has one part, BC5 a part for
each of its two channels.

A network's outputs for a submode, in this order: for each part its first end and its last, a value
for each of its channels, ENDS_UNIT codes each, relative to the ends that `fitted` finds for the
filter's texels; then 16 offsets of indices, and in modes 4 and 5 and in BC5 16 more for the other
part. Outputs of zero are thus an encoder of the filter's texels.
"""
import dataclasses

import torch

import blocks

# Three subsets: bits 2i and 2i + 1 of a partition's word are the subset of texel i (Khronos Data
# Format, BPTC). Modes 0 and 2.
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
BC1, BC5 = 8, 9  # after the modes of BC7
HEADS = {"bc1": BC1, "bc5": BC5}
ENDS_UNIT = 16  # codes, of a network's output for an end
OUTPUTS_MOST = 40  # outputs of a submode, padded
DETERMINANT_LEAST = 1e-2  # bound for least squares with a unique solution
WIDE = 65535    # quantisation of end points


@dataclasses.dataclass
class Part:
    texels: tuple[bool, ...]
    channels: tuple[int, ...]
    bits: int | tuple[int, ...]  # stored of a channel, without the P-bit
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
        everything = (True,) * 16
        if self.mode == BC1:
            # weights of a third each, near the table of 2 bits
            return [Part(everything, (0, 1, 2), (5, 6, 5), None, 2)]
        if self.mode == BC5:
            return [Part(everything, (c,), 8, None, 3) for c in range(2)]
        mode, bits = self.mode, (INDEX_BITS[self.mode], SECOND_BITS.get(self.mode, 0))
        if mode in SECOND_BITS:
            first, second = bits if self.selector == 0 else bits[::-1]
            alone = self.rotation - 1
            return [Part(everything, tuple(c for c in range(3) if c != alone), COLOUR_BITS[mode], None, first),
                    Part(everything, (alone,), ALONE_BITS[mode], None, second)]
        return [Part(tuple(s == subset for s in subsets_of(mode, self.pattern)), (0, 1, 2), COLOUR_BITS[mode], P_BITS[mode], bits[0])
                for subset in range(SUBSETS[mode])]

    @property
    def is_planes(self) -> bool:
        """Whether a texel has two indices."""
        return self.mode in SECOND_BITS or self.mode == BC5

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
    if name in HEADS:
        return Submode(name, HEADS[name], 0, 0, 0)
    mode, *rest = (int(word) for word in name.split("/"))
    if mode in SECOND_BITS:
        return Submode(name, mode, 0, rest[0], rest[1] if mode == 4 else 0)
    return Submode(name, mode, rest[0] if rest else 0, 0, 0)


def every_submode() -> list[Submode]:
    """Of opaque texels: a rotation brings a colour into the plane of alpha, of mode 7 nothing comes
    that mode 1 and 3 lack."""
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


def wide(codes: torch.Tensor) -> torch.Tensor:
    """Codes of 0 to 255 to 16 bits."""
    return (codes.clamp(0, 255) * (WIDE / 255) + 0.5).floor()


def requantised(wide: torch.Tensor, bits) -> torch.Tensor:
    """16 bits to fewer, ((2^m - 1) a + 2^15) >> 16: below 2^24, so that float32 has it exactly."""
    return ((2 ** bits - 1) * wide / 65536 + 0.5).floor()


def widened(value: torch.Tensor, bits) -> torch.Tensor:
    """`bits` repeated to 8."""
    return value * 2.0 ** (8 - bits) + (value / 2.0 ** (2 * bits - 8)).floor()


class Decoder:
    """Of several submodes at once. Tensors begin with the parts of all of them, or with the
    submodes."""

    def __init__(self, chosen: list[Submode], device: str):
        self.count = len(chosen)
        parts = [(number, submode, part) for number, submode in enumerate(chosen) for part in submode.parts]
        whole = lambda values: torch.tensor(values, device=device)
        column = lambda values: whole([float(v) for v in values])[:, None, None, None]
        self.owner = whole([number for number, _, _ in parts])
        # parts, 1, 16, 1
        self.texels = whole([part.texels for _, _, part in parts]).float()[:, None, :, None]
        # parts, 1, 1, 3
        self.channels = whole([[float(c in part.channels) for c in range(3)] for _, _, part in parts])[:, None, None]
        self.bits = whole([[float(b + (part.p_bits is not None)) for b in (part.bits if isinstance(part.bits, tuple) else (part.bits,) * 3)] for _, _, part in parts])[:, None, None]
        self.has_p, self.is_shared = (column(flags) > 0 for flags in ([part.p_bits is not None for _, _, part in parts], [part.p_bits == "shared" for _, _, part in parts]))
        self.is_opaque = column([submode.mode == 6 for _, submode, _ in parts]) > 0
        weights = [blocks.WEIGHTS[part.index_bits] for _, _, part in parts]
        self.weights = whole([[*row, *[64] * (16 - len(row))] for row in weights]) / 64  # parts, 16
        self.between = whole([[*((a + b) / 128 for a, b in zip(row, row[1:])), *[9.0] * (16 - len(row))] for row in weights])
        ends, offsets = [], []  # offsets of a part's outputs
        for submode in chosen:
            place = 0
            indices = submode.outputs - (32 if submode.is_planes else 16)
            for number, part in enumerate(submode.parts):
                ends.append([[place + e * len(part.channels) + part.channels.index(c) if c in part.channels else 0 for c in range(3)] for e in range(2)])
                place += 2 * len(part.channels)
                first = indices + (16 if submode.is_planes and number == 1 else 0)
                offsets.append(list(range(first, first + 16)))
        self.ends, self.offsets = whole(ends), whole(offsets)
        # submodes, 1, 1, 3
        self.kept = torch.zeros(self.count, 3, device=device).index_add(0, self.owner, self.channels[:, 0, 0])[:, None, None]

    def index_of(self, t: torch.Tensor) -> torch.Tensor:
        """The index with the nearest weight, of positions (parts, blocks, 16) along the line."""
        return torch.searchsorted(self.between, t.flatten(1).contiguous()).view(t.shape)

    def weight_of(self, index: torch.Tensor) -> torch.Tensor:
        return self.weights.gather(1, index.flatten(1)).view(index.shape)

    def positions(self, base: torch.Tensor, ends: torch.Tensor, least: float) -> torch.Tensor:
        """How far along from the first end to the last each texel lies."""
        along = ends[:, :, 1] - ends[:, :, 0]
        apart = (base - ends[:, :, :1]) * self.channels
        return (apart * along[:, :, None]).sum(3) / ((along * self.channels[:, 0]).square().sum(2, keepdim=True) + least)

    @torch.no_grad()
    def fitted(self, base: torch.Tensor) -> torch.Tensor:
        """Ends (parts, blocks, 2, 3), in codes, of the filter's texels (blocks, 16, 3), rounded:
        along the principal axis, then one pass of least squares."""
        here = (base[None].clamp(0, 255) + 0.5).floor() * self.channels
        count = self.texels.sum(2)
        mean = (here * self.texels).sum(2) / count
        apart = (here - mean[:, :, None]) * self.texels * self.channels
        axis = blocks.axis_of(apart.transpose(2, 3) @ apart)
        t = (apart * axis[:, :, None]).sum(3)
        ends = mean[:, :, None] + axis[:, :, None] * torch.stack((t.amin(2), t.amax(2)), 2)[..., None]
        w = self.weight_of(self.index_of(self.positions(here, self.stored_ends(wide(ends)), 1e-6).clamp(0, 1)))[..., None]
        a, b, c = (((1 - w) * (1 - w) * self.texels).sum(2), ((1 - w) * w * self.texels).sum(2), (w * w * self.texels).sum(2))
        first, last = ((1 - w) * self.texels * here).sum(2), (w * self.texels * here).sum(2)
        det = a * c - b * b
        solved = torch.stack((c * first - b * last, a * last - b * first), 2) / det[:, :, None].clamp(min=DETERMINANT_LEAST)
        return torch.where(det[:, :, None] > DETERMINANT_LEAST, solved, ends).clamp(0, 255)

    def stored_ends(self, ends: torch.Tensor) -> torch.Tensor:
        """Ends (parts, blocks, 2, 3) of 0 to WIDE: codes as they are decoded, with the P-bits that
        come nearest. Alpha has the P-bit of mode 6, which must be one."""
        wanted, eight = requantised(ends, self.bits), requantised(ends, 8)
        tried = [widened(2 * ((wanted - p + 1) / 2).floor().clamp(min=0).minimum(2 ** (self.bits - 1) - 1) + p, self.bits) for p in (0, 1)]
        errors = [((t - eight) * self.channels).square().sum(3, keepdim=True) for t in tried]
        errors = [torch.where(self.is_shared, e.sum(2, keepdim=True), e) for e in errors]
        with_p = torch.where((errors[1] < errors[0]) | self.is_opaque, tried[1], tried[0])
        return torch.where(self.has_p, with_p, widened(wanted, self.bits))

    def decoded(self, outputs: torch.Tensor, base: torch.Tensor, is_vector: torch.Tensor | None = None) -> torch.Tensor:
        """Texels (submodes, blocks, 16, 3) in codes, of outputs (submodes, blocks, OUTPUTS_MOST)
        and the filter's texels (blocks, 16, 3). is_vector (blocks): ends of all three channels
        become at least a little longer than one unit (GDC 2023: what lies between two unit vectors
        is shorter)."""
        n = len(base)
        mine = outputs.index_select(0, self.owner)
        moved = mine.gather(2, self.ends.flatten(1)[:, None].expand(-1, n, -1)).view(-1, n, 2, 3)
        ends = self.fitted(base) + ENDS_UNIT * moved
        if is_vector is not None:
            vector = ends / 127.5 - 1
            longer = (VECTOR_LENGTH / vector.norm(dim=3, keepdim=True).clamp(min=1e-3)).clamp(min=1)
            of_all = self.channels.sum(3, keepdim=True) == 3
            ends = torch.where(is_vector[None, :, None, None] & of_all, (vector * longer + 1) * 127.5, ends)
        ends = held(ends, 0, 255)
        ends = through(self.stored_ends(wide(ends.detach())), ends)
        t = self.positions(base[None], ends, 1e-6) + mine.gather(2, self.offsets[:, None].expand(-1, n, -1))
        t = held(t, 0, 1)
        w = through(self.weight_of(self.index_of(t.detach())), t)
        along = ends[:, :, 1] - ends[:, :, 0]
        texel = ends[:, :, :1] + w[..., None] * along[:, :, None]
        texel = through((texel.detach() + 0.5 - 1e-4).floor(), texel) * self.texels * self.channels
        return torch.zeros(self.count, n, 16, 3, device=base.device).index_add(0, self.owner, texel)


VECTOR_LENGTH = 1 + 1.5 / 127.5
