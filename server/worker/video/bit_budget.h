// SPDX-License-Identifier: Apache-2.0
// Divides the bits of a video between its segments, by the sizes that they have in a first pass at
// a constant quality. Pure: no files, no threads, no clock.
//
// x264 and x265 expect of a frame with texture bits X, motion bits M and other bits O that at q
// times its quantiser scale it has X q^-1.1 + M q^-0.5 + O bits (qscale2bits() in x264's
// ratecontrol.c). All segments get the q with which the sums of their frames have the video's bits.
// The quality is thus that of one encoder over the whole video, which searches such a factor over
// all frames.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/status.h"
#include "server/media/write/output_types.h"
#include "weft/internal/v1/segment.pb.h"

namespace weft::worker {

// Limit of the number of first passes over a video.
inline constexpr int kMostFirstPasses = 3;

struct BitBudget {
  int64_t rate = 0;       // bits a second of the whole video
  int64_t most_rate = 0;  // bits a second that no segment exceeds; 0: unlimited
  // whether the encoder's clock is that of the pictures' times (media::reads_times), or counts
  // pictures at the nominal rate
  bool counts_time = false;
};

struct BitShares {
  // quantiser scales of the second pass in relation to those of the first pass, if no segment is
  // limited
  double scale = 1;
  double excess = 1;           // bits of the first pass in relation to those of the second one
  std::vector<int64_t> rates;  // bits a second of each segment
};

// Returns the bits a second of each segment, in the encoder's clock and multiples of 1000, which is
// the unit of the libraries. Their roundings do not add up. The whole video has `rate` bits a
// second of its pictures' durations, unless `most_rate` prevents it. `records` are those of the
// first pass, of all segments. INVALID_ARGUMENT with the least rate: the pictures do not fit at any
// quantiser.
StatusOr<BitShares> divide_bits(const std::map<int64_t, internal::v1::SegmentRecord>& records,
                                const media::OutputVideo& video, const BitBudget& budget);

}  // namespace weft::worker
