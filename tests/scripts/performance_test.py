# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/performance on small made-up results."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "performance"
loader = importlib.machinery.SourceFileLoader("performance", str(SCRIPT))
spec = importlib.util.spec_from_loader("performance", loader)
performance = importlib.util.module_from_spec(spec)
loader.exec_module(performance)

INDEX = {"title": "Performance", "text": ["All."], "pages": ["speed"], "after": ["The end."]}


class Performance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.results = self.root / "bench" / "results"
        self.results.mkdir(parents=True)
        (self.root / "docs").mkdir()
        self.put("index", json.dumps(INDEX))

    def put(self, name, text):
        (self.results / f"{name}.json").write_text(text)

    def put_rows(self, *rows, **table):
        table = {"title": "A table", "command": "bench --all", "date": "2026-11-26", "rows": list(rows), **table}
        self.put("speed", json.dumps({"title": "Speed", "summary": "how fast", "text": ["Fast."], "tables": [table]}))

    def run_script(self, *words):
        sys.argv = ["performance", "--root", str(self.root), *words]
        with contextlib.redirect_stdout(io.StringIO()) as said:
            code = performance.main()
        return code, said.getvalue()

    def lines(self, *rows, **table):
        """The page's rows without their first and last bars."""
        self.put_rows(*rows, **table)
        code, said = self.run_script()
        self.assertEqual(0, code, said)
        page = (self.root / "docs" / "performance" / "speed.md").read_text().splitlines()
        return [line[2:-2] for line in page if line.startswith("|")][2:]

    def test_a_row_has_every_column_and_a_dash_for_what_is_not_known(self):
        self.assertEqual(["bwdif | H200 | 2.9 us | - | - | - | - | - | 2026-11-26"],
                         self.lines({"what": "bwdif", "device": "H200", "figure": 2.9, "unit": "us"}))

    def test_numbers_stay_as_they_are_written(self):
        self.put("speed", '{"title": "S", "summary": "s", "text": [], "tables": [{"title": "T", "rows": '
                          '[{"what": "a", "figure": 2.90, "unit": "us", "date": "2026-11-26"}]}]}')
        self.run_script()
        self.assertIn("| 2.90 us |", (self.root / "docs" / "performance" / "speed.md").read_text())
        page = performance.read(self.results / "speed.json")
        self.put("speed", performance.dump(page))
        self.assertEqual(page, performance.read(self.results / "speed.json"))
        self.assertIn('"figure": 2.90,', (self.results / "speed.json").read_text())

    def test_shares_of_times_and_of_rates(self):
        self.assertEqual(["a | - | 4 us | 1 us | 25% | at least 70% of the limit | **no** | - | 2026-11-26"],
                         self.lines({"what": "a", "figure": 4, "unit": "us", "limit": 1, "goal": "share >= 70"}))
        self.assertEqual(["a | - | 90 MB/s | 100 MB/s | 90% | - | - | - | 2026-11-26"],
                         self.lines({"what": "a", "figure": 90, "unit": "MB/s", "limit": 100, "more_is_better": True}))
        self.assertEqual(["a | - | 3 us | - | 50% | at most x1.6 the limit | **no** | - | 2026-11-26"],
                         self.lines({"what": "a", "figure": 3, "unit": "us", "times_limit": 2, "goal": "times_limit <= 1.6"}))

    def test_a_limit_that_is_passed_is_refused_and_a_yardstick_is_not(self):
        self.put_rows({"what": "a", "figure": 3, "unit": "us", "limit": 4})
        code, said = self.run_script()
        self.assertEqual(1, code)
        self.assertIn("the row 'a' of 'A table' passes its limit (133.3%), which therefore is none", said)
        self.assertEqual(["a | - | 3 us | none; a copy: 4 us | 133% | at least 90% of the yardstick | yes | - | 2026-11-26"],
                         self.lines({"what": "a", "figure": 3, "unit": "us", "yardstick": 4, "goal": "share >= 90"}, yardstick_of="a copy"))
        for row in ({"yardstick": 4}, {"yardstick": 4, "yardstick_of": "a copy", "limit": 2}):
            self.put_rows({"what": "a", "figure": 3, "unit": "us", **row})
            self.assertEqual(1, self.run_script()[0], row)

    def test_goals_count_for_the_worst_of_several_numbers_and_for_parts(self):
        met = lambda figure, goal: self.lines({"what": "a", "figure": figure, "goal": goal})[0].split(" | ")[6]
        self.assertEqual("yes", met("1.02 to 1.03", "<= 1.03"))
        self.assertEqual("**no**", met("1.02 and 1.04", "<= 1.03"))
        self.assertEqual("yes", met("3 of 3596", "< 0.1"))
        self.assertEqual("**no**", met("4 of 3596", "< 0.1"))
        self.assertEqual("-", met("not measured", "< 0.1"))

    def test_the_newest_row_counts_and_boards_are_kept_apart(self):
        self.assertEqual(["a | H200 | 2 | - | - | - | - | abc | 2026-11-27", "a | H100 | 3 | - | - | - | - | in def | 2026-11-26"],
                         self.lines({"what": "a", "device": "H200", "figure": 2, "date": "2026-11-27", "commit": "abc"},
                                    {"what": "a", "device": "H100", "figure": 3, "recorded": "def"},
                                    {"what": "a", "device": "H200", "figure": 1}))

    def test_a_page_that_differs_is_found(self):
        self.lines({"what": "a", "figure": 1})
        self.assertEqual(0, self.run_script("--check")[0])
        self.put_rows({"what": "a", "figure": 2})
        code, said = self.run_script("--check")
        self.assertEqual((1, "docs/performance/speed.md: differs from bench/results; run scripts/performance\n"), (code, said))
        stray = self.root / "docs" / "performance" / "old.md"
        stray.write_text("")
        self.assertIn("docs/performance/old.md: bench/results has nothing for it", self.run_script("--check")[1])

    def test_what_has_not_the_form_is_refused(self):
        for row, table in (({"what": "a", "figure": 1, "speed": 2}, {}), ({"what": "a"}, {"date": "yesterday"}),
                           ({"what": "a", "figure": 1, "goal": "fast"}, {}), ({"figure": 1}, {})):
            self.put_rows(row, **table)
            self.assertEqual(1, self.run_script()[0], row)
        self.put_rows(*({"what": str(n), "figure": n} for n in range(150)))
        self.assertIn("at most 150", self.run_script()[1])
        self.put("speed", "{")
        self.assertEqual(1, self.run_script()[0])

    def test_the_output_of_a_benchmark_becomes_rows(self):
        self.put_rows({"what": "bob, batch 4", "device": "GPU", "figure": 9, "unit": "us"}, unit="us",
                      **{"from": {"what": "{what}, batch {batch}", "figure": "us", "limit": "floor"}})
        output = self.root / "new.json"
        output.write_text('[{"device": "cuda:0", "what": "bob", "batch": 4, "us": 8.50, "floor": 4.25}, {"device": "cpu", "what": "bob"}]')
        code, said = self.run_script("--add", str(output), "--page", "speed", "--table", "A table", "--only", "device=cuda:0",
                                     "device=GPU", "date=2026-11-27", "commit=abc")
        self.assertEqual(0, code, said)
        self.assertIn("| bob, batch 4 | GPU | 8.50 us | 4.25 us | 50% | - | - | abc | 2026-11-27 |",
                      (self.root / "docs" / "performance" / "speed.md").read_text())


if __name__ == "__main__":
    unittest.main()
