// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream/stream_plan.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "options/frame_format.h"
#include "options/texture_blocks.h"
#include "options/validate.h"
#include "server/worker/device/batch_work.h"

namespace weft::worker {
namespace {

// Limit of the bytes of a batch's frames, or of as many pictures. The memory of the pipeline is a
// few times as large.
constexpr size_t kStreamBatchBytes = size_t{64} << 20;
constexpr int kMostStreamFrames = 16;
constexpr std::chrono::seconds kLongestPreparation{10};
constexpr int kHeld = 1;  // a picture is copied into the ring before the next is popped

v1::FrameFormat to_message(const VideoFormat& format) {
  v1::FrameFormat message;
  message.set_width(format.width);
  message.set_height(format.height);
  message.set_chroma(v1::ChromaFormat(int(format.chroma) + 1));
  message.set_bit_depth(format.bit_depth);
  return message;
}

// The two enumerations have the same order.
constexpr int kFirstPosition = v1::CHROMA_POSITION_LEFT - int(graph::ChromaSiting::kLeft);
static_assert(int(graph::ChromaSiting::kBottom) + kFirstPosition == v1::CHROMA_POSITION_BOTTOM);

graph::ChromaSiting to_site(v1::ChromaPosition position) {
  return position < v1::CHROMA_POSITION_LEFT ? graph::ChromaSiting::kUnknown
                                             : graph::ChromaSiting(int(position) - kFirstPosition);
}

v1::ChromaPosition to_position(graph::ChromaSiting site) {
  return site == graph::ChromaSiting::kUnknown ? v1::CHROMA_POSITION_UNSPECIFIED
                                               : v1::ChromaPosition(int(site) + kFirstPosition);
}

graph::PlanOptions options_of(const v1::OpenStream& open, const Chain& chain) {
  const size_t unit_bytes = std::max(
      {size_t{1}, options::to_format(open.format()).packed_bytes(), chain.target.video.packed_bytes()});
  graph::PlanOptions options;
  options.batch = int(std::clamp<size_t>(kStreamBatchBytes / unit_bytes, 1, kMostStreamFrames));
  options.in_flight = kBatchesKept;
  options.held = kHeld;
  options.exact_durations = true;  // one frame arrives per period
  options.whole_units = true;      // arrivals are counted in frames
  return options;
}

// The formats of streams and of files have the same order.
constexpr int kFirstBlocks = v1::BLOCK_FORMAT_RGBA8 - int(media::TextureFormat::kRgba8);
static_assert(int(media::TextureFormat::kBc7) + kFirstBlocks == v1::BLOCK_FORMAT_BC7);

// Plans the texture as a job does for a file with one image, with all levels generated.
StatusOr<TexturePlan> plan_texture_of(const v1::OpenStream& open) {
  const v1::TextureStream& texture = open.texture();
  v1::JobSpec spec;
  v1::TextureJob& job = *spec.mutable_texture();
  job.set_input("/stream.dds");
  job.set_output("/stream.dds");
  job.set_kind(texture.kind());
  job.set_model(texture.model());
  job.set_format(texture.format());
  job.set_quality(texture.quality());
  job.set_mips(texture.mips());
  job.set_levels(v1::LEVEL_SOURCE_MAKE);
  job.set_border(texture.border());
  job.set_gloss(texture.gloss());
  job.set_mip_light(texture.mip_light());
  job.set_check(v1::UPSAMPLE_CHECK_OFF);  // a check could process a picture twice
  TextureInput input;
  input.info.format = media::TextureFormat(int(texture.source()) - kFirstBlocks);
  input.info.width = texture.width();
  input.info.height = texture.height();
  input.info.is_srgb = texture.transfer() == v1::TEXTURE_TRANSFER_SRGB && media::has_srgb(input.info.format);
  if (texture.is_opaque()) input.info.alpha = media::TextureAlpha::kOpaque;
  StatusOr<TexturePlan> plan = plan_texture(spec, input, "stream.dds");
  if (!plan.ok()) return options::to_status({{"open.texture", message_of(plan.status())}});
  return plan;
}

void describe_texture(const TexturePlan& plan, v1::TexturePictures& pictures) {
  pictures.set_format(v1::BlockFormat(int(plan.target.format) + kFirstBlocks));
  int64_t offset = 0;
  for (int number = 0; number < plan.target.levels; number++) {
    v1::TextureLevel& level = *pictures.add_levels();
    level.set_width(media::level_side(plan.target.width, number));
    level.set_height(media::level_side(plan.target.height, number));
    level.set_offset(offset);
    level.set_bytes(plan.target.image_bytes(number));
    offset += level.bytes();
  }
}

}  // namespace

size_t frame_bytes_of(const graph::Pipeline& pipeline) {
  const graph::PortFormat& format = pipeline.source_format();
  return format.kind == graph::PortKind::kBytes ? format.bytes : format.video.packed_bytes();
}

size_t picture_bytes_of(const graph::Pipeline& pipeline) {
  const graph::Plan& plan = pipeline.plan();
  const graph::PortFormat& format = pipeline.target_format();
  if (format.kind != graph::PortKind::kBytes) return format.video.packed_bytes();
  size_t bytes = 0;
  for (const int output : plan.outputs) bytes += plan.ports[size_t(output)].layout.format.bytes;
  return bytes;
}

bool is_realtime(const v1::OpenStream& open) {
  return open.settings().stream_class() == v1::STREAM_CLASS_REALTIME;
}

Duration period_of(const v1::OpenStream& open) {
  const double seconds = double(open.frame_rate().denominator()) / open.frame_rate().numerator();
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

Duration deadline_of(const v1::OpenStream& open) {
  if (!is_realtime(open)) return Duration(0);
  if (!open.settings().has_deadline()) return period_of(open);
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double, std::milli>(open.settings().deadline()));
}

StatusOr<StreamTask> work_of(const v1::OpenStream& open, const std::vector<OpenJobFile>& inputs) {
  StreamTask work;
  if (options::carries_textures(open)) {
    ASSIGN_OR_RETURN(work.texture, plan_texture_of(open));
    return work;
  }
  ChainInput input;
  input.format = graph::PortFormat::picture(options::to_format(open.format()));
  input.properties.colour = {open.colour().transfer(), open.colour().matrix(), open.colour().is_full_range()};
  input.properties.interlaced =
      open.field_order() == v1::FIELD_ORDER_TOP_FIRST || open.field_order() == v1::FIELD_ORDER_BOTTOM_FIRST;
  input.properties.sample_aspect = {open.sample_aspect().numerator(),
                                    std::max(open.sample_aspect().denominator(), 1)};
  input.properties.chroma_siting = to_site(open.chroma_position());
  input.properties.frame_rate = {open.frame_rate().numerator(), open.frame_rate().denominator()};
  input.is_live = true;
  ASSIGN_OR_RETURN(ChainInputs option_files, read_option_files(inputs, "open"));
  StatusOr<Chain> chain = plan_chain(open, std::move(input), std::move(option_files), "open");
  if (!chain.ok()) return blame("open.format", chain.status());
  work.chain = *std::move(chain);
  return work;
}

namespace {

// Limits the device memory of all pipelines of a stream.
class MemoryLimit {
 public:
  explicit MemoryLimit(const internal::v1::StartStream& order) : is_set_(order.has_most_device_bytes()) {
    left_ = size_t(std::max<int64_t>(order.most_device_bytes(), 0));
  }

  // Returns the value for PipelineOptions::most_bytes.
  size_t most_bytes() const { return is_set_ ? std::max(left_, size_t{1}) : 0; }
  // Counts a pipeline. RESOURCE_EXHAUSTED: it exceeds the limit.
  Status take(const graph::Plan& plan) {
    if (is_set_ && plan.device_bytes() > left_)
      return resource_exhausted(
          "The stream needs more device memory ({} bytes for one frame at a time) than jobs and other "
          "streams "
          "leave ({} bytes); try again when one of them has ended, or use smaller frames.",
          plan.device_bytes(), left_);
    left_ -= is_set_ ? plan.device_bytes() : 0;
    return ok_status();
  }

 private:
  const bool is_set_;
  size_t left_ = 0;
};

// Creates a pipeline of a network and blocks until its filters are prepared.
StatusOr<std::unique_ptr<graph::Pipeline>> make_pipeline(const DeviceShare& share, Preparing& preparing,
                                                         const v1::OpenStream& open, const StreamTask& work,
                                                         graph::Network network,
                                                         graph::PipelineOptions options) {
  schedule::SourceSpec source;
  source.owner = open.settings().owner();
  source.cost_key = work.cost_key();
  RETURN_IF_ERROR(preparing.run(share.device, network, std::move(source), kLongestPreparation));
  options.plan = work.texture ? texture_plan_options(kBatchesKept) : options_of(open, work.chain);
  options.priority = is_realtime(open) ? device::StreamPriority::kHigh : device::StreamPriority::kNormal;
  options.keeps_states = false;
  const auto driver_lock = share.loop.driver_lock();
  return graph::Pipeline::make(share.device, std::move(network), options);
}

StatusOr<graph::Network> network_of(const DeviceShare& share, const StreamTask& work, const Chain& chain) {
  const auto driver_lock = share.loop.driver_lock();
  if (work.texture) return work.texture->network({.device = &share.device});
  return chain.expand(share);
}

}  // namespace

size_t StreamPipelines::device_bytes() const {
  size_t bytes = pictures->plan().device_bytes();
  for (const StreamAnalysisParts& analysis : analyses) bytes += analysis.pipeline->plan().device_bytes();
  return bytes;
}

StatusOr<StreamPipelines> make_stream_pipelines(const DeviceShare& share, Preparing& preparing,
                                                const internal::v1::StartStream& order,
                                                const StreamTask& work) {
  const v1::OpenStream& open = order.open();
  StreamPipelines made;
  MemoryLimit memory(order);
  const auto make = [&](graph::Network network) -> StatusOr<std::unique_ptr<graph::Pipeline>> {
    ASSIGN_OR_RETURN(auto pipeline, make_pipeline(share, preparing, open, work, std::move(network),
                                                  {.most_bytes = memory.most_bytes(), .maps = made.maps}));
    RETURN_IF_ERROR(memory.take(pipeline->plan()));
    return pipeline;
  };
  Chain chain = work.chain;
  if (chain.needs_analysis) made.maps = std::make_shared<std::mutex>();
  if (chain.needs_analysis && is_realtime(open))
    return options::to_status(
        {{"open.settings.stream_class",
          fmt::format("The cost of a frame with {} depends on decisions about later frames, and cannot be "
                      "reserved for a realtime stream; open the stream as a normal one.",
                      filters_up_to_analysis(chain))}});
  while (true) {
    ASSIGN_OR_RETURN(graph::Network network, network_of(share, work, chain));
    if (!network.analysis()) {
      ASSIGN_OR_RETURN(made.pictures, make(std::move(network)));
      return made;
    }
    const graph::Analysis analysis = *network.analysis();
    if (!analysis.follow)
      return internal_error("The analysis {} needs the whole input, and a stream has no end.", analysis.name);
    StreamAnalysisParts parts{.name = analysis.name,
                              .pipeline = nullptr,
                              .decision = analysis.follow(),
                              .rate = network.rate(analysis.records)};
    ASSIGN_OR_RETURN(parts.pipeline, make(std::move(network)));
    ASSIGN_OR_RETURN(chain, with_decision(chain, parts.decision->decision()));
    made.analyses.push_back(std::move(parts));
  }
}

schedule::SourceSpec source_of(const v1::OpenStream& open, const StreamTask& work,
                               const graph::Pipeline& pipeline) {
  const v1::StreamSettings& settings = open.settings();
  schedule::SourceSpec source;
  source.work_class = is_realtime(open) ? schedule::SourceClass::kRealtime : schedule::SourceClass::kNormal;
  source.owner = settings.owner();
  source.weight = settings.weight();
  source.cost_key = work.cost_key();
  source.max_units = pipeline.max_units();
  source.portions = pipeline.portions();
  if (!is_realtime(open)) return source;
  source.period = period_of(open);
  source.deadline = deadline_of(open);
  return source;
}

void report_textures(const v1::OpenStream& open, const graph::PictureProperties& pictures,
                     internal::v1::StreamStarted& started) {
  started.set_field_order(pictures.progressive ? v1::FIELD_ORDER_PROGRESSIVE : open.field_order());
  v1::FrameColour& colour = *started.mutable_colour();
  colour.set_transfer(v1::TransferCharacteristics(pictures.colour.transfer));
  colour.set_matrix(v1::MatrixCoefficients(pictures.colour.matrix));
  colour.set_is_full_range(pictures.colour.is_full_range);
  started.mutable_sample_aspect()->set_numerator(pictures.sample_aspect.numerator);
  started.mutable_sample_aspect()->set_denominator(pictures.sample_aspect.denominator);
  started.set_chroma_position(to_position(pictures.chroma_siting));
}

internal::v1::StreamStarted started_of(const v1::OpenStream& open, const StreamTask& work,
                                       const graph::Pipeline& pipeline, int frames_ahead) {
  internal::v1::StreamStarted started;
  if (work.texture) {
    describe_texture(*work.texture, *started.mutable_texture());
    *started.mutable_picture_rate() = open.frame_rate();
    *started.mutable_time_base() = open.frame_rate();
    return started;
  }
  const Chain& chain = work.chain;
  *started.mutable_format() = to_message(pipeline.target_format().video);
  const v1::FrameRate& rate = open.frame_rate();
  const auto reduced = [](int64_t numerator, int64_t denominator) {
    const int64_t divisor = std::max<int64_t>(std::gcd(numerator, denominator), 1);
    v1::FrameRate result;
    result.set_numerator(int32_t(numerator / divisor));
    result.set_denominator(int32_t(denominator / divisor));
    return result;
  };
  const auto times = [&](int64_t numerator, int64_t denominator) {
    return reduced(numerator * rate.numerator(), denominator * rate.denominator());
  };
  const graph::Rate& nominal = chain.properties.frame_rate;
  *started.mutable_picture_rate() = nominal.numerator > 0
                                        ? reduced(nominal.numerator, nominal.denominator)
                                        : times(chain.rate.numerator, chain.rate.denominator);
  *started.mutable_time_base() = times(pipeline.time_divisor(), 1);
  started.set_frames_ahead(frames_ahead);
  started.set_has_variable_rate(chain.properties.has_variable_rate);
  started.set_deadline_ns(deadline_of(open).count());
  report_textures(open, chain.properties, started);
  return started;
}

}  // namespace weft::worker
