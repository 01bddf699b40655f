// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/video_runner.h"

#include <algorithm>
#include <sstream>
#include <thread>
#include <utility>

#include "base/fault_point.h"
#include "options/words.h"
#include "server/media/read/probe/probe.h"
#include "server/media/write/muxer.h"
#include "server/worker/device/device_facts.h"
#include "server/worker/job/job_key.h"
#include "server/worker/video/decode_stage.h"
#include "server/worker/video/input_state.h"
#include "server/worker/video/job_part.h"

namespace weft::worker {
namespace {

using internal::v1::SegmentRecord;
using internal::v1::StopKind;

// Raised when the same input and specification begin to give other bytes: older segments are not gone on with.
constexpr int kOutputVersion = 9;

std::string analysis_name(int number) { return fmt::format("analysis-{}", number); }

// A checkpoint waits for the segment at hand if that is done within this time.
constexpr double kShortSegmentSeconds = 3;

}  // namespace

VideoRunner::VideoRunner(JobOrder order, const DeviceShare& share, JobEvents& events)
    : JobRunner(std::move(order), share, events, kAnalysing), journal_(journal_of("segment")) {}

Status VideoRunner::work() {
  Status status = attempt();
  input_.reset();
  return status;
}

void VideoRunner::stop(StopKind kind) {
  if (kind == internal::v1::STOP_KIND_CHECKPOINT && std::string_view(step_) == kProcessing) {
    const double frames_per_second = rate();
    const int64_t left = meter_.segment_end - meter_.units_done;
    if (frames_per_second > 0 && double(left) / frames_per_second < kShortSegmentSeconds)
      return state_.stop_at_segment_end();
  }
  JobRunner::stop(kind);
}

// The order of the two steps matters: a fetch that is being opened has the new values, or is there by the second.
void VideoRunner::change(const schedule::SourceChanged& change) {
  JobRunner::change(change);
  const std::lock_guard lock(fetch_mutex_);
  if (fetch_ != nullptr) fetch_->change(change);
}

// For steps that take long and may be stopped.
Status VideoRunner::still_wanted() {
  meter_.beat();
  return state_.error();
}

Status VideoRunner::attempt() {
  RETURN_IF_ERROR(state_.check(open_input(), Origin::kInput));
  ASSIGN_OR_RETURN(VideoPlan plan, state_.check(prepare(), Origin::kInput));
  RETURN_IF_ERROR(make_piece(plan));
  while (finished_.back().has_next_piece()) {
    ASSIGN_OR_RETURN(plan, state_.check(next_piece(), Origin::kInput));
    RETURN_IF_ERROR(make_piece(plan));
  }
  RETURN_IF_ERROR(remove_later_pieces());
  ASSIGN_OR_RETURN(const std::string growth, growth_note(*input_));
  if (!growth.empty()) notes_.add(growth);
  return ok_status();
}

Status VideoRunner::make_piece(VideoPlan& plan) {
  RETURN_IF_ERROR(analyse(plan));
  RETURN_IF_ERROR(take_up_segments());
  go_on_as_before(plan);
  if (finished_.empty() || !finished_.back().last()) RETURN_IF_ERROR(process(plan));
  return finish(plan);
}

// As the first attempt found it.
Status VideoRunner::open_input() {
  auto earlier = journal_.first_record();
  if (!earlier) earlier = journal_of(analysis_name(0)).first_record();
  ASSIGN_OR_RETURN(const InputAsFound found, open_as_found(order_.inputs[0], earlier));
  input_ = found.file;
  *record_.mutable_input() = found.state;
  ASSIGN_OR_RETURN(key_, key_of(order_, kOutputVersion, text_of(found.state)));
  return ok_status();
}

// What filters have to know of the whole input before a picture is made, one after the other. Records are durable by segment, as
// pictures are.
Status VideoRunner::analyse(VideoPlan& plan) {
  for (int number = 0; plan.chain.needs_analysis; number++) {
    journal_ = journal_of(analysis_name(number));
    RETURN_IF_ERROR(take_up_segments());
    go_on_as_before(plan);
    if (finished_.empty() || !finished_.back().last()) RETURN_IF_ERROR(process(plan));
    ASSIGN_OR_RETURN(const std::vector<std::byte> records, journal_.read(int64_t(finished_.size())));
    ASSIGN_OR_RETURN(plan.chain, state_.check(decide(plan.chain, share_, records), Origin::kInput));
    begin_anew();
  }
  for (const auto& [name, decision] : plan.chain.decisions)
    if (!decision->report.empty()) notes_.add(decision->report);
  journal_ = journal_of("segment");
  return ok_status();
}

Status VideoRunner::take_up_segments() {
  const auto alive = [this] { return still_wanted(); };
  ASSIGN_OR_RETURN(finished_,
                   journal_.scan(key_, alive, [this](std::string text) { notes_.add(std::move(text)); }));
  if (finished_.empty()) return ok_status();
  const SegmentRecord& last = finished_.back();
  segments_resumed_ = before_.segments_resumed + int(finished_.size());
  earlier_ = last.result();
  for (const std::string& text : earlier_.notes()) notes_.add(text);
  resumed_ = before_.frames_resumed + last.source_frames();
  meter_.units_done = before_.frames + last.source_frames();
  meter_.outputs_done = before_.outputs + last.first_output() + last.outputs();
  meter_.corrupt_packets = earlier_.corrupt_packets();
  events_.on_log("info", fmt::format("The job goes on behind {} ({}).",
                                     options::format_count(int64_t(finished_.size()), "finished segment"),
                                     options::format_count(last.source_frames(), "frame")));
  return ok_status();
}

StatusOr<VideoPlan> VideoRunner::prepare() {
  const TraceSpan span(v1::TRACE_CATEGORY_JOB, "opening");
  ASSIGN_OR_RETURN(facts_, media::probe(input_, order_.spec.video().decoding().programme()));
  meter_.beat();
  ASSIGN_OR_RETURN(VideoPlan plan, plan_piece());
  RETURN_IF_ERROR(refuse_late_streams(plan, input_, output().name()));
  meter_.units_total = plan.frames;
  events_.on_log("info", fmt::format("Input: {}.", summary_of(facts_)));
  return plan;
}

StatusOr<VideoPlan> VideoRunner::plan_piece() {
  ASSIGN_OR_RETURN(ChainInputs option_files, read_option_files(order_.inputs, "spec.video"));
  meter_.beat();
  ASSIGN_OR_RETURN(VideoPlan plan, plan_video(order_.spec, facts_, output().name(), std::move(option_files)));
  meter_.beat();
  if (from_) plan.part.from = *from_;
  plan.source.alive = [this] { return still_wanted(); };
  const device::DeviceInfo& info = share_.device.info();
  plan.source.cuda_ordinal = decoder_ordinal(info);
  // To the worker that plans a GPU's time this one is another program.
  if (info.kind == device::BackendKind::kCpu) plan.source.hardware = false;
  plan_fetch(plan, facts_.video.format);
  events_.on_log("info", fmt::format("Output: {}.", summary_of(plan)));
  for (const std::string& text : plan.notes) notes_.add(text);
  return plan;
}

void VideoRunner::go_on_as_before(VideoPlan& plan) const {
  if (finished_.empty()) return;
  plan.encoder.threads = finished_.front().encoder_threads();
  plan.source.hardware = finished_.front().hardware_decoder();
  if (!plan.source.hardware) plan.source.fetch = nullptr;
}

Status VideoRunner::process(const VideoPlan& plan) {
  step_ = plan.chain.needs_analysis ? kAnalysing : kProcessing;
  const SegmentGrid grid{plan.segment_frames, std::max(plan.chain.window.before, 1)};
  ASSIGN_OR_RETURN(auto part, state_.check(open_part(plan, grid), Origin::kInput));
  write_start(part->start(), *record_.mutable_part());
  ASSIGN_OR_RETURN(const auto filter, state_.check(open_filter(plan, grid), Origin::kDevice));
  std::istringstream description(filter->describe());
  for (std::string line; std::getline(description, line);) events_.on_log("info", line);
  keep_frames(plan, part->source(), *filter);
  run_pipeline(plan, grid, *part, *filter);
  steer(nullptr);
  if (state_.failed())  // else decode() has told it at the end
    for (std::string& text : part->source().notes()) notes_.add(std::move(text));
  const auto turn = share_.loop.opening_turn();  // NVDEC's decoder waits for the GPU to close
  part.reset();
  if (fetch_ != nullptr) fetch_->keep_in(nullptr);
  return state_.error();
}

StatusOr<std::unique_ptr<FilterStage>> VideoRunner::open_filter(const VideoPlan& plan,
                                                                const SegmentGrid& grid) {
  FilterStage::Start start;
  start.source = source();
  start.source.cost_key = plan.chain.cost_key;
  ASSIGN_OR_RETURN(graph::Network network, expand(plan.chain, start.source));
  const int64_t segment = int64_t(finished_.size());
  start.first_frame = segment == 0 ? 0 : grid.decode_from(segment);
  start.first_wanted = grid.first_frame(segment);
  if (!finished_.empty()) start.state = finished_.back().filter_state();
  start.pictures_held = pictures_held(plan.output.format);
  ASSIGN_OR_RETURN(auto filter,
                   FilterStage::open(share_.device, share_.loop, std::move(network), start, meter_));
  steer(&filter->batch_stage());
  return filter;
}

void VideoRunner::run_pipeline(const VideoPlan& plan, const SegmentGrid& grid, media::VideoPart& part,
                               FilterStage& filter) {
  BoundedQueue<media::SourceFrame> frames(queue_capacity(plan.facts.video.format));
  BoundedQueue<OutputPicture> pictures(queue_capacity(plan.output.format));
  Places places;
  places.note = [this](const std::string& text) { notes_.add(text); };
  FrameScaler scaler(plan.facts.video.format, chroma_site_of(plan.facts.video));
  places.fails_when_short = plan.fails_when_short;
  EncodeStage encoder = make_encode_stage(plan, grid, places, filter);
  const int64_t segment = int64_t(finished_.size());
  const int64_t first_frame = segment == 0 ? 0 : grid.decode_from(segment);
  const FailureCallback abandon(state_, [&] {
    frames.abandon();
    pictures.abandon();
  });
  {
    const auto decode_part = [&] {
      DecodeStart start{before_.frames, first_frame, &scaler};
      if (part.source().hardware()) start.turn = share_.loop.opening_turn();
      return decode(part, std::move(start), grid, frames, places, meter_);
    };
    const std::jthread decoding = start_thread(decode_part, Origin::kInput);
    const std::jthread encoding =
        start_thread([&] { return encode_all(encoder, pictures); }, Origin::kOutput);
    const Status filtered = filter.run(frames, pictures);
    if (!filtered.ok()) state_.fail(filtered, Origin::kDevice);
  }
  for (const std::string& note : places.end_notes) notes_.add(note);
  if (places.has_captions && plan.writes_file() && !plan.chain.needs_analysis &&
      !media::carries_captions(plan.encoder.encoder))
    notes_.add(fmt::format("The closed captions are left out: the encoder {} does not carry them.",
                           plan.encoder.encoder));
}

EncodeStage VideoRunner::make_encode_stage(const VideoPlan& plan, const SegmentGrid& grid, Places& places,
                                           FilterStage& filter) {
  EncodeStage::Parts parts;
  parts.keeps_records = plan.chain.needs_analysis;
  parts.settings = plan.encoder;
  parts.video = plan.output;
  parts.grid = grid;
  parts.journal = &journal_;
  parts.places = &places;
  parts.meter = &meter_;
  parts.frames_before = before_.frames;
  parts.outputs_before = before_.outputs;
  record_.set_key(key_);
  parts.record = record_;
  parts.state_after = [&filter](int64_t frame) { return filter.state_after(frame); };
  parts.result = [this] { return result_so_far(); };
  const bool is_analysis = plan.chain.needs_analysis;
  parts.on_segment = [this, is_analysis](const SegmentRecord& record) {
    finished_.push_back(record);
    if (!is_analysis)
      events_.on_segment_finished(before_.segments + int(finished_.size()) - 1,
                                  before_.frames + record.source_frames());
  };
  const int64_t outputs =
      finished_.empty() ? 0 : finished_.back().first_output() + finished_.back().outputs();
  return EncodeStage(std::move(parts), int64_t(finished_.size()), outputs);
}

Status VideoRunner::encode_all(EncodeStage& encoder, BoundedQueue<OutputPicture>& pictures) {
  while (const std::optional<OutputPicture> picture = pictures.pop()) {
    if (encoder.begins_segment(*picture)) {
      RETURN_IF_ERROR(encoder.finish_segment(false));
      if (state_.stops_at_segment_end()) {
        state_.fail(cancelled("{}", reason_of(internal::v1::STOP_KIND_CHECKPOINT)), Origin::kStop);
        return ok_status();
      }
    }
    RETURN_IF_ERROR(encoder.encode(*picture));
  }
  if (state_.failed()) return ok_status();
  return encoder.finish_segment(true);
}

Status VideoRunner::finish(const VideoPlan& plan) {
  step_ = kFinishing;
  const TraceSpan span(v1::TRACE_CATEGORY_JOB, kFinishing);
  RETURN_IF_ERROR(still_wanted());
  if (!plan.writes_file()) {
    notes_.add("No file is written: the encoder is null.");
    return ok_status();
  }
  media::FinishRequest request;
  for (size_t i = 0; i < finished_.size(); i++) request.segments.push_back(journal_.place(int64_t(i)));
  request.source = input_;
  request.name = output().name();
  request.output = {order_.work_folder.get(), output().finished_name};
  request.programme = plan.source.programme;
  request.choices = plan.choices;
  request.expected_frames = finished_.back().first_output() + finished_.back().outputs();
  request.part = source_part(finished_.back().part());
  request.progress = [this](int64_t) { return still_wanted(); };
  FAULT_POINT("worker.finish.before");
  const StatusOr<media::FinishResult> result = media::finish(request);
  // Segments that do not fit together will not do so the next time.
  if (result.status().code() == StatusCode::kFailedPrecondition) RETURN_IF_ERROR(journal_.remove_from(0));
  RETURN_IF_ERROR(result.status());
  FAULT_POINT("worker.finish.after");
  output_bytes_ += result->bytes;
  for (const std::string& text : result->notes) notes_.add(text);
  return ok_status();
}

void VideoRunner::add_facts(v1::JobResult& result) const {
  result.set_output_bytes(output_bytes_);
  result.set_first_frame(piece_ > 1 ? before_.first_frame
                                    : (finished_.empty() ? record_ : finished_.back()).part().first_frame());
  result.set_segments(before_.segments + int(finished_.size()));
  result.set_segments_resumed(segments_resumed_);
}

}  // namespace weft::worker
