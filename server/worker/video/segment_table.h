// SPDX-License-Identifier: Apache-2.0
// Assigns the segments of a job to the lanes that render them, and checks that finished segments
// continue each other. Without files, threads and a clock of its own.
//
// A lane renders runs of consecutive segments, because the first segment of a run costs more: its
// decoder begins at an earlier random access point. Runs begin at the first open segment, so that
// lanes stay near each other in the file, and become shorter towards the end, so that all lanes end
// at nearly the same time. If tasks on other devices render the same segments, each segment is
// claimed before it is rendered. A segment that another task renders for much longer than this one
// needs is rendered here as well, so that a slow device does not delay the end: both write the same
// bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/worker/video/segment_claims.h"
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
  // Multiple of this task's time for a segment after which it renders a segment of another task.
  static constexpr int kPatience = 2;

  // Called with the record of a segment that another task has finished.
  using OnFound = std::function<void(int64_t segment, const internal::v1::SegmentRecord&)>;

  // `finished` are the records of durable segments by number. `shared` must outlive the table;
  // null: no other task renders segments of the job. `on_found` must not call the table.
  explicit SegmentTable(std::map<int64_t, internal::v1::SegmentRecord> finished = {},
                        SharedSegments* shared = nullptr, OnFound on_found = {});

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
  std::optional<Run> begin(int lane, TimePoint now = {});
  // Adds the finished segment of a lane, and returns whether the lane continues with the next one.
  bool add(int lane, const internal::v1::SegmentRecord& record, TimePoint now = {});
  // Returns true if begin() may return a run later, because other tasks render the open segments.
  bool awaits_others() const;
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
    TimePoint since{};  // begin of the current segment
  };
  bool is_open(int64_t segment) const;
  bool can_begin(int64_t segment) const;
  bool obtain(int64_t segment, TimePoint now);
  std::optional<int64_t> find_open(TimePoint now);
  std::optional<int64_t> find_late(TimePoint now);
  void keep(int64_t segment, const internal::v1::SegmentRecord& record);
  void let_go(int lane);

  mutable std::mutex mutex_;
  std::map<int64_t, internal::v1::SegmentRecord> finished_;
  SharedSegments* const shared_;
  const OnFound on_found_;
  std::map<int, Reserved> lanes_;
  // Segments that other tasks have claimed, with the time at which this was found.
  std::map<int64_t, TimePoint> elsewhere_;
  // longest time of a segment in a lane; 0: unknown
  Duration own_time_{0};
  std::vector<std::optional<ComputedStart>> starts_;  // nullopt: discarded
  int lane_limit_ = 1;
  bool is_closed_ = false;
  int64_t first_open_ = 0;  // all earlier segments are finished
};

// Returns whether `next` continues `record`.
bool continues(const internal::v1::SegmentRecord& record, const internal::v1::SegmentRecord& next);

}  // namespace weft::worker
