// SPDX-License-Identifier: Apache-2.0
// Fixture of tests that kill daemons and workers.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>

#include <gmock/gmock.h>

#include "tests/scenarios/scenario.h"

namespace weft::scenarios {

using std::chrono::milliseconds;
using ::testing::IsEmpty;

constexpr int kRounds = 50;

class FaultsTest : public ScenarioTest {
 protected:
  // Waits a random time below `most`. Returns earlier if the daemon ends.
  void pass_time(Daemon& daemon, milliseconds most) {
    const milliseconds chosen(random_() % uint32_t(most.count() + 1));
    wait_until([&] { return !daemon.is_running(); }, chosen);
  }
  // Checks that every acknowledged job succeeds and writes the right bytes.
  void check_outputs(Daemon& daemon, const std::map<std::string, std::string>& acknowledged,
                     const std::function<std::string(const std::string&)>& input_of) {
    for (const auto& [request_id, id] : acknowledged) {
      const v1::Job job = daemon.wait_for_end_of(id);
      EXPECT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.DebugString();
      EXPECT_EQ(job.request_id(), request_id);
      EXPECT_EQ(read_file(job.spec().video().output()) == undisturbed(input_of(request_id)), true)
          << request_id;
    }
  }

  std::mt19937 random_{20261121};
};

}  // namespace weft::scenarios
