// SPDX-License-Identifier: Apache-2.0
// Tests every command with --json: Python's parser reads each line as one object of the schema.
#include <algorithm>
#include <sstream>

#include "tests/client_cli/fixture.h"

namespace weft::cli {
namespace {

// Prints the field names of each line. Choices and codes must be names or null.
constexpr const char* kJudge = R"(
import json, re, sys

SPELLED = re.compile("[a-z0-9]+(-[a-z0-9]+)*")
CHOICES = {"state", "job_class", "kind", "code", "work_class", "stream_class", "encoder", "rate"}

def check(value, name):
    if isinstance(value, dict):
        for inside, each in value.items():
            check(each, inside)
    elif isinstance(value, list):
        for each in value:
            check(each, name)
    elif name in CHOICES:
        assert value is None or SPELLED.fullmatch(value), (name, value)

for line in sys.stdin.read().splitlines():
    answer = json.loads(line)
    assert list(answer)[0] == "schema" and answer["schema"] == 1, line
    check(answer, "")
    print(*list(answer)[1:])
)";

class JsonAnswers : public Cli {
 protected:
  JsonAnswers() {
    server_.script({begin(), succeed()});
    v1::Job job;
    job.set_state(v1::JOB_STATE_FAILED);
    job.mutable_spec()->mutable_video()->set_input("/films/\"in\"\n.ts");
    job.mutable_spec()->mutable_video()->set_output("/films/out.mkv");
    job.mutable_spec()->mutable_video()->mutable_encoding()->set_encoder(v1::ENCODER_SVT_AV1);
    job.mutable_error()->set_code(int(StatusCode::kDataLoss));
    job.add_attempts()->mutable_error()->set_code(int(StatusCode::kInternal));
    id_ = server_.add(job);
    v1::DeviceStatus device;
    device.set_id("cpu");
    device.set_kind(v1::DEVICE_KIND_CPU);
    device.set_state(v1::DEVICE_STATE_IN_SERVICE);
    server_.add_device(device);
  }

  // Returns the field names of each line.
  std::vector<std::string> judge(const std::string& lines) {
    write_file("answer", lines);
    write_file("judge.py", kJudge);
    auto python = options({});
    python.words = {"/bin/sh", "-c", "python3 judge.py < answer"};
    const auto judged = test::run(python);
    EXPECT_EQ(judged.code, 0) << judged.error << lines;
    std::istringstream output(judged.output);
    std::vector<std::string> fields;
    for (std::string line; std::getline(output, line);) fields.push_back(line);
    return fields;
  }

  std::string id_;
};

TEST_F(JsonAnswers, AreObjectsOnLines) {
  const std::string job = "id spec settings state ";
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"list"}, "jobs next_page_token total "},
      {{"show", id_}, job},
      {{"show", id_, id_}, job},
      {{"explain", id_}, "job reasons "},
      {{"logs", id_}, "line time "},
      {{"devices"}, "devices notes"},
      {{"stats"}, "days total "},
      {{"server"}, "version api_versions "},
      {{"version"}, "weft weftd"},
      {{"top"}, "devices jobs"},
      {{"bench", "list"}, "name help"},
      {{"retry", id_}, job},
      {{"priority", "5", id_}, job},
      {{"pause", id_}, job},
      {{"resume", id_}, job},
      {{"cancel", id_}, job},
      {{"watch", id_}, job},
      {{"drain", "cpu"}, "id kind name "},
      {{"submit", "bwdif", "in.ts", "-o", "out.mkv"}, job},
      {{"submit", "bwdif", "in.ts", "-o", "out.mkv", "--follow"}, job},
      {{"submit", "bwdif", "in.ts", "-o", "out.mkv", "--dry-run"}, "job estimate predictions"},
      {{"tune", "--show"}, "device driver kernels"},
  };
  std::string lines;
  std::vector<std::string> wanted;  // first field names of each line
  for (const auto& [words, names] : cases) {
    std::vector<std::string> line = words;
    line.push_back("--json");
    const auto result = weft(line);
    EXPECT_TRUE(!result.output.empty() || words[0] == "logs")
        << fmt::format("{}", fmt::join(words, " ")) << result.error;
    wanted.insert(wanted.end(), size_t(std::count(result.output.begin(), result.output.end(), '\n')), names);
    lines += result.output;
  }
  const std::vector<std::string> fields = judge(lines);
  ASSERT_EQ(fields.size(), wanted.size()) << lines;
  for (size_t i = 0; i < fields.size(); i++) EXPECT_THAT(fields[i] + " ", StartsWith(wanted[i]));
}

TEST_F(JsonAnswers, ErrorsAreObjectsOnStandardError) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"show", "nothing"},
                                             {"list", "--state", "dreaming"},
                                             {"submit", "bwdfi", "a.ts", "-o", "b.mkv"}}) {
    std::vector<std::string> line = words;
    line.push_back("--json");
    const auto result = weft(line);
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(judge(result.error), testing::ElementsAre("error"));
  }
  server_.stop();
  EXPECT_THAT(judge(weft({"list", "--json"}).error), testing::ElementsAre("error"));
}

}  // namespace
}  // namespace weft::cli
