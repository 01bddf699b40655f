// SPDX-License-Identifier: Apache-2.0
#include "client_cli/jobs/bench_texts.h"

#include <algorithm>
#include <set>

#include "base/printable.h"
#include "client/benchmark_plots.h"
#include "client_cli/output/json.h"
#include "client_cli/output/table.h"
#include "client_cli/output/text.h"
#include "options/option.h"
#include "options/words.h"

namespace weft::cli {
namespace {

std::string share_text(const v1::Measurement& measurement) {
  const auto share = client::share_of_limit(measurement);
  return share ? fmt::format("{:.0f}%", *share * 100) : "";
}

std::string conditions_text(const v1::BenchmarkConditions& on) {
  const std::string weft = "Weft " + on.version();  // for the CPU a part of its driver
  std::string text = fmt::format(
      "{} ({}), {}, {}{}", printable(on.device_name()), printable(on.device()), printable(on.driver()),
      on.driver().find(weft) == std::string::npos ? weft + ", " : "", format_time(on.time()));
  if (on.has_graphics_clock_before_mhz())
    text += fmt::format(", {} MHz before, {} MHz after", on.graphics_clock_before_mhz(),
                        on.graphics_clock_after_mhz());
  text += "\n";
  if (on.shared()) text += "Others had work on the device meanwhile: times are longer than on an idle one.\n";
  const auto limit = [&](std::string_view name, double per_second, std::string_view unit) {
    if (per_second > 0) text += fmt::format("  {:<22}{:.1f} {}\n", name, per_second / 1e9, unit);
  };
  limit("copies, both ways", on.copy_bytes_per_second(), "GB/s");
  limit("fp32", on.fp32_operations_per_second(), "GFLOP/s");
  limit("fp16, tensor cores", on.fp16_tensor_operations_per_second(), "GFLOP/s");
  return text;
}

std::string phases_text(const v1::Measurement& measurement) {
  std::string text;
  for (const v1::BenchmarkPhase& phase : measurement.phases())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", phase.name(),
                        client::format_device_time(phase.median_seconds()));
  return text;
}

}  // namespace

std::string format_benchmarks(const Terminal& terminal, bool json) {
  Table table({{"NAME"}, {"DESCRIPTION", Align::kLeft, 0, 20, true}});
  std::string lines;
  for (const options::Choice& choice : options::choices_of(v1::BenchmarkName_descriptor())) {
    table.add({{choice.name}, {choice.help}});
    lines += json_line({{"name", json_string(choice.name)}, {"help", json_string(choice.help)}});
  }
  return json ? lines : table.format(terminal);
}

StatusOr<std::vector<v1::BenchmarkName>> parse_benchmarks(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  std::vector<v1::BenchmarkName> parsed;
  const auto choices = options::choices_of(v1::BenchmarkName_descriptor());
  for (const options::Choice& choice : choices) known.push_back(choice.name);
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    const std::string hint = options::did_you_mean(name, known);
    if (found == known.end())
      return invalid_argument("There is no benchmark '{}'{} There are {}.", name, hint.empty() ? "." : hint,
                              options::join_and(known));
    parsed.push_back(v1::BenchmarkName(choices[size_t(found - known.begin())].number));
  }
  return parsed;
}

std::string format_result(const Terminal& terminal, const client::BenchmarkRun& run) {
  std::string text = conditions_text(run.result.conditions());
  Table table({{"BENCHMARK"},
               {"VARIANT"},
               {"INPUT"},
               {"SIZE", Align::kRight},
               {"TIME", Align::kRight},
               {"SPREAD", Align::kRight, 2},
               {"RATE", Align::kRight},
               {"LIMIT", Align::kLeft, 1},
               {"SHARE", Align::kRight},
               {"PHASES", Align::kLeft, 3, 12, true}});
  std::string faults;
  for (const v1::Measurement& each : run.result.measurements()) {
    if (!each.fault().empty()) {
      faults += fmt::format("{}: {}\n", client::case_name(each), printable(each.fault()));
      continue;
    }
    table.add({{options::choice_name(each.benchmark())},
               {each.variant()},
               {each.input()},
               {each.size()},
               {client::format_device_time(each.median_seconds())},
               {fmt::format("{:.1f}%", 100 * each.quartile_seconds() / each.median_seconds())},
               {client::format_benchmark_rate(each)},
               {each.limit()},
               {share_text(each)},
               {phases_text(each)}});
  }
  text += "\n" + table.format(terminal);
  if (!faults.empty()) text += "\nNot timed:\n" + faults;
  return text;
}

std::string format_comparison(const Terminal& terminal, const client::BenchmarkRun& first,
                              const client::BenchmarkRun& second,
                              const std::vector<client::ComparedCase>& cases, bool json) {
  Table table(
      {{"CASE"}, {"FIRST", Align::kRight}, {"SECOND", Align::kRight}, {"FASTER", Align::kRight}, {""}});
  std::string lines;
  for (const client::ComparedCase& each : cases) {
    const bool timed = each.first_seconds > 0 && each.second_seconds > 0;
    const double factor = timed ? each.first_seconds / each.second_seconds : 0;
    if (json)
      lines += json_line({{"case", json_string(each.name)},
                          {"first_seconds", fmt::format("{}", each.first_seconds)},
                          {"second_seconds", fmt::format("{}", each.second_seconds)},
                          {"factor", timed ? fmt::format("{:.6g}", factor) : "null"},
                          {"differs", each.differs ? "true" : "false"}});
    const TextColour colour = !timed || !each.differs ? TextColour::kNone
                              : factor >= 1           ? TextColour::kGreen
                                                      : TextColour::kRed;
    table.add({{each.name},
               {client::format_device_time(each.first_seconds)},
               {client::format_device_time(each.second_seconds)},
               {timed ? fmt::format("{:.2f}x", factor) : "-", colour},
               {timed && !each.differs ? "within the spread" : ""}});
  }
  if (json) return lines;
  const auto title = [](const client::BenchmarkRun& run) {
    return fmt::format("{}, {}", printable(run.result.conditions().device_name()),
                       format_time(run.result.conditions().time()));
  };
  return fmt::format("first   {}\nsecond  {}\n\n", title(first), title(second)) + table.format(terminal);
}

std::string format_history(const Terminal& terminal, const std::vector<client::BenchmarkRun>& runs,
                           const std::vector<v1::BenchmarkName>& names) {
  if (runs.empty()) return "There are no results yet; run `weft bench run`.\n";
  if (names.empty()) {
    Table table({{"JOB"},
                 {"TIME"},
                 {"DEVICE"},
                 {"NAME"},
                 {"DRIVER", Align::kLeft, 1},
                 {"CASES", Align::kRight},
                 {"MEASURED"}});
    for (const client::BenchmarkRun& run : runs) {
      const v1::BenchmarkConditions& on = run.result.conditions();
      std::vector<std::string> measured;
      for (const v1::BenchmarkName name : client::benchmarks_of(run.result))
        measured.push_back(options::choice_name(name));
      table.add({{run.job},
                 {format_time(on.time())},
                 {on.device()},
                 {on.device_name()},
                 {on.driver()},
                 {std::to_string(run.result.measurements_size())},
                 {fmt::format("{}", fmt::join(measured, ", "))}});
    }
    return table.format(terminal);
  }
  Table table({{"CASE"},
               {"TIME"},
               {"DEVICE"},
               {"MEDIAN", Align::kRight},
               {"SPREAD", Align::kRight},
               {"SHARE", Align::kRight},
               {"VERSION"}});
  for (const client::BenchmarkRun& run : runs) {
    const v1::BenchmarkConditions& on = run.result.conditions();
    for (const v1::Measurement& each : run.result.measurements()) {
      if (std::find(names.begin(), names.end(), each.benchmark()) == names.end() ||
          each.median_seconds() <= 0)
        continue;
      table.add({{client::case_name(each)},
                 {format_time(on.time())},
                 {on.device()},
                 {client::format_device_time(each.median_seconds())},
                 {fmt::format("{:.1f}%", 100 * each.quartile_seconds() / each.median_seconds())},
                 {share_text(each)},
                 {on.version()}});
    }
  }
  return table.format(terminal);
}

std::vector<client::BenchmarkRun> newest_of_each(std::vector<client::BenchmarkRun> runs) {
  std::set<std::string> seen;
  std::vector<client::BenchmarkRun> newest;
  for (client::BenchmarkRun& run : runs) {
    const v1::BenchmarkConditions& on = run.result.conditions();
    if (seen.insert(on.device_name() + "|" + on.device()).second) newest.push_back(std::move(run));
  }
  return newest;
}

}  // namespace weft::cli
