// SPDX-License-Identifier: Apache-2.0
// Tests the pixel kernels of bloom on every device against the same formulas in double precision,
// written independently of them.
#include <cmath>
#include <cstring>
#include <random>

#include <Imath/half.h>

#include "kernels/bloom/composite.kernel"
#include "kernels/bloom/dual_down.kernel"
#include "kernels/bloom/dual_up.kernel"
#include "kernels/bloom/prefilter.kernel"
#include "tests/filter_suite/devices.h"

namespace weft::filters {
namespace {

using Pixel = std::array<double, 4>;

// A layout with a gap after each row of pixels and after each frame.
struct Layout {
  int width = 0;
  int height = 0;
  int frames = 1;
  int stride() const { return width + 3; }
  int frame() const { return stride() * height + 7; }
  size_t index(int frame_number, int x, int y) const {
    return (size_t(frame_number) * size_t(frame()) + size_t(y) * size_t(stride()) + size_t(x)) * 4;
  }
  size_t samples() const { return size_t(frame()) * size_t(frames) * 4; }
};

constexpr float kUntouched = -77;

std::vector<float> random_light(const Layout& layout, unsigned seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<float> light(-1, 3);
  std::vector<float> samples(layout.samples(), kUntouched);
  for (int z = 0; z < layout.frames; z++)
    for (int y = 0; y < layout.height; y++)
      for (int x = 0; x < layout.width; x++)
        for (size_t c = 0; c < 4; c++) {
          const float value = std::min(light(random), 60000.0f);
          samples[layout.index(z, x, y) + c] =
              imath_half_to_float(imath_float_to_half(value));  // exact in both types
        }
  return samples;
}

class BloomPixels : public DeviceTest {
 protected:
  template <class T>
  static T value_of(StatusOr<T> result) {
    EXPECT_THAT(result, IsOk());
    if (!result.ok()) std::abort();
    return *std::move(result);
  }

  std::unique_ptr<device::Buffer> upload(const std::vector<float>& samples, bool as_half) {
    std::vector<std::byte> bytes(samples.size() * (as_half ? 2 : 4));
    for (size_t i = 0; i < samples.size(); i++) {
      const uint16_t half = imath_float_to_half(samples[i]);
      std::memcpy(&bytes[i * (as_half ? 2 : 4)], as_half ? static_cast<const void*>(&half) : &samples[i],
                  as_half ? 2 : 4);
    }
    auto staging = value_of(device().allocate(device::MemoryKind::kUpload, bytes.size()));
    auto buffer = value_of(device().allocate(device::MemoryKind::kDevice, bytes.size()));
    std::memcpy(staging->host(), bytes.data(), bytes.size());
    stream_->copy(*buffer, 0, *staging, 0, bytes.size());
    EXPECT_THAT(stream_->wait_all(), IsOk());
    return buffer;
  }

  std::vector<float> download(const device::Buffer& buffer, bool as_half) {
    auto staging = value_of(device().allocate(device::MemoryKind::kDownload, buffer.size_bytes()));
    stream_->copy(*staging, 0, buffer, 0, buffer.size_bytes());
    EXPECT_THAT(stream_->wait_all(), IsOk());
    std::vector<float> samples(buffer.size_bytes() / (as_half ? 2 : 4));
    for (size_t i = 0; i < samples.size(); i++) {
      uint16_t half = 0;
      std::memcpy(&half, staging->host() + i * 2, 2);
      if (as_half)
        samples[i] = imath_half_to_float(half);
      else
        std::memcpy(&samples[i], staging->host() + i * 4, 4);
    }
    return samples;
  }

  template <class Params>
  void launch(const std::string& name, const Layout& grid, const Params& params) {
    const device::Kernel* kernel = value_of(device().load(name));
    stream_->launch(*kernel, {uint32_t(grid.width), uint32_t(grid.height), uint32_t(grid.frames)}, params);
    EXPECT_THAT(stream_->wait_all(), IsOk());
  }

  // Expects that the picture is close to the expected values and that the memory around it is
  // unchanged. `relative` is the tolerance relative to the expected value.
  static void expect_near(const std::vector<float>& samples, const Layout& layout, double relative,
                          const std::function<Pixel(int, int, int)>& expected) {
    std::vector<float> rest = samples;
    for (int z = 0; z < layout.frames; z++)
      for (int y = 0; y < layout.height; y++)
        for (int x = 0; x < layout.width; x++) {
          const Pixel pixel = expected(z, x, y);
          for (size_t c = 0; c < 4; c++) {
            float& sample = rest[layout.index(z, x, y) + c];
            ASSERT_NEAR(sample, pixel[c], std::abs(pixel[c]) * relative + 1e-7)
                << z << " " << x << " " << y << " " << c;
            sample = kUntouched;
          }
        }
    for (const float sample : rest) ASSERT_EQ(sample, kUntouched);
  }

  std::unique_ptr<device::Stream> stream_ = value_of(device().make_stream());
};

const char* type_name(bool is_half) { return is_half ? "half" : "float"; }

// --- Prefilter
// ----------------------------------------------------------------------------------------------

double finite(double value) {
  if (std::isnan(value)) return 0;
  return std::isinf(value) ? std::copysign(65504, value) : value;
}

struct Knee {
  double threshold = 0, knee = 0, most = 65504, least = 0;

  Pixel operator()(Pixel pixel) const {
    for (double& value : pixel) value = std::min(std::max(finite(value), least), most);
    const double brightness = std::max({pixel[0], pixel[1], pixel[2]});
    double gain = 1;
    if (threshold > 0 && brightness <= threshold - knee)
      gain = 0;
    else if (threshold > 0 && brightness < threshold + knee)
      gain = std::max((brightness - threshold + knee) * (brightness - threshold + knee) / (4 * knee),
                      brightness - threshold) /
             brightness;
    else if (threshold > 0)
      gain = 1 - threshold / brightness;
    return {pixel[0] * gain, pixel[1] * gain, pixel[2] * gain, 0};
  }
};

TEST_P(BloomPixels, PrefilterFollowsItsFormula) {
  const Layout layout{45, 21, 2};
  std::vector<float> scene = random_light(layout, 1);
  const auto set = [&](int z, int x, int y, size_t c, float value) {
    scene[layout.index(z, x, y) + c] = value;
  };
  set(0, 3, 4, 0, NAN);
  set(0, 3, 4, 1, INFINITY);
  set(1, 44, 20, 2, -INFINITY);
  set(1, 0, 0, 1, -3);
  set(1, 1, 0, 3, NAN);  // alpha is no light, but is counted
  const Knee curves[] = {{}, {1, 0.5}, {2, 2, 50}, {0.75, 0}, {0, 0, 65504, -65504}};
  for (const Knee& curve : curves)
    for (const bool is_half : {true, false}) {
      const auto source = upload(scene, is_half);
      const auto target = upload(std::vector<float>(layout.samples(), kUntouched), false);
      const auto counts = upload({0, 0, 0, 0}, false);
      kernels::bloom_prefilter::Params params = {};
      params.source = {reinterpret_cast<decltype(params.source.v)>(source->address())};
      params.target = {reinterpret_cast<decltype(params.target.v)>(target->address())};
      params.counts = device::at<kernels::bloom_prefilter::Counts>(*counts);
      params.counts_frame = 2;
      params.width = layout.width;
      params.height = layout.height;
      params.source_stride = params.target_stride = layout.stride();
      params.source_frame = params.target_frame = layout.frame();
      params.threshold = float(curve.threshold);
      params.knee = float(curve.knee);
      params.least = float(curve.least);
      params.most = float(curve.most);
      launch(std::string("bloom/prefilter.") + type_name(is_half) + ".float", layout, params);
      // The tolerance is absolute, since values just above the threshold are small differences of
      // large numbers.
      expect_near(download(*target, false), layout, curve.threshold == 0 ? 0 : 3e-6,
                  [&](int z, int x, int y) {
                    const float* pixel = &scene[layout.index(z, x, y)];
                    return curve({pixel[0], pixel[1], pixel[2], pixel[3]});
                  });
      std::vector<float> counted = download(*counts, false);
      const uint32_t expected[] = {1, 0, 2, 2};  // counts of each frame
      for (size_t i = 0; i < 4; i++) EXPECT_EQ(std::bit_cast<uint32_t>(counted[i]), expected[i]) << i;
    }
}

// --- Composite
// ----------------------------------------------------------------------------------------------

TEST_P(BloomPixels, CompositeWeighsSceneAndGlow) {
  const Layout layout{37, 19, 2};
  std::vector<float> scene = random_light(layout, 2);
  const std::vector<float> glow = random_light(layout, 3);
  scene[layout.index(0, 5, 5)] = NAN;
  scene[layout.index(0, 6, 5) + 3] = INFINITY;
  scene[layout.index(0, 7, 5)] = 60000;
  scene[layout.index(0, 8, 5) + 1] = -2;
  scene[layout.index(0, 9, 5) + 2] = -INFINITY;
  const Knee curve{0.5, 0.25, 1000};
  for (const bool source_half : {true, false})
    for (const bool target_half : {true, false}) {
      const auto from = upload(scene, source_half);
      const auto spread = upload(glow, false);
      const auto target = upload(std::vector<float>(layout.samples(), kUntouched), target_half);
      kernels::bloom_composite::Params params = {};
      params.scene = {reinterpret_cast<decltype(params.scene.v)>(from->address())};
      params.glow = device::at<kernels::bloom_composite::Glow>(*spread);
      params.target = {reinterpret_cast<decltype(params.target.v)>(target->address())};
      params.width = layout.width;
      params.height = layout.height;
      params.scene_stride = params.glow_stride = params.target_stride = layout.stride();
      params.scene_frame = params.glow_frame = params.target_frame = layout.frame();
      params.scene_weight = 1;
      params.taken_red = 0.5f;
      params.taken_green = 0.25f;
      params.taken_blue = -0.5f;
      params.glow_red = 0.5f;
      params.glow_green = 0.125f;
      params.glow_blue = 1;
      params.threshold = float(curve.threshold);
      params.knee = float(curve.knee);
      params.least = float(curve.least);
      params.most = float(curve.most);
      params.target_most = target_half ? 65504.0f : 3e38f;
      launch(std::string("bloom/composite.") + type_name(source_half) + "." + type_name(target_half), layout,
             params);
      const double half_step = target_half ? 0x1p-11 + 1e-6 : 2e-6;
      expect_near(download(*target, target_half), layout, half_step, [&](int z, int x, int y) {
        const float* s = &scene[layout.index(z, x, y)];
        const float* g = &glow[layout.index(z, x, y)];
        const double most = target_half ? 65504 : 3e38;
        const Pixel light = curve({s[0], s[1], s[2], 0});
        const double taken[] = {0.5, 0.25, -0.5}, weight[] = {0.5, 0.125, 1};
        Pixel out{0, 0, 0, std::isinf(s[3]) ? 1 : double(s[3])};
        for (size_t c = 0; c < 3; c++)
          out[c] = std::clamp(finite(s[c]) - taken[c] * light[c] + weight[c] * g[c], -most, most);
        return out;
      });
    }
}

// --- Dual filter
// --------------------------------------------------------------------------------------------

struct Levels {
  const std::vector<float>& samples;
  Layout layout;
  int padding = 1;  // 0 zero, 1 clamp, 2 mirror

  double at(int z, int x, int y, size_t c) const {
    if (padding == 0 && (x < 0 || y < 0 || x >= layout.width || y >= layout.height)) return 0;
    // A tap crosses a mirror twice only in a tiny picture.
    while (padding == 2 && (x < 0 || x >= layout.width)) x = x < 0 ? -1 - x : 2 * layout.width - 1 - x;
    while (padding == 2 && (y < 0 || y >= layout.height)) y = y < 0 ? -1 - y : 2 * layout.height - 1 - y;
    return samples[layout.index(z, std::clamp(x, 0, layout.width - 1), std::clamp(y, 0, layout.height - 1)) +
                   c];
  }
  // Returns a bilinear sample at a position in pixels; the centre of pixel 0 is at 0.5.
  double bilinear(int z, double x, double y, size_t c) const {
    const int left = int(std::floor(x - 0.5)), above = int(std::floor(y - 0.5));
    const double u = x - 0.5 - left, v = y - 0.5 - above;
    return (1 - v) * ((1 - u) * at(z, left, above, c) + u * at(z, left + 1, above, c)) +
           v * ((1 - u) * at(z, left, above + 1, c) + u * at(z, left + 1, above + 1, c));
  }
};

// Returns the downsampled pixel as in Jimenez' slides: thirteen bilinear samples in five boxes of
// four.
Pixel thirteen_taps(const Levels& level, int z, int x, int y, bool is_first) {
  const double offsets[5][2] = {{0, 0}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
  Pixel sum{};
  double weights = 0;
  for (const auto& offset : offsets) {
    Pixel box{};
    for (int tap = 0; tap < 4; tap++)
      for (size_t c = 0; c < 4; c++)
        box[c] += level.bilinear(z, 2 * x + 1 + offset[0] + tap % 2 * 2 - 1,
                                 2 * y + 1 + offset[1] + tap / 2 * 2 - 1, c) /
                  4;  // NOLINT(bugprone-integer-division)
    double weight = offset[0] == 0 ? 0.5 : 0.125;
    if (is_first) weight /= 1 + 0.2126 * box[0] + 0.7152 * box[1] + 0.0722 * box[2];
    for (size_t c = 0; c < 4; c++) sum[c] += weight * box[c];
    weights += weight;
  }
  for (double& value : sum) value /= weights;
  return sum;
}

template <class Params>
Params level_params(const device::Buffer& source, const Layout& from, const device::Buffer& target,
                    const Layout& to) {
  Params params = {};
  params.source = device::at<decltype(params.source)>(source);
  params.target = device::at<decltype(params.target)>(target);
  params.source_width = from.width;
  params.source_height = from.height;
  params.source_stride = from.stride();
  params.source_frame = from.frame();
  params.target_width = to.width;
  params.target_height = to.height;
  params.target_stride = to.stride();
  params.target_frame = to.frame();
  return params;
}

TEST_P(BloomPixels, DualFilterGoesDown) {
  for (const Layout& from : {Layout{40, 26, 2}, Layout{37, 19, 1}, Layout{1, 1, 1}, Layout{2, 5, 1}})
    for (const auto& [padding, is_first] : {std::pair{0, false}, {1, false}, {1, true}, {2, true}}) {
      const Layout to{(from.width + 1) / 2, (from.height + 1) / 2, from.frames};
      const std::vector<float> samples = random_light(from, 4);
      const auto source = upload(samples, false);
      const auto target = upload(std::vector<float>(to.samples(), kUntouched), false);
      auto params = level_params<kernels::bloom_dual_down::Params>(*source, from, *target, to);
      params.is_first = is_first ? 1 : 0;
      params.padding = padding;
      launch("bloom/dual_down", to, params);
      const Levels level{samples, from, padding};
      const bool weighs = is_first;
      expect_near(download(*target, false), to, 3e-6,
                  [&](int z, int x, int y) { return thirteen_taps(level, z, x, y, weighs); });
    }
}

TEST_P(BloomPixels, DualFilterGoesUp) {
  int padding = 0;
  for (const Layout& to : {Layout{40, 26, 2}, Layout{37, 19, 1}, Layout{1, 1, 1}, Layout{2, 5, 1}}) {
    padding = (padding + 1) % 3;
    const Layout from{(to.width + 1) / 2, (to.height + 1) / 2, to.frames};
    const std::vector<float> samples = random_light(from, 5);
    const std::vector<float> before = random_light(to, 6);
    const auto source = upload(samples, false);
    const auto target = upload(before, false);
    auto params = level_params<kernels::bloom_dual_up::Params>(*source, from, *target, to);
    params.keep = 0.25f;
    params.spread = 0.75f;
    params.padding = padding;
    launch("bloom/dual_up", to, params);
    const Levels level{samples, from, padding};
    expect_near(download(*target, false), to, 3e-6, [&](int z, int x, int y) {
      Pixel sum{};
      for (size_t c = 0; c < 4; c++) {
        double tent = 0;
        for (int v = -1; v <= 1; v++)
          for (int u = -1; u <= 1; u++)
            tent += (2 - std::abs(u)) * (2 - std::abs(v)) / 16.0 *
                    level.bilinear(z, (x + 0.5) / 2 + u, (y + 0.5) / 2 + v, c);
        sum[c] = 0.25 * before[to.index(z, x, y) + c] + 0.75 * tent;
      }
      return sum;
    });
  }
}

// The sum of light away from the edges is the same after downsampling and upsampling.
TEST_P(BloomPixels, DualFilterKeepsLight) {
  const Layout large{64, 64, 1}, small{32, 32, 1};
  std::vector<float> samples(large.samples(), 0.0f);
  samples[large.index(0, 31, 33)] = 1000;
  const auto source = upload(samples, false);
  const auto half = upload(std::vector<float>(small.samples(), 0.0f), false);
  const auto again = upload(std::vector<float>(large.samples(), 0.0f), false);
  launch("bloom/dual_down", small,
         level_params<kernels::bloom_dual_down::Params>(*source, large, *half, small));
  auto params = level_params<kernels::bloom_dual_up::Params>(*half, small, *again, large);
  params.spread = 1;  // black outside of the picture
  launch("bloom/dual_up", large, params);
  double sum = 0;
  for (const float value : download(*again, false)) sum += value;
  EXPECT_NEAR(sum, 1000, 1e-2);
}

WEFT_ON_EVERY_DEVICE(BloomPixels);

}  // namespace
}  // namespace weft::filters
