// SPDX-License-Identifier: Apache-2.0
// Compares the plan's device memory of 30 chains with the peak of the device's buffers, and with
// the growth of the driver's figure. The plans are those of jobs: batches, pictures in flight and
// preparations as in the estimate at the submit.
//
//   memory_bench [--device ID] [--units N] [--only TEXT] [--json FILE]
//
// A row is a chain: the planned bytes, the peak, their ratio, and the driver's bytes, which also
// contain the code of kernels and the rounding by the driver. Ends with 1 if a ratio is further
// than 10% from 1.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/command_line.h"
#include "bench/memory/chain_peak.h"
#include "options/chain.h"
#include "options/values.h"
#include "server/worker/image/image_stage.h"
#include "server/worker/stream/stream_plan.h"
#include "server/worker/video/filter_stage.h"
#include "server/worker/video/video_plan.h"

namespace weft::bench {
namespace {

constexpr double kGoal = 0.1;  // difference between plan and peak, as a part of the plan

struct Arguments {
  std::string device = "cpu";
  std::string only;
  std::string json;
  int units = 32;
};

constexpr VideoFormat k1080{1920, 1080, Chroma::k420, 8}, k1080In10{1920, 1080, Chroma::k420, 10};
constexpr VideoFormat k480{720, 480, Chroma::k420, 8}, k480In10{720, 480, Chroma::k420, 10};
constexpr VideoFormat k2160In10{3840, 2160, Chroma::k420, 10};

struct VideoCase {
  const char* chain;
  VideoFormat format;
  bool is_progressive = false;
};
constexpr VideoCase kVideos[] = {
    {"bwdif", k1080},
    {"bwdif", k1080In10},
    {"bwdif", k480},
    {"yadif", k1080},
    {"bwdif,resize=1280x720", k1080},
    {"bwdif,resize=3840x2160", k1080},
    {"nnedi", k1080},
    {"nnedi", k1080In10},
    {"nnedi", k480},
    {"qtgmc", k1080},
    {"qtgmc", k1080In10},
    {"qtgmc", k480},
    {"qtgmc=preset=slower", k1080},
    {"qtgmc=preset=slower", k480In10},
    {"qtgmc,resize=1280x720", k1080},
    {"kfm", k1080},
    {"kfm", k480},
    {"ivtc", k1080},
    {"ivtc", k480In10},
    {"decimate", k480, true},
    {"smdegrain", k1080, true},
    {"smdegrain", k480In10, true},
    {"dftdenoise", k1080, true},
    {"bilateral", k1080In10, true},
    {"temporal_nr,edgelevel,deband", k1080, true},
    {"enlarge", k480, true},
    {"bloom", k1080, true},
    {"resize=1920x1080", k2160In10, true},
};

struct ImageCase {
  const char* chain;
  int width, height;
};
constexpr ImageCase kImages[] = {
    {"bloom", 1920, 1080}, {"bloom", 4096, 2160}, {"bloom=method=dual", 4096, 2160}};

struct TextureCase {
  v1::UpsampleModel model;
  const char* name;
  int side;
};
constexpr TextureCase kTextures[] = {{v1::UPSAMPLE_MODEL_LARGE, "large", 2048},
                                     {v1::UPSAMPLE_MODEL_SMALL, "small", 2048}};

template <class Job>
StatusOr<worker::Chain> chain_of(std::string_view text, worker::ChainInput input, const char* prefix) {
  Job job;
  const auto* field = options::chain_of(Job::descriptor());
  RETURN_IF_ERROR(options::parse_chain(text, job, *field));
  return worker::plan_chain(job, std::move(input), {}, prefix);
}

StatusOr<MemoryCase> video_case(const VideoCase& subject) {
  MemoryCase made;
  made.name = fmt::format("{}, {}x{} {} bit", subject.chain, subject.format.width, subject.format.height,
                          subject.format.bit_depth);
  worker::ChainInput input;
  input.format = graph::PortFormat::picture(subject.format);
  input.properties.interlaced = !subject.is_progressive;
  input.properties.frame_rate = {30000, 1001};
  ASSIGN_OR_RETURN(made.chain, chain_of<v1::VideoJob>(subject.chain, std::move(input), "spec.video"));
  made.options = worker::plan_options(subject.format, worker::pictures_held(made.chain.target.video));
  return made;
}

StatusOr<MemoryCase> image_case(const ImageCase& subject) {
  constexpr int kImagesOfJob = 24;
  MemoryCase made;
  made.name = fmt::format("{}, images of {}x{}", subject.chain, subject.width, subject.height);
  worker::ChainInput input;
  input.format = graph::PortFormat::image(subject.width, subject.height, graph::PixelType::kHalf);
  input.result_pixels = graph::PixelType::kHalf;
  ASSIGN_OR_RETURN(made.chain, chain_of<v1::ImageJob>(subject.chain, std::move(input), "spec.image"));
  made.options = worker::plan_options(int64_t{kImagesOfJob});
  made.most_bytes = worker::kStageBytes;
  return made;
}

StatusOr<MemoryCase> texture_case(const TextureCase& subject) {
  MemoryCase made;
  made.name = fmt::format("{} textures, BC7 of {}x{}", subject.name, subject.side, subject.side);
  v1::OpenStream open;
  v1::TextureStream& texture = *open.mutable_texture();
  texture.set_source(v1::BLOCK_FORMAT_BC7);
  texture.set_width(subject.side);
  texture.set_height(subject.side);
  texture.set_kind(v1::TEXTURE_KIND_ALBEDO);
  texture.set_model(subject.model);
  options::apply_defaults(open);
  ASSIGN_OR_RETURN(worker::StreamTask work, worker::work_of(open, {}));
  made.texture = *std::move(work.texture);
  made.options = worker::texture_plan_options(made.texture->source.images());
  return made;
}

StatusOr<std::vector<MemoryCase>> all_cases() {
  std::vector<MemoryCase> cases;
  for (const VideoCase& each : kVideos) {
    ASSIGN_OR_RETURN(cases.emplace_back(), video_case(each));
  }
  for (const ImageCase& each : kImages) {
    ASSIGN_OR_RETURN(cases.emplace_back(), image_case(each));
  }
  for (const TextureCase& each : kTextures) {
    ASSIGN_OR_RETURN(cases.emplace_back(), texture_case(each));
  }
  return cases;
}

double megabytes(int64_t bytes) { return double(bytes) / 1e6; }

class Report {
 public:
  explicit Report(std::string device) : device_(std::move(device)) {
    fmt::print("{:<46} {:>6} {:>12} {:>12} {:>8} {:>12}\n", "chain", "batch", "planned MB", "peak MB", "peak",
               "driver MB");
  }

  void add(const MemoryCase& subject, const MemoryFigures& figures) {
    const double ratio = double(figures.peak_bytes) / double(figures.planned_bytes);
    worst_ = std::max(worst_, std::abs(ratio - 1));
    fmt::print("{:<46} {:>6} {:>12.1f} {:>12.1f} {:>7.1f}% {:>12}\n", subject.name, figures.batch,
               megabytes(figures.planned_bytes), megabytes(figures.peak_bytes), 100 * ratio,
               figures.driver_bytes ? fmt::format("{:.1f}", megabytes(*figures.driver_bytes)) : "-");
    std::fflush(stdout);
    rows_.push_back(fmt::format(
        R"({{"what": "{}", "device": "{}", "figure": {:.1f}, "unit": "MB", "yardstick": {:.1f}, )"
        R"("yardstick_of": "the plan", "batch": {}{}}})",
        subject.name, device_, megabytes(figures.peak_bytes), megabytes(figures.planned_bytes), figures.batch,
        figures.driver_bytes ? fmt::format(R"(, "driver": {:.1f})", megabytes(*figures.driver_bytes)) : ""));
  }

  // Returns true if all figures are within the goal.
  bool finish() const {
    fmt::print("{} chains, the largest difference is {:.1f}% (goal {:.0f}%)\n", rows_.size(), 100 * worst_,
               100 * kGoal);
    return worst_ <= kGoal;
  }
  void write(const std::string& path) const {
    std::ofstream file(path);
    file << fmt::format("[\n{}\n]\n", fmt::join(rows_, ",\n"));
  }

 private:
  std::string device_;
  std::vector<std::string> rows_;
  double worst_ = 0;
};

StatusOr<bool> run(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::vector<MemoryCase> cases, all_cases());
  Report report(arguments.device);
  for (const MemoryCase& each : cases) {
    if (each.name.find(arguments.only) == std::string::npos) continue;
    const StatusOr<MemoryFigures> figures = measure_memory(arguments.device, each, arguments.units);
    if (!figures.ok()) return with_context(figures.status(), each.name);
    report.add(each, *figures);
  }
  if (!arguments.json.empty()) report.write(arguments.json);
  return report.finish();
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  using namespace weft;
  bench::Arguments arguments;
  bench::CommandLine line("Compares planned device memory with the peak.");
  line.add_option("--device", arguments.device, "Device");
  line.add_option("--units", arguments.units, "Units that each pipeline filters; 0: buffers are only made")
      ->check(bench::kNotNegative);
  line.add_option("--only", arguments.only, "Only chains with this text in their names");
  line.add_option("--json", arguments.json, "File for the figures");
  line.read(argc, argv);
  const StatusOr<bool> done = bench::run(arguments);
  if (!done.ok()) {
    fmt::print(stderr, "{}\n", message_of(done.status()));
    return 1;
  }
  return *done ? 0 : 1;
}
