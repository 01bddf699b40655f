// SPDX-License-Identifier: Apache-2.0
// Formats values for display, the same in all clients and independent of the locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "weft/v1/job.pb.h"

namespace weft::client {

// Returns a time as a clock: "0:01:29", "27:46:40".
std::string format_clock(double seconds);
// Returns an elapsed time: "0.08 s", "8.35 s", "42.1 s", or a clock from one minute on.
std::string format_duration(double seconds);
// Returns an age in the largest unit that fits: "12 s", "3 min", "5 h", "2 d".
std::string format_age(double seconds);
// Returns a size: "512 B", "1.5 KiB", "3.2 GiB".
std::string format_bytes(int64_t bytes);
// Returns a time in the local time zone: "2026-11-03 12:00:00".
std::string format_time(const google::protobuf::Timestamp& time);

// Escapes text for HTML and SVG.
std::string markup_text(std::string_view text);

double seconds_of(const google::protobuf::Duration& duration);
double seconds_of(const google::protobuf::Timestamp& time);

// Returns the displayed name of a job: its file names ("in.ts -> out.mkv"), or the name of its kind
// if it has no files.
std::string job_files(const v1::Job& job);
// Returns the current or last device of a job: "cuda:0", or "cuda:0 +2" while two other devices
// render segments of it.
std::string devices_text(const v1::Job& job);

}  // namespace weft::client
