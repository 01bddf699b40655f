#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: opencv_bilateral.py [--size 640x480] [--runs 9] [--threads 0]

OpenCV's bilateral filter on the CPU, one plane of 8 bits and of floats, sigma 16 pixels and 0.1 of
white, as the benchmark `bilateral` has them; `weft bench run bilateral --device cpu` is ours, of a
frame with its chroma. Prints the median in ms. Needs Debian's python3-opencv.
"""
import argparse
import statistics
import time

import cv2
import numpy


def plane(width: int, height: int) -> numpy.ndarray:
    """Edges and slopes with a little noise, from 0 to 1."""
    y, x = numpy.mgrid[0:height, 0:width]
    noise = numpy.random.default_rng(1).random((height, width))
    return ((x // 24 % 2) / 3 + (x + 2 * y) % 256 / 512 + noise / 32).astype(numpy.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="640x480")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--threads", type=int, default=0, help="0: one a core")
    options = parser.parse_args()
    if options.threads > 0:
        cv2.setNumThreads(options.threads)
    width, height = (int(part) for part in options.size.split("x"))
    of_floats = plane(width, height)
    for name, pixels, white in (("8 bits", (255 * of_floats).clip(0, 255).astype(numpy.uint8), 255), ("floats", of_floats, 1)):
        seconds = []
        for run in range(options.runs + 1):
            begin = time.perf_counter()
            cv2.bilateralFilter(pixels, -1, 0.1 * white, 16)
            seconds.append(time.perf_counter() - begin)
        print(f"OpenCV {cv2.__version__}, {options.size}, {name}, {cv2.getNumThreads()} threads: {1000 * statistics.median(seconds[1:]):.1f} ms")


if __name__ == "__main__":
    main()
