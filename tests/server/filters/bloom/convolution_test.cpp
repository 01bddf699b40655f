// SPDX-License-Identifier: Apache-2.0
// Convolution by FFT against a direct sum in float64, on the CPU and on every other device that is there.
// long file: the cases share one bench, and each is short
#include "server/filters/bloom/convolution.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include <gmock/gmock.h>

#include "tests/server/filters/bloom/device_bench.h"

namespace weft::filters::bloom {
namespace {

struct Kernel {
  Image image;
  int centre_x, centre_y;
  bool has_channels;
};

// What lies outside, as Padding says; a transform continues each end halfway, so this holds within the kernel's reach.
int outside(int i, int n, Padding padding) {
  if (i >= 0 && i < n) return i;
  if (padding == Padding::kZero) return -1;
  if (padding == Padding::kClamp) return std::clamp(i, 0, n - 1);
  const int m = ((i % (2 * n)) + 2 * n) % (2 * n);
  return m < n ? m : 2 * n - 1 - m;
}

// The sum itself, in float64.
std::vector<double> direct(const Image& image, const Kernel& kernel, Padding padding, bool is_circular) {
  std::vector<double> out(image.values.size(), 0.0);
  for (int j = 0; j < kernel.image.height; j++) {
    for (int i = 0; i < kernel.image.width; i++) {
      double k[4];
      for (int c = 0; c < 4; c++) k[c] = kernel.image.at(i, j, kernel.has_channels ? c : 0);
      if (k[0] == 0 && k[1] == 0 && k[2] == 0 && k[3] == 0) continue;
      for (int y = 0; y < image.height; y++) {
        int sy = y - (j - kernel.centre_y);
        sy = is_circular ? (sy % image.height + image.height) % image.height
                         : outside(sy, image.height, padding);
        if (sy < 0) continue;
        for (int x = 0; x < image.width; x++) {
          int sx = x - (i - kernel.centre_x);
          sx = is_circular ? (sx % image.width + image.width) % image.width
                           : outside(sx, image.width, padding);
          if (sx < 0) continue;
          for (int c = 0; c < 4; c++)
            out[(size_t(y) * image.width + x) * 4 + c] += k[c] * double(image.at(sx, sy, c));
        }
      }
    }
  }
  return out;
}

struct Options {
  ConvolutionShape shape = {};
  Mix mix = {};
  bool has_half_source = false;  // the image's values are halves (half_image)
};

uint16_t half_bits(float value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); }
float of_half(uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

Image half_image(Image image) {
  for (float& v : image.values) v = of_half(half_bits(v));
  return image;
}

std::vector<float> floats(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class ConvolutionTest : public DeviceBench {
 protected:
  // A Vulkan device in software takes a second for a hundred small convolutions.
  bool is_slow() const {
    return device_->info().kind == device::DeviceKind::kVulkan && device_->info().is_software;
  }

  // Floats in, floats out; the scratch memory is filled with NaN first.
  StatusOr<std::vector<float>> convolve(const std::vector<Image>& images, const Kernel& kernel,
                                        Options options = {}) {
    const int width = images[0].width, height = images[0].height;
    ConvolutionShape& shape = options.shape;
    shape.width = width;
    shape.height = height;
    if (!shape.is_circular && shape.reach_x == 0 && shape.reach_y == 0) {
      shape.reach_x = std::max(kernel.centre_x, kernel.image.width - 1 - kernel.centre_x);
      shape.reach_y = std::max(kernel.centre_y, kernel.image.height - 1 - kernel.centre_y);
    }
    shape.has_channel_kernels = kernel.has_channels;
    ASSIGN_OR_RETURN(const auto convolution, Convolution::make(*device_, shape));
    std::vector<float> all;
    for (const Image& image : images) all.insert(all.end(), image.values.begin(), image.values.end());
    const size_t bytes = all.size() * sizeof(float);
    std::vector<uint16_t> halves;
    if (options.has_half_source) std::ranges::transform(all, std::back_inserter(halves), half_bits);
    const auto source = options.has_half_source ? upload(halves.data(), halves.size() * sizeof(uint16_t))
                                                : upload(all.data(), bytes);
    const auto target = device_->allocate(MemoryKind::kDevice, bytes).value();
    const auto scratch =
        device_->allocate(MemoryKind::kDevice, convolution->scratch_bytes(int(images.size()))).value();
    stream_->fill(*scratch, 0, scratch->size_bytes(), std::byte{0xff});
    const auto taps = upload(kernel.image.values.data(), kernel.image.values.size() * sizeof(float));
    const KernelImage kernel_image{
        taps.get(), 0, kernel.image.width, kernel.image.height, kernel.centre_x, kernel.centre_y};
    ASSIGN_OR_RETURN(const auto spectrum, convolution->make_spectrum(*stream_, *scratch, kernel_image));
    stream_->fill(*scratch, 0, scratch->size_bytes(), std::byte{0xff});
    const PixelType type = options.has_half_source ? PixelType::kHalf : PixelType::kFloat;
    const Pixels in{source.get(), 0, type, width, width * height};
    const Pixels out{target.get(), 0, PixelType::kFloat, width, width * height};
    convolution->enqueue(*stream_, {.source = in,
                                    .target = out,
                                    .scene = in,
                                    .mix = options.mix,
                                    .spectrum = spectrum.get(),
                                    .scratch = scratch.get(),
                                    .frames = int(images.size())});
    return floats(download(*target));
  }

  void expect_direct(const Image& image, const Kernel& kernel, Options options = {}) {
    const auto result = convolve({image}, kernel, options);
    ASSERT_THAT(result, IsOk());
    const auto reference = direct(image, kernel, options.shape.padding, options.shape.is_circular);
    EXPECT_LT(relative_error(*result, reference), 2e-6)
        << image.width << "x" << image.height << " points " << options.shape.points_x << "x"
        << options.shape.points_y;
  }
};

// Taps here and there, so that a direct sum at any size is cheap; corners included.
Kernel sparse_kernel(int width, int height, bool has_channels, uint32_t seed) {
  Kernel kernel{Image(width, height), width / 2, height / 2, has_channels};
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(0.1f, 1.0f);
  const auto put = [&](int x, int y) {
    for (int c = 0; c < 4; c++) kernel.image.at(x, y, c) = value(random);
  };
  put(0, 0);
  put(width - 1, 0);
  put(width - 1, height - 1);
  put(width / 2, height / 2);
  for (int i = 0; i < 3; i++) put(int(random() % uint32_t(width)), int(random() % uint32_t(height)));
  return kernel;
}

TEST_P(ConvolutionTest, IsTheDirectSumAtOddAndEvenSizes) {
  for (const auto& [width, height] :
       {std::pair{1, 1}, {1, 40}, {37, 1}, {17, 13}, {16, 16}, {31, 32}, {48, 47}}) {
    for (const bool has_channels : {false, true}) {
      const Image image = random_image(width, height, uint32_t(width * 100 + height));
      for (const auto& [w, h] : {std::pair{1, 1}, {5, 7}, {8, 6}, {61, 50}}) {
        const Kernel kernel{random_image(w, h, 7), w / 2, h / 2, has_channels};
        expect_direct(image, kernel);
      }
    }
  }
}

// Each radix as first, middle and last pass, on both axes: every length once along x and once along y.
TEST_P(ConvolutionTest, EveryRadixGivesTheDirectSum) {
  const std::vector<int> few = {16, 21, 30, 49, 81, 100, 112, 243, 512, 1000};
  const std::vector<int> all = {16,  18,  20,  21,  24,  25,  27,  28,  30,  32,   35,  36,  40,  42,
                                45,  48,  49,  50,  54,  56,  60,  63,  64,  70,   72,  75,  80,  81,
                                84,  90,  96,  98,  100, 105, 112, 120, 125, 126,  128, 135, 140, 144,
                                150, 160, 162, 175, 180, 210, 240, 243, 250, 256,  343, 375, 448, 486,
                                512, 625, 686, 720, 729, 768, 800, 945, 972, 1000, 1024};
  for (const int points : is_slow() ? few : all) {
    for (const bool has_channels : {false, true}) {
      const int side = points - 5;
      const Kernel kernel = sparse_kernel(11, 11, has_channels, uint32_t(points));
      expect_direct(random_image(side, 12, 1), kernel, {.shape = {.points_x = points, .points_y = 18}});
      expect_direct(random_image(12, side, 2), kernel, {.shape = {.points_x = 20, .points_y = points}});
    }
  }
}

TEST_P(ConvolutionTest, LongLinesGiveTheDirectSum) {
  const bool is_small = device_->info().shared_memory_bytes < 64 * 1024;
  for (const int points : {1296, 1350, 2048, 2187, 4096}) {
    const Kernel kernel = sparse_kernel(101, 9, true, uint32_t(points));
    expect_direct(random_image(points - 50, 20, 3), kernel, {.shape = {.points_x = points, .points_y = 24}});
    if (is_small && points > 2048) continue;
    const Kernel tall = sparse_kernel(9, 101, true, uint32_t(points));
    expect_direct(random_image(20, points - 50, 4), tall, {.shape = {.points_x = 24, .points_y = points}});
  }
}

TEST_P(ConvolutionTest, EveryFixedLineGivesTheDirectSum) {
  const size_t most_bytes = device_->info().shared_memory_bytes;
  const bool has_room = most_bytes >= 48 << 10;  // as every GPU has, and a Vulkan device in software may not
  int fitting = 0;
  for (const FixedLine& line : all_fixed_lines(LineAxis::kRows)) {
    if (line.shared_bytes > most_bytes) continue;
    fitting++;
    SCOPED_TRACE("rows " + line.variant);
    const int points = line.plan.points;
    const ConvolutionShape shape{
        .points_x = points, .points_y = 18, .fixed_lines = true, .rows_variant = line.variant};
    for (const bool is_half : {false, true})
      expect_direct(half_image(random_image(points - 50, 9, 3)), sparse_kernel(101, 9, true, 1),
                    {.shape = shape, .has_half_source = is_half});
  }
  EXPECT_TRUE(fitting > 0 || !has_room);
  fitting = 0;
  for (const FixedLine& line : all_fixed_lines(LineAxis::kColumns)) {
    if (line.shared_bytes > most_bytes) continue;
    SCOPED_TRACE("columns " + line.variant);
    fitting++;
    const int points = line.plan.points;
    const ConvolutionShape shape{
        .points_x = 18, .points_y = points, .fixed_lines = true, .columns_variant = line.variant};
    for (const bool has_channels : {false, true})
      expect_direct(random_image(9, points - 50, 4), sparse_kernel(9, 101, has_channels, 2),
                    {.shape = shape});
  }
  EXPECT_TRUE(fitting > 0 || !has_room);
}

TEST_P(ConvolutionTest, HalvesGiveTheDirectSumWhateverIsOutside) {
  const Image image = half_image(random_image(45, 30, 12));
  for (const Padding padding : {Padding::kZero, Padding::kClamp, Padding::kMirror})
    for (const bool is_portable : {false, true})
      expect_direct(image, {random_image(9, 7, 13), 4, 3, true},
                    {.shape = {.padding = padding, .is_portable = is_portable}, .has_half_source = true});
}

// Both axes in parts, or one of them: by every number of parts.
TEST_P(ConvolutionTest, LinesInPartsGiveTheDirectSum) {
  const Image image = random_image(61, 45, 6);
  for (const bool has_channels : {false, true}) {
    const Kernel kernel{random_image(9, 12, 7), 3, 7, has_channels};
    for (const auto& [x, y] : {std::pair{2, 1}, {1, 3}, {4, 5}, {3, 2}})
      for (const Padding padding : {Padding::kZero, Padding::kClamp, Padding::kMirror})
        expect_direct(image, kernel, {.shape = {.padding = padding, .parts_x = x, .parts_y = y}});
  }
  const Kernel kernel = sparse_kernel(11, 11, true, 8);
  expect_direct(random_image(150, 120, 9), kernel, {.shape = {.parts_x = 7, .parts_y = 8}});
  expect_direct(random_image(120, 150, 9), kernel, {.shape = {.parts_x = 8, .parts_y = 7}});
  expect_direct(random_image(50, 64, 10), kernel,
                {.shape = {.is_circular = true, .parts_x = 2, .parts_y = 4}});
}

// More points than any block holds, along x and along y.
TEST_P(ConvolutionTest, VeryLongLinesGiveTheDirectSum) {
  // A Vulkan device in software has 4096 points a block, and takes half a minute for the others.
  const int side = is_slow() ? 5000 : 16000, size = is_slow() ? 501 : 12001;
  for (const bool has_channels : {false, true}) {
    expect_direct(random_image(side, 3, 12), sparse_kernel(size, 5, has_channels, 11));
    expect_direct(random_image(3, side, 14), sparse_kernel(5, size, has_channels, 13));
  }
}

TEST_P(ConvolutionTest, ComplexPixelsAreMultipliedAsSuch) {
  const Image image = random_image(24, 20, 15), taps = random_image(24, 20, 16);
  for (const bool has_kernels : {false, true}) {
    // (a + ib) * (k + il) of four real sums.
    const auto real = [](const Image& from, int c) {
      Image one(from.width, from.height);
      for (size_t i = 0; i < one.values.size(); i++) one.values[i] = from.values[i / 4 * 4 + size_t(c)];
      return one;
    };
    std::vector<double> reference(image.values.size());
    for (int pair = 0; pair < 4; pair += 2) {
      const auto sum = [&](int c, int k) {
        const int from = (has_kernels ? pair : 0) + k;
        return direct(real(image, pair + c), {real(taps, from), 0, 0, false}, Padding::kZero, true);
      };
      const auto ak = sum(0, 0), al = sum(0, 1), bk = sum(1, 0), bl = sum(1, 1);
      for (size_t i = size_t(pair); i < reference.size(); i += 4) {
        reference[i] = ak[i] - bl[i];
        reference[i + 1] = al[i] + bk[i];
      }
    }
    const auto result =
        convolve({image}, {taps, 0, 0, has_kernels}, {.shape = {.is_circular = true, .is_complex = true}});
    ASSERT_THAT(result, IsOk());
    EXPECT_LT(relative_error(*result, reference), 2e-6);
  }
}

TEST_P(ConvolutionTest, ManyColumnsABlockGiveTheSame) {
  const Image image = random_image(40, 40, 5);
  for (const bool has_channels : {false, true}) {
    const Kernel kernel{random_image(9, 9, 6), 4, 4, has_channels};
    for (const int lines_log2 : {0, 1, 2})
      expect_direct(image, kernel, {.shape = {.lines_log2 = lines_log2, .is_portable = true}});
  }
}

TEST_P(ConvolutionTest, AnyOrderOfRadicesAndAnySkewGivesTheDirectSum) {
  const Kernel kernel{random_image(9, 9, 7), 4, 4, true};
  for (const std::vector<int>& radices :
       {std::vector{9, 8, 4}, {4, 9, 8, 2}, {3, 4, 5, 7}, {2, 2, 2, 2, 2, 2}, {8, 7}}) {
    for (const int skew : {2, 4, 31}) {
      const ConvolutionShape shape{.radices_x = radices, .radices_y = {7, 5}, .skew = skew};
      expect_direct(random_image(40, 20, 8), kernel, {.shape = shape});
      const ConvolutionShape turned{.radices_x = {7, 5}, .radices_y = radices, .skew = skew};
      expect_direct(random_image(20, 40, 9), kernel, {.shape = turned});
    }
  }
}

TEST_P(ConvolutionTest, ACentreAnywhereIsKept) {
  const Image image = random_image(30, 20, 8);
  for (const auto& [x, y] : {std::pair{0, 0}, {6, 0}, {0, 4}, {6, 4}, {2, 3}})
    expect_direct(image, {random_image(7, 5, 9), x, y, true});
}

TEST_P(ConvolutionTest, ADeltaIsTheIdentityAndAShiftedOneShifts) {
  const Image image = random_image(33, 21, 10, 100.0);
  Kernel delta{Image(7, 7), 3, 3, false};
  delta.image.at(3, 3, 0) = 1.0f;
  const auto same = convolve({image}, delta);
  ASSERT_THAT(same, IsOk());
  EXPECT_LT(relative_error(*same, std::vector<double>(image.values.begin(), image.values.end())), 1e-6);
  Kernel shifted{Image(7, 7), 3, 3, false};
  shifted.image.at(5, 2, 0) = 1.0f;  // two to the right, one up
  const auto moved = convolve({image}, shifted);
  ASSERT_THAT(moved, IsOk());
  for (int y = 0; y < 21; y++)
    for (int x = 0; x < 33; x++)
      EXPECT_NEAR((*moved)[(size_t(y) * 33 + size_t(x)) * 4],
                  x >= 2 && y + 1 < 21 ? image.at(x - 2, y + 1, 0) : 0.0f, 2e-4);
}

// The padding that is declared is enough, and one point less is not: so the check above can fail.
TEST_P(ConvolutionTest, NothingWrapsAroundAndOnePointLessWould) {
  Image image(27, 27);
  for (const int x : {0, 26})
    for (const int y : {0, 26}) image.at(x, y, 0) = 1000.0f;
  Kernel kernel{Image(11, 11), 5, 5, false};
  for (const int i : {0, 10})
    for (const int j : {0, 10}) kernel.image.at(i, j, 0) = 1.0f;
  const auto reference = direct(image, kernel, Padding::kZero, false);
  Options exact{.shape = {.points_x = 32, .points_y = 32}};
  const auto right = convolve({image}, kernel, exact);
  ASSERT_THAT(right, IsOk());
  EXPECT_LT(relative_error(*right, reference), 1e-6);
  for (const bool along_x : {true, false}) {
    Options less = exact;
    (along_x ? less.shape.points_x : less.shape.points_y) = 30;  // 31 is no length; one is two too few
    const auto wrong = convolve({image}, kernel, less);
    ASSERT_THAT(wrong, IsOk());
    EXPECT_GT(relative_error(*wrong, reference), 0.1);
  }
}

TEST_P(ConvolutionTest, PaddingContinuesTheImage) {
  const Image image = random_image(23, 18, 11);
  for (const Padding padding : {Padding::kClamp, Padding::kMirror})
    for (const int size : {7, 15}) {
      // Half of the padding continues each end.
      const Kernel kernel{random_image(size, size, 12), size / 2, size / 2, true};
      expect_direct(image, kernel, {.shape = {.padding = padding, .points_x = 40, .points_y = 36}});
    }
}

TEST_P(ConvolutionTest, CircularImagesRepeat) {
  for (const auto& [width, height] : {std::pair{16, 27}, {35, 18}, {30, 30}})
    expect_direct(random_image(width, height, 13), {random_image(9, 8, 14), 3, 5, true},
                  {.shape = {.is_circular = true}});
}

TEST_P(ConvolutionTest, ChannelsDoNotLeakIntoEachOther) {
  const Kernel kernel{random_image(9, 9, 15), 4, 4, true};
  for (int lit = 0; lit < 4; lit++) {
    Image image(32, 29);
    const Image noise = random_image(32, 29, 16);
    for (size_t i = 0; i < image.values.size(); i += 4) image.values[i + size_t(lit)] = noise.values[i];
    const auto result = convolve({image}, kernel);
    ASSERT_THAT(result, IsOk());
    double most = 0, leak = 0;
    for (size_t i = 0; i < result->size(); i++) {
      double& where = int(i % 4) == lit ? most : leak;
      where = std::max(where, std::abs(double((*result)[i])));
    }
    EXPECT_LT(leak / most, 1e-6) << lit;
  }
}

TEST_P(ConvolutionTest, IsLinearAndCommutes) {
  const Image a = random_image(20, 20, 17), b = random_image(20, 20, 18);
  Image sum(20, 20);
  for (size_t i = 0; i < sum.values.size(); i++) sum.values[i] = a.values[i] + 3.0f * b.values[i];
  const Kernel kernel{random_image(9, 9, 19), 4, 4, false};
  const auto of_a = convolve({a}, kernel), of_b = convolve({b}, kernel), of_sum = convolve({sum}, kernel);
  ASSERT_THAT(of_sum, IsOk());
  std::vector<double> expected(of_sum->size());
  for (size_t i = 0; i < expected.size(); i++) expected[i] = double((*of_a)[i]) + 3.0 * double((*of_b)[i]);
  EXPECT_LT(relative_error(*of_sum, expected), 2e-6);
  const Options circular{.shape = {.is_circular = true}};
  const auto ab = convolve({a}, {b, 0, 0, true}, circular), ba = convolve({b}, {a, 0, 0, true}, circular);
  ASSERT_THAT(ab, IsOk());
  ASSERT_THAT(ba, IsOk());
  EXPECT_LT(relative_error(*ab, std::vector<double>(ba->begin(), ba->end())), 2e-6);
}

TEST_P(ConvolutionTest, LightIsKept) {
  const Image image = random_image(36, 40, 20, 1000.0);
  Kernel kernel{random_image(15, 15, 21), 7, 7, false};
  double taps = 0;
  for (size_t i = 0; i < kernel.image.values.size(); i += 4) taps += kernel.image.values[i];
  const auto result = convolve({image}, kernel, {.shape = {.is_circular = true}});
  ASSERT_THAT(result, IsOk());
  double in = 0, out = 0;
  for (size_t i = 0; i < result->size(); i++) {
    in += image.values[i];
    out += (*result)[i];
  }
  EXPECT_NEAR(out / (in * taps), 1.0, 1e-6);
}

// The rounding of a sun reaches the dark beside it, at 2^-24 of the sun's share and no more.
TEST_P(ConvolutionTest, ASunLeavesTheDarkDark) {
  Image image(200, 150);
  for (int y = 70; y < 76; y++)
    for (int x = 90; x < 96; x++)
      for (int c = 0; c < 3; c++) image.at(x, y, c) = 30000.0f;
  Kernel kernel{Image(41, 41), 20, 20, false};
  double taps = 0;
  for (int y = 0; y < 41; y++)
    for (int x = 0; x < 41; x++) {
      const double r = std::hypot(x - 20, y - 20);
      taps += kernel.image.at(x, y, 0) = static_cast<float>(std::pow(r + 0.7, -2.0));
    }
  for (float& v : kernel.image.values) v /= static_cast<float>(taps);
  const auto result = convolve({image}, kernel);
  ASSERT_THAT(result, IsOk());
  const auto reference = direct(image, kernel, Padding::kZero, false);
  double worst = 0;
  for (size_t i = 0; i < reference.size(); i++)
    worst = std::max(worst, std::abs(double((*result)[i]) - reference[i]));
  EXPECT_LT(worst, 30000.0 * 36 * 2e-7 * 0.1);
}

TEST_P(ConvolutionTest, FramesOfABatchAreAsAlone) {
  std::vector<Image> images;
  for (uint32_t i = 0; i < 3; i++) images.push_back(random_image(25, 30, 22 + i));
  for (const bool has_channels : {false, true})
    for (const int parts : {1, 2}) {
      const Kernel kernel{random_image(9, 5, 30), 4, 2, has_channels};
      const Options options{.shape = {.parts_x = parts, .parts_y = parts}};
      const auto together = convolve(images, kernel, options);
      ASSERT_THAT(together, IsOk());
      for (size_t i = 0; i < images.size(); i++) {
        const auto alone = convolve({images[i]}, kernel, options);
        ASSERT_THAT(alone, IsOk());
        const auto first = together->begin() + ptrdiff_t(i * alone->size());
        EXPECT_TRUE(std::equal(alone->begin(), alone->end(), first));
      }
    }
}

TEST_P(ConvolutionTest, TheSceneIsMixedIn) {
  const Image image = random_image(25, 30, 31);
  const Kernel kernel{random_image(9, 5, 32), 4, 2, true};
  const auto plain = convolve({image}, kernel);
  for (const int parts : {1, 2}) {
    const auto mixed =
        convolve({image}, kernel, {.shape = {.parts_x = parts}, .mix = {0.25f, 0.75f, 0.0f, 1.0f}});
    ASSERT_THAT(mixed, IsOk());
    for (size_t i = 0; i < mixed->size(); i++)
      EXPECT_NEAR((*mixed)[i], i % 4 == 3 ? image.values[i] : 0.25f * (*plain)[i] + 0.75f * image.values[i],
                  1e-5);
  }
}

// Halves in and out, rows longer than the image in memory, what is too bright for a half clamped.
TEST_P(ConvolutionTest, HalvesAreReadAndWritten) {
  constexpr int kWidth = 21, kHeight = 17, kStride = 24;
  std::vector<uint16_t> pixels(size_t(kStride) * kHeight * 4, 0x7e00);  // NaN between the rows
  for (int y = 0; y < kHeight; y++)
    for (int i = 0; i < 4 * kWidth; i++)
      pixels[size_t(y) * kStride * 4 + size_t(i)] = half_bits(float(i + y) / 8);
  pixels[0] = half_bits(60000.0f);
  ConvolutionShape shape{.width = kWidth, .height = kHeight, .reach_x = 1, .reach_y = 1};
  const auto convolution = Convolution::make(*device_, shape);
  ASSERT_THAT(convolution, IsOk());
  std::vector<float> taps(4 * 9, 0.0f);
  taps[4 * 4] = 2.0f;
  const auto source = upload(pixels.data(), pixels.size() * 2), kernel = upload(taps.data(), taps.size() * 4);
  const auto target = upload(pixels.data(), pixels.size() * 2);
  const auto scratch = device_->allocate(MemoryKind::kDevice, (*convolution)->scratch_bytes(1)).value();
  const auto spectrum = (*convolution)->make_spectrum(*stream_, *scratch, {kernel.get(), 0, 3, 3, 1, 1});
  ASSERT_THAT(spectrum, IsOk());
  (*convolution)
      ->enqueue(*stream_, {.source = {source.get(), 0, PixelType::kHalf, kStride, 0},
                           .target = {target.get(), 0, PixelType::kHalf, kStride, 0},
                           .scene = {},
                           .mix = {},
                           .spectrum = spectrum->get(),
                           .scratch = scratch.get(),
                           .frames = 1});
  const std::vector<std::byte> bytes = download(*target);
  std::vector<uint16_t> result(bytes.size() / sizeof(uint16_t));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  EXPECT_EQ(result[0], half_bits(65504.0f));
  for (int y = 0; y < kHeight; y++)
    for (int i = 0; i < 4 * kStride; i++) {
      const size_t place = size_t(y) * kStride * 4 + size_t(i);
      if (i >= 4 * kWidth) {
        EXPECT_EQ(result[place], 0x7e00) << "written past a row's end";
      } else if (place != 0) {
        EXPECT_NEAR(of_half(result[place]), float(i + y) / 4, 0.06);
      }
    }
}

TEST_P(ConvolutionTest, WhatCannotBeIsRefused) {
  const auto make = [&](ConvolutionShape shape) { return Convolution::make(*device_, shape).status(); };
  EXPECT_THAT(make({.width = 0, .height = 5}),
              StatusIs(StatusCode::kInvalidArgument, "width is out of range"));
  EXPECT_THAT(make({.width = 5, .height = 20000}),
              StatusIs(StatusCode::kInvalidArgument, "height is out of range"));
  EXPECT_THAT(make({.width = 5, .height = 5, .reach_x = -1}),
              StatusIs(StatusCode::kInvalidArgument, "reach along the image's width"));
  EXPECT_THAT(make({.width = 50, .height = 50, .points_x = 48}),
              StatusIs(StatusCode::kInvalidArgument, "shorter than the image"));
  EXPECT_THAT(make({.width = 31, .height = 32, .is_circular = true}),
              StatusIs(StatusCode::kInvalidArgument, "prime factor above 7"));
  EXPECT_THAT(make({.width = 30, .height = 30, .radices_x = {8, 4, 11}}),
              StatusIs(StatusCode::kInvalidArgument, "no pass of radix 11"));
  EXPECT_THAT(make({.width = 30, .height = 30, .points_x = 48, .radices_x = {8, 4}}),
              StatusIs(StatusCode::kInvalidArgument, "give 32 points, where 48"));
  EXPECT_THAT(make({.width = 30, .height = 30, .skew = 32}),
              StatusIs(StatusCode::kInvalidArgument, "skew of lines"));
  EXPECT_THAT(make({.width = 30, .height = 30, .rows_variant = "8"}),
              StatusIs(StatusCode::kInvalidArgument, "is not for rows"));
  EXPECT_THAT(
      make({.width = 3000, .height = 30, .rows_variant = all_fixed_lines(LineAxis::kRows).front().variant}),
      StatusIs(StatusCode::kInvalidArgument, "is not for rows"));
  EXPECT_THAT(make({.width = 30, .height = 30, .parts_x = 6}),
              StatusIs(StatusCode::kInvalidArgument, "into 6 parts"));
  EXPECT_THAT(make({.width = 30, .height = 30, .is_circular = true, .parts_x = 4}),
              StatusIs(StatusCode::kInvalidArgument, "no transform of 30 points in 4 parts"));
  EXPECT_THAT(make({.width = 16384, .height = 16384, .reach_x = 16383, .reach_y = 16383}),
              StatusIs(StatusCode::kInvalidArgument, "too large for a transform"));
  // Not even one channel's column fits in 8 parts, 8 bytes a point.
  if (device_->info().shared_memory_bytes < 49150) {
    EXPECT_THAT(make({.width = 32, .height = 16384, .reach_y = 16383, .padding = Padding::kMirror}),
                StatusIs(StatusCode::kFailedPrecondition, "cannot transform columns"));
  }
  const Image image = random_image(10, 10, 1);
  EXPECT_THAT(convolve({image}, {random_image(9, 9, 2), 9, 0, false}),
              StatusIs(StatusCode::kInvalidArgument, "centre is out of range"));
  EXPECT_THAT(
      convolve({image}, {random_image(9, 9, 2), 4, 4, false}, {.shape = {.reach_x = 3, .reach_y = 4}}),
      StatusIs(StatusCode::kInvalidArgument, "goes further from its centre"));
}

WEFT_ON_EVERY_DEVICE(ConvolutionTest);

}  // namespace
}  // namespace weft::filters::bloom
