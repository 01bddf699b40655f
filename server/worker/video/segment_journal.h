// SPDX-License-Identifier: Apache-2.0
// Manages the finished segments in a job's work folder: their names, and the segments that a new
// attempt may reuse.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"
#include "weft/internal/v1/segment.pb.h"

namespace weft::worker {

class SegmentJournal {
 public:
  // `folder` is the open work folder, private to this job and borrowed. `name` is the prefix of its
  // files, such as "segment".
  explicit SegmentJournal(int folder, std::string name = "segment")
      : folder_(folder), prefix_(std::move(name) + "-") {}

  std::string name() const { return prefix_.substr(0, prefix_.size() - 1); }
  media::FileLocation location(int64_t index) const;
  // Returns the concatenated packets of the first `segments` segments, which scan() must have found
  // complete.
  StatusOr<std::vector<std::byte>> read(int64_t segments) const;

  // Returns the records of all complete segments by number. Segments that are damaged or of another
  // key are removed, and unfinished files of this task. All bytes of the segments are read. `alive`
  // is called repeatedly; if it returns an error, the scan ends and removes nothing (it must then
  // return an error in every later call too). `note` receives a sentence if segments are dropped.
  StatusOr<std::map<int64_t, internal::v1::SegmentRecord>> scan(
      std::string_view key, const std::function<Status()>& alive,
      const std::function<void(std::string)>& note) const;

  // Returns the record of the first segment with any key, or nullopt if it is missing or damaged.
  std::optional<internal::v1::SegmentRecord> first_record() const;
  // Returns the record of a complete segment with this key, or nullopt. Packets are not read.
  std::optional<internal::v1::SegmentRecord> record(int64_t index, std::string_view key) const;

  // Removes the segments from `first` on, complete or not, and all unfinished files.
  Status remove_from(int64_t first) const;

  // The plan for the other tasks of the job. read_plan() returns nullopt if there is none, or none
  // with this key; an empty key means any.
  Status write_plan(const internal::v1::SegmentPlan& plan) const;
  std::optional<internal::v1::SegmentPlan> read_plan(std::string_view key) const;

 private:
  StatusOr<internal::v1::SegmentRecord> check(int64_t index, std::string_view key,
                                              const std::function<Status()>& alive) const;
  std::optional<internal::v1::SegmentRecord> read_record(int64_t index) const;
  std::string plan_name() const { return prefix_ + "plan"; }

  // A file of a segment.
  struct Entry {
    int64_t segment = 0;
    bool is_complete = false;
    bool is_of_task = false;  // unfinished, written by a task on another device
  };
  std::optional<Entry> entry_of(std::string_view name) const;
  StatusOr<std::vector<std::string>> list() const;
  // Removes the files for which `is_wanted` returns false.
  Status remove_all_but(const std::function<bool(const Entry&)>& is_wanted) const;

  int folder_;
  std::string prefix_;
};

}  // namespace weft::worker
