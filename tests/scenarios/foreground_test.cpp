// SPDX-License-Identifier: Apache-2.0
// Tests weft-worker with the order of a job in the foreground, without a daemon.
#include <filesystem>

#include <gmock/gmock.h>

#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ForegroundTest : public ScenarioTest {
 protected:
  int worker(const std::string& order, std::string* said) {
    return run({fs::path(WEFTD).replace_filename("weft-worker"), "--job", order, "--unconfined",
                "--cpu-threads", "2"},
               said);
  }
};

TEST_F(ForegroundTest, AJobGivesTheBytesOfTheDaemons) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  const std::string id = daemon.submit(request(clip(2), path("out.mkv")));
  ASSERT_EQ(daemon.wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
  std::string order;
  ASSERT_EQ(run({WEFT, "--server", daemon.address(), "show", "--json", "--order", id}, &order), 0) << order;
  ASSERT_EQ(daemon.stop(), 0);
  write_file(path("order.json"), order);

  std::string said;
  ASSERT_EQ(worker(path("order.json"), &said), 0) << said;
  const std::string finished = path("order.json.work/finished");
  EXPECT_THAT(said, AllOf(HasSubstr("\"unitsIn\": \"50\""), HasSubstr("processing: "), HasSubstr(finished)));
  EXPECT_TRUE(read_file(finished) == read_file(path("out.mkv")));
}

TEST_F(ForegroundTest, AnOrderThatCannotBeDoneIsAnError) {
  std::string said;
  EXPECT_NE(worker(path("order.json"), &said), 0);
  EXPECT_THAT(said, HasSubstr(path("order.json")));

  write_file(path("order.json"), "{\"no_field\": 1}");
  EXPECT_NE(worker(path("order.json"), &said), 0);
  EXPECT_THAT(said, HasSubstr("no_field"));

  write_file(path("order.json"), "{\"spec\": {\"video\" \"/in.ts\"}}");
  EXPECT_NE(worker(path("order.json"), &said), 0);
  EXPECT_THAT(said, AllOf(HasSubstr("is not an order"), Not(HasSubstr("\\n")))) << "one line";

  EXPECT_EQ(run({fs::path(WEFTD).replace_filename("weft-worker"), "--job", path("order.json")}, &said), 2);
  EXPECT_THAT(said, HasSubstr("add --unconfined"));
  EXPECT_EQ(run({fs::path(WEFTD).replace_filename("weft-worker"), "--tuning", "adapt"}, &said), 2);
  EXPECT_THAT(said, HasSubstr("--tuning cannot be 'adapt'; use on or off."));

  write_file(path("order.json"), "{\"spec\": {\"video\": {\"input\": \"/no.ts\", \"output\": \"/no.mkv\"}}}");
  EXPECT_NE(worker(path("order.json"), &said), 0);
  EXPECT_THAT(said, HasSubstr("/no.ts"));

  // The job itself fails, since its input is no video.
  write_file(path("input"), "no video");
  write_file(path("order.json"),
             "{\"spec\": {\"video\": {\"input\": \"" + path("input") + "\", \"output\": \"/no.mkv\"}}}");
  EXPECT_NE(worker(path("order.json"), &said), 0);
  EXPECT_THAT(said, HasSubstr("video"));
}

}  // namespace
}  // namespace weft::scenarios
