# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/check-tree on small made-up files."""
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-tree"
loader = importlib.machinery.SourceFileLoader("check_tree", str(SCRIPT))
spec = importlib.util.spec_from_loader("check_tree", loader)
check_tree = importlib.util.module_from_spec(spec)
loader.exec_module(check_tree)

TOP = "// SPDX-License-Identifier: Apache-2.0\n"


def findings(name: str, text: str, mode: int = 0o644) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return check_tree.check(pathlib.Path(folder))


def readme_findings(readme: str, files: list[str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for file in files:
            (root / "part" / file).parent.mkdir(parents=True, exist_ok=True)
            (root / "part" / file).touch()
        (root / "part/README.md").write_text(readme)
        return check_tree.check(root)


class CheckTree(unittest.TestCase):
    def test_files_in_order_pass(self):
        self.assertEqual([], findings("a.cpp", TOP + "\n" * 399))
        self.assertEqual([], findings("tool", "#!/bin/sh\n#" + TOP, 0o755))
        self.assertEqual([], findings("notes.md", "\n" * 1000))

    def test_a_missing_licence(self):
        self.assertEqual(1, len(findings("a.proto", "\n\n" + TOP)))

    def test_a_long_file(self):
        self.assertEqual(["a.h:401: 401 lines are over the limit (400)"], findings("a.h", TOP + "\n" * 400))

    def test_a_long_file_with_its_reason(self):
        reason = TOP + "// long file: one table\n"
        self.assertEqual([], findings("a.h", reason + "\n" * 598))
        self.assertEqual(["a.h:601: 601 lines are over the limit (600)"], findings("a.h", reason + "\n" * 599))

    def test_a_script_without_its_run_bit(self):
        self.assertEqual(["tool:1: a script needs its run bit"], findings("tool", "#!/bin/sh\n#" + TOP))

    def test_built_files_are_left_out_at_the_top_only(self):
        self.assertEqual([], findings("build/a.cpp", ""))
        self.assertEqual(1, len(findings("scripts/build/a.cpp", "")))

    def test_a_table_of_folders_names_all_of_them_and_no_other(self):
        table = "# Parts\n\n| folder | contents |\n|---|---|\n| (here) | `clock`: time |\n| `a/` | begin with `first.h` |\n| `b/c/` | rest |\n"
        there = ["clock.md", "a/first.h.md", "b/c/x.md"]
        self.assertEqual([], readme_findings(table, there))
        self.assertEqual(["part/README.md:3: the table of folders lacks `d/`"], readme_findings(table, [*there, "d/x.md"]))
        self.assertEqual(["part/README.md:7: `b/c/` does not exist"], readme_findings(table, [*there[:2], "b/x.md"]))
        self.assertEqual(["part/README.md:6: `first.h` does not exist"], readme_findings(table, [there[0], "a/x.md", there[2]]))

    def test_a_table_of_files_names_files_that_exist(self):
        table = "| files | contents |\n|---|---|\n| `clock` `core*` | time, by `Clock` and `now()` |\n\n| key | meaning |\n|---|---|\n| `w` | wipe |\n"
        self.assertEqual([], readme_findings(table, ["clock.md", "core_test.md", "other.md", "d/x.md"]))
        self.assertEqual(["part/README.md:3: `core*` does not exist"], readme_findings(table, ["clock.md"]))

    def test_links_of_pages_lead_to_files(self):
        self.assertEqual([], readme_findings("[a](a.md#part) [b](../part/b/c.md) [site](https://x.org) [here](#part)\n", ["a.md", "b/c.md"]))
        self.assertEqual(["part/README.md:2: the link `b.md` leads nowhere"], readme_findings("[a](a.md)\n[b](b.md)\n", ["a.md"]))

    def test_code_of_pages_has_no_links(self):
        self.assertEqual([], readme_findings("`[a](b)`\n\n    x[0](y)\n\n```cpp\nx[0](y);\n```\n", ["a.md"]))

    def test_decisions_that_are_named_exist(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs/decisions").mkdir(parents=True)
            (root / "docs/decisions/0007-do-this.md").touch()
            (root / "a.h").write_text(TOP + "// docs/decisions/0007, docs/decisions/0008\n")
            self.assertEqual(["a.h:2: there is no decision 0008"], check_tree.check(root))


if __name__ == "__main__":
    unittest.main()
