// SPDX-License-Identifier: Apache-2.0
// Fixture that runs the commands of weft against a fake daemon in memory.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "client_cli/output/exit_codes.h"
#include "tests/client/fake_server.h"
#include "tests/client_cli/process.h"

namespace weft::cli {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class Cli : public ::testing::Test {
 protected:
  test::ProcessOptions options(std::vector<std::string> words) {
    test::ProcessOptions result;
    result.words = {WEFT_PROGRAM};
    result.words.insert(result.words.end(), words.begin(), words.end());
    result.environment = {{"WEFT_SERVER", server_.address()}};
    result.folder = server_.folder();
    return result;
  }
  test::Finished weft(std::vector<std::string> words) { return test::run(options(std::move(words))); }

  // Writes a file in the working folder of weft.
  void write_file(const std::string& name, const std::string& text) {
    std::ofstream(server_.folder() + "/" + name) << text;
  }

  std::string add_job(v1::JobState state, const std::string& input = "/films/in.ts") {
    v1::Job job;
    job.set_state(state);
    job.mutable_spec()->mutable_video()->set_input(input);
    job.mutable_spec()->mutable_video()->set_output("/films/out.mkv");
    return server_.add(job);
  }

  static test::Step begin() {
    return [](v1::Job& job) {
      job.set_state(v1::JOB_STATE_RUNNING);
      job.set_device("cpu");
      job.set_attempt(1);
    };
  }
  static test::Step progress(int64_t done) {
    return [done](v1::Job& job) {
      job.mutable_progress()->set_units_done(done);
      job.mutable_progress()->set_units_total(200);
      job.mutable_progress()->set_units_per_second(25);
      job.mutable_progress()->mutable_eta()->set_seconds((200 - done) / 25);
    };
  }
  static test::Step succeed() {
    return [](v1::Job& job) {
      job.set_state(v1::JOB_STATE_SUCCEEDED);
      job.mutable_result()->set_units_in(200);
      job.mutable_result()->set_units_out(400);
      job.mutable_result()->mutable_wall_time()->set_seconds(8);
    };
  }
  static test::Step fail() {
    return [](v1::Job& job) {
      job.set_state(v1::JOB_STATE_FAILED);
      job.mutable_error()->set_message("The file ends early.");
    };
  }

  test::FakeServer server_;
};

}  // namespace weft::cli
