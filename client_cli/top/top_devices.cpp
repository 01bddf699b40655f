// SPDX-License-Identifier: Apache-2.0
#include "client_cli/top/top_devices.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "client/device_text.h"
#include "client_cli/context/context.h"
#include "client_cli/output/text.h"
#include "options/option.h"

namespace weft::cli {
namespace {

constexpr size_t kWidestBar = 100;
constexpr size_t kBarWithoutLimit = 50;
constexpr double kOldSample = 3;  // seconds; a sample arrives every second
constexpr double kNearDeadline = 0.8;

// A class's part of a device's time. The shades differ, so that the bar is readable without
// colours.
struct Part {
  const char* name;
  const char* shade;
  TextColour colour;
  double part;  // share of the interval
};

std::array<Part, 4> parts_of(const v1::DeviceSample& sample) {
  const client::TimeParts parts = client::time_parts(sample);
  return {{{"realtime", "█", TextColour::kGreen, parts.realtime},
           {"normal", "▓", TextColour::kCyan, parts.normal},
           {"spare", "▒", TextColour::kBlue, parts.spare},
           {"others", "░", TextColour::kYellow, parts.external_load}}};
}

double busy_part(const v1::DeviceSample& sample) { return client::time_parts(sample).sum(); }

TableRow legend(const v1::DeviceSample& sample) {
  TableRow line{{"  "}};
  for (const Part& each : parts_of(sample)) {
    line.push_back({each.shade, each.colour});
    line.push_back({fmt::format(" {} {:.0f}%   ", each.name, 100 * each.part)});
  }
  line.push_back({"·", TextColour::kDim});
  line.push_back({fmt::format(" idle {:.0f}%", 100 * (1 - busy_part(sample)))});
  return line;
}

std::string memory_text(const v1::DeviceStatus& device) {
  if (device.memory_bytes() <= 0) return "";
  if (!device.has_sample()) return format_bytes(device.memory_bytes());
  return fmt::format("{} of {}", format_bytes(device.sample().memory_used_bytes()),
                     format_bytes(device.memory_bytes()));
}

TableRow header(const TopState& state, const v1::DeviceStatus& device) {
  TableRow line{{printable(device.id()), TextColour::kBold},
                {"  "},
                {options::choice_name(device.state()), state_colour(device.state())},
                {"  " + printable(device.name())}};
  if (const std::string memory = memory_text(device); !memory.empty()) line.push_back({"  memory " + memory});
  if (device.worker_starts() > 1)
    line.push_back({"  worker started " + format_count(device.worker_starts(), "time"), TextColour::kYellow});
  const double age = state.now - seconds_of(device.sample().time());
  if (device.has_sample() && age > kOldSample && !state.stale_seconds)
    line.push_back({fmt::format("  (as it was {} ago)", format_age(age)), TextColour::kYellow});
  return line;
}

std::string milliseconds(double seconds) {
  if (seconds >= 10) return fmt::format("{:.0f} s", seconds);
  return seconds >= 0.1 ? fmt::format("{:.0f} ms", 1000 * seconds) : fmt::format("{:.1f} ms", 1000 * seconds);
}

TableRow property_row(const v1::DeviceStatus& device) {
  const v1::DeviceSample& sample = device.sample();
  const v1::ScheduleSample& schedule = sample.schedule();
  const double budget = seconds_of(schedule.budget());
  const double used = seconds_of(schedule.normal_busy()) + seconds_of(schedule.spare_busy());
  TableRow line;
  if (budget > 0)
    line.push_back({fmt::format("  budget {}, used {} ({:.0f}%)", milliseconds(budget), milliseconds(used),
                                std::min(100.0, 100 * used / budget))});
  line.push_back({fmt::format("   batch {}   {:.1f} units/s   {}", sample.last_batch_units(),
                              sample.units_per_second(), format_count(device.job_ids_size(), "job"))});
  if (schedule.predicted_load() > 0)
    line.push_back({fmt::format("   {:.0f}% admitted", 100 * schedule.predicted_load())});
  if (const std::string readings = client::format_readings(sample.readings()); !readings.empty())
    line.push_back({"   " + readings});
  return line;
}

bool is_chosen(const v1::StreamSample& stream, const TopChoices& choices) {
  return (choices.work_class.empty() || choices.work_class == options::choice_name(stream.stream_class())) &&
         (choices.owner.empty() || choices.owner == stream.owner());
}

std::vector<Cell> stream_row(const v1::StreamSample& stream) {
  const v1::StreamReport& report = stream.report();
  const double p99 = seconds_of(report.latency_p99());
  const double deadline = seconds_of(stream.deadline());
  const TextColour p99_colour = !stream.has_deadline()           ? TextColour::kNone
                                : p99 > deadline                 ? TextColour::kRed
                                : p99 > kNearDeadline * deadline ? TextColour::kYellow
                                                                 : TextColour::kGreen;
  const std::string missed =
      !stream.has_deadline() ? "-"
      : report.pictures_out() > 0
          ? fmt::format("{} ({:.1f}%)", report.missed(),
                        100.0 * double(report.missed()) / double(report.pictures_out()))
          : std::to_string(report.missed());
  return {{fmt::format("  stream {}", stream.stream())},
          {options::choice_name(stream.stream_class())},
          {stream.owner()},
          {stream.filter()},
          {fmt::format("{}x{}", stream.format().width(), stream.format().height())},
          {fmt::format("{:.1f}", stream.pictures_per_second())},
          {milliseconds(seconds_of(report.latency_p50()))},
          {milliseconds(p99), p99_colour},
          {stream.has_deadline() ? milliseconds(deadline) : "-"},
          {missed, report.missed() > 0 ? TextColour::kRed : TextColour::kNone}};
}

std::vector<TableRow> stream_lines(const v1::DeviceStatus& device, const TopChoices& choices,
                                   size_t columns) {
  Table table({{"  STREAM"},
               {"CLASS", Align::kLeft, 3},
               {"OWNER", Align::kLeft, 4},
               {"FILTER", Align::kLeft, 5},
               {"FRAMES", Align::kLeft, 6},
               {"FPS", Align::kRight, 2},
               {"P50", Align::kRight, 7},
               {"P99", Align::kRight},
               {"DEADLINE", Align::kRight, 1},
               {"MISSED", Align::kRight}});
  bool any = false;
  for (const v1::StreamSample& stream : device.sample().streams()) {
    if (!is_chosen(stream, choices)) continue;
    table.add(stream_row(stream));
    any = true;
  }
  if (!any) return {};
  std::vector<TableRow> lines = table.lines(columns);
  for (Cell& cell : lines.front()) cell.colour = TextColour::kDim;
  return lines;
}

size_t bar_width(size_t columns) {
  if (columns == kAnyWidth) return kBarWithoutLimit;
  constexpr size_t kAround = 8;  // columns for margins, a space and "100%"
  return columns > kAround + 1 ? std::min(columns - kAround, kWidestBar) : 1;
}

TableRow percent_bar(const v1::DeviceSample& sample, size_t width) {
  TableRow line{{"  "}};
  for (Cell& cell : time_bar(sample, width)) line.push_back(std::move(cell));
  line.push_back({fmt::format(" {:.0f}%", 100 * busy_part(sample)), TextColour::kBold});
  return line;
}

// Returns the lines of a device without its streams.
std::vector<TableRow> block_of(const TopState& state, const v1::DeviceStatus& device, size_t columns) {
  std::vector<TableRow> lines{header(state, device)};
  const bool in_use = device.state() != v1::DEVICE_STATE_UNUSED;
  if (in_use && !device.reason().empty())
    lines.push_back({{"  " + printable(device.reason()), TextColour::kYellow}});
  if (!device.has_sample()) return lines;
  lines.push_back(percent_bar(device.sample(), bar_width(columns)));
  lines.push_back(legend(device.sample()));
  lines.push_back(property_row(device));
  const v1::ScheduleSample& schedule = device.sample().schedule();
  if (seconds_of(schedule.foreign()) > 0 && !schedule.foreign_reason().empty())
    lines.push_back({{"  " + printable(schedule.foreign_reason()), TextColour::kDim}});
  return lines;
}

TableRow one_line(const v1::DeviceStatus& device, size_t columns) {
  constexpr size_t kShortBar = 20;
  TableRow line{{fmt::format("{:<9} ", printable(device.id())), TextColour::kBold},
                {fmt::format("{:<14} ", options::choice_name(device.state())), state_colour(device.state())}};
  if (!device.has_sample()) return line;
  const TableRow bar = percent_bar(device.sample(), std::min(kShortBar, columns));
  line.insert(line.end(), bar.begin(), bar.end());
  line.push_back({fmt::format("  {}, {}", format_count(device.job_ids_size(), "job"),
                              format_count(device.streams(), "stream"))});
  return line;
}

TableRow left_out(size_t number, const char* what) {
  return {{fmt::format("  ... and {} more {}", number, what), TextColour::kDim}};
}

// Returns the first `rows` lines. If there are more, the last line states the number of omitted
// lines. `what` is their name in the plural.
std::vector<TableRow> first_of(std::vector<TableRow> lines, size_t rows, const char* what) {
  if (lines.size() <= rows) return lines;
  if (rows == 0) return {};
  const size_t more = lines.size() - rows + 1;
  lines.resize(rows - 1);
  lines.push_back(left_out(more, what));
  return lines;
}

}  // namespace

TableRow time_bar(const v1::DeviceSample& sample, size_t width) {
  TableRow bar;
  double until = 0;
  size_t drawn = 0;
  for (const Part& each : parts_of(sample)) {
    until += each.part;
    const size_t end = std::min(width, size_t(std::llround(until * double(width))));
    std::string text;
    for (; drawn < end; drawn++) text += each.shade;
    bar.push_back({text, each.colour});
  }
  std::string rest;
  for (; drawn < width; drawn++) rest += "·";
  bar.push_back({rest, TextColour::kDim});
  return bar;
}

std::vector<TableRow> device_lines(const TopState& state, const TopChoices& choices, size_t columns,
                                   size_t rows) {
  std::vector<std::vector<TableRow>> blocks, streams;
  size_t base = 0, all = 0;
  for (const v1::DeviceStatus& device : state.devices) {
    blocks.push_back(block_of(state, device, columns));
    streams.push_back(stream_lines(device, choices, columns));
    base += blocks.back().size();
    all += blocks.back().size() + streams.back().size();
  }
  std::vector<TableRow> lines;
  if (base > rows) {
    for (const v1::DeviceStatus& device : state.devices) lines.push_back(one_line(device, columns));
    return first_of(std::move(lines), rows, "devices");
  }
  const bool spaced = all + blocks.size() <= rows;
  size_t left = rows - base;
  for (size_t i = 0; i < blocks.size(); i++) {
    if (spaced && i > 0) lines.emplace_back();
    lines.insert(lines.end(), blocks[i].begin(), blocks[i].end());
    // A title without streams below it is omitted.
    const std::vector<TableRow> shown =
        left < 2 ? std::vector<TableRow>() : first_of(std::move(streams[i]), left, "streams");
    left -= shown.size();
    lines.insert(lines.end(), shown.begin(), shown.end());
  }
  return lines;
}

}  // namespace weft::cli
