// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/video_lane.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>
#include <utility>

#include "options/words.h"
#include "server/media/write/video_encoder.h"
#include "server/worker/device/kept_frames.h"
#include "server/worker/video/decode_stage.h"
#include "server/worker/video/job_part.h"

namespace weft::worker {
namespace {

using internal::v1::SegmentRecord;

// interval of looks at the segments that tasks of other processes render
constexpr std::chrono::milliseconds kOthersInterval{50};

}  // namespace

VideoRunner::Lane::Lane(VideoRunner& runner, Pass& pass, int number)
    : runner_(runner),
      pass_(pass),
      plan_(pass.plan),
      grid_(pass.grid),
      number_(number),
      source_(pass.plan.source) {
  open_fetch();
}

VideoRunner::Lane::~Lane() = default;

// Plans the transfers on a CUDA device. On a Vulkan device NVDEC's frames arrive through a CUDA
// context, for which the schedule has no stream.
void VideoRunner::Lane::open_fetch() {
  const DeviceShare& share = runner_.share_;
  if (!source_.hardware || share.device.info().kind != device::BackendKind::kCuda) return;
  auto fetch = PlannedFetch::open(share.device, share.loop, runner_.source(),
                                  graph::PortFormat::picture(plan_.info.video.format).text());
  if (!fetch.ok()) {
    runner_.notes_.add(
        fmt::format("Frames are fetched from NVDEC without a plan. {}", message_of(fetch.status())));
    return;
  }
  fetch_ = *std::move(fetch);
  source_.fetch = fetch_.get();
  source_.keeps_frames = share.keeps_frames;
}

void VideoRunner::Lane::change(const schedule::SourceChanged& change) {
  if (fetch_ != nullptr) fetch_->change(change);
}

void VideoRunner::Lane::run() {
  PipelineState& state = runner_.state_;
  while (!state.failed() && !state.stops_at_segment_end() && !lacks_memory_) {
    const std::optional<SegmentTable::Run> run = pass_.table.begin(number_, std::chrono::steady_clock::now());
    if (run) {
      render(*run).IgnoreError();  // the state has the error
      pass_.table.end(number_);
    } else if (number_ > 0 || !pass_.table.awaits_others()) {
      return;
    } else {
      runner_.meter_.beat();
      std::this_thread::sleep_for(kOthersInterval);
    }
  }
}

Status VideoRunner::Lane::render(const SegmentTable::Run& run) {
  PipelineState& state = runner_.state_;
  const auto is_refused = [&](const Status& status) {
    lacks_memory_ = number_ > 0 && status.code() == StatusCode::kResourceExhausted;
    return lacks_memory_.load();
  };
  StatusOr<std::unique_ptr<media::VideoPart>> part = open_part(run);
  if (is_refused(part.status())) return ok_status();
  RETURN_IF_ERROR(state.check(part.status(), Origin::kInput));
  if (*part == nullptr) return ok_status();
  StatusOr<std::unique_ptr<FilterStage>> filter = open_filter(run);
  if (!is_refused(filter.status()) && state.check(filter.status(), Origin::kDevice).ok()) {
    keep_frames((*part)->source(), **filter);
    goes_on_ = true;
    run_pipeline(run, **part, **filter);
    runner_.steer_no_more((*filter)->batch_stage());
    for (std::string& text : (*part)->source().notes()) runner_.notes_.add(std::move(text));
  }
  // closing NVDEC's decoder blocks until the GPU is idle
  const auto driver_lock = runner_.share_.loop.driver_lock();
  part->reset();
  if (fetch_ != nullptr) fetch_->keep_in(nullptr);
  return state.error();
}

// Returns the index of the first decoded frame of a run.
int64_t VideoRunner::Lane::first_frame(const SegmentTable::Run& run) const {
  return run.segment == 0 ? 0 : grid_.decode_from(run.segment);
}

StatusOr<std::unique_ptr<media::VideoPart>> VideoRunner::Lane::open_part(const SegmentTable::Run& run) {
  ASSIGN_OR_RETURN(auto part, media::VideoPart::open(runner_.input_, source_, plan_.part));
  runner_.meter_.beat();
  if (run.start && first_frame(run) > 0) {
    ASSIGN_OR_RETURN(const bool found, go_to_start(*part, first_frame(run)));
    RETURN_IF_ERROR(runner_.still_wanted());
    if (found) {
      runner_.events_.on_log(
          "info", fmt::format("Segment {} begins at frame {} ({} decoded to get there).", run.segment,
                              first_frame(run), options::format_count(part->frames_skipped(), "frame")));
      return part;
    }
    pass_.table.forget_start(run.segment);
    return std::unique_ptr<media::VideoPart>();
  }
  const Status placed = run.before ? resume(*part, run) : begin(*part);
  RETURN_IF_ERROR(runner_.still_wanted());  // a stop is no reason to start over
  if (placed.ok() && !run.before && !run.start) write_start(part->start(), *runner_.record_.mutable_part());
  if (placed.ok()) return part;
  if (!run.before ||
      (placed.code() != StatusCode::kFailedPrecondition && placed.code() != StatusCode::kDataLoss))
    return placed;
  runner_.notes_.add(fmt::format("The job starts over: {}", message_of(placed)));
  pass_.starts_over = true;
  pass_.table.close();
  return std::unique_ptr<media::VideoPart>();
}

Status VideoRunner::Lane::begin(media::VideoPart& part) {
  RETURN_IF_ERROR(blame_part(part.begin(), part.bounds()));
  if (const media::PartStart& start = part.start(); start.pts)
    runner_.events_.on_log(
        "info", fmt::format("The part begins at the input's frame {} ({} decoded to get there).", start.index,
                            options::format_count(part.frames_skipped(), "frame")));
  return ok_status();
}

Status VideoRunner::Lane::resume(media::VideoPart& part, const SegmentTable::Run& run) {
  const media::PartStart start = read_start(run.before->part());
  if (first_frame(run) == 0) {
    RETURN_IF_ERROR(begin(part));
    if (part.start() == start) return ok_status();
    return data_loss("A segment remembers a part that begins at frame {}, and it begins at frame {}.",
                     start.index, part.start().index);
  }
  ASSIGN_OR_RETURN(const media::SourceCheckpoint resume_point,
                   media::parse_checkpoint(run.before->checkpoint()));
  if (resume_point.next_index != start.index + first_frame(run))
    return data_loss("A segment remembers another place in the input (frame {}) than it should (frame {}).",
                     resume_point.next_index, start.index + first_frame(run));
  RETURN_IF_ERROR(part.resume(resume_point, start));
  runner_.events_.on_log(
      "info", fmt::format("Decoding goes on at frame {} ({} decoded to get there).", first_frame(run),
                          options::format_count(part.source().frames_skipped(), "frame")));
  return ok_status();
}

// Moves to a frame by the times of packets. Returns false if that is impossible, or if another
// decoder than that of the other lanes would decode.
StatusOr<bool> VideoRunner::Lane::go_to_start(media::VideoPart& part, int64_t first_frame) {
  const media::PartStart start = read_start(runner_.record_.part());
  ASSIGN_OR_RETURN(const bool found, part.go_to(start.index + first_frame, *pass_.times, start));
  return found && part.source().hardware() == pass_.hardware;
}

StatusOr<std::unique_ptr<FilterStage>> VideoRunner::Lane::open_filter(const SegmentTable::Run& run) {
  FilterStage::Start start;
  start.source = runner_.source();
  start.source.cost_key = plan_.chain.cost_key;
  graph::Network network;
  {
    const std::lock_guard lock(pass_.expanding);
    ASSIGN_OR_RETURN(network, runner_.expand(plan_.chain, start.source));
  }
  start.first_frame = first_frame(run);
  start.first_wanted = grid_.first_frame(run.segment);
  if (run.before)
    start.state = run.before->filter_state();
  else if (run.start)
    start.state = run.start->filter_state;
  start.pictures_held = int(capacity(plan_.output.format)) + kPicturesInHands;
  start.batch_halvings = runner_.order_.batch_halvings;
  ASSIGN_OR_RETURN(auto filter, FilterStage::open(runner_.share_.device, runner_.share_.loop,
                                                  std::move(network), start, runner_.meter_));
  if (!has_delivered_) {
    clock_plan_.clocks = filter->plan().clocks;
    clock_plan_.output_clock = filter->plan().output_clock;
    std::istringstream description(number_ == 0 ? filter->describe() : "");
    for (std::string line; std::getline(description, line);) runner_.events_.on_log("info", line);
  }
  runner_.steer(filter->batch_stage());
  return filter;
}

// Keeps frames of NVDEC on the device from now on, if the device has memory for all frames in
// progress.
void VideoRunner::Lane::keep_frames(const media::VideoSource& source, const FilterStage& filter) {
  if (fetch_ == nullptr || !source_.keeps_frames || !source.asks_hardware()) return;
  const size_t slots = frames_kept(capacity(plan_.info.video.format));
  const auto driver_lock = runner_.share_.loop.driver_lock();
  auto frames = KeptFrames::make(runner_.share_.device, filter.source_format(), int(slots));
  if (frames.ok())
    fetch_->keep_in(*std::move(frames));
  else
    runner_.notes_.add(
        fmt::format("What NVDEC decodes goes through the host's memory. {}", message_of(frames.status())));
}

// Returns true if the own task of the attempt no longer shares the segments.
bool VideoRunner::Lane::is_withdrawn() const {
  const auto plan = runner_.journal_.read_plan(runner_.key_);
  return !plan || plan->starts().empty();
}

// Further lanes have shorter queues: while there are several, a variation of one matters less.
size_t VideoRunner::Lane::capacity(const VideoFormat& format) const {
  const size_t most = queue_capacity(format);
  return number_ == 0 ? most : std::max<size_t>(most / kFurtherLaneQueues, 2);
}

void VideoRunner::Lane::run_pipeline(const SegmentTable::Run& run, media::VideoPart& part,
                                     FilterStage& filter) {
  BoundedQueue<media::SourceFrame> frames(capacity(plan_.info.video.format));
  BoundedQueue<OutputPicture> pictures(capacity(plan_.output.format));
  DecodingNotes decoding_notes;
  decoding_notes.note = [this](const std::string& text) { runner_.notes_.add(text); };
  FrameScaler scaler(plan_.info.video.format, chroma_siting_of(plan_.info.video));
  decoding_notes.fails_when_short = plan_.fails_when_short;
  EncodeStage encoder = make_encode_stage(run, part, decoding_notes, filter);
  const FailureCallback abandon(runner_.state_, [&] {
    frames.abandon();
    pictures.abandon();
  });
  {
    const auto decode_part = [&] {
      DecodeStart start{runner_.before_.frames, first_frame(run), &scaler};
      if (part.source().hardware()) start.driver_lock = runner_.share_.loop.driver_lock();
      return decode(part, std::move(start), grid_, frames, decoding_notes, runner_.meter_);
    };
    const std::jthread decoding = runner_.start_thread(decode_part, Origin::kInput);
    const std::jthread encoding = runner_.start_thread(
        [&] { return encode_all(run, encoder, decoding_notes, pictures); }, Origin::kOutput);
    const Status filtered = filter.run(frames, pictures);
    if (!filtered.ok()) runner_.state_.fail(filtered, Origin::kDevice);
  }
  for (const std::string& note : decoding_notes.end_notes) runner_.notes_.add(note);
  if (decoding_notes.has_captions && plan_.writes_file() && !plan_.is_preparing() &&
      !media::carries_captions(plan_.encoder.encoder))
    runner_.notes_.add(fmt::format("The closed captions are left out: the encoder {} does not carry them.",
                                   plan_.encoder.encoder));
}

EncodeStage VideoRunner::Lane::make_encode_stage(const SegmentTable::Run& run, const media::VideoPart& part,
                                                 DecodingNotes& decoding_notes, FilterStage& filter) {
  EncodeStage::Parts parts;
  parts.keeps_records = plan_.chain.needs_analysis;
  parts.settings = plan_.encoder;
  parts.pass_of = [this](int64_t segment) { return runner_.pass_of(segment, plan_); };
  parts.video = plan_.output;
  parts.grid = grid_;
  parts.journal = &runner_.journal_;
  if (runner_.order_.task > 0) parts.file_suffix = fmt::format("-{}", runner_.order_.task);
  parts.decoding_notes = &decoding_notes;
  parts.meter = &runner_.meter_;
  parts.frames_left = &frames_left_;
  parts.corrupt_before = part.source().counters().corrupt_packets;
  if (run.start) {
    parts.start.emplace();
    parts.start->set_filter_state(run.start->filter_state);
    if (first_frame(run) > 0) parts.start->set_checkpoint(media::serialise(part.checkpoint()));
  }
  parts.record = runner_.record_;
  parts.state_after = [&filter](int64_t frame) { return filter.state_after(frame); };
  parts.result = [this] { return runner_.result_so_far(); };
  parts.on_segment = [this](int64_t segment, const SegmentRecord& record) {
    runner_.count_segment(segment, record, plan_, false);
    runner_.await_scan(pass_);
    if (runner_.order_.task > 0 && is_withdrawn()) pass_.table.close();
    goes_on_ = pass_.table.add(number_, record, std::chrono::steady_clock::now()) &&
               !runner_.state_.stops_at_segment_end();
  };
  int64_t outputs = 0;
  if (run.before)
    outputs = run.before->first_output() + run.before->outputs();
  else if (run.start)
    outputs = run.start->first_output;
  return EncodeStage(std::move(parts), run.segment, outputs);
}

Status VideoRunner::Lane::encode_all(const SegmentTable::Run& run, EncodeStage& encoder,
                                     const DecodingNotes& decoding_notes,
                                     BoundedQueue<OutputPicture>& pictures) {
  while (const std::optional<OutputPicture> picture = pictures.pop()) {
    if (!has_delivered_) {
      clock_plan_.flags = decoding_notes.first_flags;
      hardware_ = decoding_notes.hardware;
      has_delivered_ = true;
      runner_.lanes_changed_.notify_all();
    }
    if (encoder.begins_segment(*picture)) {
      RETURN_IF_ERROR(encoder.finish_segment(false));
      if (!goes_on_) {
        pictures.abandon();
        return ok_status();
      }
    }
    RETURN_IF_ERROR(encoder.encode(*picture));
  }
  if (runner_.state_.failed()) return ok_status();
  if (run.start && !encoder.has_pictures()) {
    pass_.table.forget_start(run.segment);  // the input ends before this segment
    return ok_status();
  }
  return encoder.finish_segment(true);
}

}  // namespace weft::worker
