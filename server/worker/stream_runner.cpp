// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream_runner.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <google/protobuf/util/time_util.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace weft::worker {
namespace {

using google::protobuf::util::TimeUtil;

// A batch's frames take at most this much; the graph plans a few times as much around it.
constexpr size_t kBatchBytes = size_t{64} << 20;
constexpr int kMostFrames = 16;
constexpr int kInFlight = 2;
constexpr int kHeld = 1;  // a picture is copied into the ring before the next is asked for

VideoFormat to_format(const v1::FrameFormat& format) {
  constexpr Chroma kChroma[] = {Chroma::kGray, Chroma::kGray, Chroma::k420, Chroma::k422, Chroma::k444};
  return {format.width(), format.height(), kChroma[format.chroma()], format.bit_depth()};
}

v1::FrameFormat to_message(const VideoFormat& format) {
  v1::FrameFormat message;
  message.set_width(format.width);
  message.set_height(format.height);
  message.set_chroma(v1::ChromaFormat(int(format.chroma) + 1));
  message.set_bit_depth(format.bit_depth);
  return message;
}

// Rows of a plane, from one place to another, strides in bytes.
void copy_plane(const std::byte* from, ptrdiff_t from_stride, std::byte* to, ptrdiff_t to_stride,
                size_t row_bytes, int rows) {
  for (int row = 0; row < rows; row++) std::memcpy(to + row * to_stride, from + row * from_stride, row_bytes);
}

size_t row_bytes_of(const VideoFormat& format, int plane) {
  return size_t(format.plane_width(plane)) * size_t(format.sample_bytes());
}

Duration deadline_of(const v1::OpenStream& open) {
  if (open.settings().stream_class() != v1::STREAM_CLASS_REALTIME) return Duration(0);
  const double period_ms = 1000.0 * open.frame_rate().denominator() / open.frame_rate().numerator();
  const double ms = open.settings().has_deadline() ? open.settings().deadline() : period_ms;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms));
}

StatusOr<std::unique_ptr<filters::Graph>> make_graph(device::Device& device, const v1::OpenStream& open) {
  if (!open.has_deinterlace())
    return invalid_argument("The stream names a kind of filter that is not known.");
  const VideoFormat format = to_format(open.format());
  std::vector<std::unique_ptr<filters::Filter>> chain(1);
  ASSIGN_OR_RETURN(chain[0], filters::make_deinterlacer(device, format, open.deinterlace()));
  const bool realtime = open.settings().stream_class() == v1::STREAM_CLASS_REALTIME;
  filters::GraphOptions options;
  options.batch =
      int(std::clamp<size_t>(kBatchBytes / std::max<size_t>(format.packed_bytes(), 1), 1, kMostFrames));
  options.in_flight = kInFlight;
  options.held = kHeld;
  options.priority = realtime ? device::StreamPriority::kHigh : device::StreamPriority::kNormal;
  return filters::Graph::make(device, std::move(chain), options);
}

}  // namespace

StatusOr<std::unique_ptr<StreamRunner>> StreamRunner::open(device::Device& device,
                                                           internal::v1::StartStream order,
                                                           channel::FileDescriptor ring, StreamTells& tells) {
  const internal::v1::RingLayout& layout = order.ring();
  const size_t frame_bytes = to_format(order.open().format()).packed_bytes();
  const int64_t bytes =
      layout.frame_slots() * layout.frame_slot_bytes() + layout.picture_slots() * layout.picture_slot_bytes();
  struct stat facts {};
  if (!ring.is_open() || ::fstat(ring.get(), &facts) != 0 || facts.st_size < bytes ||
      layout.picture_slots() < 1 || layout.frame_slot_bytes() < int64_t(frame_bytes) ||
      layout.picture_slot_bytes() < int64_t(frame_bytes))
    return internal_error("A stream's memory is not what its order says ({} bytes, {} are there).", bytes,
                          facts.st_size);
  ASSIGN_OR_RETURN(auto graph, make_graph(device, order.open()));
  void* mapped = ::mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, ring.get(), 0);
  if (mapped == MAP_FAILED)
    return resource_exhausted("A stream's memory cannot be mapped ({} bytes): {}.", bytes,
                              std::strerror(errno));
  const Memory memory{static_cast<std::byte*>(mapped), size_t(bytes)};
  return std::unique_ptr<StreamRunner>(new StreamRunner(std::move(order), memory, std::move(graph), tells));
}

StreamRunner::StreamRunner(internal::v1::StartStream order, Memory memory,
                           std::unique_ptr<filters::Graph> graph, StreamTells& tells)
    : order_(std::move(order)),
      memory_(memory),
      graph_(std::move(graph)),
      tells_(tells),
      deadline_(deadline_of(order_.open())) {
  for (int slot = 0; slot < order_.ring().picture_slots(); slot++) free_pictures_.push_back(slot);
}

StreamRunner::~StreamRunner() { ::munmap(memory_.data, memory_.bytes); }

internal::v1::StreamStarted StreamRunner::facts() const {
  internal::v1::StreamStarted started;
  started.set_stream(order_.stream());
  *started.mutable_format() = to_message(graph_->target_format());
  const v1::FrameRate& rate = order_.open().frame_rate();
  const bool two = order_.open().deinterlace().rate() == v1::OUTPUT_RATE_FIELD;
  const auto times = [&](int factor) {
    v1::FrameRate result = rate;
    if (rate.denominator() % factor == 0)
      result.set_denominator(rate.denominator() / factor);
    else
      result.set_numerator(rate.numerator() * factor);
    return result;
  };
  *started.mutable_picture_rate() = times(two ? 2 : 1);
  *started.mutable_time_base() = times(graph_->time_divisor());
  started.set_frames_ahead(graph_->window().after);
  started.set_deadline_ns(deadline_.count());
  return started;
}

// --- What comes in ------------------------------------------------------------------------------------------

void StreamRunner::add_frame(const internal::v1::StreamFrame& frame) {
  if (frame.slot() < 0 || frame.slot() >= order_.ring().frame_slots()) return;
  const std::lock_guard lock(mutex_);
  frames_.push_back({frame.slot(), frame.facts(), TimePoint(Duration(frame.arrival_ns()))});
  changes_++;
  changed_.notify_one();
}

void StreamRunner::free_picture(int slot) {
  if (slot < 0 || slot >= order_.ring().picture_slots()) return;
  const std::lock_guard lock(mutex_);
  free_pictures_.push_back(slot);
  changes_++;
  changed_.notify_one();
}

void StreamRunner::end_input() {
  const std::lock_guard lock(mutex_);
  input_ended_ = true;
  input_ended_at_ = std::chrono::steady_clock::now();
  changes_++;
  changed_.notify_one();
}

void StreamRunner::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  changes_++;
  changed_.notify_one();
}

std::optional<StreamRunner::Frame> StreamRunner::next_frame() {
  const std::lock_guard lock(mutex_);
  if (frames_.empty()) return std::nullopt;
  const Frame frame = frames_.front();
  frames_.pop_front();
  return frame;
}

int StreamRunner::take_picture_slot() {
  const std::lock_guard lock(mutex_);
  if (free_pictures_.empty()) return -1;
  const int slot = free_pictures_.front();
  free_pictures_.pop_front();
  return slot;
}

// Until something came in since the last call.
void StreamRunner::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return changes_ != seen_; });
  seen_ = changes_;
}

// --- The work -----------------------------------------------------------------------------------------------

StreamEnd StreamRunner::run() {
  StreamEnd end;
  end.status = run_to_the_end();
  end.device_failed = !end.status.ok() && end.status.code() != StatusCode::kCancelled;
  end_ = std::chrono::steady_clock::now();
  v1::StreamReport& report = end.report;
  report.set_frames_in(meter_.frames_in);
  report.set_pictures_out(meter_.pictures_out);
  report.set_missed(meter_.missed);
  const auto to_proto = [](Duration time) { return TimeUtil::NanosecondsToDuration(time.count()); };
  *report.mutable_latency_p50() = to_proto(latency_.quantile(0.5));
  *report.mutable_latency_p99() = to_proto(latency_.quantile(0.99));
  *report.mutable_latency_max() = to_proto(latency_.max());
  *report.mutable_gpu_time() = to_proto(Duration(meter_.device_ns.load()));
  *report.mutable_wall_time() = to_proto(pushed_ > 0 ? end_ - begin_ : Duration(0));
  return end;
}

Status StreamRunner::run_to_the_end() {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return cancelled("The stream was stopped.");
      seen_ = changes_;
    }
    ASSIGN_OR_RETURN(bool moved, feed());
    moved |= submit();
    if (graph_->is_empty()) return ok_status();
    if (submitted_ > 0) {
      ASSIGN_OR_RETURN(const bool delivered, deliver());
      moved |= delivered;
    }
    if (!moved) wait();
  }
}

StatusOr<bool> StreamRunner::feed() {
  bool moved = false;
  while (graph_->has_room()) {
    const std::optional<Frame> frame = next_frame();
    if (!frame.has_value()) break;
    RETURN_IF_ERROR(push(*frame));
    moved = true;
  }
  const std::lock_guard lock(mutex_);
  if (finished_ || !input_ended_ || !frames_.empty()) return moved;
  graph_->finish();
  finished_ = true;
  return true;
}

Status StreamRunner::push(const Frame& frame) {
  ASSIGN_OR_RETURN(const filters::StagedPicture staged, graph_->stage());
  const VideoFormat& format = graph_->source_format();
  const std::byte* from = frame_slot(frame.slot);
  for (int plane = 0; plane < format.planes(); plane++) {
    const size_t row_bytes = row_bytes_of(format, plane);
    copy_plane(from, ptrdiff_t(row_bytes), staged.data[plane], staged.stride_bytes[plane], row_bytes,
               format.plane_height(plane));
    from += row_bytes * size_t(format.plane_height(plane));
  }
  tells_.on_frame_taken(frame.slot);
  if (pushed_ == 0) begin_ = frame.arrival;
  v1::FieldOrder order = frame.facts.field_order();
  if (order == v1::FIELD_ORDER_UNSPECIFIED) order = order_.open().field_order();
  filters::FrameInfo info;
  info.pts = pushed_++;
  info.duration = 1;
  info.interlaced = order == v1::FIELD_ORDER_TOP_FIRST || order == v1::FIELD_ORDER_BOTTOM_FIRST;
  info.top_field_first = order == v1::FIELD_ORDER_TOP_FIRST;
  info.discontinuity = frame.facts.discontinuity();
  arrivals_.push_back(frame.arrival);
  graph_->push(info);
  meter_.frames_in++;
  return ok_status();
}

bool StreamRunner::submit() {
  const int taken = graph_->submit(graph_->batch());
  if (taken == 0) return false;
  submitted_ += taken;
  meter_.last_batch_units = taken;
  return true;
}

// The next picture, when there is one on the way and a slot for it. Waits for the device.
StatusOr<bool> StreamRunner::deliver() {
  const int slot = take_picture_slot();
  if (slot < 0) return false;
  ASSIGN_OR_RETURN(const std::optional<filters::OutputPicture> picture, graph_->pop());
  for (const filters::BatchCost& cost : graph_->take_costs()) meter_.device_ns += cost.filter.count();
  if (!picture.has_value()) {
    const std::lock_guard lock(mutex_);
    free_pictures_.push_front(slot);
    return false;
  }
  measure(*picture);
  tell(*picture, slot);
  return true;
}

void StreamRunner::tell(const filters::OutputPicture& picture, int slot) {
  const VideoFormat& format = graph_->target_format();
  std::byte* to = picture_slot(slot);
  for (int plane = 0; plane < format.planes(); plane++) {
    const size_t row_bytes = row_bytes_of(format, plane);
    copy_plane(picture.data[plane], picture.stride_bytes[plane], to, ptrdiff_t(row_bytes), row_bytes,
               format.plane_height(plane));
    to += row_bytes * size_t(format.plane_height(plane));
  }
  v1::PictureFacts facts;
  facts.set_index(picture_index_++);
  facts.set_source_index(picture.source_index);
  facts.set_pts(picture.time.pts);
  facts.set_duration(picture.time.duration);
  meter_.pictures_out++;
  tells_.on_picture(slot, facts);
}

// From the arrival of the last frame that the picture needs; at the clip's end, of the end.
void StreamRunner::measure(const filters::OutputPicture& picture) {
  while (first_arrival_ < picture.source_index) {
    arrivals_.pop_front();
    first_arrival_++;
  }
  const size_t needed = size_t(graph_->window().after);
  const TimePoint ready =
      needed < arrivals_.size() ? arrivals_[needed] : std::max(arrivals_.back(), input_ended_at_);
  const Duration latency = std::chrono::steady_clock::now() - ready;
  latency_.add(latency);
  if (deadline_ > Duration(0) && latency > deadline_) meter_.missed++;
}

std::byte* StreamRunner::frame_slot(int slot) const {
  return memory_.data + slot * order_.ring().frame_slot_bytes();
}

std::byte* StreamRunner::picture_slot(int slot) const {
  const internal::v1::RingLayout& ring = order_.ring();
  return memory_.data + ring.frame_slots() * ring.frame_slot_bytes() + slot * ring.picture_slot_bytes();
}

}  // namespace weft::worker
