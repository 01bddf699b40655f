# SPDX-License-Identifier: Apache-2.0
"""Approximates encoding as BC7, BC1 and BC5, accurate enough for training: codes (n, 3, h, w),
sides multiples of 4, to codes. Not an encoder for production: it tries mode 6, two partitions of
mode 1 and the modes with a separate channel (4 and 5), each by principal axis and one pass of least
squares.
"""
import torch

# Two subsets: bit i of a partition's mask is the subset of texel i (Khronos Data Format, BPTC).
MASKS = """CCCC 8888 EEEE ECC8 C880 FEEC FEC8 EC80 C800 FFEC FE80 E800 FFE8 FF00 FFF0 F000
F710 008E 7100 08CE 008C 7310 3100 8CCE 088C 3110 6666 366C 17E8 0FF0 718E 399C
AAAA F0F0 5A5A 33CC 3C3C 55AA 9696 A55A 73CE 13C8 324C 3BDC 6996 C33C 9966 0660
0272 04E4 4E40 2720 C936 936C 39C6 639C 9336 9CC6 817E E718 CCF0 0FCC 7744 EE22"""
WEIGHTS = {2: (0, 21, 43, 64), 3: (0, 9, 18, 27, 37, 46, 55, 64), 4: (0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64)}


def to_blocks(x: torch.Tensor) -> torch.Tensor:
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 4, 4, w // 4, 4).permute(0, 2, 4, 3, 5, 1).reshape(-1, 16, c)


def from_blocks(b: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    n, c, h, w = shape
    return b.reshape(n, h // 4, w // 4, 4, 4, c).permute(0, 5, 1, 3, 2, 4).reshape(shape)


def axis_of(covariance: torch.Tensor) -> torch.Tensor:
    """Principal axis of (..., c, c), by powers."""
    row = covariance.diagonal(dim1=-2, dim2=-1).argmax(-1)
    v = torch.gather(covariance, -2, row[..., None, None].expand(*covariance.shape[:-2], 1, covariance.shape[-1]))[..., 0, :]
    for _ in range(6):
        v = v / (v.norm(dim=-1, keepdim=True) + 1e-6)
        v = (covariance @ v[..., None])[..., 0]
    return v / (v.norm(dim=-1, keepdim=True) + 1e-6)


def quantised(ends: torch.Tensor, bits) -> torch.Tensor:
    most = 2.0 ** torch.as_tensor(bits, device=ends.device) - 1
    return (ends.clamp(0, 255) / 255 * most).round() / most * 255


def line(x: torch.Tensor, inside: torch.Tensor, bits, index_bits: int) -> torch.Tensor:
    """Texels x (b, 16, c) of the subset `inside` (b, 16) by two ends and indices. Others come out
    as anything."""
    weights = torch.tensor(WEIGHTS[index_bits], device=x.device) / 64
    count = inside.sum(1)[:, None] + 1e-6
    mean = (x * inside[..., None]).sum(1) / count
    apart = (x - mean[:, None]) * inside[..., None]
    axis = axis_of(apart.transpose(1, 2) @ apart)
    t = (apart * axis[:, None]).sum(-1)
    first, last = mean + axis * t.amin(1)[:, None], mean + axis * t.amax(1)[:, None]
    for turn in range(2):
        e0, e1 = quantised(first, bits), quantised(last, bits)
        along = e1 - e0
        t = ((x - e0[:, None]) * along[:, None]).sum(-1) / (along.square().sum(-1)[:, None] + 1e-6)
        index = (t.clamp(0, 1)[..., None] - weights).abs().argmin(-1)
        w = weights[index]
        made = (e0[:, None] + w[..., None] * along[:, None]).round()
        error = ((made - x).square().sum(-1) * inside).sum(1)
        if turn == 0:
            best, least = made, error
            a, b, c = ((1 - w).square() * inside).sum(1), ((1 - w) * w * inside).sum(1), (w.square() * inside).sum(1)
            p, q = (((1 - w) * inside)[..., None] * x).sum(1), ((w * inside)[..., None] * x).sum(1)
            det = a * c - b * b
            solved = det.abs() > 1e-3
            det = torch.where(solved, det, 1.0)[:, None]
            first = torch.where(solved[:, None], (c[:, None] * p - b[:, None] * q) / det, first)
            last = torch.where(solved[:, None], (a[:, None] * q - b[:, None] * p) / det, last)
    return torch.where((error < least)[:, None, None], made, best)


def bc7_of_blocks(x: torch.Tensor, partitions: int = 2) -> torch.Tensor:
    everything = torch.ones(x.shape[:2], device=x.device)
    tried = [line(x, everything, 7.5, 4)]  # 7 bits and one that three channels share with alpha
    if partitions > 0:
        tried += of_partitions(x, partitions)
    for alone in range(3):
        others = [c for c in range(3) if c != alone]
        # modes 5, 4, 4
        for bits, indices, lone_bits, lone_indices in ((7, 2, 8, 2), (5, 3, 6, 2), (5, 2, 6, 3)):
            made = torch.empty_like(x)
            made[..., others] = line(x[..., others], everything, bits, indices)
            made[..., [alone]] = line(x[..., [alone]], everything, lone_bits, lone_indices)
            tried.append(made)
    tried = torch.stack(tried)
    best = (tried - x).square().sum((2, 3)).argmin(0)
    return tried[best, torch.arange(len(x), device=x.device)].clamp(0, 255)


def of_partitions(x: torch.Tensor, most: int) -> list[torch.Tensor]:
    """Modes 1 and 3 with the partitions that promise most."""
    masks = [int(word, 16) for word in MASKS.split()]
    # 64, 16
    table = torch.tensor([[mask >> i & 1 for i in range(16)] for mask in masks], device=x.device, dtype=x.dtype)
    tried = []
    # Remainder of a partition after its two axes.
    centred = x - x.mean(1, keepdim=True)
    products = (centred[..., :, None] * centred[..., None, :]).flatten(2)  # b, 16, 9
    left = 0
    for side in (table, 1 - table):
        count = side.sum(1)[None, :, None]
        sums, squares = torch.einsum("pi,bic->bpc", side, centred), torch.einsum("pi,bic->bpc", side, products)
        covariance = squares.unflatten(2, (3, 3)) - sums[..., :, None] * sums[..., None, :] / count[..., None]
        axis = axis_of(covariance)
        left = left + covariance.diagonal(dim1=-2, dim2=-1).sum(-1) - (axis[..., None, :] @ covariance @ axis[..., None])[..., 0, 0]
    for partition in left.topk(most, largest=False).indices.unbind(1):
        second = table[partition]
        for bits, indices in ((7, 3), (8, 2)):  # modes 1 and 3
            tried.append(torch.where(second[..., None] > 0, line(x, second, bits, indices), line(x, 1 - second, bits, indices)))
    return tried


def in_parts(function, blocks: torch.Tensor) -> torch.Tensor:
    return torch.cat([function(part) for part in blocks.split(16384)])


def bc7(x: torch.Tensor) -> torch.Tensor:
    return from_blocks(in_parts(bc7_of_blocks, to_blocks(x)), x.shape)


def bc7_without_partitions(x: torch.Tensor) -> torch.Tensor:
    """As encoders in a hurry make it."""
    return from_blocks(in_parts(lambda b: bc7_of_blocks(b, 0), to_blocks(x)), x.shape)


def bc1(x: torch.Tensor) -> torch.Tensor:
    bits = torch.tensor([5.0, 6.0, 5.0])

    def one(b):
        # Weights of a third each: the table of 2 bits is near it.
        return line(b, torch.ones(b.shape[:2], device=b.device), bits.to(b), 2)
    return from_blocks(in_parts(one, to_blocks(x)), x.shape).clamp(0, 255)


def bc5_normal(x: torch.Tensor) -> torch.Tensor:
    """x and y by themselves, z of a vector of unit length."""
    def one(b):
        everything = torch.ones(b.shape[:2], device=b.device)
        return torch.cat([line(b[..., [c]], everything, 8, 3) for c in range(2)], -1)
    two = from_blocks(in_parts(one, to_blocks(x[:, :2])), x[:, :2].shape).clamp(0, 255)
    unit = two / 127.5 - 1
    z = (1 - unit.square().sum(1, keepdim=True)).clamp(min=0).sqrt()
    return torch.cat((two, ((z + 1) * 127.5).round()), 1)
