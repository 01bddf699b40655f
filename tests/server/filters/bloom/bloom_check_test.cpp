// SPDX-License-Identifier: Apache-2.0
// Tests that invalid options are detected without a device and that the error names the option.
#include "server/filters/bloom/bloom_check.h"

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include "options/values.h"

namespace weft::filters::bloom {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

v1::BloomOptions options_of(const std::string& text) {
  v1::BloomOptions options;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &options)) << text;
  options::apply_defaults(options);
  return options;
}

GlarePicture even(int width, int height, double value) {
  return {width, height, std::vector<double>(size_t(width) * size_t(height) * 3, value)};
}

struct Case {
  std::string options;
  std::string blamed;  // field in the error; "": the options are valid
  std::string text{};
  bool has_kernel = false;
};

TEST(BloomCheck, OptionsThatCannotGoTogetherAreNamed) {
  const std::string convolve = "mode: BLOOM_MODE_CONVOLVE ", dual = "method: BLOOM_METHOD_DUAL ",
                    half = "intermediates: BLOOM_INTERMEDIATES_FP16 ",
                    aperture = "glare: BLOOM_GLARE_APERTURE ", additive = "energy: BLOOM_ENERGY_ADDITIVE ";
  const Case cases[] = {
      {"", ""},
      {"", "", "", true},
      {convolve, "kernel", "needs the image of a kernel"},
      {convolve, "", "", true},
      {convolve + "size: 1", "size", "takes the kernel as it is", true},
      {convolve + "rotation: 10", "rotation", "takes the kernel as it is", true},
      {convolve + "spike: 0.5", "spike", "takes the kernel as it is", true},
      {convolve + dual, "method", "method=fft", true},
      {convolve + half, "intermediates", "clamp=65504", true},
      {convolve + half + "clamp: 100", "", "", true},
      {convolve + "centre_x: 3 centre_y: 0", "centre_x", "no pixel of its image (3x3)", true},
      {convolve + "centre_x: 0.5 centre_y: 0", "centre_x", "no pixel of its image", true},
      {convolve + "preset: BLOOM_PRESET_STANDARD", "", "", true},
      {"intensity: 3", "intensity", "energy=additive"},
      {additive + "intensity: 3", ""},
      {dual, "method", "convolves with no kernel", true},
      {"preset: BLOOM_PRESET_STANDARD", "method", "method=fft", true},
      {"preset: BLOOM_PRESET_STANDARD", ""},
      {"centre_x: 1", "centre_x", "give both or neither", true},
      {"centre_y: 1", "centre_y", "give both or neither", true},
      {"centre_x: 1 centre_y: 5", "centre_x", "outside its image (3x3)", true},
      {"centre_x: 2 centre_y: 0", "", "", true},
      {half, ""},
      {half + dual, "intermediates", "no transforms"},
      {half + "clamp: 65505", "intermediates", "too bright"},
      {"suppress_fireflies: true", "suppress_fireflies", "Only the dual method"},
      {dual + "suppress_fireflies: true", ""},
      {"spike: 0 scatter: 0", "scatter", "give more scatter or spike"},
      {dual + "scatter: 0", "scatter", "has no centre"},
      {additive + "spike: 0 scatter: 0", ""},
      {"size: 0", "size", "needs a size above 0"},
      {"size: 0", "", "", true},
      {"size: 0 " + dual, "size", "needs a size above 0"},
      {"size: 4 radius_cut: 0.5", ""},
      {aperture + "blades: 2", "blades", "3 to 32 blades"},
      {"blades: 2", ""},
      {aperture, ""},
  };
  const GlarePicture kernel = even(3, 3, 1);
  for (const Case& each : cases) {
    const BloomFault fault = check_bloom(
        options_of(each.options), {.kernel = each.has_kernel ? &kernel : nullptr, .dirt = nullptr}, 64, 48);
    const std::string what = each.options + (each.has_kernel ? " with a kernel" : "");
    if (each.blamed.empty()) {
      EXPECT_THAT(fault.why, IsOk()) << what;
      continue;
    }
    EXPECT_THAT(fault.why, StatusIs(StatusCode::kInvalidArgument, each.text)) << what;
    EXPECT_EQ(fault.option, each.blamed) << what;
  }
}

TEST(BloomCheck, PicturesThatAreNoLightAreNamed) {
  const v1::BloomOptions plain = options_of("mode: BLOOM_MODE_CONVOLVE"), bloom = options_of(""),
                         aperture = options_of("glare: BLOOM_GLARE_APERTURE");
  for (const auto& [value, text] :
       {std::pair(double(NAN), "nan"), {kInfinity, "inf"}, {-1.0, "holds -1"}, {0.0, "no light"}}) {
    GlarePicture picture = even(3, 3, 0);
    picture.rgb[13] = value;
    const BloomFault fault = check_bloom(bloom, {.kernel = &picture}, 64, 48);
    EXPECT_THAT(fault.why, StatusIs(StatusCode::kInvalidArgument, text));
    EXPECT_EQ(fault.option, "kernel");
    EXPECT_EQ(check_bloom(plain, {.kernel = &picture}, 64, 48).ok(), std::isfinite(value)) << text;
  }
  GlarePicture dirt = even(4, 4, 0);
  EXPECT_THAT(check_bloom(bloom, {.dirt = &dirt}, 64, 48).why, IsOk()) << "nobody looks through it";
  BloomFault fault = check_bloom(aperture, {.dirt = &dirt}, 64, 48);
  EXPECT_THAT(fault.why, StatusIs(StatusCode::kInvalidArgument, "lets no light through"));
  EXPECT_EQ(fault.option, "dirt");
  dirt.rgb[0] = NAN;
  EXPECT_THAT(check_bloom(aperture, {.dirt = &dirt}, 64, 48).why,
              StatusIs(StatusCode::kInvalidArgument, "holds nan"));
  dirt = even(4, 4, 0.5);
  EXPECT_THAT(check_bloom(aperture, {.dirt = &dirt}, 64, 48).why, IsOk());
}

TEST(BloomCheck, AColourWithoutLightIsNamed) {
  GlarePicture picture = even(3, 3, 1);
  for (size_t i = 2; i < picture.rgb.size(); i += 3) picture.rgb[i] = 0;
  EXPECT_THAT(check_bloom(options_of(""), {.kernel = &picture}, 64, 48).why,
              StatusIs(StatusCode::kInvalidArgument, "no light in blue"));
  for (const char* colour : {"TINTED", "GRAY"})
    EXPECT_THAT(check_bloom(options_of(fmt::format("kernel_colour: BLOOM_KERNEL_COLOUR_{}", colour)),
                            {.kernel = &picture}, 64, 48)
                    .why,
                IsOk());
}

TEST(BloomCheck, TheFramesAndTheKernelsSidesHaveLimits) {
  const v1::BloomOptions options = options_of("size: 0.1");
  EXPECT_THAT(check_bloom(options, {}, 16384, 1).why, IsOk());
  for (const auto& [width, height] : {std::pair(16385, 1), {1, 16385}, {0, 5}}) {
    const BloomFault fault = check_bloom(options, {}, width, height);
    EXPECT_THAT(fault.why, StatusIs(StatusCode::kInvalidArgument, "1 to 16384"));
    EXPECT_EQ(fault.option, "");
  }
  BloomFault fault = check_bloom(options_of("size: 4"), {}, 8000, 8000);
  EXPECT_THAT(fault.why, StatusIs(StatusCode::kInvalidArgument, "16000 pixels"));
  EXPECT_EQ(fault.option, "size");
  const GlarePicture kernel = even(9, 3, 1);
  fault = check_bloom(options_of("size: 2 centre_x: 0 centre_y: 1"), {.kernel = &kernel}, 8000, 8000);
  EXPECT_THAT(fault.why, StatusIs(StatusCode::kInvalidArgument, "too far from its centre"));
  EXPECT_EQ(fault.option, "centre_x");
}

}  // namespace
}  // namespace weft::filters::bloom
