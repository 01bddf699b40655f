// SPDX-License-Identifier: Apache-2.0
// Assigns the segments of a job to the lanes that render them, and checks that finished segments
// continue each other. Pure: no files, no threads, no clock.
//
// A lane renders runs of consecutive segments, because the first segment of a run costs more: its
// decoder begins at an earlier random access point. Runs begin at the first open segment, so that
// lanes stay near each other in the file, and become shorter towards the end, so that all lanes end
// at nearly the same time.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "weft/internal/v1/segment.pb.h"

namespace weft::worker {

// The start of a segment, computed without the segments before it.
struct ComputedStart {
  int64_t first_output = 0;  // number of output pictures of earlier segments
  std::string filter_state;  // as in SegmentRecord, of the segment before
};

// Thread-safe.
class SegmentTable {
 public:
  // Limit of the segments in a run; a run may then continue with segments that are still open.
  static constexpr int64_t kRunSegments = 4;

  // `finished` are the records of durable segments by number.
  explicit SegmentTable(std::map<int64_t, internal::v1::SegmentRecord> finished = {});

  // Sets the starts of segments 0, 1, 2 ..., for all segments of the job. Until then only the first
  // segment and those after a finished one can begin.
  void set_starts(const std::vector<ComputedStart>& starts);
  // Discards the start of a segment, since it turned out to be wrong: the segment then begins only
  // after the one before it is finished.
  void forget_start(int64_t segment);
  // Sets the number of lanes. A lane with this number or a higher one gets no further segments.
  void set_lanes(int lanes);

  // The first segment of a run. It continues `before` if there is one, else `start` if there is
  // one; without both it is the first of the job.
  struct Run {
    int64_t segment = 0;
    std::optional<internal::v1::SegmentRecord> before{};
    std::optional<ComputedStart> start{};
  };
  // Begins a run in a lane. Returns nullopt if no open segment can begin now.
  std::optional<Run> begin(int lane);
  // Adds the finished segment of a lane, and returns whether the lane continues with the next one.
  bool add(int lane, const internal::v1::SegmentRecord& record);
  // Ends the run of a lane.
  void end(int lane);
  // From now on, lanes end after their current segment.
  void close();

  // Returns true if all segments from the first to the last of the job are finished, and each
  // continues the one before it.
  bool is_complete() const;
  // Returns the first segment that does not continue the finished segment before it, or nullopt.
  std::optional<int64_t> first_broken() const;
  std::map<int64_t, internal::v1::SegmentRecord> finished() const;

 private:
  // Segments of a lane: the current one, and the end of those that are reserved for it.
  struct Reserved {
    int64_t current = 0, end = 0;
  };
  bool is_open(int64_t segment) const;
  bool can_begin(int64_t segment) const;
  int64_t open_from(int64_t segment) const;

  mutable std::mutex mutex_;
  std::map<int64_t, internal::v1::SegmentRecord> finished_;
  std::map<int, Reserved> lanes_;
  std::vector<std::optional<ComputedStart>> starts_;  // nullopt: discarded
  int lane_limit_ = 1;
  bool is_closed_ = false;
  int64_t first_open_ = 0;  // all earlier segments are finished
};

// Returns whether `next` continues `record`.
bool continues(const internal::v1::SegmentRecord& record, const internal::v1::SegmentRecord& next);

}  // namespace weft::worker
