# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/check-classes on small made-up classes."""
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-classes"
loader = importlib.machinery.SourceFileLoader("check_classes", str(SCRIPT))
spec = importlib.util.spec_from_loader("check_classes", loader)
check_classes = importlib.util.module_from_spec(spec)
loader.exec_module(check_classes)


def findings(text: str, name: str = "server/a.h") -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True)
        path.write_text(text)
        return check_classes.check(pathlib.Path(folder))


def counted(body: str) -> tuple[int, int]:
    """Methods and fields of a class with this body."""
    (found,) = check_classes.classes_of("namespace a {\nclass A {\n" + body + "\n};\n}\n")
    return found.methods, found.fields


def methods(count: int) -> str:
    return "".join(f"  void f{i}();\n" for i in range(count))


def fields(count: int) -> str:
    return "".join(f"  int f{i}_ = 0;\n" for i in range(count))


class CheckClasses(unittest.TestCase):
    def test_the_limits(self):
        self.assertEqual([], findings("class A {\n" + methods(40) + fields(25) + "};\n"))
        self.assertEqual(["server/a.h:2: A has 41 methods; the limit is 40", "server/a.h:2: A has 26 fields; the limit is 25"],
                         findings("\nclass A {\n" + methods(41) + fields(26) + "};\n"))

    def test_a_large_class_with_its_reason(self):
        reason = "// Reads and writes.\n// large class: one table\n// of columns\n"
        self.assertEqual([], findings(reason + "class A {\n" + methods(60) + fields(40) + "};\n"))
        self.assertEqual(2, len(findings(reason + "class A {\n" + methods(61) + fields(41) + "};\n")))
        self.assertEqual(1, len(findings(reason + "\nclass A {\n" + methods(41) + "};\n")))
        self.assertEqual(1, len(findings("// large class:\nclass A {\n" + methods(41) + "};\n")))

    def test_plain_data_has_any_number_of_fields(self):
        self.assertEqual([], findings("struct A {\n" + fields(26) + "};\n"))
        self.assertEqual(1, len(findings("struct A {\n" + methods(41) + "};\n")))
        self.assertEqual(1, len(findings("struct A {\n private:\n" + fields(26) + "};\n")))

    def test_only_the_product_counts(self):
        text = "class A {\n" + methods(41) + "};\n"
        self.assertEqual(1, len(findings(text, "client_gui/views/a.cpp")))
        self.assertEqual([], findings(text, "tests/server/a.h"))

    def test_functions(self):
        self.assertEqual((8, 0), counted(
            "public:\n explicit A(int a = 1, B b = {});\n ~A() override;\n template <class T, int n> T f(T (&a)[n]) const { return {a}; }\n"
            " bool operator<(const A& other) const;\n operator bool() const { return true; }\n static std::map<int, int> g(std::function<void(int)> h);\n"
            " virtual int h() = 0;\n [[nodiscard]] auto i() -> int { if (1) { return 2; } }\n"))

    def test_a_constructor_with_braces(self):
        self.assertEqual((2, 3), counted(
            " A(B* b) : a_(*b), c_{1}, d_([this](int x) { f(x); }) {\n  if (c_) { g(); }\n }\n void f(int x) {}\n int a_; int c_{2};\n D d_;\n"))

    def test_what_is_defaulted_or_deleted_is_no_method(self):
        self.assertEqual((0, 0), counted(" A() = default;\n A(const A&) = delete;\n bool operator==(const A&) const = default;\n"))

    def test_fields(self):
        self.assertEqual((0, 9), counted(
            " int a = 0, b = f(1, 2);\n std::function<void(int, int)> c_ = [](int, int) { g(); };\n std::map<int, std::pair<int, int>> d_{{1, {2, 3}}};\n"
            " mutable std::array<int, 3> e_ = {1, 2, 3};\n int (*f_)(int, int);\n const A& g_;\n struct { int x; } h_;\n int i_[3][4];\n"))

    def test_what_is_neither(self):
        self.assertEqual((0, 0), counted(
            " friend class B;\n using C = int;\n enum class D { kA, kB };\n static constexpr int kE = 1, kF = 2;\n static_assert(sizeof(int) == 4);\n"
            " struct G;\n // void f();\n"))

    def test_a_nested_class_counts_by_itself(self):
        found = check_classes.classes_of("class A {\n struct B {\n  int x, y;\n  void f();\n };\n void g();\n B b_;\n};\n")
        self.assertEqual([("B", 1, 2), ("A", 1, 1)], [(c.name, c.methods, c.fields) for c in found])

    def test_every_sort_of_head(self):
        heads = ("class A", "class A final : public B<int>, private C", "template <class T, class... U>\nclass A", "template <>\nclass A<int>",
                 "class [[nodiscard]] A", "class N::A")
        for head in heads:
            self.assertEqual(1, len(findings(head + " {\n" + methods(41) + "};\n")), head)

    def test_classes_behind_functions_and_in_namespaces(self):
        text = ("namespace a::b {\nnamespace {\nvoid f() {\n  struct L {};\n}\nint x = [] { return 1; }();\nclass A {\n" + methods(41) + "};\n}\n}\n")
        self.assertEqual(["server/a.cpp:7: A has 41 methods; the limit is 40"], findings(text, "server/a.cpp"))


if __name__ == "__main__":
    unittest.main()
