// SPDX-License-Identifier: Apache-2.0
// Tests bloom of video on every device: unchanged samples keep their codes, and changed ones are
// within a code of the same sums in double precision.
#include <cmath>
#include <functional>

#include <google/protobuf/text_format.h>

#include "options/values.h"
#include "server/filters/bloom/bloom_nodes.h"
#include "tests/filter_suite/devices.h"

namespace weft::filters::bloom {
namespace {

v1::BloomOptions options_of(const std::string& text) {
  v1::BloomOptions options;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &options)) << text;
  options::apply_defaults(options);
  return options;
}

// A curve of H.273 in double precision, from its standard. Light is 1 at the white of a page.
struct Curve {
  int transfer = 1;
  std::function<double(double)> linear;
  std::function<double(double)> code;
};
double pq_linear(double v) {
  const double root = std::pow(std::min(v, 1.0), 32 / 2523.0);
  return 10000 / 203.0 *
         std::pow(std::max(root - 3424 / 4096.0, 0.0) / (2413 / 128.0 - 2392 / 128.0 * root), 8192 / 1305.0);
}
double pq_code(double light) {
  const double y = std::pow(light * 203 / 10000, 1305 / 8192.0);
  return std::pow((3424 / 4096.0 + 2413 / 128.0 * y) / (1 + 2392 / 128.0 * y), 2523 / 32.0);
}
const double kHlgA = 0.17883277, kHlgB = 1 - 4 * kHlgA, kHlgC = 0.5 - kHlgA * std::log(4 * kHlgA);
double hlg_scene(double v) { return v <= 0.5 ? v * v / 3 : (std::exp((v - kHlgC) / kHlgA) + kHlgB) / 12; }
double hlg_linear(double v) { return hlg_scene(v) / hlg_scene(0.75); }
double hlg_code(double light) {
  const double scene = light * hlg_scene(0.75);
  return scene <= 1 / 12.0 ? std::sqrt(3 * scene) : kHlgA * std::log(12 * scene - kHlgB) + kHlgC;
}
Curve gamma(int transfer, double exponent) {
  return {transfer, [=](double v) { return std::pow(v, exponent); },
          [=](double light) { return std::pow(light, 1 / exponent); }};
}
const double kAlpha = 1.099296826809442, kBeta = 0.018053968510807;
const Curve kCurves[] = {
    {1, [](double v) { return v < 4.5 * kBeta ? v / 4.5 : std::pow((v + kAlpha - 1) / kAlpha, 1 / 0.45); },
     [](double light) {
       return light < kBeta ? light * 4.5 : kAlpha * std::pow(light, 0.45) - (kAlpha - 1);
     }},
    {13, [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); },
     [](double light) {
       return light <= 0.0031308 ? light * 12.92 : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
     }},
    {16, pq_linear, pq_code},
    {18, hlg_linear, hlg_code},
    gamma(4, 2.2),
    gamma(5, 2.8),
    gamma(8, 1)};

double oddly(const std::function<double(double)>& f, double v) { return v < 0 ? -f(-v) : f(v); }

struct Reference {
  Curve curve;
  double red, blue;  // luma coefficients
  bool is_full;
  v1::BloomOptions options;

  double unit(const VideoFormat& f) const { return double(1 << (f.bit_depth - 8)); }
  double luma_swing(const VideoFormat& f) const { return is_full ? (1 << f.bit_depth) - 1 : 219 * unit(f); }
  double chroma_swing(const VideoFormat& f) const { return is_full ? (1 << f.bit_depth) - 1 : 224 * unit(f); }

  // Returns chroma at the position of a luma sample.
  static double chroma_at(const Picture& picture, int plane, int x, int y) {
    const VideoFormat& f = picture.format;
    const bool narrow = f.chroma == Chroma::k420 || f.chroma == Chroma::k422, low = f.chroma == Chroma::k420;
    const double cx = narrow ? x / 2.0 : x, cy = low ? (y - 0.5) / 2 : y;
    const int left = int(std::floor(cx)), above = int(std::floor(cy));
    const auto at = [&](int i, int j) {
      return double(picture.at(plane, std::clamp(i, 0, f.plane_width(plane) - 1),
                               std::clamp(j, 0, f.plane_height(plane) - 1)));
    };
    const double u = cx - left, v = cy - above;
    return (1 - v) * ((1 - u) * at(left, above) + u * at(left + 1, above)) +
           v * ((1 - u) * at(left, above + 1) + u * at(left + 1, above + 1));
  }

  // Returns R', G' and B' of every pixel.
  std::vector<std::array<double, 3>> colours(const Picture& picture) const {
    const VideoFormat& f = picture.format;
    std::vector<std::array<double, 3>> result;
    for (int y = 0; y < f.height; y++)
      for (int x = 0; x < f.width; x++) {
        const double luma = (picture.at(0, x, y) - (is_full ? 0 : 16 * unit(f))) / luma_swing(f);
        double cb = 0, cr = 0;
        if (f.planes() > 1) {
          cb = (chroma_at(picture, 1, x, y) - 128 * unit(f)) / chroma_swing(f);
          cr = (chroma_at(picture, 2, x, y) - 128 * unit(f)) / chroma_swing(f);
        }
        const double r = luma + 2 * (1 - red) * cr, b = luma + 2 * (1 - blue) * cb;
        result.push_back({r, (luma - red * r - blue * b) / (1 - red - blue), b});
      }
    return result;
  }

  // Returns the energy-conserving bloom without a threshold, as a direct sum.
  std::vector<std::array<double, 3>> bloomed(const std::vector<std::array<double, 3>>& scene, int width,
                                             int height) const {
    const BloomKernel kernel = make_bloom_kernel(options, {}, width, height).value();
    const double intensity = options.intensity();
    std::vector<std::array<double, 3>> result = scene;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++)
        for (size_t c = 0; c < 3; c++) {
          double sum = 0;
          for (int j = 0; j < kernel.height; j++)
            for (int i = 0; i < kernel.width; i++) {
              const int u = x - (i - kernel.centre_x), v = y - (j - kernel.centre_y);
              if (u < 0 || v < 0 || u >= width || v >= height) continue;
              sum += double(kernel.rgba[(size_t(j) * size_t(kernel.width) + size_t(i)) * 4 + c]) *
                     std::max(scene[size_t(v) * size_t(width) + size_t(u)][c], 0.0);
            }
          double& out = result[size_t(y) * size_t(width) + size_t(x)][c];
          out += intensity * kernel.scatter_weight[c] * (sum - std::max(out, 0.0));
        }
    return result;
  }

  // Returns the expected values before rounding: one for each sample of the picture, plane by
  // plane.
  std::vector<std::vector<double>> operator()(const Picture& picture) const {
    const VideoFormat& f = picture.format;
    auto light = colours(picture);
    for (auto& pixel : light)
      for (double& value : pixel) value = oddly(curve.linear, value);
    auto change = bloomed(light, f.width, f.height);  // later Y', Cb, Cr of the change
    for (size_t i = 0; i < change.size(); i++) {
      std::array<double, 3> d{};
      for (size_t c = 0; c < 3; c++) d[c] = oddly(curve.code, change[i][c]) - oddly(curve.code, light[i][c]);
      const double luma = red * d[0] + (1 - red - blue) * d[1] + blue * d[2];
      change[i] = {luma, (d[2] - luma) / (2 * (1 - blue)), (d[0] - luma) / (2 * (1 - red))};
    }
    const bool narrow = f.chroma == Chroma::k420 || f.chroma == Chroma::k422, low = f.chroma == Chroma::k420;
    std::vector<std::vector<double>> result;
    for (int plane = 0; plane < f.planes(); plane++) {
      result.emplace_back();
      for (int y = 0; y < f.plane_height(plane); y++)
        for (int x = 0; x < f.plane_width(plane); x++) {
          double sum = 0;
          for (int v = 0; v < 2; v++)
            for (int u = -1; u <= 1; u++) {
              const int column = plane > 0 && narrow ? std::clamp(2 * x + u, 0, f.width - 1) : x;
              const int row = plane > 0 && low ? std::min(2 * y + v, f.height - 1) : y;
              sum += (2 - std::abs(u)) / 8.0 *
                     change[size_t(row) * size_t(f.width) + size_t(column)][size_t(plane)];
            }
          const double code = picture.at(plane, x, y) + sum * (plane == 0 ? luma_swing(f) : chroma_swing(f));
          result.back().push_back(std::clamp(code, 0.0, double((1 << f.bit_depth) - 1)));
        }
    }
    return result;
  }
};

class VideoBloomTest : public DeviceTest {
 protected:
  StatusOr<std::vector<Picture>> run(const Clip& clip, const VideoColour& colour,
                                     const v1::BloomOptions& options, const RunOptions& how = {}) {
    RunOptions run = how;
    run.properties.colour = colour;
    ASSIGN_OR_RETURN(const auto timed,
                     run_clip(device(), {std::make_shared<v1::BloomOptions>(options)}, clip, run));
    for (size_t i = 0; i < timed.size(); i++) {
      EXPECT_EQ(timed[i].time.pts, clip.infos[i].pts);
      EXPECT_TRUE(timed[i].ends_source);
    }
    return pictures_of(timed);
  }
};

constexpr VideoFormat kFormats[] = {{64, 48, Chroma::k420, 8},  {37, 23, Chroma::k420, 10},
                                    {31, 22, Chroma::k422, 12}, {33, 40, Chroma::k444, 16},
                                    {40, 30, Chroma::kGray, 8}, {1, 1, Chroma::k420, 8}};

// Returns pairs of formats and curves; each curve appears twice.
std::vector<std::pair<VideoFormat, Curve>> pairs() {
  std::vector<std::pair<VideoFormat, Curve>> result;
  for (size_t i = 0; i < 2 * std::size(kCurves); i++)
    result.emplace_back(kFormats[i % std::size(kFormats)], kCurves[i % std::size(kCurves)]);
  return result;
}

TEST_P(VideoBloomTest, WhatDoesNotChangeKeepsItsCodes) {
  for (const auto& [format, curve] : pairs()) {
    const Clip clip = make_clip(format, 2, Material::kNoise, 1);
    const auto result =
        run(clip, {.transfer = curve.transfer}, options_of("intensity: 0 method: BLOOM_METHOD_DUAL"));
    ASSERT_THAT(result, IsOk());
    expect_same(clip.frames, *result, to_text(format));
  }
}

TEST_P(VideoBloomTest, IsTheSumInLinearLight) {
  const auto options = options_of("intensity: 0.5 size: 0.4 glare: BLOOM_GLARE_GAUSSIAN");
  int matrix = 0;
  for (const auto& [format, curve] : pairs()) {
    const struct {
      int number;
      double red, blue;
    } matrices[] = {{1, 0.2126, 0.0722}, {6, 0.299, 0.114}, {9, 0.2627, 0.0593}};
    const auto& used = matrices[matrix++ % 3];
    const bool is_full = matrix % 2 == 0;
    Clip clip = make_clip(format, 1, Material::kMotion, 3);
    clip.infos[0].interlaced = false;
    const auto result = run(clip, {curve.transfer, used.number, is_full}, options);
    ASSERT_THAT(result, IsOk());
    const auto expected = Reference{curve, used.red, used.blue, is_full, options}(clip.frames[0]);
    // The tolerance is half a code of rounding and the error of pow in floats, which PQ's exponents
    // increase.
    const double tolerance =
        0.5 + 0.02 + (curve.transfer == 16 ? 1e-4 : 2e-5) * double(1 << format.bit_depth);
    for (size_t plane = 0; plane < expected.size(); plane++)
      for (size_t i = 0; i < expected[plane].size(); i++)
        ASSERT_NEAR((*result)[0].planes[plane][i], expected[plane][i], tolerance)
            << to_text(format) << " transfer " << curve.transfer << " plane " << plane << " sample " << i;
  }
}

TEST_P(VideoBloomTest, BatchesAreInvisible) {
  for (const char* method : {"method: BLOOM_METHOD_FFT", "method: BLOOM_METHOD_DUAL"}) {
    const Clip clip = make_clip({48, 34, Chroma::k420, 8}, 11, Material::kMotion, 5);
    const auto options = options_of(std::string(method) + " intensity: 0.6");
    const auto alone = run(clip, {}, options, {.plan = {.batch = 1}});
    ASSERT_THAT(alone, IsOk());
    ASSERT_EQ(alone->size(), 11u);
    EXPECT_FALSE((*alone)[4] == clip.frames[4]);
    for (const int batch : {3, 11}) {
      const auto together = run(clip, {}, options, {.plan = {.batch = batch}});
      ASSERT_THAT(together, IsOk());
      expect_same(*alone, *together, method);
    }
  }
}

TEST_P(VideoBloomTest, UnknownColoursAreRefused) {
  const VideoFormat format{16, 16, Chroma::k420, 8};
  const auto made = [&](const VideoColour& colour) {
    return expand(&device(), {std::make_shared<v1::BloomOptions>(options_of(""))}, format, {.colour = colour})
        .status();
  };
  EXPECT_THAT(made({.transfer = 11}), StatusIs(StatusCode::kInvalidArgument, "transfer characteristics (11"));
  EXPECT_THAT(made({.matrix = 0}), StatusIs(StatusCode::kInvalidArgument, "matrix (0"));
  EXPECT_THAT(made({}), IsOk());
}

WEFT_ON_EVERY_DEVICE(VideoBloomTest);

}  // namespace
}  // namespace weft::filters::bloom
