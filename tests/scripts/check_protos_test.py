# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/check-protos on a small API that changes."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-protos"
loader = importlib.machinery.SourceFileLoader("check_protos", str(SCRIPT))
spec = importlib.util.spec_from_loader("check_protos", loader)
check_protos = importlib.util.module_from_spec(spec)
loader.exec_module(check_protos)

API = """
syntax = "proto3";
package weft.v1;
message Job {
  message Part { int32 first = 1 [json_name = "a } { b"]; }
  string id = 1;
  repeated Part parts = 2;
  optional int32 weight = 3;
  oneof end { string error = 4; bool done = 5; }
  State state = 6;
}
enum State { STATE_UNSPECIFIED = 0; STATE_QUEUED = 1; }
service JobService { rpc Submit(Job) returns (Job); rpc Watch(Job) returns (stream Job); }
"""


def write(root: pathlib.Path, text: str) -> pathlib.Path:
    folder = root / "proto" / "weft" / "v1"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "job.proto").write_text(text)
    return root / "proto"


def findings(*changes: tuple[str, str]) -> list[str]:
    text = API
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    with tempfile.TemporaryDirectory() as folder:
        before = check_protos.facts_of_api(write(pathlib.Path(folder), API))
        return check_protos.compare(before, check_protos.facts_of_api(write(pathlib.Path(folder), text)))


class CheckProtos(unittest.TestCase):
    def test_additions_break_nothing(self):
        self.assertEqual([], findings())
        self.assertEqual([], findings(("string id = 1;", "string id = 1; string owner = 7; message More {}")))
        self.assertEqual([], findings(("STATE_QUEUED = 1;", "STATE_QUEUED = 1; STATE_RUNNING = 2;")))
        self.assertEqual([], findings(("rpc Submit", "rpc Cancel(Job) returns (Job); rpc Submit")))

    def test_a_field_is_gone_or_renamed(self):
        self.assertEqual(["field weft.v1.Job.id is gone"], findings(("string id = 1;", "reserved 1;")))
        self.assertEqual(["field weft.v1.Job.id is gone"], findings(("string id = 1;", "string name = 1;")))

    def test_a_field_changes(self):
        changes = {
            "string id = 1;": ["string id = 7;", "bytes id = 1;", "repeated string id = 1;"],
            "repeated Part parts = 2;": ["Part parts = 2;", "repeated Job parts = 2;"],
            "optional int32 weight = 3;": ["int32 weight = 3;"],
            "string error = 4; bool done = 5; }": ["bool done = 5; } string error = 4;"],
            "int32 first = 1": ["int64 first = 1"],
        }
        for old, others in changes.items():
            for new in others:
                with self.subTest(new=new):
                    found = findings((old, new))
                    self.assertEqual(1, len(found))
                    self.assertRegex(found[0], r"^field weft\.v1\.Job\.[a-zA-Z.]+ was \(.*\), and is \(.*\)$")

    def test_a_message_a_value_or_an_enumeration_is_gone(self):
        part = API[API.index("  message Part"):API.index("  string id")]
        self.assertEqual({"message weft.v1.Job.Part is gone", "field weft.v1.Job.Part.first is gone", "field weft.v1.Job.parts was "
                          "(2 LABEL_REPEATED TYPE_MESSAGE .weft.v1.Job.Part), and is (2 LABEL_REPEATED TYPE_MESSAGE .weft.v1.Job)"},
                         set(findings((part, ""), ("repeated Part", "repeated Job"))))
        self.assertEqual(["value weft.v1.State.STATE_QUEUED is gone"], findings((" STATE_QUEUED = 1;", "")))
        self.assertEqual(["value weft.v1.State.STATE_QUEUED was (1), and is (2)"], findings(("STATE_QUEUED = 1", "STATE_QUEUED = 2")))

    def test_a_call_is_gone_or_changes(self):
        self.assertEqual(["call weft.v1.JobService.Submit is gone"], findings(("rpc Submit(Job) returns (Job);", "")))
        for new in ("rpc Submit(stream Job) returns (Job)", "rpc Submit(Job) returns (Job.Part)", "rpc Submit(Job) returns (stream Job)"):
            found = findings(("rpc Submit(Job) returns (Job)", new))
            self.assertEqual(1, len(found))
            self.assertIn("call weft.v1.JobService.Submit was ", found[0])

    def test_a_frozen_api_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "scripts").mkdir()
            script = root / "scripts" / "check-protos"
            script.write_text(SCRIPT.read_text())

            def status(*arguments: str) -> int:
                return subprocess.run(["python3", script, *arguments], stdout=subprocess.DEVNULL).returncode

            write(root, API)
            self.assertEqual(0, status(), "nothing is frozen")
            self.assertEqual(0, status("--freeze"))
            self.assertEqual(0, status())
            write(root, API.replace("string id = 1;", "string id = 1; string owner = 7;"))
            self.assertEqual(0, status())
            write(root, API.replace("string id = 1;", "string id = 7;"))
            self.assertEqual(1, status())

    def test_revisions_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            git = ["git", "-C", folder, "-c", "user.name=Weft", "-c", "user.email=weft@localhost"]
            subprocess.run([*git, "init", "-q"], check=True)
            for text in (API, API.replace("string id = 1;", "")):
                write(root, text)
                subprocess.run([*git, "add", "."], check=True)
                subprocess.run([*git, "commit", "-q", "-m", "api"], check=True)
            changes = check_protos.compare(check_protos.facts_at("HEAD~1", root), check_protos.facts_at("HEAD", root))
            self.assertEqual(["field weft.v1.Job.id is gone"], changes)


if __name__ == "__main__":
    unittest.main()
