// SPDX-License-Identifier: Apache-2.0
// Implements the estimate of a video job (video_plan.h).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "options/job_files.h"
#include "server/channel/status_message.h"
#include "server/media/image/image.h"
#include "server/media/read/packets/frame_bound.h"
#include "server/media/read/packets/size_scan.h"
#include "server/media/read/probe/probe.h"
#include "server/media/read/source/video_source.h"
#include "server/media/write/encoder_pass.h"
#include "server/media/write/muxer.h"
#include "server/media/write/video_encoder.h"
#include "server/worker/video/bit_budget.h"
#include "server/worker/video/filter_stage.h"
#include "server/worker/video/input_state.h"
#include "server/worker/video/video_plan.h"

namespace weft::worker {
namespace {

constexpr const char* kJobField = "spec.video";
constexpr const char* kOutputField = "spec.video.output";

// Finds errors of muxing early, which would otherwise appear after all work is done.
Status check_muxing(const VideoPlan& plan, const media::InputFilePtr& input, std::string_view output_name) {
  if (!plan.writes_file() || plan.header.encoder.empty()) return ok_status();
  const Status tried = media::try_output({.source = input,
                                          .programme = plan.source.programme,
                                          .name = std::string(output_name),
                                          .video = plan.header,
                                          .plan = plan.container,
                                          .choices = plan.choices});
  return tried.ok() ? tried : blame(kOutputField, tried);
}

// Checks a change of the picture size. Jobs for a part are accepted, since the change may lie
// outside it.
Status check_size_change(const media::LaterSize& change, const VideoPlan& plan) {
  if (plan.source.on_size_change != media::OnSizeChange::kFails || !plan.part.is_whole()) return ok_status();
  const VideoFormat& first = plan.info.video.format;
  return blame(
      "spec.video.decoding.on_size_change",
      invalid_argument(
          "The pictures are {}x{} at first and {}x{} from about {:.1f} s on; choose \"scale\" to have them "
          "scaled to the first size, or \"split\" to have a file for each.",
          first.width, first.height, change.width, change.height,
          std::chrono::duration<double>(change.time).count()));
}

// Memory of a job in bytes without its frames: code and tables of libraries, stacks, packets.
constexpr int64_t kJobBytes = int64_t{96} << 20;
// Frames in a decoder: references, reordering, and those in its threads. Measured at 3840x2160 and
// 8192x8192 with FFmpeg 5.1: H.264 9 to 12 frames with 2 threads and 34 to 40 with 16, HEVC 9 and
// 30, ProRes 3 and 17, MPEG-2 4.
constexpr int64_t kDecoderFrames = 8, kDecoderThreadFrames = 2;
constexpr int kMostDecoderThreads = 16;

// Least number of segments of a job that renders several at the same time.
constexpr int64_t kLeastSegmentsForLanes = 4;

int64_t decoder_frames(const media::SourceOptions& source) {
  const int machine = int(std::clamp(std::thread::hardware_concurrency(), 1u, unsigned{kMostDecoderThreads}));
  return kDecoderFrames + kDecoderThreadFrames * (source.threads > 0 ? source.threads : machine);
}

// Returns the device memory for frames of NVDEC that wait in a queue of this capacity.
int64_t kept_frames_bytes(const VideoPlan& plan, size_t capacity) {
  if (!plan.source.hardware) return 0;
  return int64_t(frames_kept(capacity) * graph::FrameLayout::of(plan.info.video.format).frame_bytes);
}

// Returns the memory of a job. Pictures that wait for the encoder are part of those held by the
// pipeline.
StatusOr<ChainMemory> memory_of_video(const VideoPlan& plan) {
  const VideoFormat& format = plan.info.video.format;
  ASSIGN_OR_RETURN(ChainMemory memory,
                   memory_of(plan.chain, plan_options(format, pictures_held(plan.output.format))));
  const auto waiting = int64_t(queue_capacity(format) + media::kSeenFrames);
  const int64_t decoded = (waiting + decoder_frames(plan.source)) * int64_t(format.packed_bytes());
  const int64_t more = kJobBytes + decoded + media::estimate_encoder_memory(plan.encoder, plan.output);
  memory.host_bytes += more;
  memory.shared_bytes += more;
  for (int64_t& bytes : memory.device_bytes) bytes += kept_frames_bytes(plan, queue_capacity(format));
  return memory;
}

// Memory of a further segment that is rendered at the same time, in bytes.
struct SegmentMemory {
  int64_t host_bytes = 0;  // on a device that uses the host's memory
  int64_t device_bytes = 0;
};

// Returns the memory of a further segment that is rendered at the same time, or 0 if the job
// renders one segment after the other: it has few segments, or packets do not show their starts.
StatusOr<SegmentMemory> segment_memory_of_video(const VideoPlan& plan) {
  if (plan.source.on_size_change != media::OnSizeChange::kFails || plan.info.video.woven)
    return SegmentMemory();
  if (plan.frames < kLeastSegmentsForLanes * plan.segment_frames) return SegmentMemory();
  const VideoFormat& format = plan.info.video.format;
  const int held = int(queue_capacity(plan.output.format) / kFurtherLaneQueues) + kPicturesInHands;
  ASSIGN_OR_RETURN(const ChainMemory memory, memory_of(plan.chain, plan_options(format, held)));
  const size_t capacity = queue_capacity(format) / kFurtherLaneQueues;
  const int64_t frames = int64_t(capacity + media::kSeenFrames) + decoder_frames(plan.source);
  return SegmentMemory{
      memory.shared_bytes + frames * int64_t(format.packed_bytes()) +
          media::estimate_encoder_memory(plan.encoder, plan.output),
      memory.device_bytes.front() - memory.kept_device_bytes + kept_frames_bytes(plan, capacity)};
}

// Returns the file's declared properties. The number of frames is bounded by the bytes of the file,
// since space and time are planned by it.
StatusOr<media::MediaInfo> believable_info(const media::InputFilePtr& input, int programme) {
  ASSIGN_OR_RETURN(media::MediaInfo info, media::probe(input, programme));
  ASSIGN_OR_RETURN(const int64_t frames, media::believable_frames(input, programme, info.video.frames));
  if (frames < info.video.frames) info.video.frames_exact = false;
  info.video.frames = frames;
  return info;
}

// Returns the number of output pictures by the nominal rates, or by the filters where one is
// unknown.
int64_t outputs_of(const VideoPlan& plan) {
  const media::Ratio from = plan.info.video.frame_rate, to = plan.output.frame_rate;
  if (from.known() && to.known())
    return int64_t(std::llround(double(plan.frames) * (to.value() / from.value())));
  return plan.frames * plan.chain.rate.numerator / plan.chain.rate.denominator;
}

}  // namespace

bool is_video(const OpenJobFile& input) {
  const auto file = open_input_file(input);
  return file.ok() && media::probe(*file, 0).ok();
}

StatusOr<v1::JobEstimate> estimate_video(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs) {
  const options::JobFiles files = options::files_of_job(spec);
  const StatusOr<media::InputFilePtr> input = open_input_file(inputs[0]);
  if (!input.ok()) return blame(files.inputs[0].field, input.status());
  const int programme = spec.video().decoding().programme();
  const StatusOr<media::MediaInfo> info = believable_info(*input, programme);
  if (!info.ok()) return blame(files.inputs[0].field, info.status());
  ASSIGN_OR_RETURN(const std::optional<media::LaterSize> change, media::find_size_change(*input, programme));
  ASSIGN_OR_RETURN(ChainInputs option_files, read_option_files(inputs, kJobField));
  ASSIGN_OR_RETURN(const VideoPlan plan,
                   plan_video(spec, *info, files.outputs[0].name(), std::move(option_files)));
  if (change) RETURN_IF_ERROR(check_size_change(*change, plan));
  if (plan.decisions) {
    ASSIGN_OR_RETURN(const InputAsFound found, open_as_found(inputs[0], std::nullopt));
    RETURN_IF_ERROR(check_decisions(plan, found.state, spec.video()));
  }
  RETURN_IF_ERROR(check_muxing(plan, *input, files.outputs[0].name()));

  v1::JobEstimate estimate;
  estimate.set_media(v1::MEDIA_KIND_VIDEO);
  estimate.set_input_summary(channel::as_utf8(summary_of(*info)));
  estimate.set_output_summary(channel::as_utf8(summary_of(plan)));
  const int64_t frames = plan.frames;
  estimate.set_units_in(frames);
  estimate.set_units_out(outputs_of(plan));
  estimate.set_cost_key(plan.chain.cost_key);
  estimate.set_pace_key(channel::as_utf8(plan.pace_key()));
  *estimate.mutable_unit_work() = to_message(plan.chain.work);
  ASSIGN_OR_RETURN(const ChainMemory memory, memory_of_video(plan));
  estimate.set_host_bytes(memory.host_bytes);
  estimate.set_shared_bytes(memory.shared_bytes);
  estimate.mutable_device_bytes()->Assign(memory.device_bytes.begin(), memory.device_bytes.end());
  ASSIGN_OR_RETURN(const SegmentMemory segment, segment_memory_of_video(plan));
  estimate.set_segment_bytes(segment.host_bytes);
  estimate.set_segment_device_bytes(segment.device_bytes);
  estimate.set_encoder_sessions(media::encoder_sessions(plan.encoder));
  estimate.set_cpu_slots(media::encoder_processors(plan.encoder) + 1);
  estimate.set_inexact_filter(plan.chain.inexact_filter);
  estimate.set_plan_graph(channel::as_utf8(memory.plan_graph));
  if (frames > 0 && plan.writes_file()) {
    // Segments and the finished file exist together at the end. For copied streams, a quarter of
    // the input's part is assumed.
    const int64_t video = media::estimate_bytes(plan.encoder, plan.output, estimate.units_out());
    const double part = std::min(1.0, double(frames) / double(std::max<int64_t>(info->video.frames, 1)));
    const auto copied = int64_t(part * double(info->bytes) / 4);
    const int64_t statistics =
        plan.encoder.pass.mean_rate > 0
            ? kMostFirstPasses * media::estimate_statistics(plan.output, estimate.units_out())
            : 0;
    estimate.set_output_bytes(2 * video + statistics + (plan.container.copied.empty() ? 0 : copied));
  }
  return estimate;
}

}  // namespace weft::worker
