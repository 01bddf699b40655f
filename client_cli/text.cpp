// SPDX-License-Identifier: Apache-2.0
#include "client_cli/text.h"

#include <charconv>
#include <cmath>
#include <cwchar>
#include <filesystem>
#include <set>

#include "client_cli/exit_codes.h"
#include "options/job_kinds.h"
#include "options/values.h"

namespace weft::cli {
namespace {

struct Character {
  wchar_t code;
  size_t bytes;
  size_t columns;
  bool valid;
};

// Invalid bytes count as one column each.
Character next_character(std::string_view text) {
  std::mbstate_t state{};
  wchar_t code = 0;
  const size_t bytes = std::mbrtowc(&code, text.data(), text.size(), &state);
  if (bytes == 0 || bytes > text.size()) return {L'?', 1, 1, false};
  const int columns = wcwidth(code);
  return {code, bytes, columns < 0 ? 0 : size_t(columns), true};
}

std::string calendar(time_t seconds, bool local, const char* format) {
  std::tm parts{};
  if (local)
    localtime_r(&seconds, &parts);
  else
    gmtime_r(&seconds, &parts);
  char buffer[64];
  return std::string(buffer, std::strftime(buffer, sizeof(buffer), format, &parts));
}

double unit_seconds(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    case 'd':
      return 86400;
    default:
      return 0;
  }
}

}  // namespace

int worse(int a, int b) {
  static constexpr int kOrder[] = {kExitDone,     kExitCancelled, kExitTimeout,     kExitJobFailed,
                                   kExitRejected, kExitUsage,     kExitUnreachable, kExitInterrupted};
  const auto rank = [](int code) {
    return std::find(std::begin(kOrder), std::end(kOrder), code) - std::begin(kOrder);
  };
  return rank(a) >= rank(b) ? a : b;
}

std::string format_clock(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "?";
  const auto whole = int64_t(std::llround(seconds));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
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
  return calendar(time_t(time.seconds()), true, "%Y-%m-%d %H:%M:%S");
}

std::string format_rfc3339(const google::protobuf::Timestamp& time) {
  return fmt::format("{}.{:03}Z", calendar(time_t(time.seconds()), false, "%Y-%m-%dT%H:%M:%S"),
                     time.nanos() / 1000000);
}

double seconds_of(const google::protobuf::Duration& duration) {
  return double(duration.seconds()) + double(duration.nanos()) * 1e-9;
}

double seconds_of(const google::protobuf::Timestamp& time) {
  return double(time.seconds()) + double(time.nanos()) * 1e-9;
}

StatusOr<double> parse_seconds(std::string_view text) {
  const auto wrong = [&] {
    return invalid_argument("The time ({}) is not understood; write it like 90, 90s, 5m, 1h30m or 2d.", text);
  };
  double total = 0;
  std::string_view rest = text;
  if (rest.empty()) return wrong();
  while (!rest.empty()) {
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc() || !(value >= 0) || value > 1e9) return wrong();
    rest.remove_prefix(size_t(end - rest.data()));
    const double unit = rest.empty() ? (total == 0 ? 1 : 0) : unit_seconds(rest[0]);
    if (unit == 0) return wrong();
    if (!rest.empty()) rest.remove_prefix(1);
    total += value * unit;
  }
  return total;
}

std::string format_done(const v1::Job& job) {
  const v1::JobProgress& progress = job.progress();
  if (job.state() == v1::JOB_STATE_SUCCEEDED) return "100%";
  if (progress.units_total() <= 0 || progress.units_done() <= 0) return "-";
  return fmt::format("{:.1f}%",
                     std::min(100.0, 100.0 * double(progress.units_done()) / double(progress.units_total())));
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character character = next_character(text);
    const bool shown = character.valid && wcwidth(character.code) >= 0;
    result += shown ? text.substr(0, character.bytes) : std::string_view("?");
    text.remove_prefix(character.bytes);
  }
  return result;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Character character = next_character(text);
    width += character.columns;
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string shorten(std::string_view text, size_t width) {
  const size_t whole = display_width(text);
  if (whole <= width || width == 0) return std::string(text);
  const size_t head = (width - 1) / 3;             // the end of a path says more than its beginning
  const size_t skip = whole - (width - 1 - head);  // columns before the tail
  std::string front, back;
  for (size_t column = 0; !text.empty();) {
    const Character character = next_character(text);
    if (column + character.columns <= head)
      front += text.substr(0, character.bytes);
    else if (column >= skip)
      back += text.substr(0, character.bytes);
    column += character.columns;
    text.remove_prefix(character.bytes);
  }
  return front + "…" + back;
}

std::string cut(std::string_view text, size_t width) {
  if (display_width(text) <= width || width == 0) return std::string(text);
  std::string result;
  for (size_t column = 0; !text.empty();) {
    const Character character = next_character(text);
    column += character.columns;
    if (column >= width) break;
    result += text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
  }
  return result + "…";
}

std::string wrap(std::string_view text, size_t width, size_t indent) {
  std::string result;
  size_t column = indent;
  while (!text.empty()) {
    const size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    const size_t columns = display_width(word);
    if (column > indent && column + 1 + columns > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      column++;
    }
    result += word;
    column += columns;
  }
  return result;
}

size_t short_id_length(const std::vector<std::string>& ids) {
  // The first ten characters of an id are its time in milliseconds: twelve tell it from others that are not listed.
  constexpr size_t kShortest = 12;
  size_t longest = kShortest;
  for (const std::string& id : ids) longest = std::max(longest, id.size());
  for (size_t length = kShortest; length < longest; length++) {
    std::set<std::string> beginnings;
    for (const std::string& id : ids) beginnings.insert(id.substr(0, length));
    if (beginnings.size() == std::set<std::string>(ids.begin(), ids.end()).size()) return length;
  }
  return longest;
}

std::string job_files(const v1::Job& job) {
  const auto name_of = [&](v1::PathKind kind) {
    const std::vector<std::string> paths = options::paths_of(job.spec(), kind);
    return paths.empty() ? std::string() : std::filesystem::path(paths[0]).filename().string();
  };
  const std::string input = name_of(v1::PATH_KIND_INPUT_FILE);
  const std::string output = name_of(v1::PATH_KIND_OUTPUT_FILE);
  return output.empty() ? input : fmt::format("{} -> {}", input, output);
}

}  // namespace weft::cli
