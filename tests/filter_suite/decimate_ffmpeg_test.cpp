// SPDX-License-Identifier: Apache-2.0
// Compares `decimate` with the ffmpeg program. If each cycle has a clear repeat, both drop the same
// picture. Their measures differ: ffmpeg uses blocks of 32x32 that overlap by half, and chroma with
// luma. Their rules differ without a repeat: ffmpeg then looks for cuts (dupthresh, scthresh), and
// Weft drops the picture with the smallest difference.
#include <gmock/gmock.h>

#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/ffmpeg_folder.h"

namespace weft::filters {
namespace {

// Returns a clip with a repeat in each cycle, at any position: the previous picture with sparse
// noise of one code, as an encoder leaves it.
Clip with_repeats(const VideoFormat& format, int cycle, int frames, Material material, uint32_t seed) {
  std::mt19937 random(seed);
  const Clip film = make_clip(format, frames, material, seed);
  const int most = (1 << format.bit_depth) - 1;
  Clip clip = film;
  clip.frames.clear();
  int repeat =
      // not the first picture of the first cycle, which has no previous one
      1 + int(random() % uint32_t(cycle - 1));
  size_t next = 0;
  for (int i = 0; i < frames; i++) {
    if (i % cycle == 0 && i > 0) repeat = i + int(random() % uint32_t(cycle));
    if (i != repeat) {
      clip.frames.push_back(film.frames[next++]);
      continue;
    }
    clip.frames.push_back(clip.frames.back());
    for (auto& plane : clip.frames.back().planes)
      for (uint16_t& value : plane)
        if (random() % 8 == 0) value = uint16_t(std::clamp(int(value) + (random() % 2 ? 1 : -1), 0, most));
  }
  return clip;
}

TEST(DecimateFfmpegTest, DropsTheRepeatsThatFfmpegDrops) {
  if (!FfmpegFolder::knows("decimate")) GTEST_SKIP() << "there is no ffmpeg program with the filter decimate";
  const FfmpegFolder folder;
  uint32_t seed = 1;
  for (const int cycle : {2, 5, 25})
    for (const VideoFormat& format :
         {VideoFormat{130, 70, Chroma::k420, 8}, VideoFormat{64, 33, Chroma::k444, 8},
          VideoFormat{90, 64, Chroma::k422, 10}}) {
      const Material material = kMaterials[seed % 2];
      const int frames = cycle * 3;
      const Clip clip = with_repeats(format, cycle, frames, material, seed++);
      const std::vector<Picture> judged = folder.filter(clip, fmt::format("decimate=cycle={}", cycle));
      ASSERT_EQ(int(judged.size()), frames - 3) << to_text(format) << ", cycle " << cycle;
      for (device::Device* device : quick_test_devices()) {
        const auto made =
            run_clip(*device, {parse_options("decimate", fmt::format("cycle: {}", cycle))}, clip);
        ASSERT_THAT(made, IsOk());
        expect_same(judged, pictures_of(*made), fmt::format("{}, cycle {}", to_text(format), cycle));
      }
    }
}

}  // namespace
}  // namespace weft::filters
