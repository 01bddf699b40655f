// SPDX-License-Identifier: Apache-2.0
// Tests with the real programs that measurements of an analysis serve later jobs, and that the
// decisions of a job can be read.
#include <filesystem>

#include <gmock/gmock.h>

#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class KeptAnalysesTest : public ScenarioTest {
 protected:
  std::string weft(Daemon& daemon, std::vector<std::string> words, int expected = 0) {
    words.insert(words.begin(), {WEFT, "--server", daemon.address()});
    std::string said;
    EXPECT_EQ(run(words, &said), expected) << said;
    return said;
  }
  // Encodes a clip and returns the job.
  v1::Job encode(Daemon& daemon, const std::string& filters, const std::string& name) {
    weft(daemon, {"submit", filters, clip(2), "-o", path(name), "--encoder", "ffv1", "--wait"});
    return daemon.list().jobs(0);
  }
  static bool was_used(const v1::Job& job) {
    return std::ranges::any_of(job.result().notes(), [](const std::string& note) {
      return note.starts_with("The analysis of an earlier job");
    });
  }
};

TEST_F(KeptAnalysesTest, ASecondEncodeDoesNotMeasureAgainAndDecisionsAreRead) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  const v1::Job first = encode(daemon, "yadif=frame,decimate", "first.mkv");
  EXPECT_FALSE(was_used(first));
  const v1::Job second = encode(daemon, "yadif=frame,decimate,resize=160x120", "second.mkv");
  EXPECT_TRUE(was_used(second));
  const std::string decisions = weft(daemon, {"show", "--decisions", second.id()});
  weft(daemon, {"analyse", "yadif=frame,decimate", clip(2), "-o", path("decisions.json"), "--wait"});
  EXPECT_EQ(decisions, read_file(path("decisions.json")));
  // The text is an input of another job.
  write_file(path("given.json"), decisions);
  weft(daemon, {"submit", "yadif=frame,decimate", clip(2), "-o", path("third.mkv"), "--encoder", "ffv1",
                "--decisions", path("given.json"), "--wait"});
  EXPECT_TRUE(read_file(path("third.mkv")) == read_file(path("first.mkv")));
  // A job without an analysis has no decisions.
  const v1::Job plain = encode(daemon, "bwdif", "plain.mkv");
  EXPECT_THAT(weft(daemon, {"show", "--decisions", plain.id()}, 4),
              HasSubstr("There are no decisions of job"));
  // The entries of another owner are in another folder.
  weft(daemon, {"submit", "yadif=frame,decimate", clip(2), "-o", path("other.mkv"), "--encoder", "ffv1",
                "--owner", "somebody", "--wait"});
  EXPECT_FALSE(was_used(daemon.list().jobs(0)));
}

TEST_F(KeptAnalysesTest, ALimitOfZeroKeepsNone) {
  Daemon daemon(path("daemon"), {"--device", "cpu", "--analysis-cache-bytes", "0"});
  ASSERT_TRUE(daemon.start());
  encode(daemon, "yadif=frame,decimate", "first.mkv");
  EXPECT_FALSE(was_used(encode(daemon, "yadif=frame,decimate", "second.mkv")));
}

}  // namespace
}  // namespace weft::scenarios
