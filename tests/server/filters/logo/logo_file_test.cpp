// SPDX-License-Identifier: Apache-2.0
// Tests reading and writing of logo files: bytes by hand, files that are read as they were written,
// and damaged files.
#include "server/filters/logo/logo_file.h"

#include <cstring>
#include <random>
#include <string_view>

#include <gmock/gmock.h>

#include "server/filters/logo/logo_planes.h"
#include "tests/server/filters/logo/made_logo.h"

namespace weft::filters::logo {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<std::byte>;

constexpr VideoFormat kFormat{320, 240, Chroma::k420, 8};
constexpr MadeLogo kMade{.x = 32, .y = 18, .width = 40, .height = 30};

void add(Bytes& bytes, std::string_view text, size_t size) {
  for (size_t i = 0; i < size; i++) bytes.push_back(std::byte(i < text.size() ? text[i] : '\0'));
}
void add_16(Bytes& bytes, int number) {
  bytes.push_back(std::byte(number & 255));
  bytes.push_back(std::byte(number >> 8 & 255));
}

// A base part of 2x1 samples at 6,4: the second one has an opacity of 25%.
Bytes base_by_hand() {
  Bytes bytes;
  add(bytes, "<logo data file ver0.1>", 28);
  add(bytes, std::string_view("\0\0\0\1", 4), 4);
  add(bytes, "Station", 32);
  for (const int number : {6, 4, 1, 2, 0, 0, 0, 0}) add_16(bytes, number);
  for (const int number : {0, 0, 0, 0, 0, 0}) add_16(bytes, number);
  for (const int number : {250, 4096, 500, -1024, 250, 2048}) add_16(bytes, number);
  return bytes;
}

TEST(LogoFile, ABasePartByHandHasItsOpacitiesAndColours) {
  const auto logo = parse_logo(base_by_hand());
  ASSERT_THAT(logo, IsOk());
  EXPECT_EQ(logo->name, "Station");
  EXPECT_EQ((std::array{logo->x, logo->y, logo->width, logo->height, logo->image_width}),
            (std::array{6, 4, 2, 1, 0}));
  for (const LogoPlane& plane : logo->planes) {
    ASSERT_EQ(plane.a.size(), 2u);
    EXPECT_EQ(plane.a[0], 1);
    EXPECT_EQ(plane.b[0], 0);
  }
  // A black luma sample of code 16 shows 16 + 25% of 219, which is 70.75.
  const auto removed = [&](int plane, double code) {
    return 255 *
           (double(logo->planes[size_t(plane)].a[1]) * code / 255 + double(logo->planes[size_t(plane)].b[1]));
  };
  EXPECT_NEAR(removed(0, 70.75), 16, 1e-4);
  EXPECT_NEAR(removed(0, 235), 235, 1e-4) << "white stays white";
  // Grey chroma shows half of the way to 128 - 56, and a quarter of the way to 128 + 112.
  EXPECT_NEAR(removed(1, 100), 128, 1e-4);
  EXPECT_NEAR(removed(2, 156), 128, 1e-4);
}

TEST(LogoFile, AFileIsReadAsItWasWritten) {
  for (const Chroma chroma : {Chroma::k420, Chroma::k422, Chroma::k444}) {
    const VideoFormat format{320, 240, chroma, 8};
    Logo logo = kMade.logo(format);
    logo.service = 1024;
    const Bytes bytes = print_logo(logo);
    const auto read = parse_logo(bytes);
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(print_logo(*read), bytes);
    EXPECT_EQ(read->name, "made");
    EXPECT_EQ(read->service, 1024);
    EXPECT_EQ(read->image_width, 320);
    EXPECT_EQ(read->image_height, 240);
    for (size_t plane = 0; plane < 3; plane++) {
      EXPECT_EQ(read->planes[plane].a, logo.planes[plane].a);
      EXPECT_EQ(read->planes[plane].b, logo.planes[plane].b);
    }
  }
}

TEST(LogoFile, TheExtendedPartLiesWhereItsFormatSays) {
  const Logo logo = kMade.logo(kFormat);
  const Bytes bytes = print_logo(logo);
  const size_t base = 28 + 4 + 48 + 40 * 30 * 12;
  ASSERT_EQ(bytes.size(), base + 540 + (40 * 30 + 2 * 20 * 15) * 2 * sizeof(float));
  const auto number = [&](size_t at) {
    int32_t value = 0;
    std::memcpy(&value, &bytes[at], sizeof(value));
    return value;
  };
  const int expected[] = {0x12345, 1, 40, 30, 1, 1, 320, 240, 32, 18};
  for (size_t i = 0; i < std::size(expected); i++) EXPECT_EQ(number(base + 4 * i), expected[i]) << i;
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(&bytes[base + 40])), "made");
  EXPECT_EQ(number(base + 40 + 256), 0) << "service";
  float first = 0;
  std::memcpy(&first, &bytes[base + 540], sizeof(first));
  EXPECT_EQ(first, logo.planes[0].a[0]);
}

// AviUtl's plug-ins read the base part alone, which has steps of 8-bit codes.
TEST(LogoFile, TheBasePartDescribesTheSameLogo) {
  const Logo logo = kMade.logo(kFormat);
  Bytes bytes = print_logo(logo);
  bytes.resize(28 + 4 + 48 + 40 * 30 * 12);
  const auto base = parse_logo(bytes);
  ASSERT_THAT(base, IsOk());
  for (int j = 0; j < 30; j++)
    for (int i = 0; i < 40; i++) {
      const double opacity = 1 - 1 / double(base->planes[0].a[size_t(j * 40 + i)]);
      EXPECT_NEAR(opacity, kMade.opacity(i, j), 0.015) << i << "," << j;
      if (opacity < 0.1) continue;
      const double a = double(base->planes[0].a[size_t(j * 40 + i)]);
      EXPECT_NEAR(double(base->planes[0].b[size_t(j * 40 + i)]) / (1 - a), MadeLogo::colour(0), 0.02);
    }
}

TEST(LogoFile, FilesOfOtherKindsAreRefused) {
  const auto refusal = [](Bytes bytes) { return parse_logo(bytes).status(); };
  Bytes other = base_by_hand();
  other[5] = std::byte{'x'};
  EXPECT_THAT(refusal(other), StatusIs(StatusCode::kInvalidArgument, "is no logo file"));
  EXPECT_THAT(refusal({}), StatusIs(StatusCode::kInvalidArgument, "is no logo file"));
  Bytes two = base_by_hand();
  two[31] = std::byte{2};
  EXPECT_THAT(refusal(two), StatusIs(StatusCode::kInvalidArgument, "has 2 logos"));
  Bytes opaque = base_by_hand();
  opaque[28 + 4 + 48 + 12] = std::byte{0xe8};  // 1000
  opaque[28 + 4 + 48 + 13] = std::byte{3};
  EXPECT_THAT(refusal(opaque), StatusIs(StatusCode::kInvalidArgument, "at 1,0 is 1000 of 1000"));
  Bytes empty = base_by_hand();
  empty[28 + 4 + 32 + 4] = std::byte{0};  // no rows
  EXPECT_THAT(refusal(empty), StatusIs(StatusCode::kInvalidArgument, "has 2x0 samples"));
  Bytes mark = base_by_hand();
  mark.resize(mark.size() + 540);
  EXPECT_THAT(refusal(mark), StatusIs(StatusCode::kInvalidArgument, "has the mark 0x0"));
  Logo outside = kMade.logo(kFormat);
  outside.image_width = 60;
  EXPECT_THAT(refusal(print_logo(outside)),
              StatusIs(StatusCode::kInvalidArgument, "not within pictures of 60x240"));
  Logo negative = kMade.logo(kFormat);
  negative.planes[1].a[7] = -2;
  EXPECT_THAT(refusal(print_logo(negative)), StatusIs(StatusCode::kInvalidArgument, "Sample 7 of plane 1"));
}

TEST(LogoFile, NoDamageIsReadBeyondTheFile) {
  const Bytes bytes = print_logo(kMade.logo(kFormat));
  const size_t base = 28 + 4 + 48 + 40 * 30 * 12;
  for (size_t size = 0; size < bytes.size(); size += size < 100 || size + 50 > base ? 7 : 501) {
    const auto read = parse_logo(std::span(bytes).first(size));
    // A file that ends with the base part is a file of AviUtl.
    EXPECT_EQ(read.ok(), size == base) << size;
  }
  std::mt19937 random(5);
  int parsed = 0;
  for (int i = 0; i < 2000; i++) {
    Bytes damaged = bytes;
    for (int k = 0; k < 3; k++)
      damaged[random() % (k == 0 ? damaged.size() : 80)] = std::byte(random() & 255);
    damaged[base + random() % 80] = std::byte(random() & 255);
    parsed += parse_logo(damaged).ok() ? 1 : 0;
  }
  EXPECT_LT(parsed, 1000);
}

TEST(LogoPlanes, ChromaOfAnotherLayoutHasTheMeanEffect) {
  const Logo logo = kMade.logo({320, 240, Chroma::k444, 8});
  const auto planes = place_logo(logo, kFormat);
  ASSERT_THAT(planes, IsOk());
  const PlacedPlane& placed = (*planes)[1];
  EXPECT_EQ((std::array{placed.x, placed.y, placed.width, placed.height}), (std::array{16, 9, 20, 15}));
  for (int j = 0; j < 15; j++)
    for (int i = 0; i < 20; i++) {
      double shown = 0;  // of a background of 0.5
      for (int k = 0; k < 4; k++) {
        const double part = kMade.opacity(2 * i + k % 2, 2 * j + k / 2);
        shown += (0.5 * (1 - part) + MadeLogo::colour(1) * part) / 4;
      }
      const size_t at = size_t(j * 20 + i);
      EXPECT_NEAR(double(placed.values.a[at]) * shown + double(placed.values.b[at]), 0.5, 1e-6);
    }
}

TEST(LogoPlanes, ALogoOfAnotherVideoIsRefused) {
  Logo logo = kMade.logo(kFormat);
  EXPECT_THAT(place_logo(logo, {322, 240, Chroma::k420, 8}).status(),
              StatusIs(StatusCode::kInvalidArgument, "made for pictures of 320x240"));
  logo.image_width = logo.image_height = 0;
  EXPECT_THAT(place_logo(logo, {71, 240, Chroma::k420, 8}).status(),
              StatusIs(StatusCode::kInvalidArgument, "not within the picture (71x240)"));
}

}  // namespace
}  // namespace weft::filters::logo
