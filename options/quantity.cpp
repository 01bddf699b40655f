// SPDX-License-Identifier: Apache-2.0
#include "options/quantity.h"

#include <charconv>
#include <cmath>

namespace weft::options {
namespace {

struct Suffix {
  std::string_view unit;
  std::string_view text;
  double scale;
};

constexpr Suffix kSuffixes[] = {
    {"bytes", "B", 1},
    {"bytes", "K", 0x1p10},
    {"bytes", "M", 0x1p20},
    {"bytes", "G", 0x1p30},
    {"bytes", "T", 0x1p40},
    {"bytes", "KiB", 0x1p10},
    {"bytes", "MiB", 0x1p20},
    {"bytes", "GiB", 0x1p30},
    {"bytes", "TiB", 0x1p40},
    {"bytes", "kB", 1e3},
    {"bytes", "MB", 1e6},
    {"bytes", "GB", 1e9},
    {"bytes", "TB", 1e12},
    {"s", "s", 1},
    {"s", "m", 60},
    {"s", "min", 60},
    {"s", "h", 3600},
    {"s", "d", 86400},
    {"ms", "ms", 1},
    {"ms", "s", 1e3},
    {"ms", "m", 60e3},
    {"kbit/s", "k", 1},
    {"kbit/s", "K", 1},
    {"kbit/s", "M", 1e3},
    {"kbit/s", "G", 1e6},
    {"kbit/s", "kbit/s", 1},
    {"kbit/s", "Mbit/s", 1e3},
};

// Returns the scale of a suffix, or 0 if `unit` has no such suffix.
double scale_of(std::string_view unit, std::string_view text) {
  for (const Suffix& suffix : kSuffixes)
    if (suffix.unit == unit && suffix.text == text) return suffix.scale;
  return 0;
}

}  // namespace

std::optional<double> quantity_in(std::string_view unit, std::string_view text) {
  double total = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
    text.remove_prefix(size_t(end - text.data()));
    if (text.starts_with(' ')) text.remove_prefix(1);
    const std::string_view suffix = text.substr(0, text.find_first_of("0123456789.+- "));
    const double scale = scale_of(unit, suffix);
    if (scale == 0) return std::nullopt;
    total += value * scale;
    text.remove_prefix(suffix.size());
  }
  return total;
}

}  // namespace weft::options
