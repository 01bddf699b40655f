# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/check-headers on a small tree with a build."""
import importlib.machinery
import importlib.util
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-headers"
loader = importlib.machinery.SourceFileLoader("check_headers", str(SCRIPT))
check_headers = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_headers", loader))
loader.exec_module(check_headers)
FILES = {
    "base/whole.h": "#pragma once\n#include <string>\ninline std::string word() { return {}; }\n",
    "base/whole.cpp": '#include "base/whole.h"\n',
    "base/torn.h": "#pragma once\ninline std::string other() { return {}; }\n",
    "base/more.cpp": "#ifndef WITH_FLAG\n#error the flags are missing\n#endif\n",
    "kernels/part.h": "this is no C++\n",
}


class CheckHeaders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        for name, text in FILES.items():
            self.write(name, text)
        (self.root / "scripts").mkdir()
        shutil.copy(SCRIPT, self.root / "scripts")
        self.git("init", "-q")
        self.commit()
        unity = self.root / "build/ci/base/Unity/unity_0.cxx"
        unity.parent.mkdir(parents=True)
        unity.write_text("".join(f'#include "{self.root}/{name}"\n' for name in FILES if name.endswith(".cpp")))
        precompiled = self.root / "build/ci/all.h"
        precompiled.write_text("#include <string>\n")
        command = f"c++ -std=c++20 -DWITH_FLAG -I{self.root} -include {precompiled} -o unity_0.o -c {unity}"
        (self.root / "build/ci/compile_commands.json").write_text(
            json.dumps([{"directory": str(self.root), "file": str(unity), "command": command}]))

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def git(self, *words: str) -> None:
        subprocess.run(["git", "-C", self.root, "-c", "user.name=Weft", "-c", "user.email=weft@localhost", *words], check=True)

    def commit(self) -> None:
        self.git("add", "base", "kernels")
        self.git("commit", "-q", "-m", "files")

    def check(self, *words: str) -> tuple[int, str]:
        done = subprocess.run(["python3", self.root / "scripts/check-headers", *words], stdout=subprocess.PIPE, text=True)
        return done.returncode, done.stdout

    def test_a_header_that_lacks_an_include_is_named(self):
        status, text = self.check()
        self.assertEqual(1, status)
        self.assertIn("base/torn.h: does not compile by itself", text)
        self.assertNotIn("base/whole.h", text)
        self.assertIn("2 files, 1 fail", text)

    def test_named_files_are_checked_with_the_flags_of_their_target(self):
        self.assertEqual((0, "check-headers: 3 files, 0 fail\n"), self.check("base/whole.h", "base/whole.cpp", "base/more.cpp"))

    def test_what_changed_is_checked(self):
        self.write("base/torn.h", FILES["base/torn.h"] + "// changed\n")
        self.write("base/more.cpp", FILES["base/more.cpp"] + "// changed\n")
        self.commit()
        status, text = self.check("--share", "1000000", "--since", "HEAD^")
        self.assertEqual(1, status)
        self.assertIn("2 files, 1 fail", text)

    def test_a_parent_that_is_not_there_is_no_error(self):
        self.assertEqual((0, "check-headers: 0 files, 0 fail\n"), self.check("--share", "1000000", "--since", "HEAD^"))

    def test_each_commit_draws_other_headers(self):
        for path in ("base/log.h", "server/rpc/server.h"):
            draws = [check_headers.is_drawn(path, f"commit {n}", 4) for n in range(400)]
            self.assertTrue(70 < sum(draws) < 130, sum(draws))
        self.assertTrue(check_headers.is_drawn("base/log.h", "any", 1))


if __name__ == "__main__":
    unittest.main()
