// SPDX-License-Identifier: Apache-2.0
// The finished segments in a job's work folder: their names, and which of them a new attempt may build on.
#pragma once

#include <cstdint>
#include <functional>
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
  // `folder`: the work folder, open, private to this job; borrowed. `name`: of its files, such as "segment".
  explicit SegmentJournal(int folder, std::string name = "segment")
      : folder_(folder), prefix_(std::move(name) + "-") {}

  media::FilePlace place(int64_t index) const;
  // The packets of so many segments, which scan() found whole, one after the other.
  StatusOr<std::vector<std::byte>> read(int64_t segments) const;

  // The records of segments 0, 1, 2 ... up to the first that is missing, damaged, or of another key. What comes
  // after is removed, unfinished files too. Reads every byte of the segments; `alive` is called again and again, and
  // once it gives an error it must keep to it: that ends the scan and nothing is removed. `note` gets a sentence for
  // each segment that is dropped.
  StatusOr<std::vector<internal::v1::SegmentRecord>> scan(std::string_view key,
                                                          const std::function<Status()>& alive,
                                                          const std::function<void(std::string)>& note) const;

  // The record of the first segment, whatever its key; nothing where it is missing or damaged.
  std::optional<internal::v1::SegmentRecord> first_record() const;

  // Removes the segments from `first` on, whole or not.
  Status remove_from(int64_t first) const;

 private:
  StatusOr<internal::v1::SegmentRecord> check(int64_t index, std::string_view key,
                                              const std::function<Status()>& alive) const;

  std::optional<int64_t> index_of(std::string_view name) const;

  int folder_;
  std::string prefix_;
};

}  // namespace weft::worker
