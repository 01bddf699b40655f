// SPDX-License-Identifier: Apache-2.0
// Tests devices that are lost or short of memory while a job runs on them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/device/backend.h"
#include "tests/device_suite/losing_device.h"
#include "tests/server/worker/jobs.h"

namespace weft::worker {
namespace {

// A device with `bytes` of memory.
class SmallDevice final : public device::DeviceBackend {
 public:
  SmallDevice(std::unique_ptr<device::DeviceBackend> real, size_t bytes)
      : real_(std::move(real)), bytes_(bytes) {}

  StatusOr<std::unique_ptr<device::BufferBackend>> allocate(device::MemoryKind kind,
                                                            size_t size_bytes) override {
    if (size_bytes > bytes_)
      return resource_exhausted("The device has no {} bytes (at most {}).", size_bytes, bytes_);
    return real_->allocate(kind, size_bytes);
  }
  StatusOr<std::unique_ptr<device::StreamBackend>> make_stream(device::StreamPriority priority,
                                                               device::StreamUse use) override {
    return real_->make_stream(priority, use);
  }
  StatusOr<std::unique_ptr<device::KernelBackend>> load(const kernels::KernelImage& image,
                                                        device::KernelForm form) override {
    return real_->load(image, form);
  }

 private:
  std::unique_ptr<device::DeviceBackend> real_;
  size_t bytes_;  // size of the largest allocation
};

class FailingDeviceTest : public testing::Test {
 protected:
  FailingDeviceTest() : clip_(make_interlaced(folder_, "clip.ts", 90)) {}

  static std::unique_ptr<device::DeviceBackend> real() {
    device::OpenOptions options;
    options.cpu_threads = 2;
    auto backend = device::open_backend(cpu_device().info(), options);
    EXPECT_THAT(backend, IsOk());
    return *std::move(backend);
  }
  TestJob make_job(const std::string& name) {
    TestJob job(folder_, name, clip_);
    job.video().mutable_encoding()->set_segment_frames(5);
    return job;
  }

  media::TestFolder folder_;
  std::string clip_;
};

TEST_F(FailingDeviceTest, ALostDeviceLosesNoFinishedSegment) {
  const TestJob whole = make_job("whole");
  ASSERT_THAT(run_attempt(whole).end.status, IsOk());
  int lost = 0, resumed = 0;
  for (int commands = 1;; commands += 61) {
    const TestJob job = make_job(fmt::format("lost-{}", commands));
    device::suite::Loss loss(commands);
    device::Device device(std::make_unique<device::suite::LosingDevice>(real(), loss), cpu_device().info());
    const Ran ran = run_attempt(job, {}, &device);
    if (ran.end.status.ok()) break;
    lost++;
    EXPECT_THAT(ran.end.status, StatusIs(StatusCode::kUnavailable, "lost")) << commands;
    EXPECT_TRUE(ran.end.retriable);
    EXPECT_TRUE(ran.end.device_failed);
    const Ran again = run_attempt(job);
    ASSERT_THAT(again.end.status, IsOk());
    EXPECT_EQ(again.end.result.segments_resumed(), ran.segments);
    resumed += ran.segments;
    EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(whole.finished_path())));
  }
  EXPECT_GT(lost, 5);
  EXPECT_GT(resumed, 0);
}

TEST_F(FailingDeviceTest, ShortMemoryMeansSmallerBatchesAndTheSamePictures) {
  const TestJob job = make_job("small");
  device::Device device(std::make_unique<SmallDevice>(real(), 2'000'000), cpu_device().info());
  const Ran ran = run_attempt(job, {}, &device);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_EQ(picture_hashes(job.finished_path()), picture_hashes(clip_, "bwdif=send_field:auto:all"));
}

TEST_F(FailingDeviceTest, NoMemoryAtAllMayPassAndTheDeviceIsFine) {
  const TestJob job = make_job("none");
  device::Device device(std::make_unique<SmallDevice>(real(), 10'000), cpu_device().info());
  const Ran ran = run_attempt(job, {}, &device);
  EXPECT_THAT(ran.end.status, StatusIs(StatusCode::kResourceExhausted));
  EXPECT_TRUE(ran.end.retriable);
  EXPECT_FALSE(ran.end.device_failed);
}

}  // namespace
}  // namespace weft::worker
