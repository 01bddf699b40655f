// SPDX-License-Identifier: Apache-2.0
// Computes QTGMC's settings for given options: the values of the presets, unless an option
// overrides them. The functions are pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/status.h"
#include "server/filters/denoise/denoise.h"
#include "server/filters/motion/motion.h"
#include "weft/v1/qtgmc.pb.h"

namespace weft::filters::qtgmc {

// The interpolation of missing lines.
struct Interpolation {
  v1::QtgmcEdi mode;
  int neurons;  // nnedi: 2 and more select the best network; with a user's weights: NNEDI3's `nns`
  int size;     // with a user's weights: NNEDI3's `nsize`, the window
};

// The processing of noise.
struct NoiseSettings {
  int process;  // 0: none, 1: noise is removed first, 2: noise is only measured
  denoise::DenoiserOptions denoiser;
  bool along_motion;
  double shown;  // above 0: the output is the noise alone, with this gain
  // fractions of the noise that are restored before the final smoothing, and at the end
  double grain_restore, noise_restore;
  v1::QtgmcNoiseDeint deint;
  bool stabilize;

  bool is_needed() const { return process > 0 && (shown > 0 || grain_restore + noise_restore > 0); }
};

// The motion blur of a longer shutter time.
struct ShutterSettings {
  int blur;  // 0: none; 1: by the blocks of the search; 2, 3: by smaller blocks
  motion::BlockGrid grid;
  int amount;  // part of the motion in each direction, in 256ths
  int limit;   // luma samples
};

struct Settings {
  int tr0, tr1, tr2;
  int rep0, rep1, rep2;
  bool rep_chroma;
  // interpolation of the corrected picture in source matching; without source matching equal to
  // `first`
  Interpolation edi;
  Interpolation first;                      // interpolation of the source's fields
  Interpolation second;                     // interpolation in the second step of source matching
  std::optional<Interpolation> chroma_edi;  // chroma of `first`, if different
  int s_mode, sl_mode, sl_rad, s_ovs;
  double sv_thin;
  int sbb;
  int srch_clip_pp;
  double sharpness;  // value of the option
  double sharpen;    // effective value: sharpness times the loss caused by smoothing
  bool precise;
  motion::BlockGrid grid;
  motion::Taps sub_pel_interp;
  v1::MotionSearch search;
  int search_param, pel_search;  // on the coarser levels; on the finest level
  bool chroma_motion;
  bool true_motion;
  int lambda, lsad, p_new, p_level;
  bool fast_ma;
  std::optional<motion::BlockGrid> refined;  // grid of the refined vectors
  int th_sad1, th_sad2, th_scd1;
  double th_scd2;  // fraction of all blocks
  int source_match, match_tr2;
  double match_enhance;
  int lossless;
  NoiseSettings noise;
  ShutterSettings shutter;
  // for repaired pictures: MVTools' `ml` of a mask of differences; 0: no mask
  double prog_sad_mask;
  // number of pictures on each side that vectors refer to; 0: no vectors are needed
  int max_tr;

  // Returns the grid of motion-compensated results.
  const motion::BlockGrid& blocks() const { return refined ? *refined : grid; }
};

// Returns the settings for `options` with defaults filled in.
Settings settings_of(const v1::Qtgmc& options);

// A contradiction between options: the option that caused it, and INVALID_ARGUMENT.
struct Contradiction {
  std::string_view option;
  Status status;
};
std::optional<Contradiction> contradiction_of(const v1::Qtgmc& options);

// Returns the gain of the error of smoothing over a radius when the error is added back.
double correction_of(int radius);

}  // namespace weft::filters::qtgmc
