// SPDX-License-Identifier: Apache-2.0
// A user's table of textures that no network makes, since networks spoil them. A line is a name or a pattern, then the reason:
//
//   # what the check found on Friday
//   door_albedo.dds    Its colours shift by 2.4 codes.
//   *_ui.dds           Letters stay sharp.
//
// In a pattern * stands for any letters and ? for any one; \ takes the next letter as it is. A name ends at the line's first tab, or where there
// is none at its first space. Empty lines, and those that begin with #, say nothing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "server/worker/job/open_input.h"

namespace weft::worker {

class ExceptionTable {
 public:
  static constexpr int64_t kMaxBytes = int64_t{4} << 20;
  static constexpr size_t kMaxEntries = 10000;
  static constexpr size_t kMaxReasonBytes = 1000;

  ExceptionTable() = default;  // of nothing
  // INVALID_ARGUMENT: a line that says something else, with its number and what it lacks; or there are too many. `name`: for messages.
  static StatusOr<ExceptionTable> parse(std::string_view text, std::string_view name);
  // That of a job's inputs; of nothing, where none is among them. Errors are parse's and the file's.
  static StatusOr<ExceptionTable> of(const std::vector<OpenJobFile>& inputs);

  // Why a texture of that name (without its folder) is an exception; null: it is none. The first line that fits counts, names before patterns.
  const std::string* reason_of(std::string_view file_name) const;

 private:
  std::map<std::string, std::string, std::less<>> names_;
  std::vector<std::pair<std::string, std::string>> patterns_;
};

}  // namespace weft::worker
