# SPDX-License-Identifier: Apache-2.0
"""Training pictures, composed on the GPU from a pack of prepare.py: batches of (n, 1, SIDE, SIDE)
in whole 8-bit codes.

A picture is a ground (texture, photograph, flat, gradient, zone plate), up to three objects over it
(shapes, text, lines; filled with a value or with another texture), then the effects of cameras,
scalers and codecs: blur, sharpening, noise, quantised 8x8 cosine blocks. Graphics go without.
"""
import pathlib

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

SIDE = 128
SCALES = 7  # reduced copies of each picture
CROP = 512  # side of every picture of an atlas

# Shares of the pictures: grounds that are drawn, first, second and third things laid over, blurred,
# sharpened, noisy, coded.
DRAWN, OVER, BLURRED, SHARPENED, NOISY, CODED = 0.1, (0.25, 0.12, 0.06), 0.35, 0.25, 0.25, 0.3
PHOTOGRAPHS = 4.0  # weight of an environment picture relative to a texture


def load(path: pathlib.Path) -> torch.Tensor:
    return torch.from_numpy(np.array(Image.open(path).convert("L")))[None, None]


def pieces(picture: torch.Tensor) -> list[torch.Tensor]:
    """PIECE x PIECE parts that cover the picture; a smaller picture is repeated, mirrored."""
    while min(picture.shape[2:]) < CROP:
        picture = torch.cat((picture, picture.flip(3)), 3)
        picture = torch.cat((picture, picture.flip(2)), 2)
    height, width = picture.shape[2:]
    tops, lefts = ({*range(0, size - CROP, CROP), size - CROP} for size in (height, width))
    return [picture[:, :, top:top + CROP, left:left + CROP] for top in tops for left in lefts]


class Pictures:
    def __init__(self, pack: pathlib.Path, device: str, seed: int):
        self.device = device
        torch.manual_seed(seed)
        textures, photographs = (self.atlas(sorted((pack / name).iterdir())) for name in ("texture", "photo"))
        self.grounds = torch.cat([piece for piece, _ in textures + photographs])[:, 0].contiguous()
        self.ground_weights = torch.tensor([weight for _, weight in textures] + [PHOTOGRAPHS * weight for _, weight in photographs], device=device)
        self.text = torch.cat([load(path) for path in sorted((pack / "text").iterdir())])[:, 0].to(device)
        self.text_weights = torch.ones(len(self.text), device=device)
        k = torch.arange(8, device=device, dtype=torch.float32)
        self.cosines = torch.cos((2 * k[None] + 1) * k[:, None] * torch.pi / 16) * 0.5
        self.cosines[0] *= 0.5 ** 0.5
        # coarser steps for finer detail, as coders have
        self.steps = 1 + 0.35 * (k[:, None] + k[None])
        self.y, self.x = (v[None].float() for v in torch.meshgrid(torch.arange(SIDE, device=device), torch.arange(SIDE, device=device), indexing="ij"))

    def atlas(self, paths: list[pathlib.Path]) -> list[tuple[torch.Tensor, float]]:
        """Pieces and their weights. Each picture comes as it is and reduced 1.2 to 4.5 times by
        different filters: the more reduced, the sharper it is a pixel. Every scale weighs the same,
        however many pieces it has."""
        out = []
        for path in paths:
            picture = load(path).to(self.device)
            scales = [picture]
            for index in range(SCALES):
                factor = 1.2 * 3.75 ** ((index + torch.rand(()).item()) / SCALES)
                size = [max(round(side / factor), 144) for side in picture.shape[2:]]
                filters = dict(mode=("bilinear", "bicubic")[index % 3 > 0], antialias=True, align_corners=False)
                scales.append(F.interpolate(picture.float(), size, **filters).clamp(0, 255).round().to(torch.uint8))
            for parts in map(pieces, scales):
                out += [(part, 1 / len(parts)) for part in parts]
        return out

    def rand(self, n: int, low: float = 0, high: float = 1) -> torch.Tensor:
        return torch.rand(n, 1, 1, device=self.device) * (high - low) + low

    def crop(self, source: torch.Tensor, weights: torch.Tensor, n: int, side: int, zoom: torch.Tensor | None = None) -> torch.Tensor:
        """n random squares of random pictures, mirrored and transposed at random. zoom (n, 1, 1)
        repeats pixels."""
        which = torch.multinomial(weights, n, replacement=True)[:, None, None]
        top, left = ((torch.rand(n, 1, 1, device=self.device) * (CROP - side + 1)).long() for _ in range(2))
        step = torch.arange(side, device=self.device)
        step = step[None].expand(n, -1) if zoom is None else (step[None] / zoom[:, :, 0]).long()
        flip_y, flip_x = (torch.rand(n, 1, device=self.device) < 0.5 for _ in range(2))
        rows, columns = torch.where(flip_y, side - 1 - step, step), torch.where(flip_x, side - 1 - step, step)
        swap = torch.rand(n, 1, 1, device=self.device) < 0.5
        down, across = rows[:, :, None], columns[:, None, :]
        y, x = top + torch.where(swap, across, down), left + torch.where(swap, down, across)
        return source[which, y, x].float()

    def texture(self, n: int) -> torch.Tensor:
        """Three in ten are turned, zoomed and shifted by parts of a pixel."""
        warped = n * 3 // 10
        whole = self.crop(self.grounds, self.ground_weights, n - warped, SIDE)
        large = self.crop(self.grounds, self.ground_weights, warped, 2 * SIDE)[:, None]
        angle, zoom, stretch = self.rand(warped, -3.2, 3.2)[:, 0], 2 ** self.rand(warped, -2.2, 0.1)[:, 0], self.rand(warped, 0.85, 1.15)[:, 0]
        scale = 0.5 * zoom * 0.98
        turn = torch.stack((torch.cat((angle.cos() * scale, -angle.sin() * scale, self.rand(warped, -0.25, 0.25)[:, 0]), 1),
                            torch.cat((angle.sin() * scale * stretch, angle.cos() * scale * stretch, self.rand(warped, -0.25, 0.25)[:, 0]), 1)), 1)
        grid = F.affine_grid(turn, (warped, 1, SIDE, SIDE), align_corners=False)
        half = warped // 2
        parts = [F.grid_sample(large[a:b], grid[a:b], mode=mode, padding_mode="reflection", align_corners=False)[:, 0]
                 for a, b, mode in ((0, half, "bilinear"), (half, warped, "bicubic"))]
        return torch.cat((whole, *parts)).clamp(0, 255)[torch.randperm(n, device=self.device)]

    def contrast(self, picture: torch.Tensor) -> torch.Tensor:
        """Random contrast and level; one in six like a colour plane: near 128 and faint."""
        n = len(picture)
        mean = picture.mean((1, 2), keepdim=True)
        faint = self.rand(n) < 1 / 6
        gain = torch.where(faint, self.rand(n, 0.1, 0.5), self.rand(n, 0.4, 1.4)) * torch.where(self.rand(n) < 0.2, -1, 1)
        level = torch.where(faint, self.rand(n, 100, 156), torch.where(self.rand(n) < 0.5, mean, self.rand(n, 20, 230)))
        return (picture - mean) * gain + level

    def turned(self, n: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Coordinates of each picture about a random centre, turned; some on a coarse raster, as
        enlarged graphics are."""
        raster = torch.where(self.rand(n) < 0.12, self.rand(n, 2, 5).floor(), torch.ones((), device=self.device))
        y, x = ((v / raster).floor() * raster - self.rand(n, 0, SIDE) for v in (self.y, self.x))
        angle = torch.where(self.rand(n) < 0.2, torch.zeros((), device=self.device), self.rand(n, -3.2, 3.2))
        return y * angle.cos() + x * angle.sin(), x * angle.cos() - y * angle.sin()

    def shape(self, n: int) -> torch.Tensor:
        """Coverage 0 .. 1 of one of nine shapes, by its distance to the edge: averaged over a
        pixel, hard, or soft."""
        y, x = self.turned(n)
        size, ratio, width = 4 * 20 ** self.rand(n), self.rand(n, 0.3, 1), 0.4 * 12 ** self.rand(n)
        radius = (x * x + (y / ratio) ** 2).sqrt()
        period = 3 * 12 ** self.rand(n)
        wave = (x + 1000 * period).remainder(period) / period
        other = (y + 1000 * period).remainder(period) / period
        stripes = (0.25 - (wave - 0.5).abs()) * period
        corners = torch.full_like(x, 1e3)
        count = self.rand(n, 3, 7).floor()
        for k in range(6):
            turn = 2 * torch.pi * k / count + self.rand(n, -0.3, 0.3)
            corners = torch.where(k < count, torch.minimum(corners, size - x * turn.cos() - y * turn.sin()), corners)
        kinds = (x, size - radius, torch.minimum(size - x.abs(), size * ratio - y.abs()), width - x.abs(), width - (radius - size).abs(), stripes,
                 period * (torch.where((wave < 0.5) == (other < 0.5), 1, -1) * torch.minimum(0.25 - (wave.remainder(0.5) - 0.25).abs(), 0.25 - (other.remainder(0.5) - 0.25).abs())),
                 corners, torch.maximum(width * 0.5 - wave * period, width * 0.5 - other * period))
        kind = torch.multinomial(torch.tensor([3, 3, 2, 4, 3, 1.5, 0.7, 4, 0.8], device=self.device), n, replacement=True)[:, None, None]
        distance = torch.zeros_like(x)
        for index, value in enumerate(kinds):
            distance = torch.where(kind == index, value, distance)
        softness = torch.where(self.rand(n) < 0.18, 1e-3, torch.where(self.rand(n) < 0.7, 1, self.rand(n, 1, 4)))
        return (0.5 + distance / softness).clamp(0, 1)

    def over(self, picture: torch.Tensor, share: float, text: float) -> torch.Tensor:
        """Lays a shape or text over `share` of the pictures; one line of text in three has a dark
        or light outline."""
        chosen = torch.nonzero(torch.rand(len(picture), device=self.device) < share)[:, 0]
        n = max(len(chosen), 8)
        chosen = torch.cat((chosen, torch.arange(n - len(chosen), device=self.device)))
        below, written = picture[chosen], int(n * text)
        zoom = torch.where(self.rand(written) < 0.08, self.rand(written, 2, 4).floor(), torch.ones((), device=self.device))
        letters = self.crop(self.text, self.text_weights, written, SIDE, zoom) / 255
        cover = torch.cat((letters, self.shape(n - written)))
        value = self.rand(n, 0, 255) + self.rand(n, -1, 1) * (self.rand(n) < 0.3) * (self.x - 64 + self.y * self.rand(n, -1, 1))
        value = torch.where(self.rand(n) < 0.3, torch.where(self.rand(n) < 0.5, 235, 16), value)
        filled = torch.nonzero(torch.rand(n, device=self.device) < 0.4)[:, 0]
        value[filled] = self.contrast(self.texture(max(len(filled), 10))[:len(filled)])
        edge = F.max_pool2d(cover[:, None], 3, 1, 1)[:, 0] * (self.rand(n) < 0.2)
        below = below + (torch.where(self.rand(n) < 0.8, 16, 235) - below) * edge
        opaque = torch.where(self.rand(n) < 0.8, 1, self.rand(n, 0.2, 1))
        picture[chosen] = below + (value.clamp(0, 255) - below) * cover * opaque
        return picture

    def ground(self, n: int) -> torch.Tensor:
        drawn = int(n * DRAWN)
        y, x = self.turned(drawn)
        ramp = self.rand(drawn, 0, 255) + self.rand(drawn, -2, 2) * (self.rand(drawn) < 0.6) * x
        phase = x * self.rand(drawn, 0.1, 2.2) + (x * x + y * y) * self.rand(drawn, -0.012, 0.012) * (self.rand(drawn) < 0.5)
        waves = 128 + self.rand(drawn, 5, 110) * phase.sin()
        plain = torch.where(self.rand(drawn) < 0.75, ramp, waves)
        return torch.cat((plain, self.contrast(self.texture(n - drawn)))).clamp(0, 255)

    def blur(self, picture: torch.Tensor, sigma_y: torch.Tensor, sigma_x: torch.Tensor) -> torch.Tensor:
        n, offsets = len(picture), torch.arange(-4, 5, device=self.device)
        out = F.pad(picture[None], (4, 4, 4, 4), mode="reflect")
        for sigma, shape in ((sigma_y, (n, 1, 9, 1)), (sigma_x, (n, 1, 1, 9))):
            weights = torch.exp(-0.5 * (offsets / sigma[:, 0].clamp(min=0.05)) ** 2)
            out = F.conv2d(out, (weights / weights.sum(1, keepdim=True)).view(shape), groups=n)
        return out[0]

    def coded(self, picture: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
        """8x8 cosine blocks with quantised coefficients, the raster at a random place."""
        n, shift = len(picture), torch.randint(8, (2,)).tolist()
        blocks = picture.roll(shift, (1, 2)).view(n, SIDE // 8, 8, SIDE // 8, 8).transpose(2, 3)
        q = (step * self.steps)[:, None, None]
        coefficients = ((self.cosines @ blocks @ self.cosines.T) / q).round() * q
        blocks = self.cosines.T @ coefficients @ self.cosines
        return blocks.transpose(2, 3).reshape(n, SIDE, SIDE).roll([-s for s in shift], (1, 2))

    @torch.no_grad()
    def batch(self, n: int) -> torch.Tensor:
        """n pictures; n is at least 64."""
        picture = self.ground(n)[torch.randperm(n, device=self.device)]
        for share, text in zip(OVER, (0.35, 0.5, 0.5)):
            picture = self.over(picture, share, text)
        kinds = torch.rand(n, device=self.device)
        chosen = torch.nonzero(kinds < BLURRED)[:, 0]  # a lens or a scaler
        sigma = self.rand(len(chosen), 0.25, 1.0)
        picture[chosen] = self.blur(picture[chosen], sigma * self.rand(len(chosen), 0.8, 1.4), sigma)
        # sharpened, some of them after a blur
        chosen = torch.nonzero((kinds > BLURRED - 0.1) & (kinds < BLURRED - 0.1 + SHARPENED))[:, 0]
        sigma = self.rand(len(chosen), 0.6, 1.2)
        below = picture[chosen]
        picture[chosen] = below + (below - self.blur(below, sigma, sigma)) * self.rand(len(chosen), 0.1, 0.8)
        picture = picture.clamp(0, 255)
        noisy = (self.rand(n) < NOISY) * self.rand(n) ** 2 * 4
        picture = picture + torch.randn_like(picture) * noisy
        chosen = torch.nonzero(torch.rand(n, device=self.device) < CODED)[:, 0]
        picture[chosen] = self.coded(picture[chosen], 1.5 * 8 ** self.rand(len(chosen)))
        return picture.round().clamp(0, 255)[:, None]
