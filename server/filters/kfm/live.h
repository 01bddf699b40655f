// SPDX-License-Identifier: Apache-2.0
// Decides the cadence and the outputs of a clip without a known end, while its records arrive. The
// result is that of a whole clip, except that the decision about a cycle is final after a number of
// further cycles (CycleMatcher).
#pragma once

#include <memory>
#include <optional>

#include "server/filters/kfm/timeline.h"
#include "server/graph/analysis.h"

namespace weft::filters::kfm {

// The cadence of a clip with its film frames and replacements.
struct FilmClip {
  Cadence cadence{};
  TimesOfFrames times{};  // times of the frames; empty: not known
  FilmTables film{};
  CleanFields clean{};
  ReplacedTables replaced_film{}, replaced_frames{};  // empty without replacements
};

struct LiveOptions {
  MatchOptions match{};
  std::optional<CleanOptions> clean{};  // absent: fields are not examined for noise
  int delay_cycles = 0;
  int reach = kReach;                   // as in FilmTables
  int replaced_reach = kReplacedReach;  // as in ReplacedTables
};
// Decides from the records of fields (FieldStatistics::counts, with the noise of fields if they are
// examined). The tables of its decision are a FilmClip.
std::unique_ptr<graph::LiveDecision> make_live_cadence(const VideoFormat& format, const LiveOptions& options);

// Decides from the records of combed parts (add_combed_records). `clip` must grow ahead of the
// records. The tables of its decision are OutputTables.
std::unique_ptr<graph::LiveDecision> make_live_outputs(std::shared_ptr<const FilmClip> clip,
                                                       const OutputOptions& options);

}  // namespace weft::filters::kfm
