#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: deinterlacers_test.py BIN
Tests of bench/quality/deinterlacers: its tables on synthetic scores, and all of it on small
clips with the programs in BIN."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "bench" / "quality" / "deinterlacers"
loader = importlib.machinery.SourceFileLoader("deinterlacers", str(SCRIPT))
spec = importlib.util.spec_from_loader("deinterlacers", loader)
deinterlacers = importlib.util.module_from_spec(spec)
loader.exec_module(deinterlacers)
BIN = sys.argv.pop(1) if len(sys.argv) > 1 else ""


def row(clip, chain, **values):
    return {"clip": clip, "size": "720x480", "format": "yuv420p", "chain": chain, "device": "cpu", "date": "2026-11-26", "order": "tff",
            "psnr_y": 30.0, "ssim_y": 0.9, "psnr_u": 40.0, "psnr_v": 40.0, "flicker": 1.0, "still_share": 0.5, "frames_truth": 20,
            **values}


class Deinterlacers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "docs").mkdir()
        self.page = self.root / "docs" / "quality.md"
        self.page.write_text(f"# Quality\n\n{deinterlacers.BEGIN}\n{deinterlacers.END}\n\n## More\n")
        self.results = self.root / "bench" / "results" / "quality" / "deinterlacers.json"

    def run_script(self, *words):
        """Its exit status and all that it says."""
        sys.argv = ["deinterlacers", "--root", str(self.root), *map(str, words)]
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                status = deinterlacers.main()
            except SystemExit as end:
                status = end.code
        return status, said.getvalue()

    def put(self, *rows, name="given.json"):
        path = self.root / name
        deinterlacers.write_rows(path, list(rows))
        return path

    def clip(self, name, frames, *options):
        path = self.root / "clips" / name
        path.parent.mkdir(exist_ok=True)
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=160x128:rate=50", "-frames:v",
                        str(frames), *options, "-c:v", "ffv1", path], check=True)
        return path

    def test_tables_have_clips_and_means(self):
        status, said = self.run_script(self.put(row("a", "ffmpeg bwdif"), row("b", "ffmpeg bwdif", psnr_y=32.25), row("a", "qtgmc")))
        self.assertEqual(status, 0)
        self.assertIn("| chain | a | b | mean |", said)
        self.assertIn("| ffmpeg bwdif | 30.00 | 32.25 | 31.12 |", said)
        # a mean of fewer clips would be misleading
        self.assertIn("| `qtgmc` | 30.00 | - | - |", said)
        self.assertIn("| still blocks | 50% | 50% | |", said)
        self.assertFalse(self.results.exists())

    def test_equal_planes_are_infinite(self):
        self.assertEqual(deinterlacers.text_of("infinite", 2), "infinite")
        self.assertEqual(deinterlacers.chroma_psnr({"psnr_u": "infinite", "psnr_v": "infinite"}), math.inf)
        self.assertAlmostEqual(deinterlacers.chroma_psnr({"psnr_u": "infinite", "psnr_v": 40}), 40 + 10 * math.log10(2))
        self.assertIsNone(deinterlacers.chroma_psnr({}))  # gray
        self.assertEqual(deinterlacers.text_of(None, 2), "-")

    def test_the_page_is_written_and_checked(self):
        self.assertEqual(self.run_script("--check")[0], 1)  # the file does not exist yet
        status, _ = self.run_script(self.put(row("a", "qtgmc")), "--write")
        self.assertEqual(status, 0)
        text = self.page.read_text()
        self.assertIn("| `qtgmc` | 30.00 | 30.00 |", text)
        self.assertTrue(text.startswith("# Quality\n") and text.endswith("\n\n## More\n"))
        self.assertEqual(self.run_script("--check")[0], 0)
        self.assertEqual(self.run_script("--write")[0], 0)  # writes the existing results
        self.assertEqual(self.page.read_text(), text)
        self.page.write_text(text.replace("30.00", "31.00"))
        status, said = self.run_script("--check")
        self.assertEqual(status, 1)
        self.assertIn("differs", said)

    def test_results_are_put_together(self):
        old = self.put(row("a", "x", psnr_y=1), row("a", "y"))
        new = self.put(row("a", "x", psnr_y=2), row("b", "x"), name="new.json")
        together = self.root / "together.json"
        self.assertEqual(self.run_script(old, new, "--json", together)[0], 0)
        rows = {(r["clip"], r["chain"]): r["psnr_y"] for r in json.loads(together.read_text())["rows"]}
        self.assertEqual(rows, {("a", "x"): 2, ("a", "y"): 30, ("b", "x"): 30})
        status, said = self.run_script(old, self.put(row("a", "z", frames_truth=40), name="longer.json"), "--write")
        self.assertEqual(status, 1)
        self.assertIn("different inputs", said)
        self.assertFalse(self.results.exists())

    def test_wrong_words_are_refused(self):
        self.assertEqual(self.run_script()[0], 64)
        (self.root / "empty").mkdir()
        self.assertIn("holds no clip", self.run_script(self.root / "empty")[1])
        (self.root / "broken.json").write_text("{")
        self.assertIn("holds no results", self.run_script(self.root / "broken.json")[1])
        self.page.write_text("# Quality\n")
        self.assertIn("has no place", self.run_script(self.put(row("a", "x")), "--write")[1])

    def test_clips_are_measured(self):
        self.clip("moves.mkv", 17)
        self.clip("deep.mkv", 40, "-pix_fmt", "yuv422p10le")
        crops = self.root / "crops"
        status, said = self.run_script(self.root / "clips", "--bin", BIN, "--frames", 16, "--chain", "bwdif=rate=field", "--chain", "bob",
                                       "--crops", crops, "--order", "bff", "--write")
        self.assertEqual(status, 0, said)
        rows = {(r["clip"], r["chain"]): r for r in json.loads(self.results.read_text())["rows"]}
        self.assertEqual(len(rows), 2 * 4)
        measured = ["psnr_y", "psnr_u", "psnr_v", "ssim_y", "flicker", "still_share", "frames", "worst"]
        for clip in ("moves", "deep"):
            ours, peer, bob = (rows[clip, chain] for chain in ("bwdif=rate=field", "ffmpeg bwdif", "bob"))
            self.assertEqual(ours["frames_truth"], 16)
            self.assertEqual([ours[key] for key in measured], [peer[key] for key in measured])
            self.assertLess(bob["psnr_y"], ours["psnr_y"])
            self.assertGreater(bob["flicker"], ours["flicker"])
        picture = (crops / "moves.bwdif-rate-field.png").read_bytes()
        self.assertEqual(struct.unpack(">II", picture[16:24]), (3 * (4 * 96 + 8), 4 * 96 + 8))
        self.assertEqual(self.run_script("--check")[0], 0)

    def test_what_fails_is_told_and_the_rest_is_measured(self):
        self.clip("a.mkv", 14)
        self.clip("short.mkv", 6)
        kept = self.root / "kept.json"
        status, said = self.run_script(self.root / "clips", "--bin", BIN, "--no-peers", "--chain", "bwdif=rate=frame", "--chain", "bwdif",
                                       "--json", kept, "--write")
        self.assertEqual(status, 1)
        self.assertIn("a, bwdif=rate=frame: ", said)
        self.assertIn("rate=field", said)  # the remedy in the message of weft-quality
        self.assertIn("too few frames (6, at least 12)", said)
        self.assertEqual([r["chain"] for r in json.loads(kept.read_text())["rows"]], ["bwdif"])
        self.assertFalse(self.results.exists())


if __name__ == "__main__":
    unittest.main()
