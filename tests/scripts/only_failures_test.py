#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The part of ctest's output that scripts/only-failures prints."""
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "only-failures"

FAILED = """\
  6/9 Test   #5: window_test ......................***Failed   24.76 sec
[==========] Running 3 tests from 1 test suite.
[----------] Global test environment set-up.
[----------] 3 tests from Window
[ RUN      ] Window.Opens
[       OK ] Window.Opens (2 ms)
[ RUN      ] Window.Closes
window_test.cpp:12: Failure
  Expected: it is closed

[  FAILED  ] Window.Closes (1 ms)
[ RUN      ] Window.Warns
a warning
[       OK ] Window.Warns (1 ms)
[----------] 3 tests from Window (4 ms total)

[  FAILED  ] 1 test, listed below:
[  FAILED  ] Window.Closes

"""
SHOWN = """\
  6/9 Test   #5: window_test ......................***Failed   24.76 sec
[==========] Running 3 tests from 1 test suite.
[ RUN      ] Window.Closes
window_test.cpp:12: Failure
  Expected: it is closed
[  FAILED  ] Window.Closes (1 ms)
[ RUN      ] Window.Warns
a warning
[       OK ] Window.Warns (1 ms)
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Window.Closes
"""
SUMMARY = "89% tests passed, 1 tests failed out of 9\n\nTotal Test time (real) =  30.00 sec\n"


class OnlyFailures(unittest.TestCase):
    def run_script(self, text: str) -> tuple[str, str]:
        with tempfile.TemporaryDirectory() as folder:
            summary = pathlib.Path(folder) / "summary.txt"
            done = subprocess.run([SCRIPT, "-v", f"summary={summary}"], input=text, capture_output=True, text=True, check=True)
            return done.stdout, summary.read_text() if summary.exists() else ""

    def test_what_passed_in_silence_is_left_out(self):
        self.assertEqual(self.run_script(FAILED), (SHOWN, ""))

    def test_what_ran_when_its_program_died_is_shown(self):
        died = "[ RUN      ] Window.Opens\n[       OK ] Window.Opens (2 ms)\n[ RUN      ] Window.Closes\n"
        self.assertEqual(self.run_script(died), ("[ RUN      ] Window.Closes\n", ""))

    def test_the_summary_is_held_back(self):
        self.assertEqual(self.run_script(FAILED + SUMMARY), (SHOWN, SUMMARY))


if __name__ == "__main__":
    unittest.main()
