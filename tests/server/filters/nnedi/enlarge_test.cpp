// SPDX-License-Identifier: Apache-2.0
// Tests that pictures of twice the size keep the positions of the small ones, and that impossible
// sizes are refused.
#include <cmath>

#include <gmock/gmock.h>

#include "tests/filter_suite/devices.h"

namespace weft::filters {
namespace {

class EnlargeTest : public DeviceTest {};
WEFT_ON_EVERY_DEVICE(EnlargeTest);

// A plane of code values with a constant slope, so that each code value shows its original
// position.
constexpr double kAcross = 150, kDown = 90, kLowest = 6000;  // code values per luma sample
double code_at(double x, double y) { return kLowest + kAcross * x + kDown * y; }

TEST_P(EnlargeTest, PicturesStayInTheirPlace) {
  struct Site {
    const char* name;
    double x, y;  // position of the first chroma sample, in luma samples from the first one
  };
  for (const Site& site :
       {Site{"AUTO", 0, 0.5}, Site{"CENTRE", 0.5, 0.5}, Site{"TOP_LEFT", 0, 0}, Site{"BOTTOM", 0.5, 1}}) {
    Clip clip = make_clip({64, 48, Chroma::k420, 16}, 1, Material::kStatic, 1);
    Picture& small = clip.frames[0];
    for (int plane = 0; plane < 3; plane++)
      for (int y = 0; y < small.format.plane_height(plane); y++)
        for (int x = 0; x < small.format.plane_width(plane); x++)
          small.at(plane, x, y) =
              uint16_t(std::lround(plane == 0 ? code_at(x, y) : code_at(2 * x + site.x, 2 * y + site.y)));
    const Options options = parse_options(
        "enlarge", fmt::format("network: NNEDI_NETWORK_FAST chroma_position: CHROMA_POSITION_{}", site.name));
    const auto made = run_clip(device(), {options}, clip);
    ASSERT_THAT(made, IsOk());
    const Picture& large = (*made)[0].picture;
    ASSERT_TRUE(large.format == (VideoFormat{128, 96, Chroma::k420, 16}));
    for (int plane = 0; plane < 3; plane++)
      for (int y = 16; y < large.format.plane_height(plane) - 16; y++)
        for (int x = 16; x < large.format.plane_width(plane) - 16; x++) {
          // Positions in luma samples of the large picture; those of the small one are twice as
          // wide.
          const double at_x = plane == 0 ? x : 2 * x + site.x, at_y = plane == 0 ? y : 2 * y + site.y;
          ASSERT_NEAR(large.at(plane, x, y), code_at((at_x + 0.5) / 2 - 0.5, (at_y + 0.5) / 2 - 0.5), 3)
              << site.name << ", plane " << plane << ": " << x << ", " << y;
        }
  }
}

TEST_P(EnlargeTest, RefusesWhatCannotBeDoubled) {
  const Options options = parse_options("enlarge", "");
  EXPECT_THAT(expand(&device(), {options}, {64, 48, Chroma::k411, 8}).status(),
              StatusIs(StatusCode::kInvalidArgument, "4:1:1"));
  EXPECT_THAT(expand(&device(), {options}, {8200, 48, Chroma::k420, 8}).status(),
              StatusIs(StatusCode::kInvalidArgument, "(8200x48) doubled"));
  PictureProperties properties;
  properties.interlaced = true;
  EXPECT_THAT(expand(&device(), {options}, {64, 48, Chroma::k420, 8}, properties).status(),
              StatusIs(StatusCode::kInvalidArgument, "interlaced"));
}

TEST_P(EnlargeTest, NotesOptionsWithoutEffect) {
  const auto plain = expand(&device(), {parse_options("enlarge", "")}, {64, 48, Chroma::k420, 8});
  ASSERT_THAT(plain, IsOk());
  EXPECT_THAT(plain->notes(), testing::ElementsAre(testing::HasSubstr("the network 'best' of 20")));
  const auto noted = expand(&device(), {parse_options("enlarge", "nsize: 3")}, {64, 48, Chroma::k420, 8});
  ASSERT_THAT(noted, IsOk());
  EXPECT_THAT(noted->notes(), testing::Contains(testing::HasSubstr("have no effect")));
}

}  // namespace
}  // namespace weft::filters
