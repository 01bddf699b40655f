// SPDX-License-Identifier: Apache-2.0
// Formats and parses values on the command line, independent of the locale.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/timestamp.pb.h>

#include "base/printable.h"
#include "base/status.h"
#include "client/text.h"
#include "options/words.h"
#include "weft/v1/job.pb.h"

namespace weft::cli {

using client::format_age;
using client::format_bytes;
using client::format_clock;
using client::format_duration;
using client::format_time;
using client::job_files;
using client::seconds_of;
using options::format_count;
using weft::printable;

// Returns a time as RFC 3339 in UTC: "2026-11-03T12:00:00.123Z".
std::string format_rfc3339(const google::protobuf::Timestamp& time);

// Parses a duration, in seconds: "90", "90s", "5m", "1h30m", "2d".
StatusOr<double> parse_seconds(std::string_view text);

// Parses a time in the past: a duration before `now` ("2h"), a date or a date and time
// ("2026-11-28", "2026-11-28 14:30", local time; with T and Z in UTC), or "today" or "yesterday"
// (their midnight).
StatusOr<google::protobuf::Timestamp> parse_past(std::string_view text, std::time_t now);

// Returns a rate: "187.42 fps" for frames, "2.00 images/s" for other units.
std::string format_rate(double per_second, std::string_view unit);

// Returns a job's progress: "42.3%", or "-" if it is unknown.
std::string format_done(const v1::Job& job);

// Returns the columns that the text occupies on a terminal. Wide characters occupy two.
size_t display_width(std::string_view text);
// Returns the text shortened to at most `width` columns; "…" replaces the middle, so that paths
// keep their end.
std::string shorten(std::string_view text, size_t width);

// Returns the text shortened to at most `width` columns; "…" replaces the end.
std::string cut(std::string_view text, size_t width);

// Breaks text at spaces into lines of at most `width` columns. All lines except the first are
// indented by `indent` columns.
std::string wrap(std::string_view text, size_t width, size_t indent);

// Least number of characters of an ID in listings. More are shown if the IDs would otherwise be
// equal.
inline constexpr size_t kShortIdLength = 8;
// Returns the least length, at least kShortIdLength, at which all these IDs differ.
size_t short_id_length(const std::vector<std::string>& ids);

}  // namespace weft::cli
