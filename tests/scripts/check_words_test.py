# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/check-words on small trees."""
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-words"
loader = importlib.machinery.SourceFileLoader("check_words", str(SCRIPT))
spec = importlib.util.spec_from_loader("check_words", loader)
check_words = importlib.util.module_from_spec(spec)
loader.exec_module(check_words)


def findings(tree: dict[str, str], write: bool = False) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check_words.check(pathlib.Path(folder), write)


def strict(name: str, text: str) -> int:
    """Findings of a strict text; the counts of its folder are allowed."""
    folder = check_words.folder_of(name)
    return len(findings({name: text, check_words.BASELINE: f"{folder} 100\n"}))


class CheckWords(unittest.TestCase):
    def test_strict_files_contain_none_of_the_words(self):
        for word in ["what", "Who", "whose", "whatever", "whoever", "so many", "so much", "beside"]:
            with self.subTest(word):
                self.assertEqual(1, strict("server/a.h", f"// Copies {word} lines.\n"))
                self.assertEqual(1, strict("proto/weft/v1/a.proto", f'help: "Copies {word} lines."\n'))
                self.assertEqual(1, strict("docs/guide/a.md", f"Copies {word} lines.\n"))
                self.assertEqual(1, strict("client_gui/a.cpp", f'tr("Copies {word} lines.")\n'))
        self.assertEqual(0, strict("server/a.h", "// Copies somewhat more lines besides whole ones.\n"))

    def test_no_sentence_begins_with_of_or_how_many(self):
        self.assertEqual(1, strict("server/a.h", "// Of lines.\n"))
        self.assertEqual(1, strict("server/a.h", "// Copies. How many lines there are.\n"))
        self.assertEqual(0, strict("server/a.h", "// Copies the lines\n// of a frame.\n"))
        self.assertEqual(1, strict("server/a.h", "// Copies lines.\n// Of a frame.\n"))

    def test_code_is_not_prose(self):
        self.assertEqual(0, strict("server/a.h", "int what;  // Copies `what` there.\n"))
        self.assertEqual(0, strict("docs/guide/a.md", "```\nwhat is this\n```\nSee [this](beside.md).\n"))
        self.assertEqual(0, strict("server/a.h", 'const char* kText = "// what";\n'))

    def test_other_files_have_a_limit_by_folder(self):
        source = {"server/queue/a.cpp": "// What lies behind this.\n"}
        self.assertEqual(1, len(findings(source)))
        self.assertEqual(1, len(findings({**source, check_words.BASELINE: "server/queue 1\n"})))
        self.assertEqual(0, len(findings({**source, check_words.BASELINE: "server/queue 2\n"})))
        self.assertEqual(0, len(findings({**source, check_words.BASELINE: "server/queue 3\n"}, write=True)))
        self.assertEqual(1, len(findings({**source, check_words.BASELINE: "server 3\n"}, write=True)))
        self.assertEqual(1, len(findings({**source, check_words.BASELINE: "server/queue 1\n"}, write=True)))

    def test_comments_of_every_language_are_read(self):
        for name, text in {"a.py": '"""Tells who."""\n', "b.py": "x = 1  # who\n", "c.sh": "x=1  # who\n", "d": "#!/bin/sh\n# who\n",
                           "e/CMakeLists.txt": "# who\n", "f.kernel": "// who\n", "g.cu": "/* who\n */\n", "h.md": "who\n"}.items():
            with self.subTest(name):
                self.assertEqual(1, len(findings({name: text})))
        self.assertEqual(0, len(findings({"docs/reference/a.md": "who\n", "CHANGELOG.md": "who\n"})))

    def test_a_comment_line_has_at_most_100_columns(self):
        self.assertEqual(0, len(findings({"a.cpp": "// " + "x" * 97 + "\n"})))
        self.assertEqual(1, len(findings({"a.cpp": "// " + "x" * 98 + "\n"})))
        self.assertEqual(0, len(findings({"a.cpp": "int " + "x" * 98 + ";\n"})))
        self.assertEqual(0, len(findings({"a.cpp": "int x;  // NOLINT" + "x" * 98 + "\n"})))


if __name__ == "__main__":
    unittest.main()
