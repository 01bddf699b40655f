// SPDX-License-Identifier: Apache-2.0
// Opens the input in the state that a job's first attempt found. A recording may grow while it is
// read: all attempts, and pictures and audio, read it up to the same byte.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "server/media/file.h"
#include "server/worker/job/open_input.h"
#include "weft/internal/v1/segment.pb.h"

namespace weft::worker {

struct InputAsFound {
  media::InputFilePtr file;  // limited to the bytes that the first attempt found
  internal::v1::InputState state;
};

// Returns the input as recorded in `earlier`, the record of a finished segment, if the file has
// become longer but has the same bytes at its beginning and at its recorded end. Otherwise, and
// without a record, returns the input as it is now. Errors are those of open_input_file().
StatusOr<InputAsFound> open_as_found(const OpenJobFile& input,
                                     const std::optional<internal::v1::SegmentRecord>& earlier);

// Returns the part of a job's key for the input.
std::string text_of(const internal::v1::InputState& state);

// Returns a sentence stating that the file has become longer or shorter, or an empty string if it
// has not.
StatusOr<std::string> growth_note(const media::InputFile& file);

}  // namespace weft::worker
