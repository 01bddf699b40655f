// SPDX-License-Identifier: Apache-2.0
// Tests, on a GPU with NVDEC, that frames that stay on the GPU equal those that are copied to host
// memory, also after a checkpoint.
#include <algorithm>

#include <gmock/gmock.h>

#include "server/worker/device/device_properties.h"
#include "server/worker/device/planned_fetch.h"
#include "tests/server/media/clips.h"

namespace weft::worker {
namespace {

constexpr int kFrames = 60, kResumeIndex = 40;

struct Decoding {
  std::vector<uint64_t> hashes;
  std::vector<bool> kept;
  media::SourceCheckpoint resume_point;  // checkpoint before frame kResumeIndex
  bool hardware = false;
};

class NvdecTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::vector<device::DeviceInfo> infos = device::list_devices_and_twins(nullptr);
    const auto found = std::ranges::find(infos, device::BackendKind::kCuda, &device::DeviceInfo::kind);
    if (found == infos.end()) GTEST_SKIP() << "there is no CUDA device";
    device_ = device::open_device(*found).value();
    path_ = media::make_clip(
        folder_, "clip.ts",
        fmt::format("-f lavfi -i testsrc2=size=722x484:rate=50 -vf tinterlace=interleave_top "
                    "-frames:v {} {}",
                    kFrames, GetParam()));
  }

  // Decodes from `resume_point` on if there is one.
  void decode(bool keeps_frames, const media::SourceCheckpoint* resume_point, Decoding& run) {
    DeviceLoop loop;
    auto fetch = PlannedFetch::open(*device_, loop, {}, "clip").value();
    media::SourceOptions options{.cuda_ordinal = decoder_ordinal(device_->info()), .fetch = fetch.get()};
    options.keeps_frames = keeps_frames;
    auto source = media::open_source(path_, options).value();
    fetch->keep_in(KeptFrames::make(*device_, source->info().video.format, media::kSeenFrames + 2).value());
    if (resume_point != nullptr) {
      ASSERT_THAT(source->resume(*resume_point), IsOk());
    }
    while (true) {
      const auto frame = source->next();
      ASSERT_THAT(frame, IsOk());
      if (!frame->has_value()) break;
      run.kept.push_back((*frame)->kept != nullptr);
      const media::PictureView picture =
          run.kept.back() ? fetch->read((*frame)->kept.get()).value() : (*frame)->picture;
      run.hashes.push_back(media::hash_picture(picture));
      if ((*frame)->index + 1 == kResumeIndex) run.resume_point = source->checkpoint();
    }
    run.hardware = source->hardware();
    for (const std::string& note : source->notes()) RecordProperty("note", note);
  }

  const media::TestFolder folder_;
  std::string path_;
  std::unique_ptr<device::Device> device_;
};

TEST_P(NvdecTest, FramesAreTheSameOnTheGpuAndInMemory) {
  Decoding memory, gpu;
  ASSERT_NO_FATAL_FAILURE(decode(false, nullptr, memory));
  if (!memory.hardware) GTEST_SKIP() << "NVDEC does not take it";
  ASSERT_NO_FATAL_FAILURE(decode(true, nullptr, gpu));
  EXPECT_THAT(memory.hashes, testing::SizeIs(kFrames));
  EXPECT_THAT(memory.kept, testing::Each(false));
  EXPECT_THAT(gpu.kept, testing::Each(true));
  EXPECT_EQ(gpu.hashes, memory.hashes);
  EXPECT_EQ(media::serialise(gpu.resume_point), media::serialise(memory.resume_point));
  // Decoding of either kind can resume from a checkpoint of either kind.
  const std::vector<uint64_t> rest(memory.hashes.begin() + kResumeIndex, memory.hashes.end());
  for (const bool keeps_frames : {false, true}) {
    Decoding resumed;
    ASSERT_NO_FATAL_FAILURE(decode(keeps_frames, &gpu.resume_point, resumed));
    EXPECT_EQ(resumed.hashes, rest);
    EXPECT_TRUE(resumed.hardware);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, NvdecTest,
    testing::Values("-c:v mpeg2video -flags +ildct+ilme -g 12 -b:v 6M",
                    "-c:v libx264 -flags +ildct+ilme -g 12 -pix_fmt yuv420p",
                    "-c:v libx265 -x265-params log-level=none:keyint=12 -pix_fmt yuv420p10le"));

}  // namespace
}  // namespace weft::worker
