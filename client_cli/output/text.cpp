// SPDX-License-Identifier: Apache-2.0
#include "client_cli/output/text.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <cwchar>
#include <set>

#include "client_cli/output/exit_codes.h"

namespace weft::cli {
namespace {

struct Character {
  wchar_t code;
  size_t bytes;
  size_t columns;
  bool valid;
};

// Returns the first character. An invalid byte occupies one column.
Character next_character(std::string_view text) {
  std::mbstate_t state{};
  wchar_t code = 0;
  const size_t bytes = std::mbrtowc(&code, text.data(), text.size(), &state);
  if (bytes == 0 || bytes > text.size()) return {L'?', 1, 1, false};
  const int columns = wcwidth(code);
  return {code, bytes, columns < 0 ? 0 : size_t(columns), true};
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
  static constexpr int kOrder[] = {kExitDone,  kExitCancelled,   kExitTimeout,
                                   kExitLate,  kExitJobFailed,   kExitRejected,
                                   kExitUsage, kExitUnreachable, kExitInterrupted};
  const auto rank = [](int code) {
    return std::find(std::begin(kOrder), std::end(kOrder), code) - std::begin(kOrder);
  };
  return rank(a) >= rank(b) ? a : b;
}

std::string format_rfc3339(const google::protobuf::Timestamp& time) {
  const auto seconds = time_t(time.seconds());
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char buffer[64];
  const size_t size = std::strftime(buffer, sizeof(buffer), "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", std::string_view(buffer, size), time.nanos() / 1000000);
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

StatusOr<google::protobuf::Timestamp> parse_past(std::string_view text, std::time_t now) {
  google::protobuf::Timestamp time;
  if (const auto seconds = parse_seconds(text); seconds.ok()) {
    time.set_seconds(now - std::time_t(*seconds));
    return time;
  }
  std::tm local{};
  localtime_r(&now, &local);
  if (text == "today" || text == "yesterday") {
    std::tm day{};
    day.tm_year = local.tm_year;
    day.tm_mon = local.tm_mon;
    day.tm_mday = local.tm_mday - (text == "yesterday" ? 1 : 0);
    day.tm_isdst = -1;
    time.set_seconds(std::mktime(&day));
    return time;
  }
  const std::string terminated(text);
  for (const char* format : {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
                             "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%MZ", "%Y-%m-%dT%H:%M:%SZ"}) {
    std::tm parts{};
    parts.tm_isdst = -1;
    const char* end = strptime(terminated.c_str(), format, &parts);
    if (end == nullptr || *end != '\0') continue;
    time.set_seconds(text.ends_with('Z') ? timegm(&parts) : std::mktime(&parts));
    return time;
  }
  return invalid_argument(
      "The time ({}) is not understood; write a duration before now like 2h or 1d, a date like 2026-11-28, a "
      "date "
      "and time like 2026-11-28T14:30, today or yesterday.",
      text);
}

std::string format_rate(double per_second, std::string_view unit) {
  return unit == "frame" ? fmt::format("{:.2f} fps", per_second)
                         : fmt::format("{:.2f} {}s/s", per_second, unit);
}

std::string format_done(const v1::Job& job) {
  const v1::JobProgress& progress = job.progress();
  if (job.state() == v1::JOB_STATE_SUCCEEDED) return "100%";
  if (progress.units_total() <= 0 || progress.units_done() <= 0) return "-";
  return fmt::format("{:.1f}%",
                     std::min(100.0, 100.0 * double(progress.units_done()) / double(progress.units_total())));
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
  // the tail is longer, because the end of a path is more informative
  const size_t head = (width - 1) / 3;
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
  size_t longest = kShortIdLength;
  for (const std::string& id : ids) longest = std::max(longest, id.size());
  for (size_t length = kShortIdLength; length < longest; length++) {
    std::set<std::string> beginnings;
    for (const std::string& id : ids) beginnings.insert(id.substr(0, length));
    if (beginnings.size() == std::set<std::string>(ids.begin(), ids.end()).size()) return length;
  }
  return longest;
}

}  // namespace weft::cli
