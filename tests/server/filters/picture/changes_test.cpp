// SPDX-License-Identifier: Apache-2.0
// Tests sums over whole pictures: small ones against a sum in 64 bits, and 8K, which needs more
// than 32 bits.
#include "kernels/picture/changes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>

#include "server/filters/nodes/stencil.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/run.h"

namespace weft::filters {
namespace {

constexpr int kDark = 16, kBright = 160, kCut = 28;

class ChangesTest : public DeviceTest {
 protected:
  FilterContext context() {
    FilterContext context;
    context.device = &device();
    context.caches = &caches_of(device());
    return context;
  }

  // Returns, for each picture and plane, the differences to the next picture and to the one after
  // it.
  std::vector<int64_t> changes_of(const Clip& clip) {
    Network network;
    const Port pictures = network.set_source(PortFormat::picture(clip.format));
    const Port changes = add_changes(context(), network, pictures, 2).value();
    EXPECT_THAT(network.set_outputs({changes}), IsOk());
    const std::vector<std::byte> records = measure(device(), std::move(network), clip).value();
    const size_t bytes_each = records.size() / clip.frames.size();
    std::vector<int64_t> sums;
    for (size_t n = 0; n < clip.frames.size(); n++) {
      uint32_t record[CHANGES_INTS];
      std::memcpy(record, &records[n * bytes_each + sizeof(RecordTimes)], sizeof(record));
      for (int plane = 0; plane < clip.format.planes(); plane++)
        for (int at = CHANGES_PLANE_INTS * plane; at < CHANGES_PLANE_INTS * (plane + 1); at += 2)
          sums.push_back(int64_t{CHANGES_LOW} * record[at + 1] + record[at]);
    }
    return sums;
  }
};
WEFT_ON_EVERY_DEVICE(ChangesTest);
class CutTest : public ChangesTest {};
WEFT_ON_QUICK_DEVICES(CutTest);

int64_t difference_of(const Picture& a, const Picture& b, size_t plane) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.planes[plane].size(); i++)
    sum += std::abs(int(a.planes[plane][i]) - int(b.planes[plane][i])) >> (a.format.bit_depth - 8);
  return sum;
}

TEST_P(ChangesTest, SumsUpTheDifferencesOfEachPlane) {
  for (const VideoFormat& format :
       {VideoFormat{97, 65, Chroma::k420, 8}, VideoFormat{640, 33, Chroma::k444, 12},
        VideoFormat{31, 200, Chroma::kGray, 16}}) {
    const Clip clip = make_clip(format, 4, Material::kNoise, 5);
    std::vector<int64_t> expected;
    for (size_t n = 0; n < 4; n++)
      for (size_t plane = 0; plane < size_t(format.planes()); plane++)
        for (const size_t after : {n + 1, n + 2})
          expected.push_back(difference_of(clip.frames[n], clip.frames[std::min<size_t>(after, 3)], plane));
    EXPECT_EQ(changes_of(clip), expected) << to_text(format);
  }
}

// Returns flat pictures of 8K. After a cut the last one differs by 144 codes in each sample.
Clip cut_at_8k() {
  const VideoFormat format{7680, 4320, Chroma::kGray, 8};
  Clip clip{format, {}, {}};
  for (const int value : {kDark, kDark, kBright}) {
    clip.frames.emplace_back(format);
    std::ranges::fill(clip.frames.back().planes[0], uint16_t(value));
    clip.infos.push_back({.pts = int64_t(clip.infos.size()), .duration = 1});
  }
  return clip;
}

TEST_P(ChangesTest, A8kPicturesSumHasItsHighBits) {
  constexpr int64_t kAll = int64_t{7680} * 4320 * (kBright - kDark);
  static_assert(kAll > int64_t{UINT32_MAX});
  EXPECT_THAT(changes_of(cut_at_8k()), testing::ElementsAre(0, kAll, kAll, kAll, 0, 0));
}

TEST_P(CutTest, ACutIn8kIsSeen) {
  const Clip clip = cut_at_8k();
  Network network;
  const Port pictures = network.set_source(PortFormat::picture(clip.format));
  Stencil stencil;
  const Stencil::Value own = stencil.load(0), before = stencil.load(0, -1), after = stencil.load(0, 1);
  stencil.store(stencil.binomial(own, before, after, kCut));
  StencilPorts ports{.pictures = {pictures}};
  ports.changes = add_changes(context(), network, pictures, 1).value();
  const Port mixed = add_stencil(context(), network, "mixed", stencil, ports).value();
  ASSERT_THAT(network.set_outputs({mixed}), IsOk());
  const auto made = run_network(device(), std::move(network), clip, {.plan = {.batch = 3}});
  ASSERT_THAT(made, IsOk());
  ASSERT_EQ(made->size(), 3u);
  for (size_t n = 0; n < 3; n++)
    EXPECT_TRUE((*made)[n].picture == clip.frames[n]) << difference((*made)[n].picture, clip.frames[n]);
}

}  // namespace
}  // namespace weft::filters
