// SPDX-License-Identifier: Apache-2.0
// Keeps the records of finished analyses of an owner's videos, so that a later job with the same
// input and the same filters up to the analysis does not measure again; and the decisions of jobs.
//
// An entry is a segment file (server/media/write/segment_file.h): it is written under another name,
// synced and renamed, and its hashes are checked when it is read. A damaged entry counts as
// missing. The folder belongs to one owner, so that a file which exploits a decoder reaches no
// entry of another owner. If the entries exceed the limit, those that were used least recently are
// removed.
//
// The key of an entry has the state of the input (length, modification time, hash of its first and
// last bytes, inode), the part, the decoding options, the filters with their options, and the
// version of the program. An edit in place that restores the modification time and leaves the first
// and last bytes as they were is not noticed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "server/worker/job/open_input.h"
#include "server/worker/video/segment_journal.h"
#include "server/worker/video/video_plan.h"
#include "weft/internal/v1/segment.pb.h"

namespace weft::worker {

// Thread-safe, and safe for several processes with the same folder.
class AnalysisCache {
 public:
  // `folder` is the open folder of the owner's cache, borrowed; negative: there is no cache, and
  // nothing is found or kept. `most_bytes` is the limit of all entries together.
  AnalysisCache(int folder, int64_t most_bytes) : folder_(folder), most_bytes_(most_bytes) {}

  // Writes the entry with this key as the only segment of an analysis, with `record`. Returns false
  // if there is no entry. The entry counts as used now.
  StatusOr<bool> copy_to(const SegmentJournal& journal, const std::string& key,
                         internal::v1::SegmentRecord record) const;
  // Adds the first `segments` segments of a finished analysis as an entry. An error is no reason to
  // fail a job.
  Status add(const SegmentJournal& journal, int64_t segments, const std::string& key) const;

  // Keeps the decisions of a job as text, under the name that decisions_name() returns.
  Status add_decisions(const std::string& job_id, std::string_view text) const;

 private:
  Status remove_oldest() const;

  const int folder_;
  const int64_t most_bytes_;
};

// Returns the key of the chain's current analysis, or an empty string if its records are not to be
// kept: a file of decisions or of a filter's option determines them as well. `device` is the kind
// and name of the device, which counts if a filter computes with floating-point numbers.
StatusOr<std::string> analysis_key(const VideoPlan& plan, const OpenJobFile& input,
                                   const internal::v1::InputState& state, const v1::VideoJob& job,
                                   std::string_view device);

}  // namespace weft::worker
