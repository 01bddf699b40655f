# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/report-skips on made-up GoogleTest reports."""
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "report-skips"
REPORT = """<?xml version="1.0"?>
<testsuites><testsuite name="Device">
  <testcase name="runs" status="run" result="completed"/>
  <testcase name="fails" status="run" result="completed"><failure message="no"/></testcase>
  <testcase name="a" status="run" result="skipped"><skipped message="a_test.cpp:3&#x0A;No CUDA device is present.&#x0A;"/></testcase>
  <testcase name="b" status="run" result="skipped"><skipped message="b_test.cpp:7&#x0A;No CUDA device is present.&#x0A;"/></testcase>
  <testcase name="disabled" status="notrun" result="suppressed"/>
</testsuite></testsuites>
"""


def report(reports: dict[str, str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in reports.items():
            pathlib.Path(folder, name).write_text(text)
        return subprocess.run([SCRIPT, folder], check=True, capture_output=True, text=True).stdout


class ReportSkips(unittest.TestCase):
    def test_counts_and_reasons(self):
        words = report({"device_suite.xml": REPORT})
        self.assertIn("4 ran, 1 failed, 2 of them skipped", words)
        self.assertIn("skipped     2  device_suite: No CUDA device is present.", words)

    def test_reports_of_several_programs_add_up(self):
        self.assertIn("8 ran, 2 failed, 4 of them skipped", report({"a.xml": REPORT, "b.xml": REPORT}))

    def test_a_report_cut_short_is_named(self):
        self.assertIn("dead.xml: cut short", report({"dead.xml": REPORT[:90]}))

    def test_no_report(self):
        self.assertIn("0 ran", report({}))


if __name__ == "__main__":
    unittest.main()
