# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/check-includes on small made-up trees."""
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-includes"
loader = importlib.machinery.SourceFileLoader("check_includes", str(SCRIPT))
spec = importlib.util.spec_from_loader("check_includes", loader)
check_includes = importlib.util.module_from_spec(spec)
loader.exec_module(check_includes)

TABLES = """
| folder | what lives there | own folders | outside |
|---|---|---|---|
| `base/` | status | | absl |
| `device/` | front end | `base/` | |
| `device/fast/` | one API | `base/` `device/` | gpu |
| `queue/` | jobs | `base/` | wire |
| `main.*` | the program | `base/` `queue/` | |
| `tests/` | tests | everything | everything |

| library | headers |
|---|---|
| absl | `absl/*` |
| gpu | `gpu.h` `gpu/*` |
| wire | `wire/*.pb.h` |
| rpc | `wire/*.rpc.pb.h` |
| POSIX (everywhere) | `unistd.h` `sys/*` |
"""


def findings(files: dict[str, str], tables: str = TABLES) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {"ARCHITECTURE.md": tables, "base/status.h": "", "device/device.h": "", **files}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return check_includes.check(root)


class CheckIncludes(unittest.TestCase):
    def test_allowed_includes_pass(self):
        self.assertEqual([], findings({
            "base/log.cpp": '#include <vector>\n#include <stdint.h>\n#include <unistd.h>\n#include "absl/log.h"\n',
            "device/a.cpp": '#include "device/device.h"\n#include "base/status.h"\n',
            "device/fast/b.cpp": '#include <gpu/api.h>\n#include "device/device.h"\n',
            "tests/t.cpp": '#include "device/device.h"\n#include <gpu.h>\n'}))

    def test_a_forbidden_folder_is_named_with_file_and_line(self):
        self.assertEqual(["queue/q.cpp:2: queue may not include device (device/device.h)"],
                         findings({"queue/q.cpp": '\n#include "device/device.h"\n'}))

    def test_a_headers_include_counts_as_much_as_a_sources(self):
        self.assertEqual(["base/x.h:1: base may not include device (device/device.h)"],
                         findings({"base/x.h": "#  include <device/device.h>\n"}))

    def test_a_row_above_opens_no_folder_that_has_a_row_of_its_own(self):
        files = {"device/fast/fast.h": "", "device/a.cpp": '#include "device/fast/fast.h"\n'}
        self.assertEqual(["device/a.cpp:1: device may not include device/fast (device/fast/fast.h)"], findings(files))

    def test_a_folder_below_a_row_belongs_to_it(self):
        self.assertEqual(["queue/deep/er/q.h:1: queue may not include gpu (gpu.h)"],
                         findings({"queue/deep/er/q.h": "#include <gpu.h>\n"}))

    def test_a_forbidden_library(self):
        self.assertEqual(["queue/q.kernel:1: queue may not include gpu (gpu/a.h)"],
                         findings({"queue/q.kernel": '#include "gpu/a.h"\n'}))

    def test_the_longest_header_pattern_wins(self):
        self.assertEqual(["queue/q.cpp:2: queue may not include rpc (wire/jobs.rpc.pb.h)"],
                         findings({"queue/q.cpp": '#include "wire/jobs.pb.h"\n#include "wire/jobs.rpc.pb.h"\n'}))

    def test_an_unknown_library(self):
        self.assertEqual(["base/a.cpp:1: zlib.h belongs to no library of ARCHITECTURE.md's second table"],
                         findings({"base/a.cpp": "#include <zlib.h>\n"}))

    def test_a_relative_path(self):
        self.assertEqual(['base/a.cpp:1: "status.h" is to be included by its path from the top of the tree'],
                         findings({"base/a.cpp": '#include "status.h"\n'}))

    def test_a_folder_without_a_row(self):
        self.assertEqual(["new/a.cpp:1: new has no row in ARCHITECTURE.md"],
                         findings({"new/a.cpp": "", "new/b.cpp": '#include "device/device.h"\n'}))

    def test_a_row_for_single_files(self):
        files = {"queue/q.h": "", "main.cpp": '#include "queue/q.h"\n#include "device/device.h"\n', "main.h": ""}
        self.assertEqual(["main.cpp:2: main.* may not include device (device/device.h)"], findings(files))

    def test_an_allowed_folder_without_a_row(self):
        self.assertIn("ARCHITECTURE.md:1: gone is allowed to others but has no row of its own",
                      findings({}, TABLES.replace("| `base/` | wire", "| `base/` `gone/` | wire")))

    def test_built_and_hidden_files_are_left_out(self):
        self.assertEqual([], findings({"build/a.cpp": "#include <zlib.h>\n", ".cache/b.cpp": "#include <zlib.h>\n"}))

    def test_missing_tables_are_a_finding_not_a_pass(self):
        self.assertEqual(1, len(findings({}, "no tables here")))


if __name__ == "__main__":
    unittest.main()
