#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: prepare.py OUT --textures DIR [--side 1024] [--quality 0]

Packs albedo/*.jpg, *.png and normal/* of DIR as OUT/{train,check}/{albedo,normal}/NAME: the middle
SIDE x SIDE texels of each, as PNG, or with --quality as JPEG without chroma subsampling. Materials
of CHECK are never trained on, neither their albedo nor their normals. Needs Pillow.
"""
import argparse
import pathlib

from PIL import Image, ImageFile

ImageFile.MAXBLOCK = 1 << 26

# Textures of the scores, by prefixes of their names. Stone, bricks, metal plates, a round vase,
# hard-edged trim, a wooden door, a hall's arch.
CHECK = ("acg_Rocks007", "wicked_bricks", "wicked_metalplate", "wicked_rock", "sponza_vase_round", "sponza_arch", "tps_trim_misc", "acg2k_wood_door")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--textures", type=pathlib.Path, required=True)
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--quality", type=int, default=0)
    options = parser.parse_args()
    for kind in ("albedo", "normal"):
        for path in sorted((options.textures / kind).iterdir()):
            image = Image.open(path).convert("RGB")
            width, height = (min(side, options.side) // 8 * 8 for side in image.size)
            left, top = (image.width - width) // 2 // 8 * 8, (image.height - height) // 2 // 8 * 8
            image = image.crop((left, top, left + width, top + height))
            folder = options.out / ("check" if path.stem.startswith(CHECK) else "train") / kind
            folder.mkdir(parents=True, exist_ok=True)
            if options.quality:
                image.save(folder / f"{path.stem}.jpg", quality=options.quality, subsampling=0, optimize=True)
            else:
                image.save(folder / f"{path.stem}.png", optimize=True)


if __name__ == "__main__":
    main()
