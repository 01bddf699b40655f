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

  media::FileLocation location(int64_t index) const;
  // Returns the concatenated packets of the first `segments` segments, which scan() must have found
  // complete.
  StatusOr<std::vector<std::byte>> read(int64_t segments) const;

  // Returns the records of all complete segments by number. Segments that are damaged or of another
  // key are removed, and unfinished files. All bytes of the segments are read. `alive` is called
  // repeatedly; if it returns an error, the scan ends and removes nothing (it must then return an
  // error in every later call too). `note` receives a sentence if segments are dropped.
  StatusOr<std::map<int64_t, internal::v1::SegmentRecord>> scan(
      std::string_view key, const std::function<Status()>& alive,
      const std::function<void(std::string)>& note) const;

  // Returns the record of the first segment with any key, or nullopt if it is missing or damaged.
  std::optional<internal::v1::SegmentRecord> first_record() const;

  // Removes the segments from `first` on, complete or not, and all unfinished files.
  Status remove_from(int64_t first) const;

 private:
  StatusOr<internal::v1::SegmentRecord> check(int64_t index, std::string_view key,
                                              const std::function<Status()>& alive) const;

  std::optional<int64_t> index_of(std::string_view name) const;
  StatusOr<std::vector<std::string>> list() const;
  // Removes the files for which `is_wanted`, called with the segment and whether it is complete,
  // returns false.
  Status remove_all_but(const std::function<bool(int64_t segment, bool is_complete)>& is_wanted) const;

  int folder_;
  std::string prefix_;
};

}  // namespace weft::worker
