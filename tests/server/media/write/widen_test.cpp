// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/widen.h"

#include <gmock/gmock.h>

#include "server/media/pixel_format.h"

namespace weft::media {
namespace {

using testing::ElementsAre;

constexpr int kCentre = 2, kTopLeft = 3;  // chroma locations by FFmpeg's numbers

// A row or a column of a chroma plane to widen. Luma and the other chroma plane are zero.
struct Line {
  VideoFormat format;
  int chroma_location = 0;
  ScanOrder field_order = ScanOrder::kProgressive;

  template <class Sample = uint8_t>
  std::vector<int> widened(std::vector<Sample> chroma) const {
    std::vector<Sample> luma(size_t(format.width) * size_t(format.height)), other(chroma.size());
    const auto bytes = [](const std::vector<Sample>& plane) {
      return reinterpret_cast<const uint8_t*>(plane.data());
    };
    OutputVideo video;
    video.format = format;
    video.colour.chroma_location = chroma_location;
    video.field_order = field_order;
    Widener widener(video);
    const ptrdiff_t stride = format.plane_width(1) * int(sizeof(Sample));
    const PictureView picture{.format = format,
                              .plane = {bytes(luma), bytes(other), bytes(chroma)},
                              .stride_bytes = {format.width * int(sizeof(Sample)), stride, stride}};
    const PictureView result = widener.widen(picture);
    EXPECT_EQ(result.format, media::widened(format));
    EXPECT_EQ(result.plane[0], picture.plane[0]) << "luma is not even moved";
    std::vector<int> samples;
    for (int y = 0; y < result.format.plane_height(2); y++)
      for (int x = 0; x < result.format.plane_width(2); x++)
        samples.push_back(reinterpret_cast<const Sample*>(result.plane[2] + y * result.stride_bytes[2])[x]);
    return samples;
  }
};

TEST(Widen, TakesTheNextLayoutThatHoldsAllChroma) {
  const auto wider = [](Chroma chroma) { return widened({.chroma = chroma}).chroma; };
  EXPECT_EQ(wider(Chroma::k411), Chroma::k422);
  EXPECT_EQ(wider(Chroma::k410), Chroma::k420);
  EXPECT_EQ(wider(Chroma::k440), Chroma::k444);
  for (const Chroma chroma : {Chroma::kGray, Chroma::k420, Chroma::k422, Chroma::k444})
    EXPECT_EQ(wider(chroma), chroma);
}

// DV has a chroma sample at every fourth luma sample.
TEST(Widen, KeepsEachSampleWhereTheyLieOnLuma) {
  EXPECT_THAT(Line({{12, 1, Chroma::k411, 8}, kTopLeft}).widened({10, 20, 60}),
              ElementsAre(10, 15, 20, 40, 60, 60));
  EXPECT_THAT(Line({{13, 1, Chroma::k411, 8}, 0}).widened({10, 20, 60, 70}),
              ElementsAre(10, 15, 20, 40, 60, 65, 70));
}

TEST(Widen, InterpolatesWhereTheyLieBetween) {
  EXPECT_THAT(Line({{12, 1, Chroma::k411, 8}, kCentre}).widened({10, 20, 60}),
              ElementsAre(10, 13, 18, 30, 50, 60));
  EXPECT_THAT(Line({{1, 6, Chroma::k440, 8}}).widened({10, 20, 60}), ElementsAre(10, 13, 18, 30, 50, 60));
  EXPECT_THAT(Line({{4, 16, Chroma::k410, 8}}).widened({0, 40, 80, 120}),
              ElementsAre(0, 0, 10, 10, 30, 30, 50, 50, 70, 70, 90, 90, 110, 110, 120, 120))
      << "columns and rows";
}

TEST(Widen, KeepsFieldsApart) {
  const Line line{{1, 8, Chroma::k440, 8}, kTopLeft, ScanOrder::kTopFirst};
  EXPECT_THAT(line.widened({10, 200, 30, 220}), ElementsAre(10, 200, 20, 210, 30, 220, 30, 220));
}

TEST(Widen, TakesDeepSamples) {
  EXPECT_THAT(Line({{1, 4, Chroma::k440, 16}, kTopLeft}).widened<uint16_t>({65535, 1}),
              ElementsAre(65535, 32768, 1, 1));
}

}  // namespace
}  // namespace weft::media
