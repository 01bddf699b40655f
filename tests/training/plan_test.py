# SPDX-License-Identifier: Apache-2.0
"""The schedule of a training counts steps alone, and its record says what it ran with."""
import ast
import hashlib
import json
import math
import pathlib
import sys
import tempfile
import unittest

TRAINING = pathlib.Path(__file__).resolve().parents[2] / "training"
sys.path.insert(0, str(TRAINING))
import plan  # noqa: E402

PROGRAMS = sorted(TRAINING.rglob("train*.py"))


class Plan(unittest.TestCase):
    def test_the_rate_rises_in_a_line_and_falls_along_a_cosine(self):
        rate = lambda step: plan.rate_at(step, 1000, 2.0, 100, 0.01)
        self.assertAlmostEqual(2.0 / 100, rate(0), places=6)
        self.assertAlmostEqual(2.0 * 50 / 100 * 0.5 * (1 + math.cos(math.pi * 0.049)), rate(49), places=12)
        self.assertAlmostEqual(1.0, rate(500), places=12)
        self.assertAlmostEqual(2.0 * 0.01, rate(999), places=12)
        rates = [rate(step) for step in range(100, 1000)]
        self.assertEqual(sorted(rates, reverse=True), rates)

    def test_a_resumed_training_has_the_rates_of_one_that_was_not_stopped(self):
        whole = [plan.rate_at(step, 60, 1e-3, 10, 2e-3) for step in range(60)]
        self.assertEqual(whole, [plan.rate_at(step, 60, 1e-3, 10, 2e-3) for part in (range(25), range(25, 60)) for step in part])

    def test_reports_are_spread_over_the_steps_whatever_is_done_at_once(self):
        for steps, at_once in ((20000, 1), (20000, 16), (997, 16), (7, 1)):
            due = sum(plan.is_report_due(before, min(before + at_once, steps), steps) for before in range(0, steps, at_once))
            self.assertEqual(min(plan.REPORTS, math.ceil(steps / at_once)), due, (steps, at_once))

    def test_no_training_looks_at_a_clock_for_what_it_does(self):
        self.assertEqual(3, len(PROGRAMS))
        for program in PROGRAMS:
            tree = ast.parse(program.read_text(), program.name)
            imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
            self.assertFalse(imported & {"time"}, program)
            called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
            self.assertTrue({"begin", "finish", "random_state", "set_random_state", "rate_at", "is_report_due"} <= called, program)
        for file in TRAINING.rglob("*.py"):
            self.assertNotIn("--seconds", file.read_text(), file)


class Record(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "pack" / "train").mkdir(parents=True)
        (self.root / "pack" / "train" / "a.png").write_bytes(b"texels")

    def runs(self):
        return json.loads((self.root / plan.RECORD).read_text())

    def test_the_command_the_data_and_the_results_are_kept(self):
        sys.argv = ["train.py", "pack", "--steps", "7"]
        record = plan.Record(self.root, [self.root / "pack"], {"device": "CPU", "options": {"out": self.root}})
        run = self.runs()[0]  # the file exists while the training runs
        self.assertEqual([sys.executable, "train.py", "pack", "--steps", "7"], run["command"])
        self.assertEqual({str(self.root / "pack" / "train" / "a.png"): hashlib.sha256(b"texels").hexdigest()}, run["data"])
        self.assertEqual({"out": str(self.root)}, run["options"])
        self.assertNotIn("results", run)
        weights = self.root / "weights"
        weights.write_bytes(b"w")
        record.finish(7, [weights])
        self.assertEqual((7, {str(weights): hashlib.sha256(b"w").hexdigest()}), (self.runs()[0]["steps"], self.runs()[0]["results"]))

    def test_a_training_that_goes_on_keeps_what_was_written(self):
        plan.Record(self.root, [], {"seed": 1}).finish(3, [])
        plan.Record(self.root, [], {"seed": 1})
        self.assertEqual([3, None], [run.get("steps") for run in self.runs()])

    def test_the_commit_is_known_only_in_a_checkout(self):
        self.assertEqual("not known", plan.commit_of(self.root))


if __name__ == "__main__":
    unittest.main()
