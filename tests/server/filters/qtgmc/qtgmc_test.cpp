// SPDX-License-Identifier: Apache-2.0
// Tests QTGMC's presets and options against the model of the whole graph, on every device.
#include <cmath>
#include <cstdlib>
#include <random>

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>

#include "options/option.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/reference.h"
#include "tests/filter_suite/run.h"
#include "weft/v1/qtgmc.pb.h"

namespace weft::filters {
namespace {

class QtgmcTest : public DeviceTest {
 protected:
  void expect_the_models(const std::string& text, const Clip& clip) {
    const Options options = parse_options("qtgmc", text);
    const auto actual =
        run_clip(device(), {options}, clip, {.plan = {.batch = 3}, .properties = clip.properties});
    ASSERT_THAT(actual, IsOk()) << text;
    const std::vector<Picture> wanted = reference(*options, clip).frames, made = pictures_of(*actual);
    ASSERT_EQ(made.size(), wanted.size()) << text;
    for (size_t i = 0; i < made.size(); i++)
      ASSERT_TRUE(made[i] == wanted[i]) << text << ", " << to_text(clip.format) << ", picture " << i << ": "
                                        << difference(wanted[i], made[i]);
  }
};
WEFT_ON_EVERY_DEVICE(QtgmcTest);
class QtgmcOptionsTest : public QtgmcTest {};
WEFT_ON_QUICK_DEVICES(QtgmcOptionsTest);

// Without a network and a denoiser all operations have integer results.
constexpr std::string_view kExact =
    " edi_mode: QTGMC_EDI_BWDIF match_edi: QTGMC_EDI_BOB match_edi2: QTGMC_EDI_BOB noise_process: 0";

TEST_P(QtgmcTest, EveryPresetGivesWhatTheModelGives) {
  constexpr VideoFormat kFormats[] = {{97, 65, Chroma::k420, 8},
                                      {64, 48, Chroma::k422, 10},
                                      {70, 40, Chroma::kGray, 8},
                                      {45, 33, Chroma::k444, 16}};
  const auto* presets = v1::QtgmcPreset_descriptor();
  for (int i = 1; i < presets->value_count(); i++) {
    const std::string text =
        "preset: " + presets->value(i)->name() + std::string(i < v1::QTGMC_PRESET_ULTRA_FAST ? kExact : "");
    const Clip clip =
        make_clip(kFormats[size_t(i) % std::size(kFormats)], 3, kMaterials[size_t(i) % 2], uint32_t(i));
    ASSERT_NO_FATAL_FAILURE(expect_the_models(text, clip));
  }
}

// Returns a random combination of options within their ranges.
std::string random_options(std::mt19937& random) {
  std::string text =
      "noise_process: 0 preset: " + v1::QtgmcPreset_Name(v1::QtgmcPreset(1 + random() % v1::QtgmcPreset_MAX));
  constexpr v1::QtgmcEdi kModes[] = {v1::QTGMC_EDI_BWDIF, v1::QTGMC_EDI_YADIF, v1::QTGMC_EDI_BOB};
  text += " edi_mode: " + v1::QtgmcEdi_Name(kModes[random() % 3]);
  text += " match_edi: " + v1::QtgmcEdi_Name(kModes[random() % 3]) + " match_edi2: QTGMC_EDI_BOB";
  const auto maybe = [&](std::string_view name, std::initializer_list<std::string_view> values) {
    if (random() % 3 == 0) text += fmt::format(" {}: {}", name, *(values.begin() + random() % values.size()));
  };
  maybe("parity", {"PARITY_TOP", "PARITY_BOTTOM"});
  maybe("input_type", {"QTGMC_INPUT_PROGRESSIVE", "QTGMC_INPUT_REPAIR", "QTGMC_INPUT_REPAIR_OTHER"});
  maybe("prog_sad_mask", {"0", "2", "40"});
  maybe("border", {"true"});
  maybe("fps_divisor", {"2", "3"});
  maybe("tr0", {"0", "1", "2"});
  maybe("tr1", {"0", "1", "2"});
  maybe("tr2", {"0", "1", "2", "3"});
  for (const std::string_view rep : {"rep0", "rep1", "rep2"})
    maybe(rep, {"0", "1", "2", "3", "4", "5", "6", "7", "12", "21", "33", "51", "40"});
  maybe("rep_chroma", {"false"});
  maybe("s_mode", {"0", "1", "2"});
  maybe("sl_mode", {"0", "1", "2", "3", "4"});
  maybe("sl_rad", {"1", "2", "3"});
  maybe("s_ovs", {"0", "3"});
  maybe("sv_thin", {"0.3", "1"});
  maybe("sbb", {"0", "1", "2", "3"});
  maybe("srch_clip_pp", {"0", "1", "2", "3"});
  maybe("sharpness", {"0", "0.5", "3"});
  maybe("precise", {"true", "false"});
  maybe("sub_pel", {"1", "2", "4"});
  maybe("block_size", {"8", "16"});
  maybe("overlap", {"0", "2", "4"});
  maybe("search", {"0", "1", "2", "3", "4", "5"});
  maybe("search_param", {"1", "3"});
  if (random() % 16 == 0) text += " e_search_p: true";
  maybe("chroma_motion", {"true", "false"});
  maybe("true_motion", {"true"});
  maybe("th_sad1", {"100", "3000"});
  maybe("th_sad2", {"100", "3000"});
  maybe("th_scd1", {"16000"});
  maybe("source_match", {"1", "2", "3"});
  maybe("match_tr2", {"0", "1", "2"});
  maybe("match_enhance", {"0", "1"});
  maybe("lossless", {"1", "2"});
  maybe("tuning", {"QTGMC_TUNING_DV_HD"});
  maybe("shutter_blur", {"1", "2", "3"});
  maybe("shutter_angle_src", {"0", "90"});
  maybe("shutter_angle_out", {"360", "270"});
  maybe("s_blur_limit", {"0", "1", "8"});
  maybe("sub_pel_interp", {"0", "1"});
  maybe("pel_search", {"1", "3"});
  maybe("p_level", {"0", "1", "2"});
  maybe("fast_ma", {"true"});
  maybe("refine_motion", {"true"});
  maybe("chroma_edi", {"QTGMC_EDI_BWDIF", "QTGMC_EDI_YADIF", "QTGMC_EDI_BOB"});
  return text;
}

TEST_P(QtgmcTest, RandomOptionsGiveWhatTheModelGives) {
  std::mt19937 random(2026);
  const bool is_cpu = device().info().kind == device::BackendKind::kCpu;
  int count = is_cpu ? 24 : 6;  // code shared by all devices is tested mainly on the fastest one
  if (const char* asked = std::getenv("WEFT_QTGMC_COMBINATIONS")) count = std::atoi(asked);
  for (int i = 0; i < count; i++) {
    const std::string text = random_options(random);
    const VideoFormat format{16 + int(random() % 40), 8 + int(random() % 40), Chroma(random() % 4),
                             8 + int(random() % 9)};
    Clip clip = make_clip(format, 1 + int(random() % 3), kMaterials[random() % 3], uint32_t(random()));
    for (FrameInfo& info : clip.infos) info.top_field_first = random() % 2 == 0;
    if (clip.infos.size() > 1) clip.infos.back().discontinuity = random() % 3 == 0;
    const auto taken = expand(nullptr, {parse_options("qtgmc", text)}, format);
    if (absl::IsInvalidArgument(taken.status())) continue;
    ASSERT_NO_FATAL_FAILURE(expect_the_models(text, clip));
  }
}

std::vector<Picture> made_of(device::Device& device, const std::string& text, const Clip& clip) {
  return pictures_of(run_clip(device, {parse_options("qtgmc", text)}, clip).value());
}

TEST_P(QtgmcTest, RepairKeepsChromaAndWhatFits) {
  const Clip clip = make_clip({72, 48, Chroma::k420, 8}, 4, Material::kStatic, 4);
  const std::string repair = "input_type: QTGMC_INPUT_REPAIR tr1: 0 tr2: 0 s_mode: 0 sl_mode: 0 rep2: 0";
  const std::vector<Picture> masked = made_of(device(), repair + " prog_sad_mask: 100", clip),
                             made = made_of(device(), repair + " prog_sad_mask: 0", clip);
  for (const size_t plane : {1, 2}) {
    EXPECT_EQ(made[1].planes[plane], clip.frames[1].planes[plane]);
    EXPECT_EQ(masked[1].planes[plane], clip.frames[1].planes[plane]);
  }
  EXPECT_NE(made[1].planes[0], clip.frames[1].planes[0]);
  EXPECT_EQ(masked[1].planes[0], clip.frames[1].planes[0]) << "blocks of a still picture fit";
}

TEST_P(QtgmcTest, ABorderChangesTheOutermostRowsAlone) {
  const Clip clip = make_clip({72, 64, Chroma::k420, 8}, 3, Material::kMotion, 4);
  const std::string plain = "edi_mode: QTGMC_EDI_BOB tr0: 0 tr1: 0 tr2: 0 sl_mode: 0 sbb: 0";
  const Picture with = made_of(device(), plain + " border: true", clip)[2],
                without = made_of(device(), plain, clip)[2];
  int differing = 0;
  for (int y = 0; y < 64; y++)
    for (int x = 0; x < 72; x++) {
      if (with.at(0, x, y) == without.at(0, x, y)) continue;
      differing++;
      ASSERT_TRUE(y < 8 || y >= 56) << y;
    }
  EXPECT_GT(differing, 0);
}

TEST_P(QtgmcTest, ErrorsNameItsOwnOptions) {
  const auto error_of = [](const std::string& text) {
    return expand(nullptr, {parse_options("qtgmc", text)}, {64, 48, Chroma::k420, 8}).status();
  };
  EXPECT_THAT(error_of("block_size: 12"), StatusIs(StatusCode::kInvalidArgument, "block_size"));
  EXPECT_THAT(error_of("sub_pel: 3"), StatusIs(StatusCode::kInvalidArgument, "sub_pel"));
  EXPECT_THAT(
      expand(nullptr, {parse_options("qtgmc", "border: true")}, {64, 16380, Chroma::k420, 8}).status(),
      StatusIs(StatusCode::kInvalidArgument, "16384"));
}

// The differences of 16-bit samples are multiplied by six.
TEST_P(QtgmcTest, LinesAreThinnedAtEveryDepth) {
  for (const int bits : {8, 15, 16})
    ASSERT_NO_FATAL_FAILURE(
        expect_the_models("preset: QTGMC_PRESET_DRAFT edi_mode: QTGMC_EDI_BOB s_mode: 2 sv_thin: 1",
                          make_clip({40, 22, Chroma::kGray, bits}, 2, Material::kNoise, 3)));
}

// 16-bit samples with the strongest sharpening that the options permit.
TEST_P(QtgmcTest, SharpensSamplesOf16BitsWithoutOverflow) {
  Clip clip = make_clip({40, 22, Chroma::kGray, 16}, 2, Material::kNoise, 3);
  for (Picture& picture : clip.frames)
    for (uint16_t& sample : picture.planes[0]) sample = sample % 2 == 0 ? 0 : 65535;
  const std::string strongest =
      "preset: QTGMC_PRESET_DRAFT edi_mode: QTGMC_EDI_BOB sharpness: 3 tr1: 2 tr2: 3 sl_mode: 2 th_sad1: 0 "
      "th_sad2: 0 sl_rad: 1 s_ovs: 32";
  for (const char* mode : {" s_mode: 1", " s_mode: 2"})
    ASSERT_NO_FATAL_FAILURE(expect_the_models(strongest + mode, clip));
}

// The rows alternate and move by a row per picture. After a vertical blur they are flat and match
// without motion.
TEST_P(QtgmcTest, MotionOfProgressivePicturesIsSeenInPicturesAsTheyAre) {
  Clip clip = make_clip({64, 48, Chroma::kGray, 8}, 5, Material::kStatic, 1);
  for (size_t n = 0; n < clip.frames.size(); n++)
    for (int y = 0; y < 48; y++)
      for (int x = 0; x < 64; x++) clip.frames[n].at(0, x, y) = uint16_t((y + int(n)) % 2 == 0 ? 108 : 148);
  const std::vector<Picture> made = made_of(
      device(), "preset: QTGMC_PRESET_DRAFT input_type: QTGMC_INPUT_PROGRESSIVE block_size: 16", clip);
  for (int y = 16; y < 32; y++)
    for (int x = 16; x < 48; x++) ASSERT_EQ(made[2].at(0, x, y), clip.frames[2].at(0, x, y)) << x << " " << y;
}

TEST_P(QtgmcTest, ChromaMayHaveAnInterpolationOfItsOwn) {
  const Clip clip = make_clip({72, 48, Chroma::k420, 8}, 3, Material::kMotion, 4);
  const std::string plain = "preset: QTGMC_PRESET_DRAFT tr1: 0 edi_mode: ";
  const std::vector<Picture> mixed =
      made_of(device(), plain + "QTGMC_EDI_BOB chroma_edi: QTGMC_EDI_BWDIF", clip);
  const std::vector<Picture> bob = made_of(device(), plain + "QTGMC_EDI_BOB", clip),
                             bwdif = made_of(device(), plain + "QTGMC_EDI_BWDIF", clip);
  ASSERT_EQ(mixed.size(), bob.size());
  EXPECT_NE(bob[2].planes[1], bwdif[2].planes[1]);
  for (size_t n = 0; n < mixed.size(); n++) {
    EXPECT_EQ(mixed[n].planes[0], bob[n].planes[0]);
    for (const size_t plane : {1, 2}) EXPECT_EQ(mixed[n].planes[plane], bwdif[n].planes[plane]);
  }
}

// With 8 bits the option changes nothing. With more bits the search uses fewer bits.
TEST_P(QtgmcTest, FastMaSearchesPicturesOf8Bits) {
  const std::string plain = "preset: QTGMC_PRESET_FASTER edi_mode: QTGMC_EDI_BOB block_size: 8";
  const Clip of_8 = make_clip({64, 48, Chroma::k420, 8}, 3, Material::kMotion, 4);
  EXPECT_EQ(made_of(device(), plain + " fast_ma: true", of_8), made_of(device(), plain, of_8));
  const Clip of_16 = make_clip({64, 48, Chroma::k420, 16}, 3, Material::kNoise, 4);
  EXPECT_NE(made_of(device(), plain + " fast_ma: true th_sad1: 20000 th_scd1: 16000", of_16),
            made_of(device(), plain + " th_sad1: 20000 th_scd1: 16000", of_16));
}

// Returns the clip with the rows of its frames in reverse order.
Clip mirrored(Clip clip) {
  for (Picture& picture : clip.frames)
    for (int plane = 0; plane < clip.format.planes(); plane++) {
      const Picture before = picture;
      const int height = clip.format.plane_height(plane);
      for (int y = 0; y < height; y++)
        for (int x = 0; x < clip.format.plane_width(plane); x++)
          picture.at(plane, x, y) = uint16_t(before.at(plane, x, height - 1 - y));
    }
  return clip;
}

// Only options without a vertical order are tested, since the choice among equally good vectors
// follows an order.
TEST_P(QtgmcTest, AMirroredPictureOfTheOtherParityGivesTheMirroredResult) {
  const Clip clip = make_clip({64, 48, Chroma::k444, 8}, 3, Material::kMotion, 3);
  for (const char* text : {"tr1: 0 tr2: 0 sl_mode: 1 sv_thin: 0.5",
                           "tr1: 0 tr2: 0 sl_mode: 0 edi_mode: QTGMC_EDI_BOB lossless: 1"}) {
    Clip upright{clip.format, made_of(device(), std::string(text) + " parity: PARITY_TOP", clip), {}};
    const std::vector<Picture> wanted = mirrored(upright).frames;
    const std::vector<Picture> made =
        made_of(device(), std::string(text) + " parity: PARITY_BOTTOM", mirrored(clip));
    for (size_t i = 0; i < wanted.size(); i++)
      EXPECT_TRUE(made[i] == wanted[i]) << text << ": " << difference(wanted[i], made[i]);
  }
}

// Returns a picture with so little vertical detail that a field contains all of it.
Clip still(int frames) {
  Clip clip = make_clip({96, 64, Chroma::k420, 8}, frames, Material::kStatic, 1);
  for (Picture& picture : clip.frames)
    for (int plane = 0; plane < 3; plane++)
      for (int y = 0; y < clip.format.plane_height(plane); y++)
        for (int x = 0; x < clip.format.plane_width(plane); x++)
          picture.at(plane, x, y) =
              uint16_t(std::lround(128 + 60 * std::sin(x * 0.7) * std::sin(y * 0.4 + x * 0.1)));
  return clip;
}

double mean_error(const Picture& a, const Picture& b) {
  double sum = 0;
  for (size_t i = 0; i < a.planes[0].size(); i++) sum += std::abs(int(a.planes[0][i]) - int(b.planes[0][i]));
  return sum / double(a.planes[0].size());
}

TEST_P(QtgmcOptionsTest, WhatStandsStillComesOutAsItWasAndDoesNotFlicker) {
  const Clip clip = still(6);
  const std::vector<Picture> bobbed = made_of(device(), "preset: QTGMC_PRESET_DRAFT tr1: 0", clip);
  const double flicker = mean_error(bobbed[6], bobbed[7]), error = mean_error(bobbed[6], clip.frames[3]);
  for (const char* text :
       {"preset: QTGMC_PRESET_SLOWER", "preset: QTGMC_PRESET_MEDIUM", "preset: QTGMC_PRESET_FASTER"}) {
    const std::vector<Picture> made = made_of(device(), text, clip);
    EXPECT_LT(mean_error(made[6], made[7]), 0.5 * flicker) << text;
    EXPECT_TRUE(made[4] == made[6]) << text;
  }
  const std::vector<Picture> lossless = made_of(device(), "preset: QTGMC_PRESET_SLOWER lossless: 1", clip);
  EXPECT_LT(mean_error(lossless[6], clip.frames[3]), error);
}

// Returns a texture that moves horizontally by `by` samples a field.
Clip moving(int by, int frames) {
  Clip clip = make_clip({96, 64, Chroma::kGray, 8}, frames, Material::kStatic, 1);
  for (int field = 0; field < 2 * frames; field++)
    for (int y = field % 2; y < 64; y += 2)
      for (int x = 0; x < 96; x++) {
        const double at = x - by * field;
        clip.frames[size_t(field) / 2].at(0, x, y) = uint16_t(std::lround(
            128 + 50 * std::sin(at * 0.9) * std::cos(y * 0.3) + 40 * std::sin(at * 0.17 + y * 0.11)));
      }
  return clip;
}

double detail(const Picture& picture) {
  double sum = 0;
  for (int y = 16; y < 48; y++)
    for (int x = 24; x < 72; x++) sum += std::abs(picture.at(0, x + 1, y) - picture.at(0, x, y));
  return sum;
}

TEST_P(QtgmcOptionsTest, AnOpenShutterBlursWhatMoves) {
  const std::string plain = "edi_mode: QTGMC_EDI_BOB parity: PARITY_TOP";
  const Clip still_clip = moving(0, 4), clip = moving(4, 4);
  for (const int blur : {1, 2, 3}) {
    const std::string open = plain + fmt::format(" shutter_blur: {}", blur);
    EXPECT_TRUE(made_of(device(), open + " shutter_angle_out: 360", still_clip)[4] ==
                made_of(device(), plain, still_clip)[4]);
    EXPECT_TRUE(made_of(device(), open, clip)[4] == made_of(device(), plain, clip)[4])
        << "as far open as in the source";
    const double sharp = detail(made_of(device(), plain, clip)[4]);
    const double half =
        detail(made_of(device(), open + " shutter_angle_src: 0 shutter_angle_out: 180", clip)[4]);
    const double whole =
        detail(made_of(device(), open + " shutter_angle_src: 0 shutter_angle_out: 360", clip)[4]);
    EXPECT_LT(half, 0.95 * sharp);
    EXPECT_LT(whole, 0.95 * half);
    EXPECT_GT(detail(made_of(device(), open + " shutter_angle_src: 0 shutter_angle_out: 360 s_blur_limit: 40",
                             clip)[4]),
              whole);
  }
}

// The clip has a cut without a flag.
TEST_P(QtgmcOptionsTest, NothingOfAnotherSceneLeaks) {
  const VideoFormat format{96, 64, Chroma::k420, 8};
  Clip first = make_clip(format, 8, Material::kMotion, 1);
  for (Picture& picture : first.frames)
    for (auto& plane : picture.planes)
      for (uint16_t& sample : plane) sample = uint16_t(sample / 4);
  Clip second = first;
  for (size_t i = 4; i < 8; i++)
    for (size_t plane = 0; plane < 3; plane++)
      for (size_t at = 0; at < first.frames[i].planes[plane].size(); at++) {
        first.frames[i].planes[plane][at] = uint16_t(160 + at % 90);
        second.frames[i].planes[plane][at] = uint16_t(250 - at % 70);
      }
  for (const char* preset : {"SLOWER", "MEDIUM", "DRAFT"}) {
    const std::string text = fmt::format("preset: QTGMC_PRESET_{} edi_mode: QTGMC_EDI_BOB", preset);
    const std::vector<Picture> a = made_of(device(), text, first), b = made_of(device(), text, second);
    for (size_t i = 0; i < 8; i++)
      EXPECT_TRUE(a[i] == b[i]) << text << ", picture " << i << ": " << difference(a[i], b[i]);
    EXPECT_FALSE(a[8] == b[8]);
  }
}

// The pictures that a result depends on are those that the guide states.
TEST_P(QtgmcTest, LooksNoFurtherThanItsStagesNeed) {
  const VideoFormat format{64, 48, Chroma::k420, 8};
  const auto window_of = [&](const char* text) {
    Network network = expand(&device(), {parse_options("qtgmc", text)}, format).value();
    return Plan::compile(network, {.exact_durations = true}).value().window;
  };
  EXPECT_EQ(window_of("preset: QTGMC_PRESET_SLOWER").after, 3);  // frames; five fields
  EXPECT_EQ(window_of("preset: QTGMC_PRESET_FASTER").after, 1);
  EXPECT_EQ(window_of("preset: QTGMC_PRESET_DRAFT").after, 1);
}

TEST_P(QtgmcTest, LosslessOfProgressiveInputIsRefused) {
  const Options options = parse_options("qtgmc", "input_type: QTGMC_INPUT_PROGRESSIVE lossless: 1");
  EXPECT_THAT(expand(&device(), {options}, {64, 48, Chroma::k420, 8}).status(),
              StatusIs(StatusCode::kInvalidArgument, "lossless"));
}

}  // namespace
}  // namespace weft::filters
