// SPDX-License-Identifier: Apache-2.0
// Tests machines with NVIDIA's driver: GPUs of different generations, an old GPU, an old driver. A
// stand-in takes the driver's place.
#include <filesystem>

#include <gmock/gmock.h>

#include "server/device/cuda/code.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CudaDriverTest : public ScenarioTest {
 protected:
  void SetUp() override {
    const auto targets = device::cuda::code_targets();
    if (std::ranges::find(targets, "75-virtual") == targets.end())
      GTEST_SKIP() << "this build has no PTX of 7.5";
  }
  // Starts a daemon with the stand-in for the driver.
  static bool start(Daemon& daemon, const std::string& library, const std::string& gpus,
                    const std::string& more = "WEFT_NOTHING=1") {
    daemon.spawn({"LD_LIBRARY_PATH=" + library, "WEFT_FAKE_GPUS=" + gpus, more});
    return daemon.wait_until_it_answers();
  }
  static std::vector<std::string> notes_of(Daemon& daemon) {
    v1::ListDevicesResponse answer;
    EXPECT_TRUE(daemon.devices().ListDevices(call_context().get(), {}, &answer).ok());
    return {answer.notes().begin(), answer.notes().end()};
  }
  static std::optional<v1::DeviceStatus> wait_for(Daemon& daemon, const std::string& id,
                                                  v1::DeviceState state) {
    std::optional<v1::DeviceStatus> device;
    EXPECT_TRUE(wait_until([&] {
      device = daemon.device(id);
      return device.has_value() && device->state() == state;
    })) << id;
    return device;
  }
};

TEST_F(CudaDriverTest, GpusOfTwoGenerationsRunTheCodeThatFitsEach) {
  Daemon daemon(path("daemon"), {"--device", "cuda:0", "--device", "cuda:1"});
  ASSERT_TRUE(start(daemon, FAKE_DRIVER, "86,75")) << daemon.log();
  const auto newer = wait_for(daemon, "cuda:0", v1::DEVICE_STATE_IN_SERVICE);
  const auto older = wait_for(daemon, "cuda:1", v1::DEVICE_STATE_IN_SERVICE);
  ASSERT_TRUE(newer && older);
  EXPECT_EQ(newer->name(), "Fake 86");
  EXPECT_THAT(newer->kernel_code(), AnyOf("machine code of 8.6", "PTX of 7.5, compiled by the driver"));
  EXPECT_EQ(older->kernel_code(), "PTX of 7.5, compiled by the driver");
  EXPECT_TRUE(newer->has_first_load() && older->has_first_load());
}

TEST_F(CudaDriverTest, ConfinedWorkersKeepCompiledCodeInTheCacheFolder) {
  Daemon daemon(path("daemon"), {"--device", "cuda:0"});
  ASSERT_TRUE(start(daemon, FAKE_DRIVER, "75")) << daemon.log();
  ASSERT_TRUE(wait_for(daemon, "cuda:0", v1::DEVICE_STATE_IN_SERVICE));
  const std::filesystem::path cache = path("daemon/cache/cuda");
  ASSERT_TRUE(std::filesystem::is_directory(cache)) << daemon.log();
  EXPECT_FALSE(std::filesystem::is_empty(cache));
}

TEST_F(CudaDriverTest, AGpuThatIsTooOldIsNamedWithTheReason) {
  Daemon daemon(path("daemon"), {"--device", "cpu"});
  ASSERT_TRUE(start(daemon, FAKE_DRIVER, "61")) << daemon.log();
  EXPECT_THAT(notes_of(daemon), Contains(HasSubstr("cuda:0 (Fake 61) is not used through CUDA: its compute "
                                                   "capability is 6.1")));
  EXPECT_FALSE(daemon.device("cuda:0"));
}

TEST_F(CudaDriverTest, AnOldDriverIsNamedAndOtherDevicesServe) {
  Daemon daemon(path("daemon"), {"--device", "cpu"});
  ASSERT_TRUE(start(daemon, OLD_FAKE_DRIVER, "86")) << daemon.log();
  EXPECT_THAT(
      notes_of(daemon),
      Contains("The NVIDIA driver is too old: libcuda.so.1 has no cuLaunchKernelEx; install a newer one."));
  EXPECT_TRUE(wait_for(daemon, "cpu", v1::DEVICE_STATE_IN_SERVICE));
}

TEST_F(CudaDriverTest, ADriverThatIsOlderThanTheKernelsPutsTheGpuOutOfService) {
  Daemon daemon(path("daemon"), {"--device", "cuda:0", "--device", "cpu"});
  ASSERT_TRUE(start(daemon, FAKE_DRIVER, "75", "WEFT_FAKE_LOAD_ERROR=222")) << daemon.log();
  const auto device = wait_for(daemon, "cuda:0", v1::DEVICE_STATE_OUT_OF_SERVICE);
  ASSERT_TRUE(device);
  EXPECT_THAT(device->reason(), HasSubstr("the NVIDIA driver is older than the kernels"));
  EXPECT_TRUE(wait_for(daemon, "cpu", v1::DEVICE_STATE_IN_SERVICE));
}

}  // namespace
}  // namespace weft::scenarios
