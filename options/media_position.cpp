// SPDX-License-Identifier: Apache-2.0
#include "options/media_position.h"

#include <optional>
#include <vector>

namespace weft::options {
namespace {

constexpr size_t kMostDigits = 9;  // digits of a number; enough for 30 years in seconds

std::optional<int64_t> number_of(std::string_view digits) {
  if (digits.empty() || digits.size() > kMostDigits ||
      digits.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  int64_t number = 0;
  for (const char c : digits) number = number * 10 + (c - '0');
  return number;
}

// Returns nanoseconds of decimals: "5", as in "1.5", is half a second.
std::optional<int64_t> decimals(std::string_view digits) {
  std::optional<int64_t> number = number_of(digits);
  for (size_t i = digits.size(); number && i < kMostDigits; i++) *number *= 10;
  return number;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::chrono::nanoseconds> parse_time(std::string_view text) {
  constexpr int64_t kSixty = 60;
  const size_t point = text.find('.');
  const std::optional<int64_t> fraction =
      point == std::string_view::npos ? std::optional<int64_t>(0) : decimals(text.substr(point + 1));
  const std::vector<std::string_view> parts = split(text.substr(0, point), ':');
  if (!fraction || parts.size() > 3) return std::nullopt;
  int64_t seconds = 0;
  for (size_t i = 0; i < parts.size(); i++) {
    const std::optional<int64_t> number = number_of(parts[i]);
    // Only the first part may be 60 or more; "1:90" is treated as a typing error.
    if (!number || (i > 0 && *number >= kSixty) || (parts.size() == 3 && i == 0 && *number > 99999))
      return std::nullopt;
    seconds = seconds * kSixty + *number;
  }
  return std::chrono::seconds(seconds) + std::chrono::nanoseconds(*fraction);
}

}  // namespace

StatusOr<MediaPosition> parse_position(std::string_view text) {
  if (text.ends_with('f')) {
    if (const auto number = number_of(text.substr(0, text.size() - 1)))
      return MediaPosition(FrameNumber{*number});
  } else if (const auto time = parse_time(text)) {
    return MediaPosition(*time);
  }
  return invalid_argument(
      "The place ({}) is neither a time nor a frame; give seconds (90.5), a time (1:30, 1:02:03.25) or a "
      "frame (2500f).",
      text);
}

Status check_order(std::string_view from, std::string_view to) {
  ASSIGN_OR_RETURN(const MediaPosition end, parse_position(to));
  MediaPosition begin = std::chrono::nanoseconds(0);
  if (std::holds_alternative<FrameNumber>(end)) begin = FrameNumber{0};
  if (!from.empty()) {
    ASSIGN_OR_RETURN(begin, parse_position(from));
  }
  if (begin.index() != end.index() || begin < end) return ok_status();
  return invalid_argument("The part ends ({}) before it has begun ({}); give an end behind the beginning.",
                          to, from.empty() ? "at the start" : from);
}

}  // namespace weft::options
