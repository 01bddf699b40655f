// SPDX-License-Identifier: Apache-2.0
#include "client/benchmark_results.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "client/json.h"
#include "options/option.h"

namespace weft::client {
namespace {

constexpr int kPageSize = 200;

// Returns the value with about three significant digits and an SI prefix.
std::string with_prefix(double value, std::string_view unit) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t power = 0;
  while (value >= 1000 && power + 1 < std::size(kPrefixes)) value /= 1000, power++;
  const int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return fmt::format("{:.{}f} {}{}", value, digits, kPrefixes[power], unit);
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::string number(double value) { return value > 0 ? fmt::format("{:.9g}", value) : ""; }

}  // namespace

StatusOr<std::vector<BenchmarkRun>> fetch_results(Jobs& jobs, const std::string& device, size_t most) {
  std::vector<BenchmarkRun> runs;
  v1::ListJobsRequest request;
  request.mutable_filter()->set_kind(kBenchmarkKind);
  request.mutable_filter()->add_states(v1::JOB_STATE_SUCCEEDED);
  request.set_page_size(kPageSize);
  do {
    ASSIGN_OR_RETURN(const v1::ListJobsResponse page, jobs.list(request));
    for (const v1::Job& job : page.jobs()) {
      if (runs.size() == most) return runs;
      const v1::BenchmarkResult& result = job.result().benchmark();
      if (device.empty() || result.conditions().device() == device) runs.push_back({job.id(), result});
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return runs;
}

std::string case_name(const v1::Measurement& measurement) {
  std::string name = options::choice_name(measurement.benchmark());
  for (const std::string& part : {measurement.variant(), measurement.input(), measurement.size()})
    if (!part.empty()) name += " " + part;
  return name;
}

std::optional<double> share_of_limit(const v1::Measurement& measurement) {
  if (measurement.limit_seconds() <= 0 || measurement.median_seconds() <= 0) return std::nullopt;
  return measurement.limit_seconds() / measurement.median_seconds();
}

std::string format_device_time(double seconds) {
  if (seconds <= 0) return "-";
  if (seconds < 1e-3) return fmt::format("{:.{}f} us", seconds * 1e6, seconds < 1e-4 ? 2 : 1);
  if (seconds < 1) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} s", seconds);
}

std::string format_benchmark_rate(const v1::Measurement& measurement) {
  const double seconds = measurement.median_seconds();
  if (seconds <= 0) return "-";
  const bool is_of_memory = measurement.limit() != "fp32" && measurement.limit() != "fp16 tensor";
  if (measurement.bytes() > 0 && is_of_memory) return with_prefix(measurement.bytes() / seconds, "B/s");
  if (measurement.operations() > 0) return with_prefix(measurement.operations() / seconds, "FLOP/s");
  return with_prefix(measurement.units() / seconds, measurement.unit() + "s/s");
}

std::string to_csv(const v1::BenchmarkResult& result) {
  std::string text =
      "device,driver,version,benchmark,variant,input,size,unit,units,runs,median_seconds,fastest_seconds,"
      "slowest_seconds,"
      "quartile_seconds,bytes,operations,limit,limit_seconds,share_of_limit,fault\r\n";
  const v1::BenchmarkConditions& on = result.conditions();
  for (const v1::Measurement& each : result.measurements()) {
    const std::vector<std::string> cells = {on.device_name(),
                                            on.driver(),
                                            on.version(),
                                            options::choice_name(each.benchmark()),
                                            each.variant(),
                                            each.input(),
                                            each.size(),
                                            each.unit(),
                                            number(each.units()),
                                            std::to_string(each.runs()),
                                            number(each.median_seconds()),
                                            number(each.fastest_seconds()),
                                            number(each.slowest_seconds()),
                                            number(each.quartile_seconds()),
                                            number(each.bytes()),
                                            number(each.operations()),
                                            each.limit(),
                                            number(each.limit_seconds()),
                                            number(share_of_limit(each).value_or(0)),
                                            each.fault()};
    std::string line;
    for (const std::string& cell : cells) line += std::string(line.empty() ? "" : ",") + csv_cell(cell);
    text += line + "\r\n";
  }
  return text;
}

StatusOr<v1::BenchmarkResult> parse_result(std::string_view json) {
  v1::BenchmarkResult result;
  // Fields and benchmarks of a newer Weft are left out.
  const bool is_result = parse_json(json, result, UnknownFields::kIgnore).ok();
  auto& cases = *result.mutable_measurements();
  cases.erase(std::remove_if(cases.begin(), cases.end(),
                             [](const v1::Measurement& each) {
                               return each.benchmark() == v1::BENCHMARK_NAME_UNSPECIFIED;
                             }),
              cases.end());
  if (!is_result || cases.empty())
    return invalid_argument(
        "These are no results of benchmarks; give a file that `weft bench show --json` wrote.");
  return result;
}

std::vector<ComparedCase> compare_results(const v1::BenchmarkResult& first,
                                          const v1::BenchmarkResult& second) {
  std::map<std::string, const v1::Measurement*> others;
  for (const v1::Measurement& each : second.measurements()) others[case_name(each)] = &each;
  std::vector<ComparedCase> compared;
  for (const v1::Measurement& each : first.measurements()) {
    const auto found = others.find(case_name(each));
    if (found == others.end()) continue;
    const v1::Measurement& other = *found->second;
    const double apart = std::abs(each.median_seconds() - other.median_seconds());
    compared.push_back({found->first, each.median_seconds(), other.median_seconds(),
                        apart > (each.quartile_seconds() + other.quartile_seconds()) / 2});
  }
  return compared;
}

}  // namespace weft::client
