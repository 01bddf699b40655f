# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/check-type-names on small made-up trees."""
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-type-names"
loader = importlib.machinery.SourceFileLoader("check_type_names", str(SCRIPT))
spec = importlib.util.spec_from_loader("check_type_names", loader)
check_type_names = importlib.util.module_from_spec(spec)
loader.exec_module(check_type_names)


def findings(files: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check_type_names.check(pathlib.Path(folder))


def names(text: str, file: str = "a.h") -> list[str]:
    return [definition.name for definition in check_type_names.definitions(file, text)]


class CheckTypeNames(unittest.TestCase):
    def test_a_name_in_two_namespaces(self):
        files = {"a/a.h": "namespace weft::a {\n\nstruct Frame {\n  int x;\n};\n}\n",
                 "b/b.cpp": "namespace weft {\nnamespace b {\nclass Frame final : public Base {};\n}\n}\n"}
        self.assertEqual(["b/b.cpp:3: Frame is a type of a/a.h:3 as well"], findings(files))

    def test_every_sort_of_definition(self):
        self.assertEqual(["A", "B", "C", "D", "E", "F", "G", "H"], names(
            "struct A {};\nclass B final {};\nunion C {};\nenum D { kOne };\nenum class E : int { kTwo };\n"
            "template <class T, int n>\nstruct F : Base<T> {};\nclass [[nodiscard]] G {};\nusing H = int;\n"))
        self.assertEqual(["A", "B"], names('message A {\n  message Inner {}\n  string x = 1;\n}\nenum B {\n  B_ONE = 0;\n}\n', "a.proto"))
        self.assertEqual(["A"], names('extern "C" {\nstruct A {};\n}\n'))

    def test_what_is_no_definition(self):
        self.assertEqual([], names("struct A;\nstruct A* make();\nvoid f(struct A&) {}\nstruct A a{1};\n"))
        self.assertEqual([], names("template <>\nstruct Hash<A> {};\nusing b::A;\nusing namespace b;\n"))
        self.assertEqual([], names("void f() {\n  struct A {};\n  using B = int;\n}\n"))

    def test_comments_and_strings_hold_nothing(self):
        self.assertEqual(["B"], names('// struct A {\n/* struct A { */\nconst char* a = "struct A {";\nchar c = \'{\';\n'
                                      'const char* r = R"(\nstruct A {)";\n#define X struct A {\nstruct B {};\n'))
        self.assertEqual(["B"], names("int n = 10'000;\nint m = 1'000'000;\nstruct B {};\n"))

    def test_a_nested_type_is_its_class_s(self):
        self.assertEqual([], findings({"a.h": "class A {\n  struct Slot {};\n};\n", "b.h": "class B {\n  struct Slot {};\n};\n"}))

    def test_a_message_counts(self):
        files = {"a.h": "struct Device {};\n", "proto/a.proto": "message Device {}\n"}
        self.assertEqual(["proto/a.proto:1: Device is a type of a.h:1 as well"], findings(files))
        self.assertEqual([], findings({"a.h": "struct Status {};\n", "proto/google/rpc/a.proto": "message Status {}\n"}))

    def test_anonymous_names_may_be_alike_but_not_a_header_s(self):
        hidden = "namespace {\nstruct Row {};\n}\n"
        self.assertEqual([], findings({"a.cpp": hidden, "b.cpp": hidden}))
        self.assertEqual(["a.cpp:2: Row is a type of b.h:1 as well"], findings({"a.cpp": hidden, "b.h": "struct Row {};\n"}))

    def test_back_ends_mirror_each_other(self):
        files = {f"server/device/{name}/stream.h": "struct Mark {};\n" for name in ("cpu", "cuda", "vulkan", "null")}
        self.assertEqual([], findings(files))
        self.assertEqual(4, len(findings(files | {"base/mark.h": "struct Mark {};\n"})))

    def test_what_is_left_out(self):
        files = {file: "struct Params {};\n" for file in (
            "a.h", "tests/a.h", "bench/a.h", "kernels/lang/a.h", "tests/filter_suite/models/bob_reference.h", "build/a.h", ".cache/a.h")}
        self.assertEqual([], findings(files))


if __name__ == "__main__":
    unittest.main()
