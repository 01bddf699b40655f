// SPDX-License-Identifier: Apache-2.0
// Runs simulations with many seeds. WEFT_SIMULATION_SEEDS=first:count selects other seeds.
#include "tests/server/queue/simulation.h"

#include <cstdio>
#include <cstdlib>

#include <gmock/gmock.h>

#include "base/log.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

constexpr int kSteps = 400;

TEST(Simulation, InvariantsHoldWhateverHappens) {
  // Simulated deaths of workers and full disks would fill the log.
  ASSERT_TRUE(set_log_level("off").ok());
  uint64_t first = 1;
  uint64_t count = 60;
  if (const char* seeds = std::getenv("WEFT_SIMULATION_SEEDS")) {
    ASSERT_EQ(std::sscanf(seeds, "%lu:%lu", &first, &count), 2) << "give WEFT_SIMULATION_SEEDS=first:count";
  }
  int64_t commits = 0;
  int64_t kills = 0;
  int64_t jobs = 0;
  int64_t forgotten = 0;
  for (uint64_t seed = first; seed < first + count; seed++) {
    TemporaryFolder folder;
    Simulation simulation(seed, folder.path());
    ASSERT_THAT(simulation.run(kSteps), testing::IsEmpty())
        << "seed " << seed << ", commit " << simulation.commits();
    commits += simulation.commits();
    kills += simulation.kills();
    jobs += simulation.submitted();
    forgotten += simulation.forgotten();
  }
  RecordProperty("commits", std::to_string(commits));
  std::printf("%lu seeds: %ld jobs, of them %ld forgotten, %ld batches, %ld kills of the daemon\n", count,
              jobs, forgotten, commits, kills);
  EXPECT_GT(kills, int64_t(count)) << "the simulation is too tame";
  EXPECT_GT(forgotten, int64_t(count)) << "too few jobs are forgotten to mean anything";
}

}  // namespace
}  // namespace weft::queue
