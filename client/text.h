// SPDX-License-Identifier: Apache-2.0
// Values as people read them, the same in every client. Nothing here depends on the locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "weft/v1/job.pb.h"

namespace weft::client {

// "0:01:29", "27:46:40".
std::string format_clock(double seconds);
// How long something took: "0.08 s", "8.35 s", "42.1 s", and from a minute on as a clock.
std::string format_duration(double seconds);
// "12 s", "3 min", "5 h", "2 d": the largest unit that fits.
std::string format_age(double seconds);
// "512 B", "1.5 KiB", "3.2 GiB".
std::string format_bytes(int64_t bytes);
// "2026-11-03 12:00:00", local time.
std::string format_time(const google::protobuf::Timestamp& time);

// As text of an HTML or SVG file.
std::string markup_text(std::string_view text);

double seconds_of(const google::protobuf::Duration& duration);
double seconds_of(const google::protobuf::Timestamp& time);

// "in.ts -> out.mkv": what a job is called, by the names of its files; the name of its kind where it has none.
std::string job_files(const v1::Job& job);

}  // namespace weft::client
