// SPDX-License-Identifier: Apache-2.0
// Decides which frames are replaced because one of their fields is damaged by noise or compression
// (the rules of DecombUCF). A frame of a clean field, deinterlaced along motion from one side only,
// takes its place. Pure; has a text form.
//
// A pair is a field and the next one in time. A field is dirty if it has clearly more noise than
// the other one of a combed pair.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/filters/kfm/cadence.h"
#include "server/graph/numbered.h"

namespace weft::filters::kfm {

// Measures of a field of a picture format, of luma and of chroma.
struct FieldNoise {
  double luma = 0, chroma = 0;                // mean noise of a sample, 0 to 128
  double luma_change = 0, chroma_change = 0;  // mean difference from the noise of the next field
  double comb = 0;  // comb of the pair per luma sample, in percent of the unit of fd_thresh
};

enum class PairKind {
  kClean,        // not combed, or without noise
  kNoisy,        // both fields are noisy
  kFirstClean,   // the second field is dirty
  kSecondClean,  // the first field is dirty
};

// The options of DecombUCF under their original names (v1::Kfm).
struct CleanOptions {
  int chroma = 1;  // measures of 0: luma, 1: chroma, 2: both
  double fd_thresh = 128;
  int th_mode = 0;  // 0: row 5 of the table of thresholds; 1 to 10: that row
  double off_t = 0, off_b = 0;
  double namax_thresh = 82, namax_diff = 38;
  double nrt1y = 28, nrt2y = 36, nrt2x = 53.5, nrw = 2;
  double sc_thresh = 256, dup_factor = 2.5;  // for 60p frames
};

// Returns the kind of the pair of a field and the next one.
PairKind kind_of(const FieldNoise& first, const FieldNoise& second, const CleanOptions& options);
// Returns the threshold of the difference in noise, from the least noise of the pair.
double noise_threshold(int th_mode, double least_noise);

// A replacement of a frame.
struct Replacement {
  enum class By {
    kWeave,   // the fields `field` and `field` + 1 (film frames only)
    kBefore,  // the 60p frame of `field`, made from earlier fields alone
    kAfter,   // the 60p frame of `field`, made from later fields alone
  };
  By by = By::kBefore;
  int64_t field = 0;
  bool is_masked = false;  // 60p: combed parts are those of the usual 60p frame
  bool operator==(const Replacement&) const = default;
};

// Frames with a replacement, by number. Numbers count through the whole clip.
struct CleanFields {
  std::map<int64_t, Replacement> film;    // film frames
  std::map<int64_t, Replacement> frames;  // 30p
  std::map<int64_t, Replacement> fields;  // 60p

  // Returns a line for each: "film|frame|field NUMBER weave|before|after FIELD [masked]".
  std::string to_text() const;
  // Reads the lines of a text. INVALID_ARGUMENT: a line is no such line, or a number is not in the
  // clip of the cadence.
  static StatusOr<CleanFields> parse(std::string_view text, const Cadence& cadence);

  // Discards the replacements of the film frames before `oldest_film` and of earlier frames.
  void discard(int64_t oldest_film, int64_t oldest_frame);
};

// Adds the replacements of cycles of a run, from `begin` to `end` - 1. `noise` has the measures of
// the fields around the cycles: of the two frames before them and the two frames after them.
void add_clean_fields(const graph::Numbered<FieldNoise>& noise, const Cadence& cadence, size_t run,
                      int64_t begin, int64_t end, const CleanOptions& options, CleanFields& clean);
// Returns the replacements of a whole clip. `noise` has the measures of all fields.
CleanFields find_clean_fields(const graph::Numbered<FieldNoise>& noise, const Cadence& cadence,
                              const CleanOptions& options);

}  // namespace weft::filters::kfm
