// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream/stream_plan.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/worker/device/batch_work.h"
#include "server/worker/job/single_filter.h"

namespace weft::worker {
namespace {

// A batch's frames take at most this much; the graph plans a few times as much around it.
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

StatusOr<FrameFilter> filter_of(const v1::OpenStream& open, const std::vector<OpenInput>& inputs) {
  const VideoFormat format = format_of(open);
  ASSIGN_OR_RETURN(const SingleFilter single, single_filter(open, "open"));
  if (single.deinterlacer) return deinterlacing(format, *single.deinterlacer);
  ASSIGN_OR_RETURN(BloomInputs images, read_bloom_inputs(inputs, "open"));
  RETURN_IF_ERROR(check_bloom(*single.bloom, images, {format.width, format.height, "open.format"}, "open"));
  const v1::FrameColour& colour = open.colour();
  return blooming(format, {colour.transfer(), colour.matrix(), colour.is_full_range()}, *single.bloom,
                  std::move(images));
}

StatusOr<std::unique_ptr<filters::Graph>> make_stream_graph(const DeviceShare& share, Preparing& preparing,
                                                            const v1::OpenStream& open,
                                                            const FrameFilter& filter) {
  const VideoFormat format = format_of(open);
  std::vector<std::unique_ptr<filters::Filter>> chain(1);
  {
    const auto turn = share.loop.opening_turn();
    ASSIGN_OR_RETURN(chain[0], filter.make(share.device, share.spectra));
  }
  schedule::SourceSpec source;
  source.owner = open.settings().owner();
  source.cost_key = filter.cost_key;
  RETURN_IF_ERROR(preparing.run(*chain[0], std::move(source), kLongestPreparation));
  filters::GraphOptions options;
  options.batch =
      int(std::clamp<size_t>(kBatchBytes / std::max<size_t>(format.packed_bytes(), 1), 1, kMostFrames));
  options.in_flight = kBatchesKept;
  options.held = kHeld;
  options.exact_durations = true;  // frames come one a period
  options.whole_frames = true;     // arrivals are counted in frames
  options.priority = is_realtime(open) ? device::StreamPriority::kHigh : device::StreamPriority::kNormal;
  const auto turn = share.loop.opening_turn();
  return filters::Graph::make(share.device, std::move(chain), options);
}

schedule::SourceSpec source_of(const v1::OpenStream& open, const FrameFilter& filter,
                               const filters::Graph& graph) {
  const v1::StreamSettings& settings = open.settings();
  schedule::SourceSpec source;
  source.work_class = is_realtime(open) ? schedule::WorkClass::kRealtime : schedule::WorkClass::kNormal;
  source.owner = settings.owner();
  source.weight = settings.weight();
  source.cost_key = filter.cost_key;
  source.max_units = graph.batch();
  if (!is_realtime(open)) return source;
  source.period = period_of(open);
  source.deadline = deadline_of(open);
  return source;
}

internal::v1::StreamStarted facts_of(const v1::OpenStream& open, const FrameFilter& filter,
                                     const filters::Graph& graph) {
  internal::v1::StreamStarted started;
  *started.mutable_format() = to_message(graph.target_format());
  const v1::FrameRate& rate = open.frame_rate();
  const auto times = [&](int factor) {
    v1::FrameRate result = rate;
    if (rate.denominator() % factor == 0)
      result.set_denominator(rate.denominator() / factor);
    else
      result.set_numerator(rate.numerator() * factor);
    return result;
  };
  *started.mutable_picture_rate() = times(filter.outputs_per_frame);
  *started.mutable_time_base() = times(graph.time_divisor());
  started.set_frames_ahead(graph.window().after);
  started.set_deadline_ns(deadline_of(open).count());
  return started;
}

}  // namespace weft::worker
