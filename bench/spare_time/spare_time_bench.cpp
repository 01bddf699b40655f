// SPDX-License-Identifier: Apache-2.0
// Measures the effect of background work on streams of frames and on an independent program, and
// the use of the time that they leave: under Weft's schedule, and under common practice without a
// schedule.
//
//   spare_time_bench [--device ID] [--size WxH] [--seconds N] [--json FILE] [--only TEXT]
//                    [--policy NAME]...
//   spare_time_bench --filter NAME 'OPTIONS' ...  two other loads: a stream of that filter with
//                                                 bwdif in the background, and bwdif's heavy
//                                                 stream with that filter in the background
//
// --only selects loads with the text in their names. --policy selects rows of these policies, and
// 'alone'. The process started by --foreign-program is the second process of the rows 'foreign'.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/command_line.h"
#include "bench/spare_time/clock_watch.h"
#include "bench/spare_time/external_program.h"
#include "bench/spare_time/run.h"

namespace weft::bench {
namespace {

using device::Device;

struct Arguments {
  std::string device = "cpu";
  std::string json, only;
  std::pair<std::string, std::string> filter;  // name and options of the filter
  std::vector<std::string> policies;           // empty for all
  VideoFormat format{1920, 1080, Chroma::k420, 8};
  double seconds = 60;
  bool external_program = false;
  ExternalProgramSpec external_load;
};

constexpr Duration kFramePeriod = std::chrono::nanoseconds(33'366'667);  // 1080i59.94
constexpr std::chrono::seconds kBackgroundAlone(10);
constexpr int kFilterUnits = 16;  // units per batch of a background filter
// Units per launch in a chain. A frame of half a period is some 200 launches on an H200.
constexpr int kUnitsALaunch = 8;

constexpr std::array kPolicies = {"alone",    "alone again", "idle loop",   "weft",
                                  "in order", "priorities",  "averages 80%"};
constexpr std::array kExternalLoadPolicies = {"alone", "share", "yield"};

class Bench {
 public:
  Bench(const Arguments& arguments, Device& device) : arguments_(arguments), device_(device) {
    if (auto readings = device::open_readings(device); readings.ok()) readings_ = std::move(*readings);
  }

  Status run() {
    RETURN_IF_ERROR(prepare());
    if (!arguments_.filter.first.empty()) return filters();
    RETURN_IF_ERROR(streams("1 stream", {stream(Duration(0), 1)}, bwdif_, false));
    RETURN_IF_ERROR(streams("4 streams", four(), bwdif_, false));
    RETURN_IF_ERROR(streams("heavy", {heavy(false)}, bwdif_, true));
    RETURN_IF_ERROR(streams("heavy, Poisson", {heavy(true)}, bwdif_, false));
    RETURN_IF_ERROR(streams("heavy", {heavy(false)}, copies_, false));
    RETURN_IF_ERROR(external_load(false));
    return external_load(true);
  }
  const std::vector<RowResult>& rows() const { return rows_; }

 private:
  struct Background {
    const char* name;
    std::unique_ptr<Work> work = nullptr;
    Duration unit{0};  // duration of a unit, alone and in full batches
    double rate = 0;   // units per second, alone; 0 if not measured yet
  };

  Status prepare() {
    const bool software = device_.info().is_software;
    ASSIGN_OR_RETURN(frame_, make_bwdif(device_, arguments_.format, 16, kUnitsALaunch));
    ASSIGN_OR_RETURN(frame_unit_, unit_cost(device_, *frame_, 1));
    ASSIGN_OR_RETURN(chain_unit_, unit_cost(device_, *frame_, 64));
    ASSIGN_OR_RETURN(bwdif_.work, make_bwdif(device_, arguments_.format, software ? 16 : 256, 256));
    ASSIGN_OR_RETURN(copies_.work,
                     make_copies(device_, size_t(software ? 1 : 32) << 20, software ? 32 : 256));
    fmt::print("{}: {}; a frame takes {:.3f} ms ({:.4f} in a chain)\n", device_.info().id,
               device_.info().name, ms(frame_unit_), ms(chain_unit_));
    return ok_status();
  }

  Status filters() {
    ASSIGN_OR_RETURN(filter_.work, make_filter(device_, arguments_.format, arguments_.filter.first,
                                               arguments_.filter.second, kFilterUnits));
    filter_.name = arguments_.filter.first.c_str();
    RETURN_IF_ERROR(streams("heavy", {heavy(false)}, filter_, false));
    std::swap(frame_, filter_.work);
    ASSIGN_OR_RETURN(frame_unit_, unit_cost(device_, *frame_, 1));
    const std::string name = fmt::format("1 stream of {}", arguments_.filter.first);
    fmt::print("a frame of {} takes {:.3f} ms\n", arguments_.filter.first, ms(frame_unit_));
    return streams(name, {stream(Duration(0), 1)}, bwdif_, false);
  }

  // Measures the background alone on a device that has run it for a while, as the reference for its
  // work next to frames.
  Status measure(Background& background) {
    if (background.rate > 0) return ok_status();
    const int units = background.work->max_units();
    ASSIGN_OR_RETURN(const Duration first, unit_cost(device_, *background.work, units));
    ClockWatch watch(readings_.get());
    ASSIGN_OR_RETURN(background.unit, unit_cost(device_, *background.work, units, kBackgroundAlone));
    Load load;
    load.background = true;
    load.max_units = units;
    const auto policy = run_naive(load, load.max_units, 2, false);
    ASSIGN_OR_RETURN(const RowResult row, run_row(machine_of(background), load, *policy, 0.5, {}));
    background.rate = row.batch_rate;
    const ClockAndPower device = watch.result();
    fmt::print("a unit of {} alone takes {:.5f} ms at first, {:.5f} ms after {} s ({:.0f}/s{})\n",
               background.name, ms(first), ms(background.unit), kBackgroundAlone.count(), background.rate,
               readings_ == nullptr ? ""
                                    : fmt::format("; {:.0f} MHz, lowest {:.0f}, {:.0f} W", device.median_mhz,
                                                  device.lowest_mhz, device.median_watts));
    return ok_status();
  }

  Load::StreamSpec stream(Duration offset, int units) const {
    return {kFramePeriod, offset, units, units == 1 ? frame_unit_ : chain_unit_ * units, false};
  }
  std::vector<Load::StreamSpec> four() const {
    std::vector<Load::StreamSpec> all;
    for (int i = 0; i < 4; i++) all.push_back(stream(kFramePeriod * i / 5, 1));
    return all;
  }
  // Returns a chain of launches that takes half of a period of 16.7 ms. If a launch takes longer
  // than that, the period is that of two launches.
  Load::StreamSpec heavy(bool poisson) const {
    Load::StreamSpec spec = stream(Duration(0), 1);
    spec.period = std::max(kFramePeriod / 2, chain_unit_ * 2);
    spec.units = std::clamp(int(spec.period / 2 / chain_unit_), 1, 2000);
    spec.cost = chain_unit_ * spec.units;
    spec.poisson = poisson;
    return spec;
  }

  Machine machine_of(const Background& background) const {
    return {device_, frame_.get(), background.work.get(), background.unit};
  }

  bool wanted(const std::string& name) const { return name.find(arguments_.only) != std::string::npos; }
  bool wants_policy(const std::string& name) const {
    const auto& wanted = arguments_.policies;
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  }

  Status streams(const std::string& name, const std::vector<Load::StreamSpec>& specs, Background& background,
                 bool again) {
    if (!wanted(fmt::format("{} {}", name, background.name))) return ok_status();
    RETURN_IF_ERROR(measure(background));
    Load load;
    load.streams = specs;
    load.max_units = background.work->max_units();
    double alone = 0, alone99 = 0;
    for (const std::string policy : kPolicies) {
      if ((policy == "alone again" && !again) || (policy != "alone" && !wants_policy(policy))) continue;
      load.background = policy.find("alone") == std::string::npos && policy != "idle loop";
      first_frame_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
      ClockWatch watch(readings_.get());
      ASSIGN_OR_RETURN(RowResult row, row_of(load, policy, background));
      row.device = watch.result();
      row.load = name;
      row.background = load.background ? background.name : "";
      row.policy = policy;
      if (policy == "alone") {
        alone = row.p50_ms;
        alone99 = row.p99_ms;
      }
      add(row, background, alone, alone99);
    }
    return ok_status();
  }

  StatusOr<RowResult> row_of(const Load& load, const std::string& policy, const Background& background) {
    const Machine machine = machine_of(background);
    if (policy == "idle loop" || policy == "weft")
      return run_loop_row(machine, load, {}, arguments_.seconds, first_frame_);
    const int largest = load.max_units;
    const std::unique_ptr<Policy> made = policy == "in order"       ? run_naive(load, largest, 2, true)
                                         : policy == "priorities"   ? run_naive(load, largest, 2, false)
                                         : policy == "averages 80%" ? run_averages(load, 0.8)
                                                                    : run_alone(load);
    return run_row(machine, load, *made, arguments_.seconds, first_frame_);
  }

  // Measures the second process, alone and next to endless background work.
  Status external_load(bool aperiodic) {
    const std::string name = aperiodic ? "foreign, no period" : "foreign";
    if (!wanted(name + " bwdif")) return ok_status();
    RETURN_IF_ERROR(measure(bwdif_));
    ExternalProgramSpec spec = arguments_.external_load;
    spec.device = arguments_.device;
    spec.format = arguments_.format;
    spec.aperiodic = aperiodic;
    ASSIGN_OR_RETURN(const auto program, ExternalProgram::start(spec));
    double alone = 0, alone99 = 0;
    for (const std::string policy : kExternalLoadPolicies) {
      if (policy != "alone" && !wants_policy(policy)) continue;
      RowResult row;
      Load load;
      load.background = true;
      load.max_units = bwdif_.work->max_units();
      Presences presences(arguments_.device, {true, spec.load, {}});
      const double seconds = arguments_.seconds;
      ClockWatch watch(readings_.get());
      RETURN_IF_ERROR(program->go(seconds));
      if (policy != "alone") {
        schedule::PhaseLockLimits limits;
        limits.mode =
            policy == "yield" ? schedule::ExternalLoadMode::kYield : schedule::ExternalLoadMode::kShare;
        ASSIGN_OR_RETURN(
            row, run_loop_row(machine_of(bwdif_), load, limits, seconds, std::chrono::steady_clock::now(),
                              [&] { return presences.take(); }));
      }
      ASSIGN_OR_RETURN(const ExternalFrames frames, program->result());
      row.device = watch.result();
      row.load = name;
      row.background = policy == "alone" ? "" : bwdif_.name;
      row.policy = policy;
      row.frames = frames.frames;
      row.misses = frames.misses;
      row.p50_ms = frames.p50_ms;
      row.p99_ms = frames.p99_ms;
      row.max_ms = frames.max_ms;
      row.seconds = seconds;
      row.spare_ms = seconds * 1e3 * (1 - program->frame_ms() / spec.period_ms);
      row.spare_used = row.batch_units * ms(bwdif_.unit) / row.spare_ms;
      row.remark += fmt::format(" (p99 with the first second {:.3f} ms; who is there: {})", frames.p99_all_ms,
                                presences.is_from_driver() ? "NVML" : "told");
      if (policy == "alone") {
        alone = row.p50_ms;
        alone99 = row.p99_ms;
      }
      add(row, bwdif_, alone, alone99);
    }
    return ok_status();
  }

  void add(RowResult row, const Background& background, double alone, double alone99) {
    if (background.rate > 0) row.batch_rate_share = row.batch_rate / background.rate;
    if (rows_.empty())
      fmt::print(
          "{:<19} {:<7} {:<13} {:>7} {:>9} {:>7} {:>9} {:>7} {:>9} {:>6} {:>6} {:>7} {:>6} {:>8} {:>6} {:>8} "
          "{:>8}{}\n",
          "load", "beside", "policy", "frames", "p50 ms", "x", "p99 ms", "x", "max ms", "misses", "spare",
          "used", "batch", "yield ms", "error", "dev p50", "dev p99",
          readings_ == nullptr ? "" : fmt::format(" {:>5} {:>6} {:>5}", "MHz", "lowest", "W"));
    fmt::print(
        "{:<19} {:<7} {:<13} {:>7} {:>9.3f} {:>7.3f} {:>9.3f} {:>7.3f} {:>9.3f} {:>6} {:>5.0f}% {:>6.1f}% "
        "{:>5.1f}% {:>8.3f} {:>5.1f}% {:>8.3f} {:>8.3f}{}{}{}\n",
        row.load, row.background, row.policy, row.frames, row.p50_ms, row.p50_ms / alone, row.p99_ms,
        row.p99_ms / alone99, row.max_ms, row.misses, row.spare_ms / row.seconds / 10, 100 * row.spare_used,
        100 * row.batch_rate_share, row.yield_p99_ms, 100 * row.prediction_error, row.device_p50_ms,
        row.device_p99_ms,
        readings_ == nullptr ? ""
                             : fmt::format(" {:>5.0f} {:>6.0f} {:>5.0f}", row.device.median_mhz,
                                           row.device.lowest_mhz, row.device.median_watts),
        row.overrun ? "  ended: frames a second late" : "", row.remark.empty() ? "" : "  " + row.remark);
    std::fflush(stdout);
    rows_.push_back(row);
  }

  const Arguments& arguments_;
  Device& device_;
  std::unique_ptr<Work> frame_;
  Duration frame_unit_{0}, chain_unit_{0};
  Background bwdif_{"bwdif"}, copies_{"copies"}, filter_{""};
  std::unique_ptr<device::ReadingsSource> readings_;  // null if the driver reports no readings
  TimePoint first_frame_{};
  std::vector<RowResult> rows_;
};

void write_json(const std::vector<RowResult>& rows, const Arguments& arguments) {
  std::ofstream file(arguments.json);
  file << "[\n";
  for (size_t i = 0; i < rows.size(); i++) {
    const RowResult& row = rows[i];
    file << fmt::format(
        R"(  {{"device": "{}", "load": "{}", "background": "{}", "policy": "{}", "seconds": {:.3f}, "frames": {}, )"
        R"("misses": {}, "p50_ms": {:.4f}, "p99_ms": {:.4f}, "max_ms": {:.4f}, "spare_ms": {:.1f}, "spare_used": {:.4f}, )"
        R"("batch_units_per_second": {:.1f}, "batch_rate_share": {:.4f}, "yield_p99_ms": {:.4f}, )"
        R"("prediction_error_median": {:.4f}, "clock_mhz": {:.0f}, "lowest_clock_mhz": {:.0f}, "watts": {:.0f}, "overrun": {}}}{})",
        arguments.device, row.load, row.background, row.policy, row.seconds, row.frames, row.misses,
        row.p50_ms, row.p99_ms, row.max_ms, row.spare_ms, row.spare_used, row.batch_rate,
        row.batch_rate_share, row.yield_p99_ms, row.prediction_error, row.device.median_mhz,
        row.device.lowest_mhz, row.device.median_watts, row.overrun, i + 1 < rows.size() ? ",\n" : "\n");
  }
  file << "]\n";
}

void read_arguments(int argc, char** argv, Arguments& arguments) {
  std::vector<std::string> policies(kPolicies.begin(), kPolicies.end());
  policies.insert(policies.end(), kExternalLoadPolicies.begin(), kExternalLoadPolicies.end());
  CommandLine line(
      "Measures what background work costs streams and other programs, and the spare time that it uses.");
  line.add_option("--device", arguments.device, "Device");
  line.add_option("--size", arguments.format, "Size of pictures; default: 1920x1080")
      ->type_name("WIDTHxHEIGHT");
  line.add_option("--seconds", arguments.seconds, "Length of each row, in seconds")->check(kPositive);
  line.add_option("--json", arguments.json, "File for the rows as JSON");
  line.add_option("--only", arguments.only, "Text in the names of loads; default: all loads");
  line.add_option("--policy", arguments.policies, "Policy; can be repeated; default: all")
      ->check(CLI::IsMember(policies));
  line.add_option("--filter", arguments.filter, "Two loads of this filter instead: its name and its options");
  line.add_option("--period-ms", arguments.external_load.period_ms, "Period of the other program, in ms")
      ->check(kPositive);
  line.add_option("--foreign-load", arguments.external_load.load,
                  "Share of time that the other program takes")
      ->check(kPositive);
  line.add_flag("--aperiodic", arguments.external_load.aperiodic,
                "The other program's frames come at random");
  line.add_flag("--foreign-program", arguments.external_program, "Be the other program");
  line.read(argc, argv);
}

Status run(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto device, device::open_device(arguments.device));
  Bench bench(arguments, *device);
  Status ran = bench.run();
  if (!arguments.json.empty()) write_json(bench.rows(), arguments);
  return ran;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  weft::bench::Arguments arguments;
  weft::bench::read_arguments(argc, argv, arguments);
  if (arguments.external_program) {
    arguments.external_load.device = arguments.device;
    arguments.external_load.format = arguments.format;
    return weft::bench::run_external_program(arguments.external_load);
  }
  const weft::Status status = weft::bench::run(arguments);
  if (!status.ok()) fmt::print(stderr, "{}\n", weft::message_of(status));
  return status.ok() ? 0 : 1;
}
