// SPDX-License-Identifier: Apache-2.0
// How fast the convolution is on each device, beside cuFFT where it was built in, and beside the limit: the bytes that
// three passes must move, at the rate of the device's own copies. Every configuration is checked against a direct sum in
// float64 before its time counts. Times are the device's; what is enqueued before them keeps it busy meanwhile.
//
//   bloom_bench [--device ID]... [--case NAME]... [--batch N]... [--columns-log2 N] [--passes] [--no-peers] [--json FILE]
//
// long file: one program, from the problem to the table
//
// --passes prints what each of the three passes takes. Exit code 1: something failed or is wrong.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "bench/bloom/problem.h"
#include "bench/copy_speed.h"
#include "server/filters/bloom/convolution.h"

namespace weft::bench {
namespace {

using device::Buffer;
using device::Device;
using device::Mark;
using device::MemoryKind;
using device::Stream;
using filters::bloom::Convolution;
using filters::bloom::ConvolutionShape;
using filters::bloom::ConvolutionWork;
using filters::bloom::KernelImage;
using filters::bloom::PixelType;

struct Case {
  const char* name;
  int width, height, reach;
};
constexpr Case kCases[] = {
    {"512x512", 512, 512, 0},           {"729x729", 729, 729, 0},           {"1024x1024", 1024, 1024, 0},
    {"1296x1296", 1296, 1296, 0},       {"2048x1024", 2048, 1024, 0},       {"2048x2048", 2048, 2048, 0},
    {"1920x1080+256", 1920, 1080, 256}, {"3840x2160+256", 3840, 2160, 256},
};

struct Arguments {
  std::vector<std::string> devices, cases;
  std::vector<int> batches;
  int columns_log2 = -1;
  bool passes = false;
  bool peers = true;
  std::string json;
};

struct Row {
  std::string way, name;
  bool has_channel_kernels;
  int batch, points_x, points_y;
  double us_per_frame, limit_us;
  double pass_us[3] = {0, 0, 0};
};

float of_half(uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

// Between 0 and 1, and a few lamps.
std::vector<uint16_t> random_pixels(size_t count) {
  std::mt19937 random(1);
  std::vector<uint16_t> pixels(4 * count);
  for (uint16_t& value : pixels) {
    const auto word = static_cast<uint32_t>(random());
    const float dim = float(word >> 8) / float(1 << 24);
    value = std::bit_cast<uint16_t>(static_cast<_Float16>((word & 255) == 0 ? 200 * dim : dim));
  }
  return pixels;
}

// Six taps, among them the furthest that the reach allows, in a corner.
std::vector<Tap> random_taps(const Problem& problem) {
  const int reach_x = problem.reach > 0 ? problem.reach : problem.points_x / 2 - 1;
  const int reach_y = problem.reach > 0 ? problem.reach : problem.points_y / 2 - 1;
  std::mt19937 random(2);
  std::uniform_real_distribution<float> weight(0.1f, 0.5f);
  std::vector<Tap> taps = {{0, 0, {}}, {reach_x, -reach_y, {}}};
  for (int i = 0; i < 4; i++)
    taps.push_back({int(random() % uint32_t(2 * reach_x)) - reach_x,
                    int(random() % uint32_t(2 * reach_y)) - reach_y,
                    {}});
  for (Tap& tap : taps)
    for (float& value : tap.weights) value = weight(random);
  return taps;
}

// The largest error over the largest value, in 4000 pixels; half rounding is taken off.
double error_of(const Problem& problem, const std::vector<uint16_t>& result) {
  std::mt19937 random(3);
  double worst = 0, most = 0;
  for (int i = 0; i < 4000; i++) {
    const int x = int(random() % uint32_t(problem.width)), y = int(random() % uint32_t(problem.height));
    for (int c = 0; c < 4; c++) {
      double sum = 0;
      for (const Tap& tap : problem.taps) {
        int sx = x - tap.dx, sy = y - tap.dy;
        if (problem.reach == 0) {
          sx = (sx + problem.width) % problem.width;
          sy = (sy + problem.height) % problem.height;
        }
        if (sx < 0 || sy < 0 || sx >= problem.width || sy >= problem.height) continue;
        sum += double(tap.weights[problem.has_channel_kernels ? c : 0]) *
               of_half((*problem.pixels)[(size_t(sy) * size_t(problem.width) + size_t(sx)) * 4 + size_t(c)]);
      }
      const double value = of_half(result[(size_t(y) * size_t(problem.width) + size_t(x)) * 4 + size_t(c)]);
      const double error = std::abs(value - sum) - 5e-4 * std::abs(sum);
      worst = error <= worst ? worst : error;  // a NaN stays
      most = std::max(most, std::abs(sum));
    }
  }
  return worst / most;
}
constexpr double kMostError = 2e-6;

// One device's side of a problem: sets of sources and targets, spectrum, scratch.
class Setup {
 public:
  static StatusOr<std::unique_ptr<Setup>> make(Device& device, const Problem& problem, int columns_log2) {
    auto setup = std::make_unique<Setup>();
    ConvolutionShape shape{.width = problem.width, .height = problem.height};
    shape.reach_x = shape.reach_y = problem.reach;
    shape.is_circular = problem.reach == 0;
    shape.has_channel_kernels = problem.has_channel_kernels;
    shape.columns_log2 = columns_log2;
    ASSIGN_OR_RETURN(setup->convolution, Convolution::make(device, shape));
    ASSIGN_OR_RETURN(setup->stream, device.make_stream());
    const size_t frame_bytes = problem.pixels->size() * sizeof(uint16_t);
    const size_t frames = size_t(problem.frames);
    ASSIGN_OR_RETURN(setup->scratch,
                     device.allocate(MemoryKind::kDevice, setup->convolution->scratch_bytes(problem.frames)));
    ASSIGN_OR_RETURN(setup->blocker, device.allocate(MemoryKind::kDevice,
                                                     size_t(device.info().is_software ? 1 : 2048) << 20));
    ASSIGN_OR_RETURN(const auto staging, device.allocate(MemoryKind::kUpload, frame_bytes));
    std::memcpy(staging->host(), problem.pixels->data(), frame_bytes);
    const size_t rotated = device.info().is_software ? 1 : kRotatedBytes;
    for (size_t i = 0; i <= rotated / (2 * frames * frame_bytes); i++) {
      ASSIGN_OR_RETURN(setup->sources.emplace_back(),
                       device.allocate(MemoryKind::kDevice, frames * frame_bytes));
      ASSIGN_OR_RETURN(setup->targets.emplace_back(),
                       device.allocate(MemoryKind::kDevice, frames * frame_bytes));
      for (size_t frame = 0; frame < frames; frame++)
        setup->stream->copy(*setup->sources.back(), frame * frame_bytes, *staging, 0, frame_bytes);
    }
    RETURN_IF_ERROR(setup->stream->wait_all());
    RETURN_IF_ERROR(setup->make_spectrum(device, problem));
    return setup;
  }

  Status make_spectrum(Device& device, const Problem& problem) {
    KernelImage image;
    image.width = problem.reach > 0 ? 2 * problem.reach + 1 : problem.points_x;
    image.height = problem.reach > 0 ? 2 * problem.reach + 1 : problem.points_y;
    image.centre_x = image.width / 2;
    image.centre_y = image.height / 2;
    std::vector<float> values(size_t(4) * size_t(image.width) * size_t(image.height), 0.0f);
    for (const Tap& tap : problem.taps)
      for (size_t c = 0; c < 4; c++)
        values[(size_t(image.centre_y + tap.dy) * size_t(image.width) + size_t(image.centre_x + tap.dx)) * 4 +
               c] += tap.weights[c];
    const size_t bytes = values.size() * sizeof(float);
    ASSIGN_OR_RETURN(const auto staging, device.allocate(MemoryKind::kUpload, bytes));
    ASSIGN_OR_RETURN(const auto kernel, device.allocate(MemoryKind::kDevice, bytes));
    std::memcpy(staging->host(), values.data(), bytes);
    stream->copy(*kernel, 0, *staging, 0, bytes);
    image.buffer = kernel.get();
    ASSIGN_OR_RETURN(spectrum, convolution->make_spectrum(*stream, *scratch, image));
    return stream->wait_all();
  }

  ConvolutionWork work(const Problem& problem, size_t i) const {
    ConvolutionWork work;
    work.source = {sources[i % sources.size()].get(), 0, PixelType::kHalf, problem.width,
                   problem.width * problem.height};
    work.target = {targets[i % targets.size()].get(), 0, PixelType::kHalf, problem.width,
                   problem.width * problem.height};
    work.spectrum = spectrum.get();
    work.scratch = scratch.get();
    work.frames = problem.frames;
    return work;
  }

  // Of one iteration: pass -1 all three.
  StatusOr<double> timed(const Problem& problem, int iterations, int pass) const {
    double best = 1e30;
    for (int repeat = 0; repeat < kRepeats; repeat++) {
      stream->fill(*blocker, 0, blocker->size_bytes(), std::byte{0});
      const Mark begin = stream->mark();
      for (int i = 0; i < iterations; i++) {
        if (pass < 0)
          convolution->enqueue(*stream, work(problem, size_t(i)));
        else
          convolution->enqueue_pass(*stream, work(problem, size_t(i)), pass);
      }
      const Mark end = stream->mark();
      RETURN_IF_ERROR(stream->wait(end));
      ASSIGN_OR_RETURN(const Duration time, stream->elapsed(begin, end));
      best = std::min(best, double(time.count()) / 1e3 / iterations);
    }
    return best;
  }

  std::unique_ptr<Convolution> convolution;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Buffer> scratch, blocker, spectrum;
  std::vector<std::unique_ptr<Buffer>> sources, targets;
};

Status measure_ours(Device& device, const Problem& problem, const Arguments& arguments, Row& row) {
  ASSIGN_OR_RETURN(const auto setup, Setup::make(device, problem, arguments.columns_log2));
  setup->convolution->enqueue(*setup->stream, setup->work(problem, 0));
  const size_t bytes = problem.pixels->size() * sizeof(uint16_t);
  ASSIGN_OR_RETURN(const auto staging, device.allocate(MemoryKind::kDownload, bytes));
  setup->stream->copy(*staging, 0, *setup->targets[0], size_t(problem.frames - 1) * bytes, bytes);
  RETURN_IF_ERROR(setup->stream->wait_all());
  std::vector<uint16_t> pixels(problem.pixels->size());
  std::memcpy(pixels.data(), staging->host(), bytes);
  const double error = error_of(problem, pixels);
  if (!(error <= kMostError)) return internal_error("The result is wrong (error {:.1e}).", error);
  const int iterations = device.info().is_software ? 2 : iterations_of(problem);
  ASSIGN_OR_RETURN(const double us, setup->timed(problem, iterations, -1));
  row.us_per_frame = us / problem.frames;
  for (int pass = 0; pass < Convolution::kPasses && arguments.passes; pass++) {
    ASSIGN_OR_RETURN(const double pass_us, setup->timed(problem, iterations, pass));
    row.pass_us[pass] = pass_us / problem.frames;
  }
  return ok_status();
}

// The problem with the transform's lengths that ours would take, and the bytes a frame moves.
StatusOr<double> complete(Device& device, Problem& problem) {
  ConvolutionShape shape{.width = problem.width, .height = problem.height};
  shape.reach_x = shape.reach_y = problem.reach;
  shape.is_circular = problem.reach == 0;
  shape.has_channel_kernels = problem.has_channel_kernels;
  ASSIGN_OR_RETURN(const auto convolution, Convolution::make(device, shape));
  problem.points_x = convolution->shape().points_x;
  problem.points_y = convolution->shape().points_y;
  problem.taps = random_taps(problem);
  return convolution->bytes_per_frame(PixelType::kHalf, PixelType::kHalf) +
         double(convolution->spectrum_bytes()) / problem.frames;
}

bool has_cuda(const std::vector<std::unique_ptr<Device>>& devices) {
  return std::ranges::any_of(devices,
                             [](const auto& d) { return d->info().kind == device::DeviceKind::kCuda; });
}

void measure_peers([[maybe_unused]] const Problem& problem, [[maybe_unused]] Row row,
                   [[maybe_unused]] std::vector<Row>& rows, [[maybe_unused]] bool& all_well) {
#if defined(WEFT_BENCH_CUFFT)
  for (const bool is_real : {false, true}) {
    Measured measured;
    row.way = is_real ? "cuFFT R2C" : "cuFFT C2C";
    std::string problem_text = measure_cufft(problem, is_real, measured);
    if (problem_text.empty() && !(error_of(problem, measured.pixels) <= kMostError))
      problem_text = "the result is wrong";
    if (problem_text.empty()) {
      row.us_per_frame = measured.us_per_frame;
      rows.push_back(row);
    } else {
      fmt::print("{} {}: {}\n", row.way, row.name, problem_text);
      all_well = false;
    }
  }
#endif
}

void print(const std::vector<Row>& rows) {
  fmt::print("{:<14} {:>6} {:>5} {:>10} {:<10} {:>9} {:>9} {:>7} {:>8}  {}\n", "case", "kernel", "batch",
             "transform", "way", "us/frame", "limit us", "x limit", "x cuFFT", "passes us");
  double peer = 0;
  for (const Row& row : rows) {
    if (row.way.starts_with("cuFFT"))
      peer = row.way == "cuFFT C2C" ? row.us_per_frame : std::min(peer, row.us_per_frame);
    fmt::print("{:<14} {:>6} {:>5} {:>10} {:<10} {:>9.2f} {:>9.2f} {:>7.2f}", row.name,
               row.has_channel_kernels ? "colour" : "gray", row.batch,
               fmt::format("{}x{}", row.points_x, row.points_y), row.way, row.us_per_frame, row.limit_us,
               row.us_per_frame / row.limit_us);
    if (peer > 0) fmt::print(" {:>8.3f}", row.us_per_frame / peer);
    if (row.pass_us[0] > 0)
      fmt::print("  {:.2f} + {:.2f} + {:.2f}", row.pass_us[0], row.pass_us[1], row.pass_us[2]);
    fmt::print("\n");
  }
}

void write_json(const std::vector<Row>& rows, const std::string& path) {
  std::ofstream file(path);
  file << "[\n";
  for (size_t i = 0; i < rows.size(); i++) {
    const Row& row = rows[i];
    file << fmt::format(
        R"(  {{"case": "{}", "kernel": "{}", "batch": {}, "points": [{}, {}], "way": "{}", "us_per_frame": {:.3f}, "limit_us": {:.3f}, "pass_us": [{:.3f}, {:.3f}, {:.3f}]}})",
        row.name, row.has_channel_kernels ? "colour" : "gray", row.batch, row.points_x, row.points_y, row.way,
        row.us_per_frame, row.limit_us, row.pass_us[0], row.pass_us[1], row.pass_us[2]);
    file << (i + 1 < rows.size() ? ",\n" : "\n");
  }
  file << "]\n";
}

bool is_wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

Status measure_case(const std::vector<std::unique_ptr<Device>>& devices, Problem problem, double bytes_per_us,
                    const Arguments& arguments, std::vector<Row>& rows) {
  ASSIGN_OR_RETURN(const double bytes, complete(*devices.front(), problem));
  Row row{"",
          problem.name,
          problem.has_channel_kernels,
          problem.frames,
          problem.points_x,
          problem.points_y,
          0,
          bytes / bytes_per_us};
  bool all_well = true;
  if (arguments.peers && has_cuda(devices)) measure_peers(problem, row, rows, all_well);
  for (const auto& device : devices) {
    if (device->info().is_software && problem.points_x * problem.points_y > 1 << 20) continue;
    row.way = device->info().id;
    const Status status = measure_ours(*device, problem, arguments, row);
    if (status.ok())
      rows.push_back(row);
    else
      fmt::print("{} {}: {}\n", row.way, row.name, std::string(status.message()));
    all_well = all_well && status.ok();
  }
  return all_well ? ok_status() : internal_error("Something failed or is wrong; see above.");
}

Status run(const Arguments& arguments) {
  std::vector<std::string> ids = arguments.devices;
  if (ids.empty())
    for (const device::DeviceInfo& info : device::list_devices_and_twins(nullptr)) ids.push_back(info.id);
  std::vector<std::unique_ptr<Device>> devices;
  double bytes_per_us = 0;
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(devices.emplace_back(), device::open_device(id));
    ASSIGN_OR_RETURN(const auto stream, devices.back()->make_stream());
    ASSIGN_OR_RETURN(const double rate, bench::measure_copy(*devices.back(), *stream));
    fmt::print("{}: {}, {}, copies {:.0f} GB/s\n", id, devices.back()->info().name,
               devices.back()->info().driver, rate);
    bytes_per_us = std::max(bytes_per_us, rate * 1e3);
  }
  std::vector<Row> rows;
  Status first;
  for (const Case& c : kCases) {
    if (!is_wanted(arguments.cases, c.name)) continue;
    const std::vector<uint16_t> pixels = random_pixels(size_t(c.width) * size_t(c.height));
    for (const int batch : arguments.batches)
      for (const bool has_channel_kernels : {false, true}) {
        Problem problem{c.name, c.width, c.height, c.reach, 0, 0, has_channel_kernels, batch, {}, &pixels};
        const Status status = measure_case(devices, problem, bytes_per_us, arguments, rows);
        if (first.ok()) first = status;
      }
  }
  print(rows);
  if (!arguments.json.empty()) write_json(rows, arguments.json);
  return first;
}

int usage() {
  std::fprintf(
      stderr,
      "usage: bloom_bench [--device ID]... [--case NAME]... [--batch N]... [--columns-log2 N] [--passes] "
      "[--no-peers] [--json FILE]\n");
  return 2;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  weft::bench::Arguments arguments;
  for (int i = 1; i < argc; i++) {
    const std::string word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--device" && has_value)
      arguments.devices.push_back(argv[++i]);
    else if (word == "--case" && has_value)
      arguments.cases.push_back(argv[++i]);
    else if (word == "--batch" && has_value)
      arguments.batches.push_back(std::max(1, std::atoi(argv[++i])));
    else if (word == "--columns-log2" && has_value)
      arguments.columns_log2 = std::atoi(argv[++i]);
    else if (word == "--json" && has_value)
      arguments.json = argv[++i];
    else if (word == "--passes")
      arguments.passes = true;
    else if (word == "--no-peers")
      arguments.peers = false;
    else
      return weft::bench::usage();
  }
  if (arguments.batches.empty()) arguments.batches = {1, 8};
  const weft::Status status = weft::bench::run(arguments);
  if (!status.ok()) fmt::print(stderr, "{}\n", std::string(status.message()));
  return status.ok() ? 0 : 1;
}
