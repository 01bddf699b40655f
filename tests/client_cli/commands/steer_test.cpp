// SPDX-License-Identifier: Apache-2.0
#include "tests/client_cli/fixture.h"

namespace weft::cli {
namespace {

using Steer = Cli;

TEST_F(Steer, EveryVerbDoesItsWork) {
  const std::string id = add_job(v1::JOB_STATE_QUEUED);
  EXPECT_EQ(weft({"pause", id}).error, id + ": paused\n");
  EXPECT_EQ(server_.job(id).state(), v1::JOB_STATE_PAUSED);
  EXPECT_EQ(weft({"resume", id}).error, id + ": queued\n");
  EXPECT_EQ(weft({"priority", "-7", id}).code, kExitDone);
  EXPECT_EQ(server_.job(id).settings().priority(), -7);
  EXPECT_EQ(weft({"cancel", id}).error, id + ": cancelled\n");
  EXPECT_THAT(weft({"retry", id, "--json"}).output, HasSubstr("\"state\": \"queued\""));
  EXPECT_EQ(weft({"cancel", "-q", id}).error, "");
}

TEST_F(Steer, SeveralJobsGoOnAfterAnError) {
  const std::string first = add_job(v1::JOB_STATE_QUEUED);
  const std::string second = add_job(v1::JOB_STATE_QUEUED);
  const auto result = weft({"cancel", first, "nothing", second});
  EXPECT_EQ(result.code, kExitRejected);
  EXPECT_THAT(result.error, HasSubstr("There is no job (nothing)."));
  EXPECT_EQ(server_.job(second).state(), v1::JOB_STATE_CANCELLED);
}

TEST_F(Steer, PrioritiesHaveLimits) {
  for (const char* value : {"1001", "-1001", "high", "1.5", ""}) {
    const auto result = weft({"priority", value, "01JB"});
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_THAT(result.error, HasSubstr("is not a whole number from -1000 to 1000")) << value;
  }
}

TEST_F(Steer, DevicesAreDrainedAndResumed) {
  v1::DeviceStatus device;
  device.set_state(v1::DEVICE_STATE_IN_SERVICE);
  for (const char* id : {"cpu", "cuda:0"}) {
    device.set_id(id);
    server_.add_device(device);
  }
  EXPECT_EQ(weft({"drain", "cuda:0"}).error, "cuda:0: drained\n");
  EXPECT_EQ(server_.device("cpu").state(), v1::DEVICE_STATE_IN_SERVICE);
  EXPECT_EQ(weft({"drain"}).error, "cpu: drained\ncuda:0: drained\n");
  EXPECT_EQ(weft({"resume", "cuda:0"}).error, "cuda:0: in-service\n");
  EXPECT_EQ(weft({"resume", "--all-devices"}).error, "cpu: in-service\ncuda:0: in-service\n");
  EXPECT_EQ(weft({"resume"}).code, kExitUsage);
}

}  // namespace
}  // namespace weft::cli
