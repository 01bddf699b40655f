// SPDX-License-Identifier: Apache-2.0
// Tests that a job takes the device memory that its estimate plans, with batches of each size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/worker/video/video_plan.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

// Difference between the plan and the peak. The decisions of an analysis may retain more or fewer
// units than the expected ones.
constexpr double kDifference = 0.15;

class PlannedMemory : public testing::Test {
 protected:
  // Returns the peak of the device memory of a job that runs with smaller batches.
  int64_t peak_of(TestJob job, int batch_halvings) {
    job.batch_halvings = batch_halvings;
    device::OpenOptions options;
    options.cpu_threads = 2;
    const auto device = device::open_device(std::string_view("cpu"), options).value();
    filters::DeviceCaches own_caches;
    const Ran ran = run_order(job.start(), {}, *device, own_caches, 1);
    EXPECT_THAT(ran.end.status, IsOk());
    return int64_t(device->memory_use(device::MemoryKind::kDevice).peak_bytes);
  }

  media::TestFolder folder_;
};

class PlannedMemoryOf : public PlannedMemory, public testing::WithParamInterface<const char*> {};

TEST_P(PlannedMemoryOf, AChainIsThatOfTheRunningJob) {
  const std::string clip = make_mixed_cadence(folder_, "clip.ts", 60);
  const auto make_job = [&](const std::string& name) {
    TestJob job(folder_, name, clip, name + ".mkv");
    job.video().clear_filters();
    set_filters(job.video(), GetParam());
    job.video().mutable_decoding()->set_decoder(v1::DECODER_CPU);
    return job;
  };
  const TestJob whole = make_job("whole");
  const auto estimate = estimate_video(whole.spec, whole.start().inputs);
  ASSERT_THAT(estimate, IsOk());
  const auto& planned = estimate->device_bytes();
  ASSERT_GE(planned.size(), 4) << "24 frames, 12, 6 ...";
  for (const int halvings : {0, 2, planned.size() - 1}) {
    const int64_t peak = peak_of(make_job(fmt::format("job{}", halvings)), halvings);
    EXPECT_NEAR(double(peak), double(planned[halvings]), kDifference * double(planned[halvings])) << halvings;
  }
  EXPECT_LT(*planned.rbegin(), planned[0]);
}

INSTANTIATE_TEST_SUITE_P(Chains, PlannedMemoryOf,
                         testing::Values("bwdif", "decimate", "kfm", "nnedi,resize=320x240", "bloom"),
                         [](const auto& parameter) {
                           const std::string chain = parameter.param;
                           return chain.substr(0, chain.find(','));
                         });

// Smaller batches leave the pictures as they are.
TEST_F(PlannedMemory, SmallerBatchesMakeTheSamePictures) {
  const std::string clip = make_interlaced(folder_, "clip.ts", 60);
  TestJob usual(folder_, "usual", clip, "usual.mkv"), smaller(folder_, "smaller", clip, "smaller.mkv");
  smaller.batch_halvings = 3;
  ASSERT_THAT(run_attempt(usual).end.status, IsOk());
  const Ran ran = run_attempt(smaller);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_THAT(ran.log, testing::Contains(testing::HasSubstr("batches of 3 frames")));
  EXPECT_EQ(picture_hashes(smaller.finished_path()), picture_hashes(usual.finished_path()));
}

}  // namespace
}  // namespace weft::worker
