// SPDX-License-Identifier: Apache-2.0
#include "server/filters/qtgmc/settings.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

namespace weft::filters::qtgmc {
namespace {

using enum v1::QtgmcEdi;

// QTGMC's table of presets, from placebo to draft.
struct Preset {
  int tr0, tr1, tr2;
  int rep0, rep2;
  Interpolation edi;
  int s_mode, sl_mode, sl_rad, sbb, srch_clip_pp;
  int sub_pel;
  bool has_small_blocks;  // unless the option `tuning` overrides it
  int overlap_divisor;
  int search, search_param, pel_search;
  bool chroma_motion, precise;
  double prog_sad_mask;
};
constexpr Preset kPresets[] = {
    {2, 2, 3, 4, 4, {QTGMC_EDI_NNEDI, 2, 1}, 2, 2, 3, 3, 3, 2, true, 2, 5, 2, 2, true, true, 10},
    {2, 2, 2, 4, 4, {QTGMC_EDI_NNEDI, 2, 1}, 2, 2, 1, 1, 3, 2, true, 2, 4, 2, 2, true, true, 10},
    {2, 2, 1, 4, 4, {QTGMC_EDI_NNEDI, 1, 1}, 2, 2, 1, 1, 3, 2, true, 2, 4, 2, 2, true, false, 10},
    {2, 1, 1, 4, 4, {QTGMC_EDI_NNEDI, 1, 1}, 2, 2, 1, 0, 3, 2, true, 2, 4, 2, 2, false, false, 10},
    {2, 1, 1, 3, 4, {QTGMC_EDI_NNEDI, 1, 5}, 2, 2, 1, 0, 3, 1, true, 2, 4, 2, 1, false, false, 10},
    {2, 1, 0, 3, 4, {QTGMC_EDI_NNEDI, 0, 5}, 2, 2, 1, 0, 2, 1, true, 2, 4, 2, 1, false, false, 0},
    {1, 1, 0, 0, 4, {QTGMC_EDI_NNEDI, 0, 4}, 2, 2, 1, 0, 2, 1, false, 2, 4, 2, 1, false, false, 0},
    {1, 1, 0, 0, 4, {QTGMC_EDI_NNEDI, 0, 4}, 2, 2, 1, 0, 2, 1, false, 4, 4, 1, 1, false, false, 0},
    {1, 1, 0, 0, 3, {QTGMC_EDI_NNEDI, 0, 4}, 2, 0, 1, 0, 1, 1, false, 4, 0, 1, 1, false, false, 0},
    {1, 1, 0, 0, 3, {QTGMC_EDI_BWDIF, 0, 4}, 2, 0, 1, 0, 1, 1, false, 4, 0, 1, 1, false, false, 0},
    {0, 1, 0, 0, 0, {QTGMC_EDI_BOB, 0, 4}, 0, 0, 1, 0, 0, 1, false, 4, 0, 1, 1, false, false, 0},
};

const Preset& preset_of(int number) { return kPresets[number - v1::QTGMC_PRESET_PLACEBO]; }

// Returns the presets that provide the interpolations of source matching.
std::pair<const Preset&, const Preset&> match_presets(const v1::Qtgmc& options) {
  constexpr int kFirstFaster = 3, kSecondFaster = 2;
  const auto faster = [](int preset, int by) {
    return std::min<int>(preset + by, v1::QTGMC_PRESET_ULTRA_FAST);
  };
  const int first = options.match_preset() != v1::QTGMC_PRESET_UNSPECIFIED
                        ? int(options.match_preset())
                        : faster(options.preset(), kFirstFaster);
  const int second = options.match_preset2() != v1::QTGMC_PRESET_UNSPECIFIED ? int(options.match_preset2())
                                                                             : faster(first, kSecondFaster);
  return {preset_of(first), preset_of(second)};
}

Interpolation interpolation_of(const Preset& preset, v1::QtgmcEdi given) {
  Interpolation result = preset.edi;
  if (given != v1::QTGMC_EDI_UNSPECIFIED) result.mode = given;
  return result;
}

v1::MotionSearch search_of(int search) {
  if (search == 3) return v1::MOTION_SEARCH_EXHAUSTIVE;
  if (search == 4) return v1::MOTION_SEARCH_HEXAGON;
  return search == 5 ? v1::MOTION_SEARCH_UNEVEN : v1::MOTION_SEARCH_SQUARE;
}

// Returns the range of a wide search.
int wide_range_of(v1::QtgmcPreset preset, int otherwise) {
  if (preset <= v1::QTGMC_PRESET_SLOW) return 24;
  return preset <= v1::QTGMC_PRESET_VERY_FAST ? 16 : otherwise;
}

// QTGMC's table of presets for noise, from slower to faster.
struct NoisePreset {
  bool along_motion;
  int tr;
  v1::QtgmcNoiseDeint deint;
  bool stabilize;
};
constexpr NoisePreset kNoisePresets[] = {
    {true, 2, v1::QTGMC_NOISE_DEINT_GENERATE, true}, {true, 1, v1::QTGMC_NOISE_DEINT_BOB, true},
    {false, 1, v1::QTGMC_NOISE_DEINT_NONE, true},    {false, 1, v1::QTGMC_NOISE_DEINT_NONE, false},
    {false, 0, v1::QTGMC_NOISE_DEINT_NONE, false},
};
constexpr double kSigma = 2, kSigmaOfKeptGrain = 4;
// Fractions of grain and of noise that are restored, for each value of noise_process.
constexpr double kGrainRestore[] = {0, 0.7, 0.3}, kNoiseRestore[] = {0, 0.3, 0.1};
constexpr double kKeptGrain = 0.3, kKeptNoise = 0.1;

// Returns the strength of sharpening: the requested sharpness times the loss by smoothing, as QTGMC
// estimates the loss.
double sharpening_of(const Settings& settings) {
  if (settings.s_mode == 0) return 0;
  const bool in_time = settings.sl_mode == 2 || settings.sl_mode == 4;
  const double bounded = settings.sl_mode == 0 ? 1 : in_time ? 2 : 1.5;
  return settings.sharpness *
         (bounded * (0.2 + 0.15 * settings.tr1 + 0.25 * settings.tr2) + (settings.s_mode == 1 ? 0.1 : 0));
}

}  // namespace

#define WEFT_GIVEN(name, otherwise) (options.has_##name() ? options.name() : (otherwise))

namespace {

NoiseSettings noise_settings_of(const v1::Qtgmc& options) {
  const NoisePreset& preset = kNoisePresets[options.noise_preset() - v1::QTGMC_NOISE_PRESET_SLOWER];
  const bool denoises = options.ez_denoise() > 0, keeps = options.ez_keep_grain() > 0;
  const bool is_slow = options.preset() <= v1::QTGMC_PRESET_VERY_SLOW;
  NoiseSettings noise{};
  noise.shown = options.show_noise();
  noise.process = noise.shown > 0 ? 2 : WEFT_GIVEN(noise_process, denoises ? 1 : keeps || is_slow ? 2 : 0);
  const double kept = std::sqrt(options.ez_keep_grain());
  const auto process = size_t(noise.process);
  noise.grain_restore = WEFT_GIVEN(grain_restore, denoises ? 0
                                                  : keeps  ? kKeptGrain * kept
                                                           : kGrainRestore[process]);
  noise.noise_restore = WEFT_GIVEN(noise_restore, denoises ? 0
                                                  : keeps  ? kKeptNoise * kept
                                                           : kNoiseRestore[process]);
  noise.along_motion = WEFT_GIVEN(denoise_mc, preset.along_motion);
  noise.denoiser.radius = WEFT_GIVEN(noise_tr, preset.tr);
  noise.denoiser.sigma = WEFT_GIVEN(sigma, denoises ? options.ez_denoise()
                                           : keeps  ? kSigmaOfKeptGrain * options.ez_keep_grain()
                                                    : kSigma);
  noise.denoiser.chroma = options.chroma_noise();
  noise.deint =
      options.noise_deint() != v1::QTGMC_NOISE_DEINT_UNSPECIFIED ? options.noise_deint() : preset.deint;
  noise.stabilize = WEFT_GIVEN(stabilize_noise, preset.stabilize) && noise.is_needed();
  return noise;
}

ShutterSettings shutter_of(const v1::Qtgmc& options, const motion::BlockGrid& grid) {
  constexpr int kLeastBlock = 8;
  ShutterSettings shutter{
      .blur = options.shutter_blur(), .grid = grid, .amount = 0, .limit = options.s_blur_limit()};
  // Shutter time in excess of that of the source, as a fraction of a field's time. Half of it
  // applies to each direction.
  const double longer =
      (options.shutter_angle_out() * options.fps_divisor() - options.shutter_angle_src()) / 360;
  shutter.amount = std::max(int(std::lround(128 * longer)), 0);
  if (shutter.amount == 0) shutter.blur = 0;
  for (int i = 1; i < shutter.blur && shutter.grid.block > kLeastBlock; i++) {
    shutter.grid.block /= 2;
    shutter.grid.overlap = shutter.grid.overlap / 2 & ~1;
  }
  return shutter;
}

void set_search(const v1::Qtgmc& options, const Preset& preset, Settings& settings) {
  const int search = WEFT_GIVEN(search, preset.search);
  settings.search = search_of(search);
  settings.search_param = WEFT_GIVEN(search_param, preset.search_param);
  if (options.e_search_p() && search >= 4)
    settings.search_param = wide_range_of(options.preset(), settings.search_param);
  settings.pel_search = WEFT_GIVEN(pel_search, preset.pel_search);
  settings.sub_pel_interp = motion::Taps(options.sub_pel_interp());
  settings.chroma_motion = WEFT_GIVEN(chroma_motion, preset.chroma_motion);
  settings.true_motion = options.true_motion();
  settings.lambda = WEFT_GIVEN(lambda, options.true_motion() ? 1000 : 100);
  settings.lsad = WEFT_GIVEN(lsad, options.true_motion() ? 1200 : 400);
  settings.p_new = WEFT_GIVEN(p_new, options.true_motion() ? 50 : 25);
  settings.p_level = WEFT_GIVEN(p_level, options.true_motion() ? 1 : 0);
  settings.fast_ma = options.fast_ma();
  if (options.refine_motion())
    settings.refined = motion::BlockGrid{.block = settings.grid.block / 2,
                                         .overlap = std::max(settings.grid.overlap / 2 & ~1, 2),
                                         .pel = settings.grid.pel};
}

void set_interpolations(const v1::Qtgmc& options, const Preset& preset, Settings& settings) {
  settings.edi = interpolation_of(preset, options.edi_mode());
  settings.edi.neurons = WEFT_GIVEN(nn_neurons, preset.edi.neurons);
  settings.edi.size = WEFT_GIVEN(nn_size, preset.edi.size);
  const auto [first, second] = match_presets(options);
  settings.first = settings.edi;
  if (options.source_match() > 0) {
    const bool is_fastest = &first == &preset_of(v1::QTGMC_PRESET_ULTRA_FAST);
    settings.first = {is_fastest ? QTGMC_EDI_BWDIF : settings.edi.mode, first.edi.neurons, first.edi.size};
    if (options.match_edi() != v1::QTGMC_EDI_UNSPECIFIED) settings.first.mode = options.match_edi();
  }
  settings.second = interpolation_of(second, options.match_edi2());
  if (settings.second.mode == QTGMC_EDI_BWDIF) settings.second.mode = QTGMC_EDI_BOB;
  constexpr int kChromaNeurons = 0, kChromaWindow = 4;
  if (options.chroma_edi() != v1::QTGMC_EDI_UNSPECIFIED)
    settings.chroma_edi = {options.chroma_edi(), kChromaNeurons, kChromaWindow};
}

// Returns the number of pictures on each side that noise is compensated from.
int noise_radius(const NoiseSettings& noise) {
  if (noise.process == 0) return 0;
  return std::max(noise.along_motion ? noise.denoiser.radius : 0, noise.stabilize ? 1 : 0);
}

}  // namespace

Settings settings_of(const v1::Qtgmc& options) {
  const Preset& preset = preset_of(options.preset());
  const bool matches = options.source_match() > 0;
  Settings settings{};
  settings.source_match = options.source_match();
  settings.match_tr2 = options.match_tr2();
  settings.match_enhance = options.match_enhance();
  settings.lossless = options.lossless();
  settings.tr0 = WEFT_GIVEN(tr0, preset.tr0);
  settings.tr1 = WEFT_GIVEN(tr1, preset.tr1);
  settings.tr2 = WEFT_GIVEN(tr2, matches ? std::max(preset.tr2, 1) : preset.tr2);
  settings.rep0 = WEFT_GIVEN(rep0, preset.rep0);
  settings.rep1 = WEFT_GIVEN(rep1, 0);
  settings.rep2 = WEFT_GIVEN(rep2, preset.rep2);
  settings.rep_chroma = options.rep_chroma();
  set_interpolations(options, preset, settings);
  const bool sharpens = !options.has_sharpness() || options.sharpness() > 0;
  settings.s_mode = sharpens ? WEFT_GIVEN(s_mode, preset.s_mode) : 0;
  settings.sl_mode = WEFT_GIVEN(sl_mode, matches ? 0 : preset.sl_mode);
  settings.sl_rad = WEFT_GIVEN(sl_rad, preset.sl_rad);
  settings.s_ovs = options.s_ovs();
  settings.sv_thin = options.sv_thin();
  settings.sbb = settings.s_mode == 0 ? 0 : WEFT_GIVEN(sbb, preset.sbb);
  settings.srch_clip_pp = WEFT_GIVEN(srch_clip_pp, preset.srch_clip_pp);
  settings.sharpness = WEFT_GIVEN(sharpness, settings.s_mode == 0 ? 0 : matches ? 0.2 : 1);
  settings.sharpen = sharpening_of(settings);
  settings.precise = WEFT_GIVEN(precise, preset.precise);
  const bool small = preset.has_small_blocks && options.tuning() != v1::QTGMC_TUNING_DV_HD;
  settings.grid.block = WEFT_GIVEN(block_size, small ? 16 : 32);
  settings.grid.overlap = WEFT_GIVEN(overlap, settings.grid.block / preset.overlap_divisor);
  settings.grid.pel = WEFT_GIVEN(sub_pel, preset.sub_pel);
  set_search(options, preset, settings);
  settings.th_sad1 = options.th_sad1();
  settings.th_sad2 = options.th_sad2();
  settings.th_scd1 = options.th_scd1();
  settings.th_scd2 = options.th_scd2() / 256.0;
  const bool is_repair = options.input_type() >= v1::QTGMC_INPUT_REPAIR;
  settings.prog_sad_mask = is_repair ? WEFT_GIVEN(prog_sad_mask, preset.prog_sad_mask) : 0;
  const bool compensates = settings.sl_mode == 2 || settings.sl_mode == 4;
  settings.noise = noise_settings_of(options);
  settings.shutter = shutter_of(options, settings.grid);
  if (settings.shutter.blur <= 1 || settings.shutter.grid.block == settings.blocks().block)
    settings.shutter.grid = settings.blocks();
  settings.max_tr =
      std::max({settings.tr1, settings.tr2, compensates ? settings.sl_rad : 0,
                settings.source_match > 1 ? settings.match_tr2 : 0, noise_radius(settings.noise),
                settings.shutter.blur > 0 || settings.prog_sad_mask > 0 ? 1 : 0});
  return settings;
}

#undef WEFT_GIVEN

namespace {

std::string name_of(v1::QtgmcPreset preset) {
  constexpr std::string_view kPrefix = "QTGMC_PRESET_";
  std::string name = v1::QtgmcPreset_Name(preset).substr(kPrefix.size());
  for (char& letter : name) letter = letter == '_' ? ' ' : char(std::tolower(letter));
  return name;
}

std::optional<Contradiction> contradiction_of_match(const v1::Qtgmc& options) {
  const auto is_draft = [](v1::QtgmcPreset preset) { return preset == v1::QTGMC_PRESET_DRAFT; };
  if (is_draft(options.match_preset()) || is_draft(options.match_preset2()))
    return Contradiction{
        is_draft(options.match_preset()) ? "match_preset" : "match_preset2",
        invalid_argument("The preset draft has no interpolation for source matching; choose one "
                         "from placebo to ultra fast.")};
  if (options.source_match() > 0 && options.match_preset() != v1::QTGMC_PRESET_UNSPECIFIED &&
      options.match_preset() < options.preset())
    return Contradiction{
        "match_preset",
        invalid_argument(
            "The first interpolation of source matching (match_preset {}) is not slower than the "
            "preset ({}); choose {} or a faster one.",
            name_of(options.match_preset()), name_of(options.preset()), name_of(options.preset()))};
  return std::nullopt;
}

std::optional<Contradiction> contradiction_of_shutter(const v1::Qtgmc& options) {
  constexpr double kMostDegrees = 720;  // twice the time of a field
  const double out = options.shutter_angle_out() * options.fps_divisor(),
               source = options.shutter_angle_src();
  if (options.shutter_blur() == 0 || (out >= source && out - source <= kMostDegrees)) return std::nullopt;
  return Contradiction{
      "shutter_angle_out",
      out < source ? invalid_argument(
                         "Blur that the source has cannot be taken out: shutter_angle_out times fps_divisor "
                         "({:g} degrees) is less than shutter_angle_src ({:g}); raise the first.",
                         out, source)
                   : invalid_argument(
                         "shutter_angle_out times fps_divisor is {:g} degrees more than shutter_angle_src, "
                         "and {:g} are the most; lower the first.",
                         out - source, kMostDegrees)};
}

}  // namespace

std::optional<Contradiction> contradiction_of(const v1::Qtgmc& options) {
  constexpr int kLeastRefined = 16;
  if (options.ez_denoise() > 0 && options.ez_keep_grain() > 0)
    return Contradiction{
        "ez_denoise", invalid_argument("ez_denoise ({:g}) takes grain out and ez_keep_grain ({:g}) keeps it; "
                                       "choose one of the two.",
                                       options.ez_denoise(), options.ez_keep_grain())};
  if (options.refine_motion() && options.has_block_size() && options.block_size() < kLeastRefined)
    return Contradiction{
        "refine_motion",
        invalid_argument("Vectors are refined with blocks of half the size, of 8 pixels at least; "
                         "choose a block_size of {} or 32, not {}.",
                         kLeastRefined, options.block_size())};
  if (auto match = contradiction_of_match(options)) return match;
  return contradiction_of_shutter(options);
}

double correction_of(int radius) {
  constexpr double kSimilarity = 0.5;
  constexpr double kOfRadius[] = {1, 2 / (1 + kSimilarity), 8 / (3 + 5 * kSimilarity)};
  return kOfRadius[radius];
}

}  // namespace weft::filters::qtgmc
