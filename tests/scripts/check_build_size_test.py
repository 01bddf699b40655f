# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/check-build-size."""
import importlib.machinery
import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-build-size"
loader = importlib.machinery.SourceFileLoader("check_build_size", str(PATH))
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_build_size", loader))
loader.exec_module(module)


class CheckBuildSize(unittest.TestCase):
    figures = module.read_figures("# a comment\ndemo 200  # the demo\nkernels/bloom 130\n")

    def findings(self, measured):
        return module.compare(measured, self.figures)

    def test_figures_that_are_kept_are_no_finding(self):
        self.assertEqual(self.findings({"demo": 200, "kernels/bloom": 12}), [])

    def test_a_figure_that_is_passed_is_one(self):
        findings = self.findings({"demo": 201, "kernels/bloom": 130})
        self.assertEqual(len(findings), 1)
        self.assertIn("'demo' takes 201, and its figure is 200", findings[0])

    def test_what_has_no_figure_needs_one(self):
        self.assertIn("'kernels/texture' has no figure", self.findings({"demo": 1, "kernels/bloom": 1, "kernels/texture": 1})[0])

    def test_a_figure_of_nothing_goes(self):
        self.assertIn("no 'kernels/bloom' any more", self.findings({"demo": 1})[0])

    def test_steps_of_nvcc_do_not_count(self):
        self.assertEqual(module.count_steps("c++ -c a.cpp\nnvcc -x cu -fatbin -ccbin c++ -o a.fatbin\nc++ -o a\n\n"), 2)


if __name__ == "__main__":
    unittest.main()
