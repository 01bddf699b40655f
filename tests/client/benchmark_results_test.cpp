// SPDX-License-Identifier: Apache-2.0
// Tests the export and the display of benchmark results.
#include "client/benchmark_results.h"

#include <gmock/gmock.h>

#include "client/benchmark_plots.h"
#include "client/json.h"

namespace weft::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

v1::Measurement& add_case(v1::BenchmarkResult& result, const std::string& variant, int64_t size,
                          double seconds) {
  v1::Measurement& each = *result.add_measurements();
  each.set_benchmark(v1::BENCHMARK_NAME_COMPACTION);
  each.set_variant(variant);
  each.set_input("random 50%");
  each.set_size(std::to_string(size));
  each.set_units(double(size));
  each.set_unit("element");
  each.set_runs(11);
  each.set_median_seconds(seconds);
  each.set_quartile_seconds(seconds / 100);
  each.set_bytes(6.0 * double(size));
  each.set_limit("memory");
  each.set_limit_seconds(seconds / 2);
  return each;
}

v1::BenchmarkResult two_sizes() {
  v1::BenchmarkResult result;
  result.mutable_conditions()->set_device_name("A \"GPU\", <fast> & new");
  add_case(result, "look-back", 1 << 10, 5e-6);
  add_case(result, "look-back", 1 << 20, 1e-3);
  return result;
}

TEST(BenchmarkResults, AreReadBackAsTheyWereWritten) {
  const v1::BenchmarkResult result = two_sizes();
  const std::string json = to_json_answer(result);
  EXPECT_THAT(json, HasSubstr("\"benchmark\": \"compaction\""));
  const auto read = parse_result(json);
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->SerializeAsString(), result.SerializeAsString());
}

TEST(BenchmarkResults, WhatIsNoResultIsRefused) {
  for (const char* text :
       {"", "{}", "[1]", "{\"measurements\": 3}", "{\"measurements\": [{\"benchmark\": \"none\"}]}"})
    EXPECT_THAT(parse_result(text), StatusIs(StatusCode::kInvalidArgument, "no results of benchmarks"))
        << text;
}

TEST(BenchmarkResults, AreLinesOfCsv) {
  const std::string csv = to_csv(two_sizes());
  EXPECT_THAT(csv, HasSubstr("\r\n\"A \"\"GPU\"\", <fast> & new\",,,compaction,look-back,random "
                             "50%,1024,element,1024,11,5e-06,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
}

TEST(BenchmarkResults, AreComparedCaseByCase) {
  v1::BenchmarkResult other = two_sizes();
  other.mutable_measurements(0)->set_median_seconds(5.01e-6);
  other.mutable_measurements(1)->set_median_seconds(2e-3);
  add_case(other, "billeter", 77, 1);
  const auto compared = compare_results(two_sizes(), other);
  ASSERT_EQ(compared.size(), 2u);
  EXPECT_EQ(compared[1].name, "compaction look-back random 50% 1048576");
  EXPECT_FALSE(compared[0].differs);
  EXPECT_TRUE(compared[1].differs);
  EXPECT_EQ(compared[1].second_seconds, 2e-3);
}

TEST(BenchmarkResults, HaveAShareWhereALimitIsKnown) {
  v1::BenchmarkResult result = two_sizes();
  EXPECT_EQ(share_of_limit(result.measurements(0)), 0.5);
  result.mutable_measurements(0)->set_limit_seconds(0);
  EXPECT_EQ(share_of_limit(result.measurements(0)), std::nullopt);
  result.mutable_measurements(1)->set_median_seconds(0);
  EXPECT_EQ(share_of_limit(result.measurements(1)), std::nullopt);
}

TEST(BenchmarkResults, RatesAreOfTheLimitsKind) {
  v1::BenchmarkResult result = two_sizes();
  v1::Measurement& each = *result.mutable_measurements(1);
  EXPECT_EQ(format_benchmark_rate(each), "6.29 GB/s");
  each.set_limit("fp32");
  each.set_operations(2e9);
  EXPECT_EQ(format_benchmark_rate(each), "2.00 TFLOP/s");
  each.set_operations(0);
  EXPECT_EQ(format_benchmark_rate(each), "1.05 Gelements/s");
  each.set_median_seconds(0);
  EXPECT_EQ(format_benchmark_rate(each), "-");
}

TEST(BenchmarkResults, TimesHaveAUnit) {
  EXPECT_EQ(format_device_time(0), "-");
  EXPECT_EQ(format_device_time(12.346e-6), "12.35 us");
  EXPECT_EQ(format_device_time(123.46e-6), "123.5 us");
  EXPECT_EQ(format_device_time(1.2345e-3), "1.234 ms");
  EXPECT_EQ(format_device_time(2), "2.000 s");
}

TEST(BenchmarkPlots, HaveALineForEachVariantAndInput) {
  v1::BenchmarkResult result = two_sizes();
  add_case(result, "billeter", 1 << 20, 2e-3);
  const std::string svg = plot_svg(result, v1::BENCHMARK_NAME_COMPACTION, PlottedValue::kTime);
  EXPECT_THAT(svg, HasSubstr("look-back, random 50%"));
  EXPECT_THAT(svg, HasSubstr("billeter, random 50%"));
  EXPECT_THAT(svg, HasSubstr("A &quot;GPU&quot;, &lt;fast&gt; &amp; new"));
  EXPECT_THAT(svg, HasSubstr(">2^20<"));
  size_t lines = 0;
  for (size_t at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1))
    lines++;
  EXPECT_EQ(lines, 2u);
}

// A longer time has a higher position, and a larger size is further to the right.
TEST(BenchmarkPlots, PlacesFollowValues) {
  const std::string svg = plot_svg(two_sizes(), v1::BENCHMARK_NAME_COMPACTION, PlottedValue::kTime);
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  const size_t at = svg.find("<polyline points=\"");
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(std::sscanf(svg.c_str() + at, "<polyline points=\"%lf,%lf %lf,%lf\"", &x1, &y1, &x2, &y2), 4);
  EXPECT_LT(x1, x2);
  EXPECT_GT(y1, y2);
}

// The axes cover both runs.
TEST(BenchmarkPlots, TwoRunsShareTheAxes) {
  v1::BenchmarkResult other = two_sizes();
  other.mutable_measurements(1)->set_median_seconds(1);
  const BenchmarkPlot plot = plot_of(two_sizes(), v1::BENCHMARK_NAME_COMPACTION, PlottedValue::kTime, &other);
  ASSERT_EQ(plot.lines.size(), 1u);
  ASSERT_EQ(plot.others.size(), 1u);
  EXPECT_EQ(plot.unit, "element");
  EXPECT_EQ(plot.lines[0].points[0].y, plot.others[0].points[0].y);
  EXPECT_DOUBLE_EQ(plot.others[0].points[1].y, 1);
  EXPECT_DOUBLE_EQ(plot.lines[0].points[1].y, 0.5) << "1 us to 1 s, and 1 ms";
  EXPECT_EQ(plot.value_marks.front().text, "1 us");
  EXPECT_EQ(plot.value_marks.back().text, "1 s");
  EXPECT_EQ(plot.size_marks.back().text, "2^20");
  EXPECT_TRUE(plot_of(other, v1::BENCHMARK_NAME_FFT, PlottedValue::kTime).value_marks.empty());
}

TEST(BenchmarkPlots, SayWhereNothingWasTimed) {
  EXPECT_THAT(plot_svg(two_sizes(), v1::BENCHMARK_NAME_FFT, PlottedValue::kShare),
              HasSubstr("No timed cases."));
}

TEST(BenchmarkReport, HasDevicesTablesAndPlotsAndNoNetwork) {
  v1::ListDevicesResponse devices;
  devices.add_devices()->set_id("cuda:0");
  v1::BenchmarkResult result = two_sizes();
  result.mutable_measurements(0)->set_fault("Element 3 is 4, and 5 is right.");
  const std::string page = report_html(devices, {{"01JOB", result}});
  EXPECT_THAT(page, HasSubstr("cuda:0"));
  EXPECT_THAT(page, HasSubstr("A &quot;GPU&quot;, &lt;fast&gt; &amp; new"));
  EXPECT_THAT(page, HasSubstr("Element 3 is 4, and 5 is right."));
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("href=")));
  EXPECT_THAT(benchmarks_of(result), ElementsAre(v1::BENCHMARK_NAME_COMPACTION));
}

}  // namespace
}  // namespace weft::client
