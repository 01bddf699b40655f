// SPDX-License-Identifier: Apache-2.0
// HTML report of a machine's devices and results.
#include <algorithm>

#include <google/protobuf/util/time_util.h>

#include "client/benchmark_plots.h"
#include "client/text.h"
#include "options/option.h"

namespace weft::client {
namespace {

constexpr std::string_view kStyle =
    "body{font-family:sans-serif;margin:2em;max-width:1200px;color:#222}table{border-collapse:collapse;"
    "margin:1em 0}"
    "td,th{padding:.2em .7em;border-bottom:1px solid #ddd;text-align:left}td.n,th.n{text-align:right;"
    "font-variant-numeric:tabular-nums}.fault{color:#a00}svg{max-width:100%;height:auto;margin:.5em 0}";

std::string row(const std::vector<std::pair<std::string, bool>>& cells,
                std::string_view tag) {  // `tag`: element of the cells, "td" or "th"
  std::string text = "<tr>";
  for (const auto& [cell, is_number] : cells)
    text += fmt::format("<{0}{1}>{2}</{0}>", tag, is_number ? " class=\"n\"" : "", markup_text(cell));
  return text + "</tr>\n";
}

std::string rate_text(double per_second, std::string_view unit) {
  return per_second > 0 ? fmt::format("{:.1f} {}", per_second, unit) : "-";
}

std::string devices_table(const v1::ListDevicesResponse& devices) {
  std::string text =
      "<table>\n" + row({{"Device", false}, {"Name", false}, {"Driver", false}, {"Memory", true}}, "th");
  for (const v1::DeviceStatus& device : devices.devices())
    text += row({{device.id(), false},
                 {device.name(), false},
                 {device.driver(), false},
                 {fmt::format("{:.1f} GiB", double(device.memory_bytes()) / (1 << 30)), true}},
                "td");
  return text + "</table>\n";
}

std::string clocks_text(const v1::BenchmarkConditions& on) {
  if (!on.has_graphics_clock_before_mhz()) return "";
  return fmt::format(", {} MHz before and {} MHz after", on.graphics_clock_before_mhz(),
                     on.graphics_clock_after_mhz());
}

std::string limits_table(const v1::BenchmarkConditions& on) {
  return "<table>\n" + row({{"Limit", false}, {"Measured", true}}, "th") +
         row({{"copy on the device, read and written", false},
              {rate_text(on.copy_bytes_per_second() / 1e9, "GB/s"), true}},
             "td") +
         row({{"fp32", false}, {rate_text(on.fp32_operations_per_second() / 1e9, "GFLOP/s"), true}}, "td") +
         row({{"fp16 on tensor cores", false},
              {rate_text(on.fp16_tensor_operations_per_second() / 1e9, "GFLOP/s"), true}},
             "td") +
         "</table>\n";
}

std::string cases_table(const v1::BenchmarkResult& result, v1::BenchmarkName benchmark) {
  std::string text = "<table>\n" + row({{"Variant", false},
                                        {"Input", false},
                                        {"Size", true},
                                        {"Median", true},
                                        {"Quartiles", true},
                                        {"Rate", true},
                                        {"Limit", false},
                                        {"Share", true}},
                                       "th");
  for (const v1::Measurement& each : result.measurements()) {
    if (each.benchmark() != benchmark) continue;
    if (!each.fault().empty()) {
      text += fmt::format(
          "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"fault\" colspan=\"5\">{}</td></tr>\n",
          markup_text(each.variant()), markup_text(each.input()), markup_text(each.size()),
          markup_text(each.fault()));
      continue;
    }
    const auto share = share_of_limit(each);
    text += row({{each.variant(), false},
                 {each.input(), false},
                 {each.size(), true},
                 {format_device_time(each.median_seconds()), true},
                 {format_device_time(each.quartile_seconds()), true},
                 {format_benchmark_rate(each), true},
                 {each.limit(), false},
                 {share ? fmt::format("{:.0f}%", *share * 100) : "", true}},
                "td");
  }
  return text + "</table>\n";
}

std::string run_section(const BenchmarkRun& run) {
  const v1::BenchmarkConditions& on = run.result.conditions();
  std::string text = fmt::format(
      "<h2>{} ({})</h2>\n<p>{}, Weft {}, {}{}{}. Job {}.</p>\n", markup_text(on.device_name()),
      markup_text(on.device()), markup_text(on.driver()), markup_text(on.version()),
      google::protobuf::util::TimeUtil::ToString(on.time()), clocks_text(on),
      on.shared() ? "; other work ran on the device during the measurement" : "", markup_text(run.job));
  text += limits_table(on);
  for (const v1::BenchmarkName benchmark : benchmarks_of(run.result)) {
    text +=
        fmt::format("<h3>{}</h3>\n", options::choice_name(benchmark)) + cases_table(run.result, benchmark);
    text += plot_svg(run.result, benchmark, PlottedValue::kTime) +
            plot_svg(run.result, benchmark, PlottedValue::kShare);
  }
  return text;
}

}  // namespace

std::string report_html(const v1::ListDevicesResponse& devices, const std::vector<BenchmarkRun>& runs) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Benchmarks of this "
      "machine</title><style>{}</style>"
      "</head><body>\n<h1>Benchmarks of this machine</h1>\n",
      kStyle);
  page += devices_table(devices);
  if (runs.empty()) page += "<p>Nothing was measured yet: `weft bench run` does it.</p>\n";
  for (const BenchmarkRun& run : runs) page += run_section(run);
  return page + "</body></html>\n";
}

}  // namespace weft::client
