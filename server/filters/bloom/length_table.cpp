// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/length_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/log.h"
#include "server/filters/bloom/fft_plan.h"

namespace weft::filters::bloom {
namespace {

constexpr std::string_view kTitle = "weft lengths 1";
constexpr size_t kMostLines = 4096;

std::string_view kind_name(device::BackendKind kind) {
  switch (kind) {
    case device::BackendKind::kCpu:
      return "cpu";
    case device::BackendKind::kCuda:
      return "cuda";
    case device::BackendKind::kVulkan:
      return "vulkan";
    case device::BackendKind::kNull:
      break;
  }
  return "null";
}

// The text's lines that are no remarks.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  std::optional<std::string_view> next() {
    while (!text_.empty()) {
      const size_t end = std::min(text_.find('\n'), text_.size());
      const std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      number_++;
      if (!line.empty() && line.front() != '#') return line;
    }
    return std::nullopt;
  }
  Status wrong(std::string_view what) const {
    return invalid_argument("Line {} of a table of lengths is wrong: {}.", number_, what);
  }

 private:
  std::string_view text_;
  int number_ = 0;
};

// Takes a number and the spaces behind it off the text.
template <class Number>
bool take(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(size_t(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  return true;
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

Status parse_line(const Lines& lines, std::string_view text, LengthTable& table) {
  LengthTable::Line line;
  if (!take(text, line.points) || !take(text, line.row_ns) || !take(text, line.column_ns) || !text.empty())
    return lines.wrong("it is not three numbers");
  if (!table.lines.empty() && line.points <= table.lines.back().points)
    return lines.wrong("its points do not rise");
  if (const StatusOr<FftPlan> plan = plan_line(line.points); !plan.ok())
    return lines.wrong(std::string(plan.status().message()));
  for (const double ns : {line.row_ns, line.column_ns})
    if (!std::isfinite(ns) || ns <= 0) return lines.wrong("a time is not above 0");
  table.lines.push_back(line);
  return ok_status();
}

std::vector<LengthTable> parse_all() {
  std::vector<LengthTable> tables;
  for (const std::string_view text : length_table_texts()) {
    StatusOr<LengthTable> table = parse_length_table(text);
    if (table.ok())
      tables.push_back(*std::move(table));
    else
      log_warning("{} It is left out.", std::string(table.status().message()));
  }
  return tables;
}

bool says_nothing_of_lines(const ConvolutionShape& shape) {
  return !shape.is_modelled && !shape.is_circular && !shape.is_complex && !shape.is_portable &&
         shape.points_x == 0 && shape.points_y == 0 && shape.parts_x == 0 && shape.parts_y == 0 &&
         shape.radices_x.empty() && shape.radices_y.empty() && shape.rows_variant.empty() &&
         shape.columns_variant.empty() && shape.rows_back_variant.empty();
}

}  // namespace

StatusOr<LengthTable> parse_length_table(std::string_view text) {
  Lines lines(text);
  if (lines.next() != kTitle) return lines.wrong(fmt::format("it is not '{}'", kTitle));
  LengthTable table;
  std::string_view device = lines.next().value_or("");
  const size_t space = device.find(' ', std::string_view("device ").size());
  if (!take_word(device, "device ") || space == std::string_view::npos)
    return lines.wrong("it is not 'device', a kind and words of its name");
  table.kind = device.substr(0, device.find(' '));
  table.mark = device.substr(device.find(' ') + 1);
  if (table.kind != "cpu" && table.kind != "cuda" && table.kind != "vulkan")
    return lines.wrong("there is no such kind of device");
  if (table.mark.empty()) return lines.wrong("it does not name the device");
  std::string_view lengths = lines.next().value_or("");
  size_t count = 0;
  if (!take_word(lengths, "lengths ") || !take(lengths, count) || !lengths.empty() || count > kMostLines)
    return lines.wrong("it is not 'lengths' and how many there are");
  for (size_t i = 0; i < count; i++) {
    const auto line = lines.next();
    if (!line) return lines.wrong(fmt::format("there are {} lengths of {}", i, count));
    RETURN_IF_ERROR(parse_line(lines, *line, table));
  }
  if (lines.next()) return lines.wrong(fmt::format("it is more than {} lengths", count));
  return table;
}

std::string to_text(const LengthTable& table) {
  std::string text =
      fmt::format("{}\ndevice {} {}\nlengths {}\n", kTitle, table.kind, table.mark, table.lines.size());
  for (const LengthTable::Line& line : table.lines)
    text += fmt::format("{} {:.4g} {:.4g}\n", line.points, line.row_ns, line.column_ns);
  return text;
}

const LengthTable* find_length_table(std::span<const LengthTable> tables, const device::DeviceInfo& device) {
  const LengthTable* of_kind = nullptr;
  for (const LengthTable& table : tables) {
    if (table.kind != kind_name(device.kind)) continue;
    if (device.driver.find(table.mark) != std::string::npos ||
        device.name.find(table.mark) != std::string::npos)
      return &table;
    if (of_kind == nullptr) of_kind = &table;
  }
  return device.is_software ? nullptr : of_kind;
}

LengthTable empty_length_table(const device::DeviceInfo& device) {
  LengthTable table;
  table.kind = kind_name(device.kind);
  const size_t comma = device.driver.rfind(", ");
  table.mark = device.kind == device::BackendKind::kVulkan || comma == std::string::npos
                   ? device.driver.substr(0, device.driver.find(' '))
                   : device.driver.substr(comma + 2);
  return table;
}

std::span<const LengthTable> length_tables() {
  static const auto& tables = *new std::vector<LengthTable>(parse_all());
  return tables;
}

std::optional<TransformSides> fastest_sides(const LengthTable& table, const ConvolutionShape& shape) {
  if (!says_nothing_of_lines(shape)) return std::nullopt;
  const int least_x = needed_points(shape, LineAxis::kRows);
  const int least_y = needed_points(shape, LineAxis::kColumns);
  const auto long_enough = [&](int least) {
    const auto first = std::ranges::lower_bound(table.lines, least, {}, &LengthTable::Line::points);
    return std::span(first, table.lines.end());
  };
  std::optional<TransformSides> best;
  double least_ns = std::numeric_limits<double>::infinity();
  for (const LengthTable::Line& y : long_enough(least_y)) {
    // What continues the image outside is transformed too, but not back.
    const double rows = shape.padding == Padding::kZero ? shape.height : (y.points + shape.height) / 2.0;
    for (const LengthTable::Line& x : long_enough(least_x)) {
      const double ns = rows * x.row_ns + x.points * y.column_ns;
      if (ns >= least_ns) continue;
      least_ns = ns;
      best = {x.points, y.points};
    }
  }
  return best;
}

ConvolutionShape with_fastest_sides(ConvolutionShape shape, const device::DeviceInfo& device) {
  const LengthTable* const table = find_length_table(length_tables(), device);
  if (table == nullptr) return shape;
  if (const auto sides = fastest_sides(*table, shape)) {
    shape.points_x = sides->x;
    shape.points_y = sides->y;
  }
  return shape;
}

}  // namespace weft::filters::bloom
