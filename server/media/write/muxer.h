// SPDX-License-Identifier: Apache-2.0
// From finished segments and the source to the final file: video from the segments, sound, subtitles,
// chapters, attachments and metadata from the source.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"
#include "server/media/write/output_types.h"
#include "server/media/write/segment_file.h"

namespace weft::media {

// Before the work: what of an output is known then.
struct TrialRequest {
  InputFilePtr source{};
  int programme = 0;
  std::string name{};     // of the final file
  SegmentHeader video{};  // what the encoder says of its stream
  OutputPlan plan{};
  CopyChoices choices{};
};

// Whether the container takes the header and the first packets of the streams that are copied, as finish() would write them.
// INVALID_ARGUMENT naming the stream that it refuses and the options that help. Reads some megabytes of the source at most.
Status try_output(const TrialRequest& request);

struct FinishRequest {
  std::vector<FilePlace> segments{};  // in order, at least one
  InputFilePtr source{};
  std::string name{};  // the final file's name: its extension chooses the container
  FilePlace output{};  // the temporary file to write; created or emptied
  SourcePart part{};
  int programme = 0;  // of the source: whose video was worked on
  CopyChoices choices{};
  int64_t expected_frames = 0;
  // Called some times a second at most with the frames written; an error stops and comes out of finish().
  std::function<Status(int64_t frames)> progress{};
};

struct FinishResult {
  int64_t frames = 0;
  int64_t bytes = 0;
  std::vector<std::string> notes{};  // streams left out, times repaired
};

// Writes, counts and syncs the file; its bytes depend on segments and source alone. Frames keep their times,
// less the source's start or the part's begin. Of a part, whole packets are copied: those of sound that begin in it; subtitles that are
// shown in it, for so long. DATA_LOSS for a damaged segment, FAILED_PRECONDITION for segments that do not
// belong together, RESOURCE_EXHAUSTED for a full disk, INTERNAL when the frames are not as many as expected.
// Streams that begin late (StreamWatch) become tracks as the others; the file is written twice then. INVALID_ARGUMENT when one is
// refused. The encoder null writes no file.
StatusOr<FinishResult> finish(const FinishRequest& request);

}  // namespace weft::media
