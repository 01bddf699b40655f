// SPDX-License-Identifier: Apache-2.0
#include "client/text.h"

#include <cmath>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>

#include "options/job_kinds.h"
#include "options/values.h"

namespace weft::client {

std::string format_clock(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "?";
  const auto whole = int64_t(std::llround(seconds));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string format_duration(double seconds) {
  constexpr double kClockFrom = 59.95;  // seconds; from here on one decimal would round to "60.0 s"
  if (!(seconds >= 0) || seconds >= kClockFrom) return format_clock(seconds);
  return seconds < 9.995 ? fmt::format("{:.2f} s", seconds) : fmt::format("{:.1f} s", seconds);
}

std::string format_age(double seconds) {
  const auto whole = int64_t(std::max(0.0, seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min", whole / 60);
  if (whole < 48 * 3600) return fmt::format("{} h", whole / 3600);
  return fmt::format("{} d", whole / 86400);
}

std::string format_bytes(int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = double(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); unit++) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string format_time(const google::protobuf::Timestamp& time) {
  const auto seconds = time_t(time.seconds());
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char buffer[64];
  return std::string(buffer, std::strftime(buffer, sizeof(buffer), "%Y-%m-%d %H:%M:%S", &parts));
}

std::string markup_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const std::string_view entity = c == '&'   ? "&amp;"
                                    : c == '<' ? "&lt;"
                                    : c == '>' ? "&gt;"
                                    : c == '"' ? "&quot;"
                                               : "";
    if (entity.empty())
      result += c;
    else
      result += entity;
  }
  return result;
}

double seconds_of(const google::protobuf::Duration& duration) {
  return double(duration.seconds()) + double(duration.nanos()) * 1e-9;
}

double seconds_of(const google::protobuf::Timestamp& time) {
  return double(time.seconds()) + double(time.nanos()) * 1e-9;
}

std::string devices_text(const v1::Job& job) {
  int others = 0;
  if (!job.attempts().empty())
    for (const v1::JobTask& task : job.attempts().rbegin()->tasks())
      if (!task.has_end_time()) others++;
  return others == 0 ? job.device() : fmt::format("{} +{}", job.device(), others);
}

std::string job_files(const v1::Job& job) {
  const auto name_of = [&](v1::PathKind kind) {
    const std::vector<std::string> paths = options::paths_of(job.spec(), kind);
    if (paths.empty()) return std::string();
    const std::filesystem::path path(paths[0]);
    const std::string name = path.filename().string();
    // The folder's name is added, because "*" has no meaning without it.
    return name == "*" ? path.parent_path().filename().string() + "/*" : name;
  };
  const std::string input = name_of(v1::PATH_KIND_INPUT_FILE);
  const std::string output = name_of(v1::PATH_KIND_OUTPUT_FILE);
  if (input.empty() && output.empty()) return options::kind_name(job.spec());
  if (input.empty() || output.empty()) return input + output;
  return fmt::format("{} -> {}", input, output);
}

}  // namespace weft::client
