// SPDX-License-Identifier: Apache-2.0
// Tests that the workloads of tuning launch every tunable kernel.
#include "server/worker/tuning/tune_subjects.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/lang/registry.h"
#include "server/worker/tuning/tune_pass.h"

namespace weft::worker {
namespace {

constexpr TuneSize kSmall{96, 64, 1};

std::string file_of(std::string_view kernel) { return std::string(kernel.substr(0, kernel.find('.'))); }

std::set<std::string> tunable_files() {
  std::set<std::string> files;
  const auto add = [&](std::span<const kernels::KernelImage> images) {
    for (const kernels::KernelImage& image : images)
      if (image.is_tunable && !image.name.starts_with("test/")) files.insert(file_of(image.name));
  };
  add(kernels::embedded_kernels());
  for (const std::string_view module : kernels::kernel_modules()) add(kernels::kernels_of(module));
  return files;
}

TEST(TuneSubjects, ReachEveryKernelThatCanBeTuned) {
  const auto device = device::open_device("cpu", {.cpu_threads = 2}).value();
  DeviceLoop loop;
  filters::DeviceCaches caches;
  const DeviceShare share{*device, loop, caches};
  Preparing preparing(loop);
  std::set<std::string> missing = tunable_files();
  ASSERT_GE(missing.size(), 35u);
  for (const char* gpu_only : {"video/bwdif_packed", "video/bwdif_wide"}) missing.erase(gpu_only);
  missing.erase("video/unpack");  // This kernel processes decoded frames outside of pipelines.
  auto subjects = tune_subjects({}, kSmall);
  ASSERT_THAT(subjects, IsOk());
  const auto large = tune_subjects({"bloom"}, {2048, 1024, 1});
  ASSERT_THAT(large, IsOk());
  for (const TuneSubject& subject : *large)  // rows that are longer than a block
    if (subject.name.find("16384x128") != std::string::npos) subjects->push_back(subject);
  for (const TuneSubject& subject : *subjects) {
    EXPECT_EQ(subject.batch, 1);
    ShapeObserver observer(*device);
    TunePass pass(share, preparing, observer, {});
    pass.run_batches(subject, 3).status().IgnoreError();  // Some subjects need larger pictures.
    for (const auto& [site, count] : observer.launches()) missing.erase(file_of(site.kernel));
    if (missing.empty()) break;
  }
  EXPECT_THAT(missing, testing::IsEmpty());
}

TEST(TuneSubjects, AFilterOfImagesHasThemToo) {
  const auto subjects = tune_subjects({"crop"}, kSmall);
  ASSERT_THAT(subjects, IsOk());
  int frames = 0, images = 0;
  for (const TuneSubject& subject : *subjects)
    (subject.name.find("images") == std::string::npos ? frames : images)++;
  EXPECT_GE(frames, 2);
  EXPECT_GE(images, 4);
  EXPECT_THAT(tune_subjects({"no such filter"}, kSmall), StatusIs(StatusCode::kNotFound));
}

}  // namespace
}  // namespace weft::worker
