// SPDX-License-Identifier: Apache-2.0
// The input as a job's first attempt found it. A recording grows while it is read: pictures and sound, and all attempts, read it up
// to the same byte.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "server/media/file.h"
#include "server/worker/job/open_input.h"
#include "weft/internal/v1/segment.pb.h"

namespace weft::worker {

struct InputAsFound {
  media::InputFilePtr file;  // ends where it ended
  internal::v1::InputState state;
};

// The input as the attempt found it that wrote `earlier`, the record of a finished segment: where the file has not become shorter
// and begins and ends, up to that size, with the same bytes. Else, and without a record, the input as it is now. Errors are
// open_input_file's.
StatusOr<InputAsFound> open_as_found(const OpenJobFile& input,
                                     const std::optional<internal::v1::SegmentRecord>& earlier);

// For a job's key.
std::string text_of(const internal::v1::InputState& state);

// That the file has become longer or shorter, as a sentence; "" when it has not.
StatusOr<std::string> growth_note(const media::InputFile& file);

}  // namespace weft::worker
