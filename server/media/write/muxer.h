// SPDX-License-Identifier: Apache-2.0
// Writes the final file from finished segments and the source: video from the segments; audio,
// subtitles, chapters, attachments and metadata from the source.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"
#include "server/media/write/output_types.h"
#include "server/media/write/segment_file.h"
#include "server/media/write/timecode_file.h"

namespace weft::media {

// Describes an output before the work.
struct TrialRequest {
  InputFilePtr source{};
  int programme = 0;
  std::string name{};     // name of the final file
  SegmentHeader video{};  // description of the encoder's stream
  OutputPlan plan{};
  CopyChoices choices{};
};

// Checks that the container accepts the header and the first packets of the copied streams, as
// finish() would write them. Reads at most some megabytes of the source. INVALID_ARGUMENT with the
// refused stream and the options that help.
Status try_output(const TrialRequest& request);

// A file with the times of the pictures (timecode_file.h).
struct TimecodeRequest {
  FileLocation output{};  // temporary file to write; created or emptied
  TimecodeForm precision = TimecodeForm::kDecimals;
};

struct FinishRequest {
  std::vector<FileLocation> segments{};  // at least one, in order
  InputFilePtr source{};
  std::string name{};     // name of the final file; its extension chooses the container
  FileLocation output{};  // temporary file to write; created or emptied
  SourcePart part{};
  int programme = 0;  // program number in the source
  CopyChoices choices{};
  int64_t expected_frames = 0;
  std::optional<TimecodeRequest> timecodes{};
  // called at most some times a second, with the number of frames written; an error ends the work,
  // and finish() returns it
  std::function<Status(int64_t frames)> progress{};
};

struct FinishResult {
  int64_t frames = 0;
  int64_t bytes = 0;                 // size of the output, without the timecodes
  std::vector<std::string> notes{};  // sentences about streams left out and times repaired
};

// Writes and syncs the file, and checks the number of frames. The bytes depend on the segments and
// the source only. Times of frames are reduced by the source's start or the part's begin. From a
// part, whole packets are copied: audio that begins in the part, and subtitles that are shown in
// it, shortened to it. Streams that begin late (StreamWatch) become tracks like the others; the
// file is then written twice. The encoder null writes no file. The timecodes are exact, also where
// the container rounds times.
//
// DATA_LOSS for a damaged segment, FAILED_PRECONDITION for segments that do not belong together,
// RESOURCE_EXHAUSTED for a full disk, INTERNAL for a wrong number of frames, INVALID_ARGUMENT for a
// late stream that is refused.
StatusOr<FinishResult> finish(const FinishRequest& request);

}  // namespace weft::media
