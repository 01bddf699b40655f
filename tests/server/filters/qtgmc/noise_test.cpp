// SPDX-License-Identifier: Apache-2.0
// Tests QTGMC's noise processing against the model: within the tolerance of a denoiser with floats,
// and exactly otherwise.
#include <algorithm>
#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "server/filters/qtgmc/settings.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/reference.h"
#include "tests/filter_suite/run.h"

namespace weft::filters {
namespace {

qtgmc::Settings settings_of(const std::string& text) {
  return qtgmc::settings_of(static_cast<const v1::Qtgmc&>(*parse_options("qtgmc", text)));
}

TEST(QtgmcNoiseSettings, FollowFromThePresets) {
  EXPECT_EQ(settings_of("").noise.process, 0);
  for (const char* preset : {"PLACEBO", "VERY_SLOW"}) {
    const qtgmc::NoiseSettings noise = settings_of(fmt::format("preset: QTGMC_PRESET_{}", preset)).noise;
    EXPECT_EQ(noise.process, 2);
    EXPECT_EQ(noise.denoiser.sigma, 2);
    EXPECT_EQ(noise.denoiser.radius, 1);
    EXPECT_FALSE(noise.denoiser.chroma);
    EXPECT_FALSE(noise.along_motion);
    EXPECT_EQ(noise.grain_restore, 0.3);
    EXPECT_EQ(noise.noise_restore, 0.1);
    EXPECT_FALSE(noise.stabilize);
    EXPECT_EQ(noise.deint, v1::QTGMC_NOISE_DEINT_NONE);
  }
  const qtgmc::NoiseSettings slow =
      settings_of("noise_preset: QTGMC_NOISE_PRESET_SLOW noise_process: 1").noise;
  EXPECT_TRUE(slow.along_motion);
  EXPECT_TRUE(slow.stabilize);
  EXPECT_EQ(slow.grain_restore, 0.7);
  EXPECT_EQ(slow.noise_restore, 0.3);
  EXPECT_EQ(slow.deint, v1::QTGMC_NOISE_DEINT_BOB);
  EXPECT_EQ(settings_of("noise_preset: QTGMC_NOISE_PRESET_SLOWER noise_process: 2").noise.denoiser.radius, 2);
}

TEST(QtgmcNoiseSettings, FollowFromTheEasyOptions) {
  const qtgmc::NoiseSettings less = settings_of("ez_denoise: 3").noise;
  EXPECT_EQ(less.process, 1);
  EXPECT_EQ(less.denoiser.sigma, 3);
  EXPECT_FALSE(less.is_needed());
  const qtgmc::NoiseSettings kept = settings_of("ez_keep_grain: 4").noise;
  EXPECT_EQ(kept.process, 2);
  EXPECT_EQ(kept.denoiser.sigma, 16);
  EXPECT_DOUBLE_EQ(kept.grain_restore, 0.6);
  EXPECT_DOUBLE_EQ(kept.noise_restore, 0.2);
  EXPECT_EQ(settings_of("ez_denoise: 3 sigma: 7 noise_restore: 0.5 noise_process: 2").noise.process, 2);
}

// The motion search reaches as far as the noise is motion-compensated.
TEST(QtgmcNoiseSettings, AskForVectors) {
  const std::string none = "preset: QTGMC_PRESET_DRAFT tr1: 0 noise_process: 1";
  EXPECT_EQ(settings_of(none).max_tr, 0);
  EXPECT_EQ(settings_of(none + " denoise_mc: true noise_tr: 2").max_tr, 2);
  EXPECT_EQ(settings_of(none + " stabilize_noise: true").max_tr, 1);
  EXPECT_EQ(settings_of(none + " stabilize_noise: true grain_restore: 0 noise_restore: 0").max_tr, 0);
}

class QtgmcNoiseTest : public DeviceTest {
 protected:
  std::vector<Picture> made_of(const std::string& text, const Clip& clip, int batch = 3) {
    const auto made = run_clip(device(), {parse_options("qtgmc", text)}, clip,
                               {.plan = {.batch = batch}, .properties = clip.properties});
    EXPECT_THAT(made, IsOk()) << text;
    return made.ok() ? pictures_of(*made) : std::vector<Picture>();
  }
};
WEFT_ON_EVERY_DEVICE(QtgmcNoiseTest);
class QtgmcNoiseOptionsTest : public QtgmcNoiseTest {};
WEFT_ON_QUICK_DEVICES(QtgmcNoiseOptionsTest);

// Returns moving edges with noise of a few code values.
Clip noisy(const VideoFormat& format, int frames, uint32_t seed, double sigma = 4) {
  Clip clip = make_clip(format, frames, Material::kMotion, seed);
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, sigma * (1 << (format.bit_depth - 8)));
  const int maximum = (1 << format.bit_depth) - 1;
  for (Picture& picture : clip.frames)
    for (auto& plane : picture.planes)
      for (uint16_t& sample : plane)
        sample =
            uint16_t(std::clamp<int>(maximum / 4 + sample / 2 + int(std::lround(noise(random))), 0, maximum));
  return clip;
}

// The denoiser may round a few samples to the next code value. Sharpening amplifies that to at most
// this difference.
constexpr int kMostApart = 6;
constexpr double kMeanApart = 0.02;

TEST_P(QtgmcNoiseTest, EveryOptionGivesWhatTheModelGives) {
  constexpr VideoFormat kFormats[] = {
      {64, 40, Chroma::k420, 8}, {41, 33, Chroma::k444, 8}, {40, 34, Chroma::k422, 10}};
  constexpr std::string_view kTexts[] = {
      "noise_process: 1",
      "noise_process: 1 noise_preset: QTGMC_NOISE_PRESET_SLOWER chroma_noise: true",
      "noise_process: 2 noise_preset: QTGMC_NOISE_PRESET_SLOWER grain_restore: 1 noise_restore: 0.5",
      "noise_process: 2 noise_preset: QTGMC_NOISE_PRESET_SLOW",
      "noise_process: 2 noise_preset: QTGMC_NOISE_PRESET_MEDIUM chroma_noise: true",
      "noise_process: 1 noise_preset: QTGMC_NOISE_PRESET_FASTER sigma: 6",
      "preset: QTGMC_PRESET_VERY_SLOW",
      "ez_denoise: 5",
      "ez_keep_grain: 1 noise_deint: QTGMC_NOISE_DEINT_GENERATE",
      "noise_process: 1 lossless: 1 noise_deint: QTGMC_NOISE_DEINT_BOB",
      "noise_process: 1 source_match: 2 lossless: 2 match_edi: QTGMC_EDI_BOB match_edi2: QTGMC_EDI_BOB",
      "noise_process: 1 input_type: QTGMC_INPUT_PROGRESSIVE stabilize_noise: true",
      "noise_process: 2 input_type: QTGMC_INPUT_REPAIR noise_preset: QTGMC_NOISE_PRESET_SLOWER",
      "show_noise: 5 noise_preset: QTGMC_NOISE_PRESET_SLOWER",
  };
  uint32_t seed = 1;
  // Code shared by all devices is tested mainly on the fastest one.
  const uint32_t step = device().info().kind == device::BackendKind::kCpu ? 1 : 4;
  for (const std::string_view one : kTexts) {
    if (seed % step != 0) {
      seed++;
      continue;
    }
    const std::string text = std::string(one) + " edi_mode: QTGMC_EDI_BOB block_size: 8 overlap: 4";
    Clip clip = noisy(kFormats[seed % std::size(kFormats)], 4, seed);
    clip.infos[3].discontinuity = seed % 4 == 0;
    seed++;
    const std::vector<Picture> wanted = reference(*parse_options("qtgmc", text), clip).frames;
    const std::vector<Picture> made = made_of(text, clip);
    ASSERT_EQ(made.size(), wanted.size()) << text;
    const int scale = 1 << (clip.format.bit_depth - 8);
    for (size_t i = 0; i < made.size(); i++)
      for (size_t plane = 0; plane < made[i].planes.size(); plane++) {
        int most = 0;
        double sum = 0;
        for (size_t at = 0; at < made[i].planes[plane].size(); at++) {
          const int apart = std::abs(int(made[i].planes[plane][at]) - int(wanted[i].planes[plane][at]));
          most = std::max(most, apart);
          sum += apart;
        }
        EXPECT_LE(most, kMostApart) << text << ", picture " << i << ", plane " << plane;
        EXPECT_LE(sum / double(made[i].planes[plane].size()), kMeanApart * scale)
            << text << ", picture " << i << ", plane " << plane;
      }
  }
}

// The pictures are noisy, so that those next to a clip's ends differ about as much as after a cut.
TEST_P(QtgmcNoiseTest, WithoutWorkOnNoiseNoisyProgressivePicturesAreTheModels) {
  const Clip clip = noisy({49, 33, Chroma::k444, 8}, 4, 13);
  for (const char* type : {"PROGRESSIVE", "REPAIR", "REPAIR_OTHER"}) {
    const std::string text =
        fmt::format("input_type: QTGMC_INPUT_{} edi_mode: QTGMC_EDI_BOB sl_mode: 0", type);
    expect_same(reference(*parse_options("qtgmc", text), clip).frames, made_of(text, clip), text);
  }
}

TEST_P(QtgmcNoiseOptionsTest, WithoutNoiseTheResultIsThatWithoutWorkOnNoise) {
  const Clip clip = noisy({61, 38, Chroma::k420, 10}, 4, 3);
  const std::string text = "edi_mode: QTGMC_EDI_BOB sigma: 0 chroma_noise: true";
  const std::vector<Picture> wanted = made_of(text + " noise_process: 0", clip);
  for (const char* preset : {"SLOWER", "SLOW", "MEDIUM", "FAST", "FASTER"})
    for (const int process : {1, 2})
      expect_same(
          wanted,
          made_of(fmt::format("{} noise_process: {} noise_preset: QTGMC_NOISE_PRESET_{} grain_restore: 1 "
                              "noise_restore: 1 denoise_mc: false",
                              text, process, preset),
                  clip),
          fmt::format("process {}, {}", process, preset));
}

// The lines of the source without their noise, to which the noise is added again.
TEST_P(QtgmcNoiseOptionsTest, AllNoisePutBackOnLosslessLinesGivesTheSource) {
  const Clip clip = noisy({64, 48, Chroma::k420, 8}, 4, 5);
  for (const char* how : {"NONE", "BOB", "GENERATE"}) {
    const std::string text = fmt::format(
        "edi_mode: QTGMC_EDI_BOB parity: PARITY_TOP noise_process: 1 lossless: 1 grain_restore: 0 "
        "noise_restore: 1 "
        "chroma_noise: true sigma: 5 noise_deint: QTGMC_NOISE_DEINT_{}",
        how);
    const std::vector<Picture> made = made_of(text, clip);
    ASSERT_EQ(made.size(), 8u);
    for (int n = 0; n < 8; n++)
      for (int plane = 0; plane < 3; plane++)
        for (int y = n % 2; y < clip.format.plane_height(plane); y += 2)
          for (int x = 0; x < clip.format.plane_width(plane); x++)
            ASSERT_EQ(made[size_t(n)].at(plane, x, y), clip.frames[size_t(n) / 2].at(plane, x, y))
                << how << ", picture " << n << ", plane " << plane << ", " << x << ", " << y;
  }
}

double deviation(const Picture& picture) {
  double sum = 0, squares = 0;
  const auto& samples = picture.planes[0];
  for (const uint16_t sample : samples) sum += sample;
  const double mean = sum / double(samples.size());
  for (const uint16_t sample : samples) squares += (sample - mean) * (sample - mean);
  return std::sqrt(squares / double(samples.size()));
}

// Returns a flat picture with noise.
Clip flat(double sigma) {
  Clip clip = noisy({96, 64, Chroma::kGray, 8}, 6, 9, 0);
  std::mt19937 random(2);
  std::normal_distribution<double> noise(128, sigma);
  for (Picture& picture : clip.frames)
    for (uint16_t& sample : picture.planes[0]) sample = uint16_t(std::lround(noise(random)));
  return clip;
}

TEST_P(QtgmcNoiseOptionsTest, NoiseGoesAndGrainStaysAsAskedFor) {
  const Clip clip = flat(5);
  const auto left = [&](const char* options) {
    return deviation(made_of(std::string("edi_mode: QTGMC_EDI_BOB tr2: 1 ") + options, clip)[6]);
  };
  const double plain = left("noise_process: 0");
  EXPECT_LT(left("ez_denoise: 6"), 0.5 * plain);
  EXPECT_GT(left("ez_keep_grain: 2"), 1.1 * plain);
  EXPECT_GT(left("ez_keep_grain: 4"), left("ez_keep_grain: 1"));
}

// The noise of missing lines is as strong as that of the field, or softer.
TEST_P(QtgmcNoiseOptionsTest, MissingLinesGetNoise) {
  const Clip clip = flat(5);
  const auto of_lines = [&](const char* how, int parity) {
    const std::vector<Picture> made = made_of(
        fmt::format("show_noise: 1 parity: PARITY_TOP sigma: 10 noise_deint: QTGMC_NOISE_DEINT_{}", how),
        clip);
    Picture lines({96, 32, Chroma::kGray, 8});
    for (int y = 0; y < 32; y++)
      for (int x = 0; x < 96; x++) lines.at(0, x, y) = uint16_t(made[6].at(0, x, 2 * y + parity));
    return deviation(lines);
  };
  for (const char* how : {"NONE", "BOB", "GENERATE"}) EXPECT_NEAR(of_lines(how, 0), 4.5, 1) << how;
  EXPECT_NEAR(of_lines("NONE", 1), of_lines("NONE", 0), 0.5);
  EXPECT_GT(of_lines("GENERATE", 1), 0.6 * of_lines("GENERATE", 0));
  EXPECT_LT(of_lines("GENERATE", 1), of_lines("GENERATE", 0));
  EXPECT_LT(of_lines("BOB", 1), 0.9 * of_lines("BOB", 0));
}

// The result, grain included, does not depend on the begin of a batch or of a clip.
TEST_P(QtgmcNoiseTest, BatchesAndBeginningsDoNotShow) {
  const Clip clip = noisy({64, 40, Chroma::k420, 16}, 10, 4);
  const std::string text =
      "noise_process: 2 noise_preset: QTGMC_NOISE_PRESET_SLOWER edi_mode: QTGMC_EDI_BOB grain_restore: 1";
  const std::vector<Picture> whole = made_of(text, clip, 1);
  expect_same(whole, made_of(text, clip, 7), "batches of 7");
  constexpr int kLeftOut = 1, kBehindBeginning = 12;
  Clip later = clip;
  later.frames.erase(later.frames.begin(), later.frames.begin() + kLeftOut);
  later.infos.erase(later.infos.begin(), later.infos.begin() + kLeftOut);
  const std::vector<Picture> made = made_of(text, later, 2);
  ASSERT_EQ(made.size() + 2 * kLeftOut, whole.size());
  expect_same({whole.begin() + kBehindBeginning + 2 * kLeftOut, whole.end()},
              {made.begin() + kBehindBeginning, made.end()}, "a later beginning");
}

TEST_P(QtgmcNoiseTest, InterpolationsThatLookAtTheSourceAreRefused) {
  for (const char* mode : {"BWDIF", "YADIF"}) {
    const Options options =
        parse_options("qtgmc", fmt::format("noise_process: 1 edi_mode: QTGMC_EDI_{}", mode));
    EXPECT_THAT(expand(&device(), {options}, {64, 48, Chroma::k420, 8}).status(),
                StatusIs(StatusCode::kInvalidArgument, "noise_process 1"));
  }
}

}  // namespace
}  // namespace weft::filters
