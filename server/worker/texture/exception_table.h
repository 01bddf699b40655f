// SPDX-License-Identifier: Apache-2.0
// Parses a user's table of textures that must not be processed by a network, since networks degrade
// them. A line is a name or a pattern, then the reason:
//
//   # found by the check on Friday
//   door_albedo.dds    Its colours shift by 2.4 codes.
//   *_ui.dds           Letters stay sharp.
//
// In a pattern * matches any characters and ? one; \ escapes the next character. A name ends at the
// line's first tab, or at its first space if it has no tab. Empty lines, and those that begin with
// #, are ignored.
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

  ExceptionTable() = default;  // an empty table
  // Parses a table. `name` is the name of its file, for messages. INVALID_ARGUMENT: a line is
  // malformed (the message contains its number and error), or the table has too many entries.
  static StatusOr<ExceptionTable> parse(std::string_view text, std::string_view name);
  // Returns the table among a job's inputs, or an empty table if there is none. Errors are those of
  // parse() and of the file.
  static StatusOr<ExceptionTable> of(const std::vector<OpenJobFile>& inputs);

  // Returns the reason for which a texture of that name (without its folder) is an exception, or
  // null if it is none. Names precede patterns; among patterns the first match counts.
  const std::string* reason_of(std::string_view file_name) const;

 private:
  std::map<std::string, std::string, std::less<>> names_;
  std::vector<std::pair<std::string, std::string>> patterns_;
};

}  // namespace weft::worker
