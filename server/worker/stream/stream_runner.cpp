// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream/stream_runner.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "server/worker/device/cost_probe.h"
#include "server/worker/stream/stream_copy.h"
#include "server/worker/stream/stream_plan.h"
#include "server/worker/texture/signed_blocks.h"

namespace weft::worker {

StatusOr<std::unique_ptr<StreamRunner>> StreamRunner::open(const DeviceShare& share,
                                                           internal::v1::StartStream order,
                                                           std::vector<channel::FileDescriptor> files,
                                                           RunnerEvents& events, Preparing& preparing) {
  ASSIGN_OR_RETURN(const std::vector<OpenJobFile> inputs,
                   take_inputs(options::files_of_stream(order.open()), files));
  ASSIGN_OR_RETURN(StreamTask work, work_of(order.open(), inputs));
  ASSIGN_OR_RETURN(StreamPipelines pipelines, make_stream_pipelines(share, preparing, order, work));
  std::unique_ptr<StreamRunner> runner(
      new StreamRunner(std::move(order), std::move(work), std::move(pipelines), share.loop, events));
  schedule::SourceSpec source = source_of(runner->order(), runner->stream_work_, *runner->pipeline_);
  if (runner->order_.owner_weight() > 0) source.owner_weight = runner->order_.owner_weight();
  RETURN_IF_ERROR(runner->open_source(share, preparing, source));
  RETURN_IF_ERROR(runner->open_analyses(source));
  return runner;
}

// Opens the sources of the analyses. Their costs are learnt apart from those of the pictures.
Status StreamRunner::open_analyses(const schedule::SourceSpec& source) {
  for (const auto& analysis : analyses_) {
    schedule::SourceSpec own = source;
    own.cost_key = fmt::format("{} for {}", source.cost_key, analysis->name());
    own.max_units = analysis->max_units();
    own.portions = 1;
    RETURN_IF_ERROR(analysis->open(std::move(own)));
  }
  return ok_status();
}

// Measures the cost of a realtime stream's frame if it is unknown, and again before the stream is
// refused because of a learnt cost: the device may have been busier when it was learnt, and no
// other measurement would correct it.
Status StreamRunner::open_source(const DeviceShare& share, Preparing& preparing,
                                 const schedule::SourceSpec& source) {
  const auto measure = [&]() -> Status {
    ASSIGN_OR_RETURN(StreamPipelines probe, make_stream_pipelines(share, preparing, order_, stream_work_));
    const Status measured = probe_cost(preparing, *probe.pictures, source);
    const auto driver_lock = loop_.driver_lock();
    probe.pictures.reset();
    return measured;
  };
  const bool is_known = !realtime_ || loop_.cost(source.cost_key).known();
  if (!is_known) RETURN_IF_ERROR(measure());
  Status opened = stage_.open(source);
  if (is_known && opened.code() == StatusCode::kResourceExhausted && loop_.could_fit(source)) {
    const Status measured = measure();
    if (measured.ok()) opened = stage_.open(source);
    // If there is no time for a measurement, the learnt cost applies.
    if (!measured.ok() && measured.code() != StatusCode::kDeadlineExceeded) return measured;
  }
  return opened;
}

namespace {

std::vector<std::unique_ptr<StreamAnalysis>> analyses_of(StreamPipelines& pipelines,
                                                         const graph::Pipeline& pictures, DeviceLoop& loop) {
  std::vector<std::unique_ptr<StreamAnalysis>> analyses;
  for (size_t i = 0; i < pipelines.analyses.size(); i++) {
    const graph::Pipeline& next =
        i + 1 < pipelines.analyses.size() ? *pipelines.analyses[i + 1].pipeline : pictures;
    analyses.push_back(std::make_unique<StreamAnalysis>(std::move(pipelines.analyses[i]), pipelines.maps,
                                                        next.plan().window.before, loop));
  }
  return analyses;
}

int frames_ahead_of(const graph::Pipeline& pictures,
                    const std::vector<std::unique_ptr<StreamAnalysis>>& analyses) {
  int frames = pictures.plan().window.after;
  for (const auto& analysis : analyses) frames += analysis->frames_ahead();
  return frames;
}

}  // namespace

StreamRunner::StreamRunner(internal::v1::StartStream order, StreamTask work, StreamPipelines pipelines,
                           DeviceLoop& loop, RunnerEvents& events)
    : order_(std::move(order)),
      stream_work_(std::move(work)),
      realtime_(is_realtime(order_.open())),
      device_bytes_(int64_t(pipelines.device_bytes())),
      pipeline_(std::move(pipelines.pictures)),
      loop_(loop),
      events_(events),
      stage_(*pipeline_, loop, meter_, [this] { wake(); }),
      analyses_(analyses_of(pipelines, *pipeline_, loop)),
      frames_ahead_(frames_ahead_of(*pipeline_, analyses_)),
      measures_(realtime_, deadline_of(order_.open()), frames_ahead_),
      pace_(period_of(order_.open())) {
  if (analyses_.empty()) return;
  // The decisions wait for the first number of frames, and batches are full with more.
  held_ = std::make_unique<HeldFrames>(analyses_.size() + 1, frames_ahead_ + 2 * pipeline_->batch());
}

StreamRunner::~StreamRunner() {
  stage_.close();
  const auto driver_lock = loop_.driver_lock();
  pipeline_.reset();
}

internal::v1::StreamStarted StreamRunner::started_message() const {
  internal::v1::StreamStarted started = started_of(order_.open(), stream_work_, *pipeline_, frames_ahead_);
  started.set_stream(order_.stream());
  if (held_ != nullptr) started.set_held_bytes(held_->most() * int64_t(frame_bytes_of(*pipeline_)));
  return started;
}

bool StreamRunner::waits() const {
  {
    const std::lock_guard lock(mutex_);
    if (is_early_) return true;
  }
  return loop_.waits_for_turn(stage_.source()) ||
         std::ranges::any_of(
             analyses_, [this](const auto& analysis) { return loop_.waits_for_turn(analysis->source()); });
}

uint64_t StreamRunner::moves() const {
  uint64_t moves =
      loop_.chunks_done(stage_.source()) + uint64_t(stage_.batches_started()) + uint64_t(stage_.units_done());
  for (const auto& analysis : analyses_) moves += loop_.chunks_done(analysis->source()) + analysis->moves();
  return moves;
}

Duration StreamRunner::device_time() const {
  Duration time(meter_.device_ns.load());
  for (const auto& analysis : analyses_) time += analysis->device_time();
  return time;
}

// --- Input --------------------------------------------------------------------------------------

void StreamRunner::share(const internal::v1::RingLayout& layout, channel::FileDescriptor ring) {
  StatusOr<MappedRing> mapped =
      MappedRing::map(layout, ring, frame_bytes_of(*pipeline_), picture_bytes_of(*pipeline_));
  {
    const std::lock_guard lock(mutex_);
    if (ring_.is_mapped()) mapped = internal_error("A stream's memory is shared twice.");
    if (mapped.ok()) {
      ring_ = *std::move(mapped);
      for (int slot = 0; slot < layout.picture_slots(); slot++) free_pictures_.push_back(slot);
      changed_.notify_all();
    }
  }
  stage_.fail(mapped.status());
}

void StreamRunner::add_frame(const internal::v1::StreamFrame& frame) {
  const std::lock_guard lock(mutex_);
  if (!ring_.has_frame(frame.slot())) return;
  const TimePoint came{Duration(frame.arrival_ns())};
  frames_.push_back({frame.slot(), frame.facts(), realtime_ ? pace_.due(came) : came});
  changed_.notify_all();
}

void StreamRunner::free_picture(int slot) {
  const std::lock_guard lock(mutex_);
  if (!ring_.has_picture(slot)) return;
  free_pictures_.push_back(slot);
  changed_.notify_all();
}

void StreamRunner::end_input() {
  measures_.end_input();
  const std::lock_guard lock(mutex_);
  input_ended_ = true;
  changed_.notify_all();
}

void StreamRunner::stop() { stage_.stop(); }

void StreamRunner::wake() {
  if (held_ != nullptr && is_over()) held_->stop();
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

bool StreamRunner::is_over() const { return stage_.stopped() || !stage_.error().ok(); }

// --- Frames -------------------------------------------------------------------------------------

StreamEnd StreamRunner::run() {
  StreamEnd end;
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < analyses_.size(); i++)
    threads.emplace_back([this, i, track = current_track()] {
      const TracedThread traced(track, "analysis");
      stage_.fail(analyses_[i]->run(*held_, i));
    });
  if (held_ != nullptr)
    threads.emplace_back([this, track = current_track()] {
      const TracedThread traced(track, "frames");
      hold_frames();
    });
  end.status = stage_.run([this] { return feed(); }, [this] { return deliver(); });
  if (held_ != nullptr) held_->stop();
  for (const auto& analysis : analyses_) analysis->stop();
  threads.clear();
  end.device_failed = !end.status.ok();
  if (end.status.ok() && stage_.stopped() && !stage_.is_complete())
    end.status = cancelled("The stream was stopped.");
  return end;
}

Status StreamRunner::feed() {
  if (held_ != nullptr) return feed_held();
  while (const std::optional<Frame> frame = next_frame()) {
    RETURN_IF_ERROR(push(*frame));
    notify_loop(measures_.frames() > pipeline_->plan().window.after);
  }
  if (is_over()) return ok_status();
  stage_.finish();
  // the last frames are ready without lookahead
  if (pipeline_->plan().window.after > 0) notify_loop(true);
  return ok_status();
}

Status StreamRunner::feed_held() {
  while (const std::shared_ptr<const HeldFrames::Frame> frame = held_->take(analyses_.size())) {
    if (!stage_.wait_for_capacity()) return ok_status();
    RETURN_IF_ERROR(push_held(*pipeline_, *frame));
    stage_.notify_ready();
  }
  if (!held_->is_stopped()) stage_.finish();
  return ok_status();
}

void StreamRunner::hold_frames() {
  while (const std::optional<Frame> frame = next_frame()) {
    HeldFrames::Frame held;
    const std::byte* samples = ring_.frame(frame->slot);
    held.samples.assign(samples, samples + frame_bytes_of(*pipeline_));
    events_.on_frame_taken(frame->slot);
    held.info = info_of(*frame);
    held_->add(std::move(held));
  }
  held_->finish();
}

std::optional<StreamRunner::Frame> StreamRunner::next_frame() {
  {
    std::unique_lock lock(mutex_);
    traced_wait(changed_, lock, "next frame", [&] { return is_over() || input_ended_ || !frames_.empty(); });
    if (is_over() || frames_.empty()) return std::nullopt;
  }
  if (held_ != nullptr ? !held_->wait_for_room() : !stage_.wait_for_capacity()) return std::nullopt;
  std::unique_lock lock(mutex_);
  const Frame frame = frames_.front();
  is_early_ = true;
  changed_.wait_until(lock, frame.due, [this] { return is_over(); });
  is_early_ = false;
  if (is_over()) return std::nullopt;
  frames_.pop_front();
  return frame;
}

Status StreamRunner::push(const Frame& frame) {
  const TraceSpan span(v1::TRACE_CATEGORY_UPLOAD, "upload");
  ASSIGN_OR_RETURN(const graph::StagedUnit staged, pipeline_->stage());
  copy_in(pipeline_->source_format(), ring_.frame(frame.slot), staged);
  events_.on_frame_taken(frame.slot);
  pipeline_->push(info_of(frame));
  return ok_status();
}

graph::FrameInfo StreamRunner::info_of(const Frame& frame) {
  v1::FieldOrder order = frame.facts.field_order();
  if (order == v1::FIELD_ORDER_UNSPECIFIED) order = order_.open().field_order();
  graph::FrameInfo info;
  info.duration = 1;
  info.interlaced = order == v1::FIELD_ORDER_TOP_FIRST || order == v1::FIELD_ORDER_BOTTOM_FIRST;
  info.top_field_first = order == v1::FIELD_ORDER_TOP_FIRST;
  info.discontinuity = frame.facts.discontinuity();
  info.pts = measures_.take_frame(frame.due);
  return info;
}

// Notifies the loop. A realtime frame arrives for the loop when it can be processed: when the
// frames of the filter's lookahead are present.
void StreamRunner::notify_loop(bool is_ready) {
  if (realtime_ && is_ready) return loop_.frame_arrived(stage_.source());
  stage_.notify_ready();
}

// --- Pictures -----------------------------------------------------------------------------------

Status StreamRunner::deliver() {
  while (true) {
    const int64_t seen = stage_.batches_started();
    const int slot = take_picture_slot();
    if (slot < 0) return ok_status();
    ASSIGN_OR_RETURN(const std::optional<graph::OutputUnit> picture, pop_traced(*pipeline_));
    stage_.count_costs();
    stage_.notify_ready();  // the last picture of a batch makes room in the pipeline
    if (picture.has_value()) {
      report_picture(*picture, slot);
      continue;
    }
    free_picture(slot);
    if (!stage_.wait_for_batch(seen)) return ok_status();
  }
}

int StreamRunner::take_picture_slot() {
  const auto is_done = [this] { return is_over() || stage_.is_complete(); };
  std::unique_lock lock(mutex_);
  traced_wait(changed_, lock, "no free picture", [&] { return is_done() || !free_pictures_.empty(); });
  if (is_done()) return -1;
  const int slot = free_pictures_.front();
  free_pictures_.pop_front();
  return slot;
}

void StreamRunner::report_picture(const graph::OutputUnit& picture, int slot) {
  const TraceSpan span(v1::TRACE_CATEGORY_DOWNLOAD, "picture to the client's memory");
  std::byte* to = ring_.picture(slot);
  copy_out(pipeline_->plan(), picture, to);
  if (stream_work_.texture && stream_work_.texture->makes_signed())
    to_signed_blocks({to, picture_bytes_of(*pipeline_)});
  measures_.take_picture(picture);
  v1::PictureFacts facts;
  facts.set_index(picture_index_++);
  facts.set_source_index(picture.source_index);
  facts.set_pts(picture.time.pts);
  facts.set_duration(picture.time.duration);
  events_.on_picture(slot, facts);
}

}  // namespace weft::worker
