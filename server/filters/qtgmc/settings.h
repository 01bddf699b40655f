// SPDX-License-Identifier: Apache-2.0
// What QTGMC does with given options: its presets' values, where an option does not say otherwise. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/status.h"
#include "server/filters/denoise/denoise.h"
#include "server/filters/motion/motion.h"
#include "weft/v1/qtgmc.pb.h"

namespace weft::filters::qtgmc {

// How missing lines are made.
struct Interpolation {
  v1::QtgmcEdi mode;
  int neurons;  // of nnedi: 2 and more mean the best network; of a user's weights as NNEDI3 counts them
  int size;     // of a user's weights: the window, likewise
};

// What is done with noise.
struct NoiseSettings {
  int process;  // 0: nothing, 1: it is taken out first, 2: it is only measured
  denoise::DenoiserOptions denoiser;
  bool along_motion;
  double shown;  // above 0: it comes out by itself, so many times as strong
  double grain_restore,
      noise_restore;  // how much of it is put back before the last smoothing, and at the end
  v1::QtgmcNoiseDeint deint;
  bool stabilize;

  bool is_needed() const { return process > 0 && (shown > 0 || grain_restore + noise_restore > 0); }
};

// How what moves is blurred.
struct ShutterSettings {
  int blur;  // 0: not at all; 1: along the search's blocks, 2, 3: along smaller ones
  motion::BlockGrid grid;
  int amount;  // of the motion, to each side, in 256ths
  int limit;   // luma samples
};

struct Settings {
  int tr0, tr1, tr2;
  int rep0, rep1, rep2;
  bool rep_chroma;
  Interpolation edi;     // of the first step's second interpolation where the source is matched
  Interpolation first;   // of the first interpolation
  Interpolation second;  // of the second step's
  std::optional<Interpolation> chroma_edi;  // of the first interpolation's chroma, where it has its own
  int s_mode, sl_mode, sl_rad, s_ovs;
  double sv_thin;
  int sbb;
  int srch_clip_pp;
  double sharpness;  // as asked
  double sharpen;    // what it comes to: sharpness times what smoothing takes
  bool precise;
  motion::BlockGrid grid;
  motion::Taps sub_pel_interp;
  v1::MotionSearch search;
  int search_param, pel_search;  // on the coarser levels, on the finest
  bool chroma_motion;
  bool true_motion;
  int lambda, lsad, p_new, p_level;
  bool fast_ma;
  std::optional<motion::BlockGrid> refined;  // of the vectors that are refined
  int th_sad1, th_sad2, th_scd1;
  double th_scd2;  // share of all blocks
  int source_match, match_tr2;
  double match_enhance;
  int lossless;
  NoiseSettings noise;
  ShutterSettings shutter;
  double prog_sad_mask;  // of pictures that are repaired: mvtools' ml of a mask of differences; 0: no mask
  int max_tr;            // pictures to each side that vectors lead to; 0: none are needed

  // Of what is made along motion.
  const motion::BlockGrid& blocks() const { return refined ? *refined : grid; }
};

// `options` with defaults filled in.
Settings settings_of(const v1::Qtgmc& options);

// Options that contradict each other: INVALID_ARGUMENT, and the one to blame.
struct Contradiction {
  std::string_view option;
  Status status;
};
std::optional<Contradiction> contradiction_of(const v1::Qtgmc& options);

// How much of what smoothing over so many pictures to each side changed has to be put in again.
double correction_of(int radius);

}  // namespace weft::filters::qtgmc
