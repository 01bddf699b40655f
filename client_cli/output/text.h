// SPDX-License-Identifier: Apache-2.0
// Values as people read them on a terminal. Nothing here depends on the locale.
#pragma once

#include <cstdint>
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

// "2026-11-03T12:00:00.123Z".
std::string format_rfc3339(const google::protobuf::Timestamp& time);

// "90", "90s", "5m", "1h30m", "2d" as seconds.
StatusOr<double> parse_seconds(std::string_view text);

// "187.42 fps" of frames, "2.00 images/s" of anything else.
std::string format_rate(double per_second, std::string_view unit);

// How far a job is: "42.3%", "-".
std::string format_done(const v1::Job& job);

// Columns that a terminal needs for the text; wide characters count twice.
size_t display_width(std::string_view text);
// At most `width` columns, with "…" for what is left out in the middle (paths keep their end).
std::string shorten(std::string_view text, size_t width);

// At most `width` columns, with "…" for the end that is left out.
std::string cut(std::string_view text, size_t width);

// Spaces for the breaks; lines of at most `width` columns, every one after the first indented.
std::string wrap(std::string_view text, size_t width, size_t indent);

// How much of these ids tells each from all others: the same length for all, at least 12.
size_t short_id_length(const std::vector<std::string>& ids);

}  // namespace weft::cli
