// SPDX-License-Identifier: Apache-2.0
// Model of the temporal mean of nearly static samples, written from its definition. Only tests
// include it.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "tests/filter_suite/clip.h"
#include "weft/v1/enhance.pb.h"

namespace weft::filters::plain {

// Returns the frame `distance` away, or the last one before a cut or an end of the clip.
inline const Picture& frame_near(const Clip& clip, int i, int distance) {
  const int step = distance < 0 ? -1 : 1, count = int(clip.frames.size());
  for (int left = std::abs(distance); left > 0; left--) {
    const bool is_cut = step < 0 ? clip.infos[size_t(i)].discontinuity
                                 : i + 1 < count && clip.infos[size_t(i) + 1].discontinuity;
    if (is_cut || i + step < 0 || i + step >= count) break;
    i += step;
  }
  return clip.frames[size_t(i)];
}

inline Clip temporal_nr(const v1::TemporalNr& options, const Clip& clip) {
  Clip result = clip;
  const int threshold = int(options.threshold() * double(1 << clip.format.bit_depth) / 256 + 0.5);
  for (int i = 0; i < int(clip.frames.size()); i++)
    for (int plane = 0; plane < clip.format.planes(); plane++)
      for (size_t at = 0; at < result.frames[size_t(i)].planes[size_t(plane)].size(); at++) {
        const int own = clip.frames[size_t(i)].planes[size_t(plane)][at];
        int64_t sum = 0, count = 0;
        for (int d = -options.distance(); d <= options.distance(); d++) {
          const int other = frame_near(clip, i, d).planes[size_t(plane)][at];
          if (std::abs(other - own) > threshold) continue;
          sum += other;
          count++;
        }
        result.frames[size_t(i)].planes[size_t(plane)][at] = uint16_t((2 * sum + count) / (2 * count));
      }
  return result;
}

}  // namespace weft::filters::plain
