// SPDX-License-Identifier: Apache-2.0
// Measures the convolution's speed on each device against the built-in peers and the limit: the
// bytes that three passes must move, at the rate of the device's own copies. Every method is
// checked against a direct sum in float64 first, and is not timed if the check fails. All methods
// are timed alternately, several times over (cuFFT in a separate process); the medians are
// reported.
//
//   bloom_bench [--device ID]... [--case WxH[+REACH]]... [--batch N]... [--kernel gray|colour]
//               [--fp16] [--passes] [--no-peers] [--threads N] [--json FILE]
//   bloom_bench --table strategies|lengths [--device ID]... [--longest N]
//
// Red, green and blue are convolved, as in bloom. --fp16 also times Weft with fp16 intermediates,
// on devices that store them; --passes times each pass. Peers choose among several lengths for a
// padded transform. Weft uses the lengths of its table for the device, or of its cost model.
// --table lengths prints such a table (server/filters/bloom/lengths.cpp). --threads sets the
// threads of FFTW. The exit code is 1 after a failure or a wrong result.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "bench/bloom/ours.h"
#include "bench/bloom/peer_process.h"
#include "bench/bloom/report.h"
#include "bench/bloom/tables.h"
#include "bench/command_line.h"
#include "bench/copy_speed.h"

namespace weft::bench {
namespace {

using device::BackendKind;
using device::Device;
using filters::bloom::Convolution;
using filters::bloom::Intermediates;
using graph::bytes_of_pixel;
using graph::PixelType;

// Width x height + reach. Without a reach the image is repeated.
const std::vector<std::string> kCases = {"512x512",   "729x729",   "1024x1024",     "1296x1296",
                                         "2048x1024", "2048x2048", "1920x1080+256", "3840x2160+256"};

struct Arguments {
  std::vector<std::string> devices, cases = kCases;
  std::vector<int> batches = {1, 8};
  std::vector<std::string> kernels = {"gray", "colour"};
  int threads = 2;
  int longest = 4096;
  bool fp16 = false;  // also measures fp16 intermediates
  bool passes = false;
  bool peers = true;
  std::string json, table;
};

// A checked method, and its times.
struct Entrant {
  Row row;
  std::unique_ptr<Way> way;
  int iterations = 1;
  std::vector<double> us = {};
};

// A case's problem, and its methods with their errors.
struct Contest {
  Problem problem;
  Row row;  // fields common to all methods
  double bytes_per_us;
  std::vector<Entrant> entrants;
  bool all_well = true;

  void say(const std::string& way, const std::string& trouble) {
    fmt::print("{} {} {} batch {}: {}\n", way, problem.name, problem.has_channel_kernels ? "colour" : "gray",
               problem.frames, trouble);
    all_well = false;
  }
};

std::string check(Way& way, const Problem& problem, double most_error = kMostError) {
  std::vector<uint16_t> pixels;
  if (std::string trouble = way.convolve(pixels); !trouble.empty()) return trouble;
  const double error = error_of(problem, pixels);
  return error <= most_error ? "" : fmt::format("the result is wrong (error {:.1e}); it is not timed", error);
}

// Sets the number of iterations so that one measurement takes about 100 ms.
std::string choose_iterations(Entrant& entrant) {
  double us = 0;
  if (std::string trouble = entrant.way->measure(1, us); !trouble.empty()) return trouble;
  entrant.iterations = int(std::clamp(1e5 / us, 1.0, 200.0));
  return "";
}

struct Maker {
  std::string how;  // variant of a peer; that of the fastest one is printed
  std::function<Made(const Problem&)> make;
};

// Adds the fastest correct variant of a peer for these problems.
[[maybe_unused]] void enter_best(Contest& contest, const std::string& name,
                                 const std::vector<Problem>& problems, const std::vector<Maker>& makers) {
  Entrant best;
  double best_us = 0;
  std::string trouble;
  for (const Problem& problem : problems) {
    for (const Maker& maker : makers) {
      Made made = maker.make(problem);
      if (made.way) made.trouble = check(*made.way, problem);
      Entrant entrant{contest.row, std::move(made.way)};
      if (made.trouble.empty()) made.trouble = choose_iterations(entrant);
      double us = 0;
      if (made.trouble.empty()) made.trouble = entrant.way->measure(entrant.iterations, us);
      if (!made.trouble.empty()) {
        trouble =
            fmt::format("{}x{} points{}: {}", problem.points_x, problem.points_y, maker.how, made.trouble);
        if (!maker.how.empty()) fmt::print("{} {}, left out: {}\n", name, contest.problem.name, trouble);
        continue;
      }
      if (best.way && us >= best_us) continue;
      best = std::move(entrant);
      best.row.way = name + maker.how;
      best.row.points_x = problem.points_x;
      best.row.points_y = problem.points_y;
      best_us = us;
    }
  }
  if (!best.way) return contest.say(name, trouble);
  contest.entrants.push_back(std::move(best));
}

// Returns the lengths offered to a peer: Weft's, the shortest product of 2, 3, 5 and 7, and the
// shortest multiple of 32.
std::set<int> peer_lengths(int side, int reach, int ours) {
  if (reach == 0) return {ours};
  int shortest = side + reach;
  while (!is_smooth(shortest)) shortest++;
  int even = (side + reach + 31) / 32 * 32;
  while (!is_smooth(even)) even += 32;
  return {ours, shortest, even};
}

[[maybe_unused]] std::vector<Problem> peer_problems(const Problem& problem) {
  std::vector<Problem> problems;
  for (const int x : peer_lengths(problem.width, problem.reach, problem.points_x))
    for (const int y : peer_lengths(problem.height, problem.reach, problem.points_y)) {
      problems.push_back(problem);
      problems.back().points_x = x;
      problems.back().points_y = y;
    }
  return problems;
}

#if defined(WEFT_BENCH_CUFFT) || defined(WEFT_BENCH_FFTW) || defined(WEFT_BENCH_VKFFT)
#define WEFT_BENCH_PEERS
#endif

void enter_peers([[maybe_unused]] Contest& contest, [[maybe_unused]] const Device& device,
                 [[maybe_unused]] const Arguments& arguments, [[maybe_unused]] PeerProcess* cufft) {
#if defined(WEFT_BENCH_PEERS)
  const std::vector<Problem> problems = peer_problems(contest.problem);
  const BackendKind kind = device.info().kind;
#endif
#if defined(WEFT_BENCH_CUFFT)
  for (const bool is_real : {false, true})
    if (kind == BackendKind::kCuda)
      enter_best(contest, is_real ? "cuFFT R2C" : "cuFFT C2C", problems,
                 {{"", [&](const Problem& problem) { return cufft->make(problem, is_real); }}});
#endif
#if defined(WEFT_BENCH_FFTW)
  for (const bool is_real : {false, true})
    if (kind == BackendKind::kCpu)
      enter_best(
          contest, is_real ? "FFTW R2C" : "FFTW C2C", problems,
          {{"", [&](const Problem& problem) { return make_fftw(problem, is_real, arguments.threads); }}});
#endif
#if defined(WEFT_BENCH_VKFFT)
  for (const bool is_real : {false, true}) {
    if (kind != BackendKind::kVulkan || (!is_real && contest.problem.has_channel_kernels)) continue;
    std::vector<Maker> makers;
    for (const bool skips_zeros : {false, true})
      for (const bool is_one_launch : {false, true})
        if ((!skips_zeros || contest.problem.reach > 0) && (is_one_launch || contest.problem.frames > 1))
          makers.push_back({std::string(skips_zeros ? " zeros skipped" : "") +
                                (is_one_launch || contest.problem.frames == 1 ? "" : " frame by frame"),
                            [=, uuid = device.info().uuid](const Problem& problem) {
                              return make_vkfft(problem, {is_real, skips_zeros, is_one_launch}, uuid);
                            }});
    enter_best(contest, is_real ? "VkFFT R2C" : "VkFFT C2C", problems, makers);
  }
#endif
}

// Returns the bytes that three passes must move for a frame: pixels in and out, intermediates,
// written and read twice, and the frame's share of the spectrum.
double bytes_of(const Convolution& convolution, int frames) {
  constexpr int kMany = 64;  // number of frames with enough scratch memory for a spectrum
  const double pixels = double(convolution.shape().width) * convolution.shape().height;
  const auto between =
      double(convolution.scratch_bytes(2 * kMany) - convolution.scratch_bytes(kMany)) / kMany;
  return pixels * 2 * double(bytes_of_pixel(PixelType::kHalf)) + 4 * between +
         double(convolution.spectrum_bytes()) / frames;
}

// Adds Weft on a device, with the lengths that it chooses.
Status enter_ours(Contest& contest, Device& device, Intermediates intermediates) {
  const bool is_half = intermediates == Intermediates::kFp16;
  Entrant entrant{contest.row, nullptr};
  ASSIGN_OR_RETURN(auto ours, Ours::make(device, contest.problem, intermediates));
  const Convolution& convolution = ours->convolution();
  if (convolution.shape().intermediates != intermediates) return ok_status();
  entrant.row.way = device.info().id + (is_half ? " fp16" : "");
  if (is_half) entrant.row.limit_us = bytes_of(convolution, contest.problem.frames) / contest.bytes_per_us;
  entrant.row.points_x = convolution.sides().x;
  entrant.row.points_y = convolution.sides().y;
  std::string trouble = check(*ours, contest.problem, is_half ? kMostHalfError : kMostError);
  entrant.way = std::move(ours);
  if (trouble.empty()) trouble = choose_iterations(entrant);
  if (!trouble.empty()) return internal_error("{}", trouble);
  contest.entrants.push_back(std::move(entrant));
  return ok_status();
}

// Times the methods alternately, so that disturbances of the machine affect all of them.
void time_all(Contest& contest, bool passes) {
  for (int repeat = 0; repeat < kRepeats; repeat++)
    for (Entrant& entrant : contest.entrants) {
      double us = 0;
      if (const std::string trouble = entrant.way->measure(entrant.iterations, us); !trouble.empty()) {
        contest.say(entrant.row.way, trouble);
        entrant.us.clear();
        break;
      }
      entrant.us.push_back(us);
    }
  std::erase_if(contest.entrants, [](const Entrant& entrant) { return entrant.us.empty(); });
  for (Entrant& entrant : contest.entrants) {
    entrant.row.us_per_frame = median(entrant.us) / contest.problem.frames;
    auto* const ours = dynamic_cast<Ours*>(entrant.way.get());
    for (int pass = 0; pass < Convolution::kPasses && passes && ours != nullptr; pass++) {
      std::vector<double> us;
      for (int repeat = 0; repeat < kRepeats; repeat++)
        us.push_back(ours->measure_pass(entrant.iterations, pass).value_or(NAN));
      entrant.row.pass_us[pass] = median(us) / contest.problem.frames;
    }
  }
}

// Sets the lengths of the problem's transform to those that Weft would use. Returns the bytes moved
// for a frame.
StatusOr<double> complete(Device& device, Problem& problem) {
  ASSIGN_OR_RETURN(const auto convolution, make_convolution(device, problem));
  problem.points_x = convolution->sides().x;
  problem.points_y = convolution->sides().y;
  problem.taps = random_taps(problem);
  return bytes_of(*convolution, problem.frames);
}

Status measure_case(const std::vector<std::unique_ptr<Device>>& devices, Problem problem, double bytes_per_us,
                    const Arguments& arguments, PeerProcess* cufft, std::vector<Row>& rows) {
  ASSIGN_OR_RETURN(const double bytes, complete(*devices.front(), problem));
  const Row row{"", problem.name, problem.has_channel_kernels, problem.frames, 0, 0, 0, bytes / bytes_per_us};
  Contest contest{std::move(problem), row, bytes_per_us, {}};
  for (const auto& device : devices) {
    // A GPU in software would take minutes.
    const bool is_slow = device->info().is_software && device->info().kind != BackendKind::kCpu;
    if (is_slow && contest.problem.points_x * contest.problem.points_y > 1 << 20) continue;
    if (arguments.peers) enter_peers(contest, *device, arguments, cufft);
    for (const Intermediates intermediates : {Intermediates::kFp32, Intermediates::kFp16}) {
      if (intermediates == Intermediates::kFp16 && !arguments.fp16) continue;
      const Status status = enter_ours(contest, *device, intermediates);
      if (!status.ok()) contest.say(device->info().id, std::string(status.message()));
    }
  }
  time_all(contest, arguments.passes);
  for (const Entrant& entrant : contest.entrants) rows.push_back(entrant.row);
  return contest.all_well ? ok_status() : internal_error("Something failed or is wrong; see above.");
}

Status run(const Arguments& arguments) {
  std::unique_ptr<PeerProcess> cufft;
#if defined(WEFT_BENCH_CUFFT)
  if (arguments.peers)
    cufft = std::make_unique<PeerProcess>(
        [](const Problem& problem, int is_real) { return make_cufft(problem, is_real != 0); });
#endif
  std::vector<std::string> ids = arguments.devices;
  if (ids.empty())
    for (const device::DeviceInfo& info : device::list_devices_and_twins(nullptr)) ids.push_back(info.id);
  std::vector<std::unique_ptr<Device>> devices;
  double bytes_per_us = 0;
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(devices.emplace_back(), device::open_device(id));
    ASSIGN_OR_RETURN(const auto stream, devices.back()->make_stream());
    ASSIGN_OR_RETURN(const double rate, bench::measure_copy(*devices.back(), *stream));
    fmt::print("{}{}: {}, {}, copies {:.0f} GB/s\n", arguments.table.empty() ? "" : "# ", id,
               devices.back()->info().name, devices.back()->info().driver, rate);
    bytes_per_us = std::max(bytes_per_us, rate * 1e3);
  }
  if (!arguments.table.empty()) return print_table(arguments.table, devices, bytes_per_us, arguments.longest);
  std::vector<Row> rows;
  Status first;
  for (const std::string& name : arguments.cases) {
    Problem problem{.name = name};
    if (std::sscanf(name.c_str(), "%dx%d+%d", &problem.width, &problem.height, &problem.reach) < 2)
      return invalid_argument("'{}' is no case; one is 1024x1024 or 1920x1080+256.", name);
    const std::vector<uint16_t> pixels = random_pixels(size_t(problem.width) * size_t(problem.height));
    problem.pixels = pixels;
    for (const int batch : arguments.batches)
      for (const std::string& kernel : arguments.kernels) {
        problem.frames = batch;
        problem.has_channel_kernels = kernel == "colour";
        const Status status = measure_case(devices, problem, bytes_per_us, arguments, cufft.get(), rows);
        if (first.ok()) first = status;
      }
  }
  print(rows);
  if (!arguments.json.empty()) write_json(rows, arguments.json);
  return first;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  weft::bench::Arguments arguments;
  weft::bench::CommandLine line("Times the convolution on each device, and by the peers that were built in.");
  line.add_option("--device", arguments.devices, "Device; can be repeated; default: all");
  line.add_option("--case", arguments.cases, "WIDTHxHEIGHT[+REACH]; can be repeated");
  line.add_option("--batch", arguments.batches, "Frames of a batch; can be repeated")
      ->check(weft::bench::kPositive);
  line.add_option("--kernel", arguments.kernels, "One for all channels, or one for each; can be repeated")
      ->check(CLI::IsMember({"gray", "colour"}));
  line.add_flag("--fp16", arguments.fp16, "Intermediates of fp16 too");
  line.add_flag("--passes", arguments.passes, "Time each pass");
  line.add_flag("!--no-peers", arguments.peers, "Leave peers out");
  line.add_option("--threads", arguments.threads, "Threads of FFTW")->check(weft::bench::kPositive);
  line.add_option("--json", arguments.json, "File for the rows as JSON");
  line.add_option("--table", arguments.table, "Print this table instead")
      ->check(CLI::IsMember({"strategies", "lengths"}));
  line.add_option("--longest", arguments.longest, "Longest line of the table of lengths, in samples");
  line.read(argc, argv);
  const weft::Status status = weft::bench::run(arguments);
  if (!status.ok()) fmt::print(stderr, "{}\n", std::string(status.message()));
  return status.ok() ? 0 : 1;
}
