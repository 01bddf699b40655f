// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/pictures/picture_rgb.h"

#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

// Planes in memory with padded rows.
struct Planes {
  explicit Planes(const VideoFormat& format) {
    view.format = format;
    for (int plane = 0; plane < format.planes(); plane++) {
      const ptrdiff_t stride = format.plane_width(plane) * format.sample_bytes() + 6;
      memory[size_t(plane)].resize(size_t(stride) * size_t(format.plane_height(plane)), 0xCD);
      view.plane[size_t(plane)] = memory[size_t(plane)].data();
      view.stride_bytes[size_t(plane)] = stride;
    }
  }
  void set(int plane, int x, int y, int value) {
    uint8_t* row = memory[size_t(plane)].data() + y * view.stride_bytes[size_t(plane)];
    if (view.format.sample_bytes() == 1)
      row[x] = uint8_t(value);
    else
      reinterpret_cast<uint16_t*>(row)[x] = uint16_t(value);
  }
  void fill(int plane, int value) {
    for (int y = 0; y < view.format.plane_height(plane); y++)
      for (int x = 0; x < view.format.plane_width(plane); x++) set(plane, x, y, value);
  }
  std::vector<uint8_t> rgb(const Colour& colour, bool is_interlaced = false) const {
    std::vector<uint8_t> bytes(size_t(view.format.width) * size_t(view.format.height) * 3);
    EXPECT_THAT(to_rgb(view, colour, is_interlaced, bytes), IsOk());
    return bytes;
  }

  std::array<std::vector<uint8_t>, 3> memory;
  PictureView view;
};

struct Matrix {
  int number;
  double red, blue;
};

// The planes are computed from colours by the definitions of H.273, 8.3. The conversion must return
// the colours.
TEST(PictureRgb, GivesBackTheColoursThatTheDefinitionsMakePlanesOf) {
  std::mt19937 random(1);
  for (const Matrix& matrix : {Matrix{1, 0.2126, 0.0722}, Matrix{6, 0.299, 0.114}, Matrix{5, 0.299, 0.114},
                               Matrix{7, 0.212, 0.087}, Matrix{9, 0.2627, 0.0593}, Matrix{4, 0.30, 0.11}})
    for (const int depth : {8, 10, 16})
      for (const bool is_full : {false, true}) {
        Planes planes({64, 4, Chroma::k444, depth});
        Colour colour;
        colour.matrix = matrix.number;
        colour.range = is_full ? Colour::Range::kFull : Colour::Range::kLimited;
        const double unit = double(1 << (depth - 8)), largest = double((1 << depth) - 1);
        std::vector<int> expected;
        for (int y = 0; y < 4; y++)
          for (int x = 0; x < 64; x++) {
            double rgb[3];
            for (double& each : rgb) {
              expected.push_back(int(random() % 256));
              each = expected.back() / 255.0;
            }
            const double luma =
                matrix.red * rgb[0] + (1 - matrix.red - matrix.blue) * rgb[1] + matrix.blue * rgb[2];
            const double cb = (rgb[2] - luma) / (2 * (1 - matrix.blue));
            const double cr = (rgb[0] - luma) / (2 * (1 - matrix.red));
            const auto code = [&](double value) { return int(std::clamp(std::round(value), 0.0, largest)); };
            planes.set(0, x, y, code(is_full ? luma * largest : unit * (219 * luma + 16)));
            const double chroma = is_full ? largest : unit * 224;
            planes.set(1, x, y, code(chroma * cb + (1 << (depth - 1))));
            planes.set(2, x, y, code(chroma * cr + (1 << (depth - 1))));
          }
        const std::vector<uint8_t> found = planes.rgb(colour);
        int worst = 0;
        for (size_t i = 0; i < found.size(); i++)
          worst = std::max(worst, std::abs(int(found[i]) - expected[i]));
        EXPECT_LE(worst, depth == 8 ? 2 : 1) << matrix.number << " " << depth << " " << is_full;
        std::vector<uint16_t> fine(found.size());
        ASSERT_THAT(to_rgb(planes.view, colour, false, std::span<uint16_t>(fine)), IsOk());
        double rounded = 0, farthest = 0;
        for (size_t i = 0; i < fine.size(); i++) {
          rounded = std::max(rounded, std::abs(fine[i] / 257.0 - found[i]));
          farthest = std::max(farthest, std::abs(fine[i] / 257.0 - expected[i]));
        }
        EXPECT_LE(rounded, 0.51) << "8 bits are the nearest to 16";
        EXPECT_LE(farthest, 2.5 / (1 << (depth - 8)) + 0.02)
            << matrix.number << " " << depth << " " << is_full;
      }
}

TEST(PictureRgb, GrayAndPlanesThatAreColoursThemselves) {
  Planes gray({3, 2, Chroma::kGray, 8});
  gray.fill(0, 235);
  EXPECT_THAT(gray.rgb({}), ::testing::Each(255));
  Planes colours({1, 1, Chroma::k444, 8});
  colours.fill(0, 20);  // green
  colours.fill(1, 30);  // blue
  colours.fill(2, 10);  // red
  Colour identity;
  identity.matrix = 0;
  identity.range = Colour::Range::kFull;
  EXPECT_THAT(colours.rgb(identity), ::testing::ElementsAre(10, 20, 30));
}

// Red in the top field, blue in the bottom field: neither may affect the other.
TEST(PictureRgb, FieldsOfAnInterlacedPictureDoNotMix) {
  Planes planes({4, 16, Chroma::k420, 8});
  planes.fill(0, 100);
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 2; x++) {
      planes.set(1, x, y, y % 2 == 0 ? 90 : 200);
      planes.set(2, x, y, y % 2 == 0 ? 200 : 90);
    }
  const std::vector<uint8_t> woven = planes.rgb({}, true);
  for (int y = 2; y < 16; y++)
    for (int i = 0; i < 12; i++) EXPECT_EQ(woven[size_t(y * 12 + i)], woven[size_t((y % 2) * 12 + i)]) << y;
  EXPECT_NE(woven[0], woven[12]);
  const std::vector<uint8_t> mixed = planes.rgb({}, false);
  EXPECT_NE(mixed[2 * 12], woven[2 * 12]) << "of a progressive one they are neighbours";
}

// Chroma with a constant slope over the picture is interpolated to the values of a plane with a
// sample for each pixel.
TEST(PictureRgb, RareLayoutsOfChromaLieWhereTheyShould) {
  Planes whole({32, 32, Chroma::k444, 8});
  whole.fill(0, 120);
  for (int y = 0; y < 32; y++)
    for (int x = 0; x < 32; x++)
      for (const int plane : {1, 2}) whole.set(plane, x, y, 64 + 2 * x + 2 * y);
  for (const Chroma chroma : {Chroma::k411, Chroma::k410, Chroma::k440}) {
    Planes planes({32, 32, chroma, 8});
    planes.fill(0, 120);
    const int columns = columns_of_chroma(chroma), rows = rows_of_chroma(chroma);
    for (int y = 0; y < planes.view.format.plane_height(1); y++)
      for (int x = 0; x < planes.view.format.plane_width(1); x++)
        for (const int plane : {1, 2})
          planes.set(plane, x, y, 64 + 2 * columns * x + 2 * rows * y + rows - 1);
    const std::vector<uint8_t> expected = whole.rgb({}), found = planes.rgb({});
    for (int y = 4; y < 28; y++)
      for (int x = 4; x < 28; x++)
        ASSERT_NEAR(found[size_t((y * 32 + x) * 3)], expected[size_t((y * 32 + x) * 3)], 1)
            << name_of(chroma) << " " << x << " " << y;
  }
}

TEST(PictureRgb, UnspecifiedColoursAreThoseOfTheSize) {
  const auto red_of = [](int height, int matrix) {
    Planes planes({2, height, Chroma::k444, 8});
    planes.fill(0, 100);
    planes.fill(1, 100);
    planes.fill(2, 200);
    Colour colour;
    colour.matrix = matrix;
    return planes.rgb(colour)[0];
  };
  EXPECT_EQ(red_of(576, 2), red_of(576, 6));
  EXPECT_EQ(red_of(720, 2), red_of(720, 1));
  EXPECT_NE(red_of(576, 2), red_of(576, 1));
}

TEST(PictureRgb, AMatrixThatIsNotLinearIsRefused) {
  Planes planes({2, 2, Chroma::k420, 8});
  Colour colour;
  colour.matrix = 14;  // ICtCp
  std::vector<uint8_t> rgb(12);
  EXPECT_THAT(to_rgb(planes.view, colour, false, rgb), StatusIs(StatusCode::kInvalidArgument, "matrix 14"));
}

// The picture is compared with that of the ffmpeg program, which gets the chroma location as an
// option and interpolates with another filter. With a wrong location the pictures differ much.
TEST(PictureRgb, LooksAsFfmpegShowsIt) {
  const TestFolder folder;
  const std::string path = make_clip(
      folder, "a.mkv",
      "-f lavfi -i mandelbrot=size=160x120:rate=25 -frames:v 1 -vf gblur=2 -c:v ffv1 -pix_fmt yuv420p "
      "-colorspace smpte170m -color_range tv");
  const auto source = open_source(path).value();
  const auto frame = source->next().value();
  const auto distance = [&](int location, int position) {
    Colour colour = source->info().video.colour;
    colour.chroma_location = location;
    std::vector<uint8_t> rgb(160 * 120 * 3);
    EXPECT_THAT(to_rgb(frame->picture, colour, false, rgb), IsOk());
    run(
        fmt::format("ffmpeg -v error -y -i {} -vf "
                    "scale=in_h_chr_pos={}:in_v_chr_pos=128:flags=bicubic+accurate_rnd+full_chroma_int "
                    "-pix_fmt rgb24 -f rawvideo {}",
                    path, position, folder.path("rgb")));
    const std::string peer = read_file(folder.path("rgb"));
    EXPECT_EQ(peer.size(), rgb.size());
    double sum = 0;
    for (size_t i = 0; i < rgb.size(); i++) sum += std::abs(double(rgb[i]) - double(uint8_t(peer[i])));
    return sum / double(rgb.size());
  };
  constexpr int kLeft = 1,
                // FFmpeg's number of the location. The second argument is the location in 256ths of
      // the distance to the next luma sample.
      kCentre = 2;
  EXPECT_LT(distance(kLeft, 0), 0.5);
  EXPECT_LT(distance(kCentre, 128), 0.5);
  EXPECT_GT(distance(kCentre, 0), 0.8);
}

}  // namespace
}  // namespace weft::media
