// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream/stream_runner.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include <google/protobuf/util/time_util.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "server/worker/device/cost_probe.h"
#include "server/worker/device/histogram.h"
#include "server/worker/stream/stream_copy.h"
#include "server/worker/stream/stream_plan.h"
#include "server/worker/texture/signed_blocks.h"

namespace weft::worker {
namespace {

using google::protobuf::util::TimeUtil;

// Seconds, closest around the usual frames' durations: 8.3 to 40 ms.
constexpr double kLatencyBounds[] = {0.0005, 0.001, 0.002,  0.004, 0.006, 0.008, 0.01,
                                     0.0125, 0.015, 0.0175, 0.02,  0.025, 0.03,  0.035,
                                     0.04,   0.05,  0.1,    0.2,   0.5,   1,     5};

}  // namespace

StatusOr<std::unique_ptr<StreamRunner>> StreamRunner::open(const DeviceShare& share,
                                                           internal::v1::StartStream order,
                                                           std::vector<channel::FileDescriptor> files,
                                                           StreamTells& tells, Preparing& preparing) {
  ASSIGN_OR_RETURN(const std::vector<OpenJobFile> inputs,
                   take_inputs(options::files_of_stream(order.open()), files));
  ASSIGN_OR_RETURN(StreamTask work, work_of(order.open(), inputs));
  ASSIGN_OR_RETURN(auto pipeline, make_stream_pipeline(share, preparing, order.open(), work));
  std::unique_ptr<StreamRunner> runner(
      new StreamRunner(std::move(order), std::move(work), std::move(pipeline), share.loop, tells));
  schedule::SourceSpec source = source_of(runner->order(), runner->stream_work_, *runner->pipeline_);
  if (runner->order_.owner_weight() > 0) source.owner_weight = runner->order_.owner_weight();
  RETURN_IF_ERROR(runner->open_source(share, preparing, source));
  return runner;
}

// What a frame of a realtime stream costs is measured first where nobody knows it, and again before the stream is refused for
// what was learnt earlier: the device may have been busier then, and nothing else may ever teach it better.
Status StreamRunner::open_source(const DeviceShare& share, Preparing& preparing,
                                 const schedule::SourceSpec& source) {
  const auto measure = [&]() -> Status {
    ASSIGN_OR_RETURN(auto probe, make_stream_pipeline(share, preparing, order(), stream_work_));
    const Status measured = probe_cost(preparing, *probe, source);
    const auto turn = loop_.opening_turn();
    probe.reset();
    return measured;
  };
  const bool is_known = !realtime_ || loop_.cost(source.cost_key).known();
  if (!is_known) RETURN_IF_ERROR(measure());
  StatusOr<schedule::SourceId> opened = loop_.open(source, work_);
  if (is_known && opened.status().code() == StatusCode::kResourceExhausted && loop_.could_fit(source)) {
    const Status measured = measure();
    if (measured.ok()) opened = loop_.open(source, work_);
    // Where there was no time for it, what is known says more.
    if (!measured.ok() && measured.code() != StatusCode::kDeadlineExceeded) return measured;
  }
  RETURN_IF_ERROR(opened.status());
  source_ = *opened;
  return ok_status();
}

StreamRunner::StreamRunner(internal::v1::StartStream order, StreamTask work,
                           std::unique_ptr<graph::Pipeline> pipeline, DeviceLoop& loop, StreamTells& tells)
    : order_(std::move(order)),
      stream_work_(std::move(work)),
      realtime_(is_realtime(order_.open())),
      period_(period_of(order_.open())),
      deadline_(deadline_of(order_.open())),
      pipeline_(std::move(pipeline)),
      loop_(loop),
      tells_(tells),
      work_(*pipeline_, [this] { wake(); }),
      pace_(period_) {}

StreamRunner::~StreamRunner() {
  if (source_ != 0) loop_.close(source_);
  const auto turn = loop_.opening_turn();
  pipeline_.reset();
  if (ring_.data != nullptr) ::munmap(ring_.data, ring_.bytes);
}

internal::v1::StreamStarted StreamRunner::facts() const {
  internal::v1::StreamStarted facts = facts_of(order_.open(), stream_work_, *pipeline_);
  facts.set_stream(order_.stream());
  return facts;
}

v1::StreamReport StreamRunner::report() const {
  const auto to_proto = [](Duration time) { return TimeUtil::NanosecondsToDuration(time.count()); };
  v1::StreamReport report;
  const std::lock_guard lock(mutex_);
  report.set_frames_in(pushed_);
  report.set_pictures_out(pictures_out_);
  report.set_missed(missed_);
  report.set_late_frames(late_frames_);
  *report.mutable_latency_p50() = to_proto(latency_.quantile(0.5));
  *report.mutable_latency_p99() = to_proto(latency_.quantile(0.99));
  *report.mutable_latency_max() = to_proto(latency_.max());
  *report.mutable_gpu_time() = to_proto(device_time());
  *report.mutable_wall_time() = to_proto(pictures_out_ > 0 ? newest_ - begin_ : Duration(0));
  return report;
}

v1::Histogram StreamRunner::no_latencies() { return make_histogram(kLatencyBounds); }

v1::Histogram StreamRunner::take_latencies() {
  const std::lock_guard lock(mutex_);
  return take(untold_latencies_);
}

StreamRunner::FrameCounts StreamRunner::take_frames() {
  const std::lock_guard lock(mutex_);
  return std::exchange(untold_frames_, {});
}

StreamRunner::Work StreamRunner::take_work() {
  const std::lock_guard lock(mutex_);
  const Work now{pushed_, device_time()};
  const Work told = std::exchange(told_work_, now);
  return {now.frames - told.frames, now.device_time - told.device_time};
}

bool StreamRunner::waits() const {
  {
    const std::lock_guard lock(mutex_);
    if (is_early_) return true;
  }
  return loop_.waits_for_turn(source_);
}

// --- What comes in ------------------------------------------------------------------------------------------

StatusOr<StreamRunner::Ring> StreamRunner::map(const internal::v1::RingLayout& layout,
                                               const channel::FileDescriptor& memory) const {
  const auto frame_bytes = int64_t(frame_bytes_of(*pipeline_));
  const auto picture_bytes = int64_t(picture_bytes_of(*pipeline_));
  const int64_t bytes =
      layout.frame_slots() * layout.frame_slot_bytes() + layout.picture_slots() * layout.picture_slot_bytes();
  struct stat facts {};
  if (!memory.is_open() || ::fstat(memory.get(), &facts) != 0 || facts.st_size < bytes ||
      layout.frame_slots() < 1 || layout.picture_slots() < 1 || layout.frame_slot_bytes() < frame_bytes ||
      layout.picture_slot_bytes() < picture_bytes)
    return internal_error("A stream's memory is not what its layout says ({} bytes, {} are there).", bytes,
                          facts.st_size);
  void* mapped = ::mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (mapped == MAP_FAILED)
    return resource_exhausted("A stream's memory cannot be mapped ({} bytes): {}.", bytes,
                              std::strerror(errno));
  return Ring{layout, static_cast<std::byte*>(mapped), size_t(bytes)};
}

void StreamRunner::share(const internal::v1::RingLayout& layout, channel::FileDescriptor ring) {
  StatusOr<Ring> mapped = map(layout, ring);
  const std::lock_guard lock(mutex_);
  if (ring_.data != nullptr) mapped = internal_error("A stream's memory is shared twice.");
  if (mapped.ok()) {
    ring_ = *std::move(mapped);
    for (int slot = 0; slot < layout.picture_slots(); slot++) free_pictures_.push_back(slot);
  } else if (error_.ok()) {
    error_ = mapped.status();
  }
  changed_.notify_all();
}

void StreamRunner::add_frame(const internal::v1::StreamFrame& frame) {
  const std::lock_guard lock(mutex_);
  if (frame.slot() < 0 || frame.slot() >= ring_.layout.frame_slots()) return;
  const TimePoint came{Duration(frame.arrival_ns())};
  frames_.push_back({frame.slot(), frame.facts(), realtime_ ? pace_.due(came) : came});
  changed_.notify_all();
}

void StreamRunner::free_picture(int slot) {
  const std::lock_guard lock(mutex_);
  if (slot < 0 || slot >= ring_.layout.picture_slots()) return;
  free_pictures_.push_back(slot);
  changed_.notify_all();
}

void StreamRunner::end_input() {
  const std::lock_guard lock(mutex_);
  input_ended_ = true;
  input_ended_at_ = std::chrono::steady_clock::now();
  changed_.notify_all();
}

void StreamRunner::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

void StreamRunner::wake() {
  const Status failure = work_.error();
  const std::lock_guard lock(mutex_);
  if (error_.ok()) error_ = failure;
  changed_.notify_all();
}

// --- Frames -------------------------------------------------------------------------------------------------

StreamEnd StreamRunner::run() {
  StreamEnd end;
  {
    const auto keep = [this](const Status& status) {
      const std::lock_guard lock(mutex_);
      if (error_.ok()) error_ = status;
      changed_.notify_all();
    };
    const std::jthread feeding([&, parent = current_track()] {
      const TracedThread traced(parent, "upload");
      keep(feed());
    });
    keep(deliver());
  }
  const std::lock_guard lock(mutex_);
  end.device_failed = !error_.ok();
  end.status = error_.ok() && stopping_ && !(fed_ && pipeline_->is_empty())
                   ? cancelled("The stream was stopped.")
                   : error_;
  return end;
}

Status StreamRunner::feed() {
  while (const std::optional<Frame> frame = next_frame()) {
    RETURN_IF_ERROR(push(*frame));
    tell_loop();
  }
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || !error_.ok()) return ok_status();
    pipeline_->finish();
    fed_ = true;
    changed_.notify_all();
  }
  if (pipeline_->plan().window.after > 0) tell_loop();  // the last frames are ready now
  loop_.ready(source_);
  return ok_status();
}

std::optional<StreamRunner::Frame> StreamRunner::next_frame() {
  const auto is_over = [this] { return stopping_ || !error_.ok(); };
  std::unique_lock lock(mutex_);
  traced_wait(changed_, lock, "next frame",
              [&] { return is_over() || (frames_.empty() ? input_ended_ : pipeline_->has_room()); });
  if (is_over() || frames_.empty()) return std::nullopt;
  const Frame frame = frames_.front();
  is_early_ = true;
  changed_.wait_until(lock, frame.due, is_over);
  is_early_ = false;
  if (is_over()) return std::nullopt;
  frames_.pop_front();
  return frame;
}

Status StreamRunner::push(const Frame& frame) {
  const TraceSpan span(v1::TRACE_CATEGORY_UPLOAD, "upload");
  ASSIGN_OR_RETURN(const graph::StagedUnit staged, pipeline_->stage());
  copy_in(pipeline_->source_format(), frame_slot(frame.slot), staged);
  tells_.on_frame_taken(frame.slot);
  v1::FieldOrder order = frame.facts.field_order();
  if (order == v1::FIELD_ORDER_UNSPECIFIED) order = order_.open().field_order();
  graph::FrameInfo info;
  info.duration = 1;
  info.interlaced = order == v1::FIELD_ORDER_TOP_FIRST || order == v1::FIELD_ORDER_BOTTOM_FIRST;
  info.top_field_first = order == v1::FIELD_ORDER_TOP_FIRST;
  info.discontinuity = frame.facts.discontinuity();
  {
    const std::lock_guard lock(mutex_);
    if (pushed_ == 0) begin_ = frame.due;
    info.pts = pushed_++;
    due_.push_back(frame.due);
  }
  pipeline_->push(info);
  return ok_status();
}

// For the loop a realtime frame arrives when it can be worked on: once the frames that its filter looks ahead at are there.
void StreamRunner::tell_loop() {
  bool makes_ready = false;
  {
    const std::lock_guard lock(mutex_);
    makes_ready = pushed_ > pipeline_->plan().window.after || fed_;
  }
  if (realtime_ && makes_ready) return loop_.frame_arrived(source_);
  loop_.ready(source_);
}

// --- Pictures -----------------------------------------------------------------------------------------------

bool StreamRunner::is_done() const { return stopping_ || !error_.ok() || (fed_ && pipeline_->is_empty()); }

Status StreamRunner::deliver() {
  DeviceTrack download("download");
  while (true) {
    const int64_t seen = work_.batches();
    const int slot = take_picture_slot();
    if (slot < 0) return ok_status();
    ASSIGN_OR_RETURN(const std::optional<graph::OutputUnit> picture, pop_traced(*pipeline_));
    for (const graph::BatchTime& cost : pipeline_->take_costs()) {
      device_ns_ += cost.filter.count();
      download.record_download(cost);
    }
    loop_.ready(source_);  // the pipeline takes more once a batch's last picture is out
    wake();
    if (picture.has_value()) {
      tell(*picture, slot);
      continue;
    }
    free_picture(slot);
    if (!wait_for_batch(seen)) return ok_status();
  }
}

int StreamRunner::take_picture_slot() {
  std::unique_lock lock(mutex_);
  traced_wait(changed_, lock, "no free picture", [this] { return !free_pictures_.empty() || is_done(); });
  if (is_done()) return -1;
  const int slot = free_pictures_.front();
  free_pictures_.pop_front();
  return slot;
}

// Until another batch than the first `seen` was started. False: none will be.
bool StreamRunner::wait_for_batch(int64_t seen) {
  std::unique_lock lock(mutex_);
  traced_wait(changed_, lock, "no batch", [&] { return work_.batches() != seen || is_done(); });
  return !is_done();
}

void StreamRunner::tell(const graph::OutputUnit& picture, int slot) {
  const TraceSpan span(v1::TRACE_CATEGORY_DOWNLOAD, "picture to the client's memory");
  std::byte* to = picture_slot(slot);
  copy_out(pipeline_->plan(), picture, to);
  if (stream_work_.texture && stream_work_.texture->makes_signed())
    to_signed_blocks({to, picture_bytes_of(*pipeline_)});
  measure(picture);
  v1::PictureFacts facts;
  facts.set_index(picture_index_++);
  facts.set_source_index(picture.source_index);
  facts.set_pts(picture.time.pts);
  facts.set_duration(picture.time.duration);
  tells_.on_picture(slot, facts);
}

// Counted from the last frame that the picture needs; at the clip's end, from the end.
void StreamRunner::measure(const graph::OutputUnit& picture) {
  const std::lock_guard lock(mutex_);
  while (first_due_ < picture.source_index) {
    due_.pop_front();
    first_due_++;
  }
  const size_t needed = size_t(pipeline_->plan().window.after);
  const TimePoint from = needed < due_.size() ? due_[needed] : std::max(due_.back(), input_ended_at_);
  newest_ = std::chrono::steady_clock::now();
  const Duration latency = newest_ - from;
  latency_.add(latency);
  add(untold_latencies_, std::chrono::duration<double>(latency).count());
  pictures_out_++;
  const int late = deadline_ > Duration(0) && latency > deadline_ ? 1 : 0;
  missed_ += late;
  if (late > 0 && std::exchange(late_source_, picture.source_index) != picture.source_index) late_frames_++;
  if (!realtime_ || !picture.ends_source) return;
  untold_frames_.done++;
  untold_frames_.late += late;
}

std::byte* StreamRunner::frame_slot(int slot) const {
  return ring_.data + slot * ring_.layout.frame_slot_bytes();
}

std::byte* StreamRunner::picture_slot(int slot) const {
  const internal::v1::RingLayout& layout = ring_.layout;
  return ring_.data + layout.frame_slots() * layout.frame_slot_bytes() + slot * layout.picture_slot_bytes();
}

}  // namespace weft::worker
