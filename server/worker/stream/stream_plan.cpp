// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream/stream_plan.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "server/worker/device/batch_work.h"

namespace weft::worker {
namespace {

// A batch's frames take at most this much; the pipeline plans a few times as much around it.
constexpr size_t kBatchBytes = size_t{64} << 20;
constexpr int kMostFrames = 16;
constexpr std::chrono::seconds kLongestPreparation{10};
constexpr int kHeld = 1;  // a picture is copied into the ring before the next is asked for

v1::FrameFormat to_message(const VideoFormat& format) {
  v1::FrameFormat message;
  message.set_width(format.width);
  message.set_height(format.height);
  message.set_chroma(v1::ChromaFormat(int(format.chroma) + 1));
  message.set_bit_depth(format.bit_depth);
  return message;
}

}  // namespace

VideoFormat format_of(const v1::OpenStream& open) {
  constexpr Chroma kChroma[] = {Chroma::kGray, Chroma::kGray, Chroma::k420, Chroma::k422, Chroma::k444};
  const v1::FrameFormat& format = open.format();
  return {format.width(), format.height(), kChroma[format.chroma()], format.bit_depth()};
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

StatusOr<Chain> chain_of(const v1::OpenStream& open, const std::vector<OpenInput>& inputs) {
  ChainInput input;
  input.format = filters::PortFormat::picture(format_of(open));
  input.facts.colour = {open.colour().transfer(), open.colour().matrix(), open.colour().is_full_range()};
  input.facts.interlaced =
      open.field_order() == v1::FIELD_ORDER_TOP_FIRST || open.field_order() == v1::FIELD_ORDER_BOTTOM_FIRST;
  input.is_live = true;
  ASSIGN_OR_RETURN(ChainPictures pictures, read_pictures(inputs, "open"));
  const StatusOr<Chain> chain = plan_chain(open, std::move(input), std::move(pictures), "open");
  if (!chain.ok()) return blame("open.format", chain.status());
  if (chain->target != chain->input.format)
    return blame("open.filters",
                 invalid_argument(
                     "A stream's pictures are like its frames ({}), and the filters change them to {}; leave "
                     "out what does.",
                     chain->input.format.text(), chain->target.text()));
  return chain;
}

StatusOr<std::unique_ptr<filters::Pipeline>> make_stream_pipeline(const DeviceShare& share,
                                                                  Preparing& preparing,
                                                                  const v1::OpenStream& open,
                                                                  const Chain& chain) {
  filters::Network network;
  {
    const auto turn = share.loop.opening_turn();
    ASSIGN_OR_RETURN(network, chain.expand(share));
  }
  schedule::SourceSpec source;
  source.owner = open.settings().owner();
  source.cost_key = chain.cost_key;
  RETURN_IF_ERROR(preparing.run(share.device, network, std::move(source), kLongestPreparation));
  filters::PipelineOptions options;
  options.plan.batch = int(
      std::clamp<size_t>(kBatchBytes / std::max<size_t>(format_of(open).packed_bytes(), 1), 1, kMostFrames));
  options.plan.in_flight = kBatchesKept;
  options.plan.held = kHeld;
  options.plan.exact_durations = true;  // frames come one a period
  options.plan.whole_units = true;      // arrivals are counted in frames
  options.priority = is_realtime(open) ? device::StreamPriority::kHigh : device::StreamPriority::kNormal;
  const auto turn = share.loop.opening_turn();
  return filters::Pipeline::make(share.device, std::move(network), options);
}

schedule::SourceSpec source_of(const v1::OpenStream& open, const Chain& chain,
                               const filters::Pipeline& pipeline) {
  const v1::StreamSettings& settings = open.settings();
  schedule::SourceSpec source;
  source.work_class = is_realtime(open) ? schedule::WorkClass::kRealtime : schedule::WorkClass::kNormal;
  source.owner = settings.owner();
  source.weight = settings.weight();
  source.cost_key = chain.cost_key;
  source.max_units = pipeline.batch();
  if (!is_realtime(open)) return source;
  source.period = period_of(open);
  source.deadline = deadline_of(open);
  return source;
}

internal::v1::StreamStarted facts_of(const v1::OpenStream& open, const Chain& chain,
                                     const filters::Pipeline& pipeline) {
  internal::v1::StreamStarted started;
  *started.mutable_format() = to_message(pipeline.target_format().video);
  const v1::FrameRate& rate = open.frame_rate();
  const auto times = [&](int64_t numerator, int64_t denominator) {
    numerator *= rate.numerator();
    denominator *= rate.denominator();
    const int64_t divisor = std::max<int64_t>(std::gcd(numerator, denominator), 1);
    v1::FrameRate result;
    result.set_numerator(int32_t(numerator / divisor));
    result.set_denominator(int32_t(denominator / divisor));
    return result;
  };
  *started.mutable_picture_rate() = times(chain.rate.numerator, chain.rate.denominator);
  *started.mutable_time_base() = times(pipeline.time_divisor(), 1);
  started.set_frames_ahead(pipeline.plan().window.after);
  started.set_deadline_ns(deadline_of(open).count());
  return started;
}

}  // namespace weft::worker
