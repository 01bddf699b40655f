// SPDX-License-Identifier: Apache-2.0
// Benchmarks filters as jobs use them: frames in memory pass through a pipeline, measured by device
// time or from memory to memory. Results are compared with the CPU's for a small clip.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "options/chain.h"
#include "options/values.h"
#include "server/benchmarks/benchmark.h"
#include "server/filters/filter.h"
#include "server/graph/pipeline.h"
#include "weft/v1/video.pb.h"

namespace weft::benchmarks {
namespace {

constexpr int kFramesOfRun = 8;    // frames of a run, which is a batch
constexpr int kFramesOfCheck = 4;  // frames of the compared clip
constexpr VideoFormat kCheckFormat{96, 64, Chroma::k420, 8};
constexpr const char* kKernels = "kernels";

using graph::OutputUnit;
using graph::Pipeline;

// A filter chain with default options.
struct FilterChain {
  v1::VideoJob job;
  std::vector<const google::protobuf::Message*> messages;

  Status read(std::string_view text) {
    RETURN_IF_ERROR(options::parse_chain(text, job, *options::chain_of(job.GetDescriptor())));
    options::apply_defaults(job);
    for (const v1::VideoFilter& each : job.filters())
      messages.push_back(&each.GetReflection()->GetMessage(each, options::filter_of(each)->field));
    return ok_status();
  }
  // Returns true if the chain requires interlaced input. Most other filters refuse interlaced
  // frames.
  bool takes_interlaced() const {
    return messages[0]->GetDescriptor()->options().GetExtension(v1::filter).role() ==
           v1::FILTER_ROLE_DEINTERLACER;
  }
};

// Draws a frame with moving edges and noise, so that it has no flat areas and no static content.
void add_frame(const VideoFormat& format, int frame, std::vector<uint8_t>& samples) {
  uint32_t noise = uint32_t(frame) * 2654435761u + 1;
  for (int plane = 0; plane < format.planes(); plane++) {
    for (int y = 0; y < format.plane_height(plane); y++) {
      for (int x = 0; x < format.plane_width(plane); x++) {
        noise = noise * 1664525u + 1013904223u;
        samples.push_back(uint8_t(((x + frame * 3) / 16 + y / 8) % 2 * 90 + 60 + int(noise >> 28)));
      }
    }
  }
}

graph::FrameInfo info_of(int64_t frame, bool interlaced) {
  graph::FrameInfo info;
  info.pts = frame;
  info.interlaced = info.top_field_first = interlaced;
  return info;
}

// Expands the chain to a network of frames and returns its output.
StatusOr<graph::Port> expand(const FilterChain& chain, filters::FilterContext context,
                             const VideoFormat& format, graph::Network& network) {
  graph::PictureProperties properties;
  properties.interlaced = chain.takes_interlaced();
  const graph::Port source = network.set_source(graph::PortFormat::picture(format), properties);
  context.path = "filters";
  return filters::expand_network(context, chain.messages, network, source);
}

// Returns whether a frame filter has complete defaults and needs no analysis of the whole input.
bool runs_with_defaults(const filters::Registration& filter) {
  FilterChain chain;
  graph::Network network;
  return chain.read(filter.name()).ok() && expand(chain, {}, kCheckFormat, network).ok() &&
         !network.analysis();
}

// A chain on a device, with its frames.
class FilterRun {
 public:
  static StatusOr<std::unique_ptr<FilterRun>> make(device::Device& device, std::string_view chain,
                                                   const VideoFormat& format) {
    auto run = std::make_unique<FilterRun>();
    RETURN_IF_ERROR(run->chain_.read(chain));
    graph::Network network;
    filters::FilterContext context;
    context.device = &device;
    context.caches = &run->caches_;
    ASSIGN_OR_RETURN(const graph::Port result, expand(run->chain_, context, format, network));
    const graph::Rate rate = network.rate(result);
    run->pictures_of_frame_ = double(rate.numerator) / double(rate.denominator);
    RETURN_IF_ERROR(graph::prepare(device, network));
    graph::PipelineOptions options;
    options.plan.batch = kFramesOfRun;
    ASSIGN_OR_RETURN(run->pipeline_, Pipeline::make(device, std::move(network), options));
    for (int frame = 0; frame < kFramesOfCheck; frame++) add_frame(format, frame, run->material_);
    return run;
  }

  // Processes further frames and returns the device time of all batches. Calls `take` for each
  // output frame.
  using Take = std::function<void(const OutputUnit&)>;
  StatusOr<Duration> push(int frames, bool ends, const Take& take) {
    const VideoFormat& format = pipeline_->source_format().video;
    for (int i = 0; i < frames; i++) {
      while (!pipeline_->has_capacity()) RETURN_IF_ERROR(move_on(take));
      ASSIGN_OR_RETURN(const graph::StagedUnit staged, pipeline_->stage());
      fill(format, pushed_, staged);
      pipeline_->push(info_of(pushed_++, chain_.takes_interlaced()));
    }
    if (ends) pipeline_->finish();
    while (pipeline_->ready() > 0 || (ends && !pipeline_->is_empty())) RETURN_IF_ERROR(move_on(take));
    while (true) {
      ASSIGN_OR_RETURN(const auto unit, pipeline_->pop());
      if (!unit) break;
      if (take) take(*unit);
    }
    Duration taken{0};
    for (const graph::BatchTime& cost : pipeline_->take_costs()) taken += cost.filter;
    return taken;
  }

  const Pipeline& pipeline() const { return *pipeline_; }
  double pictures_of_frame() const { return pictures_of_frame_; }
  const FilterChain& chain() const { return chain_; }

 private:
  Status move_on(const Take& take) {
    if (pipeline_->ready() > 0) {
      pipeline_->submit(std::min(pipeline_->ready(), pipeline_->max_units()));
      return ok_status();
    }
    ASSIGN_OR_RETURN(const auto unit, pipeline_->pop());
    if (unit && take) take(*unit);
    return ok_status();
  }
  // Copies a frame into `staged`, at the cost of copying a decoder's frame.
  void fill(const VideoFormat& format, int64_t frame, const graph::StagedUnit& staged) const {
    const uint8_t* from = material_.data() + size_t(frame % kFramesOfCheck) * format.packed_bytes();
    for (int plane = 0; plane < format.planes(); plane++) {
      const size_t bytes = size_t(format.plane_width(plane));
      for (int y = 0; y < format.plane_height(plane); y++, from += bytes)
        std::memcpy(staged.data[plane] + ptrdiff_t(y) * staged.stride_bytes[plane], from, bytes);
    }
  }

  FilterChain chain_;
  filters::DeviceCaches caches_;
  std::vector<uint8_t> material_;  // frames with packed rows
  double pictures_of_frame_ = 1;
  std::unique_ptr<Pipeline> pipeline_;
  int64_t pushed_ = 0;
};
// Returns the samples of all output frames of a small clip.
StatusOr<std::vector<uint8_t>> small_clip(device::Device& device, std::string_view chain) {
  ASSIGN_OR_RETURN(const auto run, FilterRun::make(device, chain, kCheckFormat));
  const VideoFormat format = run->pipeline().target_format().video;
  std::vector<uint8_t> samples;
  RETURN_IF_ERROR(run->push(kFramesOfCheck, true,
                            [&](const OutputUnit& unit) {
                              for (int plane = 0; plane < format.planes(); plane++)
                                for (int y = 0; y < format.plane_height(plane); y++) {
                                  const auto* const row = reinterpret_cast<const uint8_t*>(
                                      unit.data[plane] + ptrdiff_t(y) * unit.stride_bytes[plane]);
                                  samples.insert(samples.end(), row, row + format.plane_width(plane));
                                }
                            })
                      .status());
  return samples;
}

// Returns the permitted difference between devices in code values.
int codes_apart(const FilterChain& chain) {
  int codes = 0;
  for (const google::protobuf::Message* message : chain.messages) {
    const filters::Registration& filter = *filters::find_filter(message->GetDescriptor());
    if (filter.tolerance > 0) codes += filter.codes;
  }
  return codes;
}

class FilterCase final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const std::string& chain,
                                                       const CaseSpec& spec) {
    const VideoFormat format{int(spec.size.x), int(spec.size.y), Chroma::k420, 8};
    ASSIGN_OR_RETURN(auto run, FilterRun::make(device, chain, format));
    const Pipeline& pipeline = run->pipeline();
    const double pictures = run->pictures_of_frame() * double(pipeline.target_format().video.packed_bytes());
    const double bytes = kFramesOfRun * (double(format.packed_bytes()) + pictures);
    const bool is_whole = spec.input != kKernels;
    return std::unique_ptr<BenchmarkCase>(
        new FilterCase({kFramesOfRun, bytes, 0, is_whole ? Limit::kNone : Limit::kMemory}, device, chain,
                       std::move(run), is_whole));
  }

  bool works_on_host() const override { return true; }
  void enqueue(device::Stream&, int64_t, PhaseMarks*) override {
    const StatusOr<Duration> taken = run_->push(kFramesOfRun, false, nullptr);
    if (taken.ok())
      kernels_ += *taken;
    else if (error_.ok())
      error_ = taken.status();
  }
  StatusOr<Duration> take_time(Duration by_stream) override {
    RETURN_IF_ERROR(error_);
    const Duration kernels = std::exchange(kernels_, Duration(0));
    return is_whole_ ? by_stream : kernels;
  }
  // Compares the result with that of the CPU. The CPU compares its result with that of its scalar
  // code.
  Status verify() override {
    RETURN_IF_ERROR(error_);
    device::OpenOptions plain;
    if (device_.info().kind == device::BackendKind::kCpu) plain.cpu_isa = "baseline";
    ASSIGN_OR_RETURN(const auto cpu, device::open_device("cpu", plain));
    ASSIGN_OR_RETURN(const std::vector<uint8_t> wanted, small_clip(*cpu, chain_));
    ASSIGN_OR_RETURN(const std::vector<uint8_t> found, small_clip(device_, chain_));
    const int allowed = codes_apart(run_->chain());
    if (found.size() != wanted.size())
      return data_loss("{} samples came out, and {} are right.", found.size(), wanted.size());
    for (size_t i = 0; i < found.size(); i++)
      if (std::abs(int(found[i]) - int(wanted[i])) > allowed)
        return data_loss("Sample {} of the small clip is {}, and {} is right.", i, found[i], wanted[i]);
    return ok_status();
  }

 private:
  FilterCase(const CaseCost& cost, device::Device& device, std::string chain, std::unique_ptr<FilterRun> run,
             bool is_whole)
      : BenchmarkCase(cost),
        device_(device),
        chain_(std::move(chain)),
        run_(std::move(run)),
        is_whole_(is_whole) {}
  device::Device& device_;
  const std::string chain_;
  const std::unique_ptr<FilterRun> run_;
  const bool is_whole_;  // whether the time is measured from memory to memory
  Duration kernels_{0};
  Status error_;
};

StatusOr<std::unique_ptr<BenchmarkCase>> make_filter_case(device::Device& device, const CaseSpec& spec) {
  return FilterCase::make(device, spec.variant, spec);
}

StatusOr<std::unique_ptr<BenchmarkCase>> make_bilateral_case(device::Device& device, const CaseSpec& spec) {
  return FilterCase::make(device, "bilateral=method=" + spec.variant, spec);
}

}  // namespace

Benchmark filters_benchmark() {
  std::vector<std::string_view> variants = {"qtgmc=preset=faster", "resize=1280x720"};
  for (const filters::Registration* filter : filters::all_filters())
    if (runs_with_defaults(*filter)) variants.push_back(filter->name());
  return {v1::BENCHMARK_NAME_FILTERS,
          "frame",
          variants,
          {kKernels, "memory to memory"},
          {CaseSize{720, 480}, CaseSize{1920, 1080}, CaseSize{3840, 2160}},
          {CaseSize{360, 240}},
          CaseSize{64, 64},
          CaseSize{8192, 8192},
          make_filter_case};
}

Benchmark bilateral_benchmark() {
  return {v1::BENCHMARK_NAME_BILATERAL,
          "frame",
          {"grid", "direct"},
          {kKernels, "memory to memory"},
          {CaseSize{640, 480}, CaseSize{1920, 1080}, CaseSize{3840, 2160}},
          {CaseSize{160, 120}},
          CaseSize{64, 64},
          CaseSize{8192, 8192},
          make_bilateral_case};
}

}  // namespace weft::benchmarks
