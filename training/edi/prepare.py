#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""usage: prepare.py OUT --textures DIR [--environments DIR] --fonts DIR... [--clips FILE...]

Packs the inputs of train.py, as gray 8-bit pictures small enough to be copied to a GPU (about 42
MB):

  OUT/texture/*.jpg  luma of the colour textures (at most 1024 px a side) and one channel of the
                     normal maps (512 px)
  OUT/photo/*.png    luma of the environment pictures, tone mapped
  OUT/text/*.png     512x512 coverage masks of text in every font found, upright or rotated,
                     smoothed as renderers do, or not at all
  OUT/score/*.png    frames of the clips, for scoring only: nothing in training reads them

Pictures of the clips are never trained on. Needs numpy, Pillow, and ffmpeg for --clips. The same
--seed gives the same pack.
"""
import argparse
import pathlib
import random
import string
import subprocess

import numpy as np
from PIL import Image, ImageDraw, ImageFont

LUMA = np.array([0.299, 0.587, 0.114])
WORDS = ("field line frame the of and signal 50i 60i 24p is a motion edge PAL NTSC news weather WEFT Tempo quick brown fox jumps over lazy dog "
         "Sphinx black quartz judge my vow 0123 456 78.9 +1.5% 12:34:56 Director Music Camera Cast Written by Produced www ilWMO0").split()
KANA = "あいうえおかきくけこさしすせそアイウエオカキクケコ日本国語映像画面字幕走査線補間東京大阪天気予報新聞放送時刻表示白黒"


def textures(folder: pathlib.Path, out: pathlib.Path) -> None:
    for path in sorted((folder / "albedo").iterdir()):
        luma = Image.fromarray((np.asarray(Image.open(path).convert("RGB")) @ LUMA).round().astype(np.uint8))
        if max(luma.size) > 1024:  # a sharp piece of the middle, and the whole at half the size
            left, top = (luma.width - 768) // 2, (luma.height - 768) // 2
            luma.crop((left, top, left + 768, top + 768)).save(out / f"{path.stem}_middle.jpg", quality=92)
            luma = luma.resize((luma.width // 2, luma.height // 2), Image.BOX)
        luma.save(out / f"{path.stem}.jpg", quality=92)
    for path in sorted((folder / "normal").iterdir()):
        red = Image.open(path).convert("RGB").getchannel(random.choice("RG"))
        red.resize((512, 512), Image.BOX).save(out / f"{path.stem}_normal.jpg", quality=92)


def read_radiance(path: pathlib.Path) -> np.ndarray:
    """Radiance RGBE, new run-length coding (every scanline), to linear RGB."""
    data = path.read_bytes()
    at = data.index(b"\n\n") + 2
    end = data.index(b"\n", at)
    size = data[at:end].split()
    height, width, at = int(size[1]), int(size[3]), end + 1
    rows = np.empty((height, 4, width), np.uint8)
    for y in range(height):
        at += 4
        for channel in range(4):
            x = 0
            while x < width:
                count, at = data[at], at + 1
                if count > 128:
                    count -= 128
                    rows[y, channel, x:x + count] = data[at]
                    at += 1
                else:
                    rows[y, channel, x:x + count] = np.frombuffer(data, np.uint8, count, at)
                    at += count
                x += count
    scale = np.ldexp(1.0, rows[:, 3].astype(int) - 136)
    return rows[:, :3].transpose(0, 2, 1) * scale[..., None]


def environments(folder: pathlib.Path, out: pathlib.Path) -> None:
    for path in sorted(folder.glob("*.hdr")):
        luminance = read_radiance(path) @ np.array([0.2126, 0.7152, 0.0722])
        for name, percentile in (("dark", 97), ("light", 75)):
            value = luminance / np.percentile(luminance, percentile)
            mapped = np.clip(value / (1 + 0.4 * value) * 1.2, 0, 1) ** (1 / 2.2)
            Image.fromarray((mapped * 255).round().astype(np.uint8)).save(out / f"{path.stem}_{name}.png")


def line_of_text(japanese: bool) -> str:
    if japanese and random.random() < 0.7:
        return "".join(random.choices(KANA, k=random.randint(4, 14)))
    if random.random() < 0.25:
        return "".join(random.choices(string.ascii_letters + string.digits + string.punctuation, k=random.randint(8, 40)))
    text = " ".join(random.choices(WORDS, k=random.randint(3, 9)))
    return random.choice((str, str.upper, str.title))(text)


def text_page(font_path: pathlib.Path) -> Image.Image:
    """One page of lines of random sizes. Kinds: a renderer's own smoothing, none, or drawn four
    times as large, turned and averaged down."""
    kind = random.choices(("smooth", "hard", "turned"), (4, 1, 4))[0]
    factor = 4 if kind == "turned" else 1
    page = Image.new("L", (512 * factor, 512 * factor))
    draw = ImageDraw.Draw(page)
    if kind == "hard":
        draw.fontmode = "1"
    y = -random.randint(0, 20)
    japanese = any(name in font_path.stem.lower() for name in ("ipa", "vl-"))
    while y < 512:
        size = round(8 * 9 ** random.random() ** 1.3)
        font = ImageFont.truetype(str(font_path), size * factor)
        x = random.randint(-30, 30)
        draw.text((x * factor, y * factor), line_of_text(japanese) + "   " + line_of_text(japanese), fill=255, font=font,
                  stroke_width=factor * random.choice((0, 0, 0, 1)) if size > 20 else 0)
        y += round(size * random.uniform(1.1, 1.7))
    if kind == "turned":
        angle = random.choice((random.uniform(-20, 20), random.uniform(-90, 90), random.uniform(-3, 3), 0))
        page = page.rotate(angle, Image.BICUBIC).resize((512, 512), random.choice((Image.BOX, Image.LANCZOS, Image.BICUBIC)))
    return page


def texts(folders: list[pathlib.Path], out: pathlib.Path, count: int) -> None:
    fonts = sorted(path for folder in folders for path in folder.rglob("*.[to]tf"))
    random.shuffle(fonts)
    for index in range(count):
        try:
            text_page(fonts[index % len(fonts)]).save(out / f"{index:03}.png", optimize=True)
        except OSError as error:  # a font without the letters asked for
            print(f"{fonts[index % len(fonts)].name}: {error}: page {index} left out")


def score_frames(clips: list[pathlib.Path], out: pathlib.Path, count: int) -> None:
    for clip in clips:
        probe = ["ffprobe", "-v", "error", "-count_packets", "-select_streams", "v:0", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0"]
        frames = int(subprocess.check_output(probe + [str(clip)]).decode().strip().strip(","))
        # both parities
        wanted = sorted({int(i) // 2 * 2 + n % 2 for n, i in enumerate(np.linspace(6, frames - 8, count))})
        select = "+".join(f"eq(n\\,{i})" for i in wanted)
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", str(clip), "-vf", f"select={select},extractplanes=y", "-fps_mode", "passthrough", str(out / f"{clip.stem}_%d.png")], check=True)
        # the name says the number in the clip: even ones keep the even rows
        for n, i in enumerate(wanted):
            (out / f"{clip.stem}_{n + 1}.png").rename(out / f"{clip.stem}-{i}.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--textures", type=pathlib.Path, required=True)
    parser.add_argument("--environments", type=pathlib.Path)
    parser.add_argument("--fonts", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--clips", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--pages", type=int, default=290)
    parser.add_argument("--frames", type=int, default=5, help="frames of a clip to score by")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    for name in ("texture", "photo", "text", "score"):
        (options.out / name).mkdir(parents=True, exist_ok=True)
    textures(options.textures, options.out / "texture")
    if options.environments:
        environments(options.environments, options.out / "photo")
    score_frames(options.clips, options.out / "score", options.frames)
    texts(options.fonts, options.out / "text", options.pages)


if __name__ == "__main__":
    main()
