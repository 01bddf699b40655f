// SPDX-License-Identifier: Apache-2.0
// Decides from the scores of all frames which frames have a logo, and its strength in each field.
// Pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "kernels/picture/logo.h"

namespace weft::filters::logo {

// Scores (logo_score.h) after removal with strengths of 0, 0.1 .. 1.
using FadeScores = std::array<double, LOGO_FADES>;

struct FrameScores {
  FadeScores picture{}, top{}, bottom{};
};

// Strength of the logo in a frame, in tenths.
struct Fades {
  int top = 0, bottom = 0;
  bool operator==(const Fades&) const = default;
};

// A range of frames with the logo: fades from `begin` (the first frame that may have some of it) to
// `whole`, the first frame with all of it, and from `fading`, the last one with all of it, to
// `end`, the last one that may have some of it.
struct LogoPresence {
  size_t begin = 0, whole = 0, fading = 0, end = 0;
  bool operator==(const LogoPresence&) const = default;
};

// Finds the presences. The scores are smoothed over a second at `frame_rate` frames a second.
std::vector<LogoPresence> find_presences(std::span<const FrameScores> frames, double frame_rate);

// Returns the strength of the logo in each frame. Strengths are those of the scores in frames with
// a beginning or an end of a presence within max_fade / 2 frames, and 0 or 10 in the others.
std::vector<Fades> find_fades(std::span<const FrameScores> frames, std::span<const LogoPresence> presences,
                              int max_fade);

// Returns the text of fades: a line "FIRST LAST TOP BOTTOM" for each range of frames with the same
// strengths, such as "120 480 1.0 1.0". Frames without a line have no logo.
std::string text_of(std::span<const Fades> fades);
// Returns the fades of `frames` frames; lines beyond them are ignored. INVALID_ARGUMENT: a line has
// another form.
StatusOr<std::vector<Fades>> parse_fades(std::string_view text, size_t frames);

}  // namespace weft::filters::logo
