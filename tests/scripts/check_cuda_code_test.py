# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/check-cuda-code."""
import importlib.machinery
import importlib.util
import pathlib
import struct
import unittest

PATH = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-cuda-code"
loader = importlib.machinery.SourceFileLoader("check_cuda_code", str(PATH))
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_cuda_code", loader))
loader.exec_module(module)


def entry(kind, architecture, payload, flags=0x11, plain=0):
    """An entry as nvcc 13.0 writes it; its headers have 64 bytes and more."""
    padded = payload + bytes(-len(payload) % 8)
    numbers = (kind, 0x101, 64, len(padded), len(payload), 0, 0x90000, architecture, 0, flags, 0, plain)
    return struct.pack("<HHIQIIIIQQQQ", *numbers) + padded


def fatbin(*entries):
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, sum(map(len, entries))) + b"".join(entries)


PTX_75 = entry(1, 75, b".version 9.0")
CODE_86 = entry(2, 86, b"ELF of 86", flags=0x8011, plain=4096)
CODE_90A = entry(2, 90, b"ELF of 90a", flags=0x100011)
TARGETS = ["75-virtual", "86"]


class CheckCudaCode(unittest.TestCase):
    def findings(self, data, targets=TARGETS):
        return module.findings_of("nnedi/fused", module.read_fatbin(data), targets)

    def test_every_kernel_has_every_target(self):
        self.assertEqual(self.findings(fatbin(PTX_75, CODE_86)), [])
        self.assertEqual(self.findings(fatbin(PTX_75, CODE_86, CODE_90A)), [])

    def test_a_missing_generation_is_a_finding(self):
        self.assertEqual(self.findings(fatbin(PTX_75)), ["nnedi/fused: there is no code of 86"])

    def test_90a_is_no_90(self):
        self.assertIn("no code of 90", self.findings(fatbin(CODE_90A), ["90"])[0])
        self.assertEqual(self.findings(fatbin(CODE_90A), ["90a"]), [])

    def test_machine_code_is_no_ptx(self):
        self.assertIn("no code of 86-virtual", self.findings(fatbin(CODE_86), ["86-virtual"])[0])

    def test_code_that_nobody_asked_for_is_a_finding(self):
        self.assertIn("there is code of 86, which was not asked for", self.findings(fatbin(PTX_75, CODE_86), ["75-virtual"])[0])

    def test_kernels_are_counted(self):
        variants = module.read_variants("nnedi 2\nvideo 1\n")
        self.assertEqual(module.counts_of({"nnedi": 2, "video": 1}, variants), [])
        self.assertEqual(module.counts_of({"nnedi": 1}, variants),
                         ["nnedi: there are 1 kernels, and the build has 2 variants", "video: there are 0 kernels, and the build has 1 variants"])

    def test_other_files_are_refused(self):
        with self.assertRaisesRegex(ValueError, "no known form"):
            module.read_fatbin(fatbin(entry(7, 86, b"?")))
        with self.assertRaisesRegex(ValueError, "no known form"):
            module.read_fatbin(fatbin(CODE_86)[:-8])
        with self.assertRaisesRegex(ValueError, "does not begin as a fatbin"):
            module.read_fatbin(b"version https://example.org")

    def test_sizes_are_those_in_the_file_and_uncompressed(self):
        row = module.row_of("nnedi", [module.read_fatbin(fatbin(PTX_75, CODE_86))])
        self.assertEqual((row.kernels, row.stored, row.uncompressed), (1, {"75-virtual": 16, "86": 16}, {"75-virtual": 16, "86": 4096}))
        self.assertIn("| nnedi | 1 | 0 / 0 | 0 / 4 | 0 / 4 |", module.table_of([row], TARGETS))


if __name__ == "__main__":
    unittest.main()
