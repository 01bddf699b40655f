// SPDX-License-Identifier: Apache-2.0
// Tests QTGMC's presets against its published script (havsfunc.py of HomeOfVapourSynthEvolution),
// written as constants with a column for each preset.
#include <string>

#include <gmock/gmock.h>

#include "server/filters/qtgmc/settings.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/run.h"

namespace weft::filters {
namespace {

using qtgmc::Settings;
using enum v1::QtgmcEdi;

constexpr int kPresets = 11;
// Returns the name of a preset in the script's order: placebo, very slow, slower, slow, medium,
// fast, faster, very fast, super fast, ultra fast, draft.
std::string name_of(int preset) { return v1::QtgmcPreset_Name(v1::QtgmcPreset(preset + 1)); }

Settings settings_of(const std::string& text) {
  return qtgmc::settings_of(static_cast<const v1::Qtgmc&>(*parse_options("qtgmc", text)));
}
Settings settings_of(int preset, const std::string& text = "") {
  return settings_of("preset: " + name_of(preset) + " " + text);
}

// Returns the value of a setting in each preset.
template <class Get>
std::vector<double> row_of(Get get, const std::string& text = "") {
  std::vector<double> row;
  for (int preset = 0; preset < kPresets; preset++) row.push_back(double(get(settings_of(preset, text))));
  return row;
}
using Row = std::vector<double>;

TEST(QtgmcPresets, SmoothAndRepairAsTheScriptDoes) {
  EXPECT_EQ(row_of([](const Settings& s) { return s.tr0; }), (Row{2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.tr1; }), (Row{2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.tr2; }), (Row{3, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.rep0; }), (Row{4, 4, 4, 4, 3, 3, 0, 0, 0, 0, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.rep1; }), Row(kPresets, 0));
  EXPECT_EQ(row_of([](const Settings& s) { return s.rep2; }), (Row{4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.rep_chroma; }), Row(kPresets, 1));
}

TEST(QtgmcPresets, InterpolateAsTheScriptDoes) {
  constexpr double n = QTGMC_EDI_NNEDI, bwdif = QTGMC_EDI_BWDIF, bob = QTGMC_EDI_BOB;
  const Row modes = {n, n, n, n, n, n, n, n, n, bwdif, bob};
  EXPECT_EQ(row_of([](const Settings& s) { return s.edi.mode; }), modes);
  EXPECT_EQ(row_of([](const Settings& s) { return s.first.mode; }), modes);
  EXPECT_EQ(row_of([](const Settings& s) { return s.edi.size; }), (Row{1, 1, 1, 1, 5, 5, 4, 4, 4, 4, 4}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.edi.neurons; }), (Row{2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.chroma_edi.has_value(); }), Row(kPresets, 0));
  const Settings chroma = settings_of("chroma_edi: QTGMC_EDI_NNEDI");
  EXPECT_EQ(chroma.chroma_edi->mode, QTGMC_EDI_NNEDI);
  EXPECT_EQ(chroma.chroma_edi->size, 4);
  EXPECT_EQ(chroma.chroma_edi->neurons, 0);
}

TEST(QtgmcPresets, SharpenAsTheScriptDoes) {
  EXPECT_EQ(row_of([](const Settings& s) { return s.s_mode; }), (Row{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.sl_mode; }), (Row{2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.sl_rad; }), (Row{3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.sbb; }), (Row{3, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.srch_clip_pp; }), (Row{3, 3, 3, 3, 3, 2, 2, 2, 1, 1, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.precise; }), (Row{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.s_ovs; }), Row(kPresets, 0));
  EXPECT_EQ(row_of([](const Settings& s) { return s.sv_thin; }), Row(kPresets, 0));
  EXPECT_EQ(row_of([](const Settings& s) { return s.sharpness; }), (Row{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}));
}

// Without sharpening, the blending after it is off.
TEST(QtgmcPresets, SharpenNothingWithoutSharpness) {
  const Settings settings = settings_of("sharpness: 0 s_mode: 1 sbb: 3");
  EXPECT_EQ(settings.s_mode, 0);
  EXPECT_EQ(settings.sbb, 0);
  EXPECT_EQ(settings_of("s_mode: 0 sbb: 3").sbb, 0);
  EXPECT_EQ(settings_of("s_mode: 1 sbb: 3").sbb, 3);
}

// Sharpness * (mul * (0.2 + TR1 * 0.15 + TR2 * 0.25) + (0.1 with SMode 1)); mul is 2 for limits in
// time, 1.5 in space.
TEST(QtgmcPresets, AdjustSharpnessToWhatSmoothingTakes) {
  const Row expected = {2.5, 2, 1.5, 1.2, 1.2, 0.7, 0.7, 0.7, 0.35, 0.35, 0};
  const Row row = row_of([](const Settings& s) { return s.sharpen; });
  for (size_t i = 0; i < row.size(); i++) EXPECT_NEAR(row[i], expected[i], 1e-12) << i;
  const auto adjusted = [](const char* text) { return settings_of(text).sharpen; };
  EXPECT_NEAR(adjusted("sharpness: 0.5"), 0.75, 1e-12);
  EXPECT_NEAR(adjusted("s_mode: 1"), 1.6, 1e-12);
  EXPECT_NEAR(adjusted("s_mode: 1 sharpness: 2"), 3.2, 1e-12);
  EXPECT_NEAR(adjusted("sl_mode: 1"), 1.125, 1e-12);
  EXPECT_NEAR(adjusted("sl_mode: 3 tr1: 0 tr2: 0"), 0.3, 1e-12);
  EXPECT_NEAR(adjusted("sl_mode: 4"), 1.5, 1e-12);
  EXPECT_NEAR(adjusted("sl_mode: 0 tr2: 3"), 1.25, 1e-12);
  EXPECT_EQ(adjusted("s_mode: 0 sharpness: 2"), 0);
}

TEST(QtgmcPresets, SearchAsTheScriptDoes) {
  EXPECT_EQ(row_of([](const Settings& s) { return s.grid.block; }),
            (Row{16, 16, 16, 16, 16, 16, 32, 32, 32, 32, 32}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.grid.overlap; }),
            (Row{8, 8, 8, 8, 8, 8, 16, 8, 8, 8, 8}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.grid.pel; }), (Row{2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1}));
  constexpr double umh = v1::MOTION_SEARCH_UNEVEN, hexagon = v1::MOTION_SEARCH_HEXAGON,
                   square = v1::MOTION_SEARCH_SQUARE;
  EXPECT_EQ(
      row_of([](const Settings& s) { return s.search; }),
      (Row{umh, hexagon, hexagon, hexagon, hexagon, hexagon, hexagon, hexagon, square, square, square}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.search_param; }), (Row{2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.pel_search; }), (Row{2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.chroma_motion; }),
            (Row{1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.sub_pel_interp == motion::Taps::kSix; }),
            Row(kPresets, 1));
  EXPECT_EQ(row_of([](const Settings& s) { return s.fast_ma || s.refined; }), Row(kPresets, 0));
  for (const char* tuning : {"QTGMC_TUNING_DV_HD", "QTGMC_TUNING_DV_SD"}) {
    const double side = tuning == std::string("QTGMC_TUNING_DV_HD") ? 32 : 16;
    EXPECT_EQ(row_of([](const Settings& s) { return s.grid.block; }, std::string("tuning: ") + tuning),
              (Row{side, side, side, side, side, side, 32, 32, 32, 32, 32}));
  }
}

// ESearchP replaces SearchParam for the searches 4 and 5.
TEST(QtgmcPresets, WidenTheSearchAsTheScriptDoes) {
  EXPECT_EQ(row_of([](const Settings& s) { return s.search_param; }, "e_search_p: true"),
            (Row{24, 24, 24, 24, 16, 16, 16, 16, 1, 1, 1}));
  EXPECT_EQ(
      row_of([](const Settings& s) { return s.search_param; }, "e_search_p: true search: 5 search_param: 3"),
      (Row{24, 24, 24, 24, 16, 16, 16, 16, 3, 3, 3}));
  EXPECT_EQ(settings_of("e_search_p: true search: 3").search_param, 2);
}

TEST(QtgmcPresets, WeighVectorsAsTheScriptDoes) {
  for (const bool is_true : {false, true}) {
    const std::string text = is_true ? "true_motion: true" : "";
    EXPECT_EQ(row_of([](const Settings& s) { return s.lambda; }, text), Row(kPresets, is_true ? 1000 : 100));
    EXPECT_EQ(row_of([](const Settings& s) { return s.lsad; }, text), Row(kPresets, is_true ? 1200 : 400));
    EXPECT_EQ(row_of([](const Settings& s) { return s.p_new; }, text), Row(kPresets, is_true ? 50 : 25));
    EXPECT_EQ(row_of([](const Settings& s) { return s.p_level; }, text), Row(kPresets, is_true ? 1 : 0));
  }
  EXPECT_EQ(row_of([](const Settings& s) { return s.th_sad1; }), Row(kPresets, 640));
  EXPECT_EQ(row_of([](const Settings& s) { return s.th_sad2; }), Row(kPresets, 256));
  EXPECT_EQ(row_of([](const Settings& s) { return s.th_scd1; }), Row(kPresets, 180));
  EXPECT_EQ(row_of([](const Settings& s) { return s.th_scd2 * 256; }), Row(kPresets, 98));
}

// RefineMotion: blocks and overlaps of half the size, at least 2 pixels.
TEST(QtgmcPresets, RefineVectorsAsTheScriptDoes) {
  EXPECT_EQ(row_of([](const Settings& s) { return s.blocks().block; }, "refine_motion: true"),
            (Row{8, 8, 8, 8, 8, 8, 16, 16, 16, 16, 16}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.blocks().overlap; }, "refine_motion: true"),
            (Row{4, 4, 4, 4, 4, 4, 8, 4, 4, 4, 4}));
  EXPECT_EQ(settings_of("refine_motion: true overlap: 2").blocks().overlap, 2);
}

TEST(QtgmcPresets, RepairWithTheScriptsMask) {
  EXPECT_EQ(row_of([](const Settings& s) { return s.prog_sad_mask; }, "input_type: QTGMC_INPUT_REPAIR"),
            (Row{10, 10, 10, 10, 10, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.prog_sad_mask; }), Row(kPresets, 0));
}

TEST(QtgmcPresets, MatchTheSourceAsTheScriptDoes) {
  constexpr double n = QTGMC_EDI_NNEDI, bwdif = QTGMC_EDI_BWDIF, bob = QTGMC_EDI_BOB;
  const std::string match = "source_match: 1";
  EXPECT_EQ(row_of([](const Settings& s) { return s.tr2; }, match), (Row{3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.sl_mode; }, match), Row(kPresets, 0));
  EXPECT_EQ(row_of([](const Settings& s) { return s.sharpness; }, match),
            (Row{0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.match_tr2; }, match), Row(kPresets, 1));
  EXPECT_EQ(row_of([](const Settings& s) { return s.match_enhance; }, match), Row(kPresets, 0.5));
  // The first interpolation is that of a preset three steps faster, at most ultra fast, which has
  // Bwdif. The interpolation of the basic step is that of the preset itself.
  EXPECT_EQ(row_of([](const Settings& s) { return s.first.mode; }, match),
            (Row{n, n, n, n, n, n, bwdif, bwdif, bwdif, bwdif, bwdif}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.first.size; }, match),
            (Row{1, 5, 5, 4, 4, 4, 4, 4, 4, 4, 4}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.first.neurons; }, match),
            (Row{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.edi.mode; }, match),
            (Row{n, n, n, n, n, n, n, n, n, bwdif, bob}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.edi.size; }, match),
            (Row{1, 1, 1, 1, 5, 5, 4, 4, 4, 4, 4}));
  // The interpolation of the refining step is that of a preset two steps faster than that. For
  // ultra fast it is a plain bob.
  EXPECT_EQ(row_of([](const Settings& s) { return s.second.mode; }, match),
            (Row{n, n, n, n, bob, bob, bob, bob, bob, bob, bob}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.second.size; }, match),
            (Row{5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}));
  EXPECT_EQ(row_of([](const Settings& s) { return s.second.neurons; }, match),
            (Row{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

// An EdiMode that the user sets also applies to the first interpolation, unless MatchEdi is set.
TEST(QtgmcPresets, MatchTheSourceWithAChosenInterpolation) {
  const auto first = [](const char* text) {
    return settings_of(std::string("source_match: 1 ") + text).first.mode;
  };
  EXPECT_EQ(first("edi_mode: QTGMC_EDI_BOB"), QTGMC_EDI_BOB);
  EXPECT_EQ(first("edi_mode: QTGMC_EDI_YADIF match_preset: QTGMC_PRESET_MEDIUM"), QTGMC_EDI_YADIF);
  EXPECT_EQ(first("edi_mode: QTGMC_EDI_BOB match_edi: QTGMC_EDI_NNEDI"), QTGMC_EDI_NNEDI);
  EXPECT_EQ(first("edi_mode: QTGMC_EDI_BOB match_preset: QTGMC_PRESET_ULTRA_FAST"), QTGMC_EDI_BWDIF);
  const Settings settings =
      settings_of("source_match: 1 match_preset: QTGMC_PRESET_SLOWER nn_neurons: 4 nn_size: 0");
  EXPECT_EQ(settings.first.neurons, 1);
  EXPECT_EQ(settings.first.size, 1);
  EXPECT_EQ(settings.edi.neurons, 4);
  EXPECT_EQ(settings.edi.size, 0);
  EXPECT_EQ(settings.second.neurons, 1);
  EXPECT_EQ(settings.second.size, 5);
  EXPECT_EQ(settings_of("source_match: 2 match_preset2: QTGMC_PRESET_PLACEBO").second.neurons, 2);
  EXPECT_EQ(settings_of("source_match: 2 match_edi2: QTGMC_EDI_BOB").second.mode, QTGMC_EDI_BOB);
}

TEST(QtgmcPresets, ContradictionsAreRefused) {
  const auto error_of = [](const std::string& text) {
    return expand(nullptr, {parse_options("qtgmc", text)}, {64, 48, Chroma::k420, 8}).status();
  };
  EXPECT_THAT(error_of("source_match: 1 match_preset: QTGMC_PRESET_VERY_SLOW"),
              StatusIs(StatusCode::kInvalidArgument, "match_preset very slow"));
  EXPECT_THAT(error_of("match_preset: QTGMC_PRESET_VERY_SLOW"), IsOk());
  EXPECT_THAT(error_of("source_match: 1 match_preset: QTGMC_PRESET_SLOWER"), IsOk());
  EXPECT_THAT(error_of("match_preset2: QTGMC_PRESET_DRAFT"), StatusIs(StatusCode::kInvalidArgument, "draft"));
  EXPECT_THAT(error_of("ez_denoise: 2 ez_keep_grain: 1"),
              StatusIs(StatusCode::kInvalidArgument, "ez_keep_grain"));
  EXPECT_THAT(error_of("refine_motion: true block_size: 8"),
              StatusIs(StatusCode::kInvalidArgument, "block_size of 16 or 32"));
  EXPECT_THAT(error_of("shutter_blur: 1 shutter_angle_out: 90"),
              StatusIs(StatusCode::kInvalidArgument, "cannot be taken out"));
  EXPECT_THAT(error_of("shutter_blur: 1 shutter_angle_out: 360 fps_divisor: 4"),
              StatusIs(StatusCode::kInvalidArgument, "720 are the most"));
  EXPECT_THAT(error_of("shutter_angle_out: 90"), IsOk());
}

}  // namespace
}  // namespace weft::filters
