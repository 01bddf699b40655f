// SPDX-License-Identifier: Apache-2.0
#include "server/streams/stream.h"

#include <algorithm>
#include <utility>

#include "server/channel/status_message.h"
#include "server/streams/limits.h"

namespace weft::streams {
namespace {

int64_t whole_seconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

}  // namespace

StreamSession::StreamSession(bool local, queue::Caller caller, StreamLimits limits, const Clock& clock,
                             Keeper keeper)
    : local_(local), caller_(std::move(caller)), limits_(limits), clock_(clock), keeper_(std::move(keeper)) {}

// --- From the client ----------------------------------------------------------------------------

void StreamSession::receive(const v1::ProcessFramesRequest& message, std::function<void()> more) {
  Status status;
  bool wants_more = true;
  bool opens = false;
  {
    const std::lock_guard lock(mutex_);
    if (stage_ == Stage::kOver) return;
    status = handle(message, &wants_more);
    opens = status.ok() && message.has_open();
    if (status.ok() && !wants_more) more_ = std::exchange(more, nullptr);
  }
  if (!status.ok()) return end(std::move(status));
  if (opens) return keeper_.find_device(shared_from_this(), plan_);
  if (more != nullptr) more();
  pump();
}

Status StreamSession::handle(const v1::ProcessFramesRequest& message, bool* wants_more) {
  if (message.has_open() != (stage_ == Stage::kNew))
    return invalid_argument(
        "A stream's first message opens it, and no other does; send `open` once, in front.");
  switch (message.message_case()) {
    case v1::ProcessFramesRequest::kOpen: {
      ASSIGN_OR_RETURN(plan_, plan_stream(message.open()));
      RETURN_IF_ERROR(queue::settle_owner(caller_, *plan_.open.mutable_settings()->mutable_owner()));
      const auto wish = plan_.open.settings().transport();
      if (wish == v1::STREAM_TRANSPORT_SHARED_MEMORY && !local_)
        return failed_precondition(
            "The daemon cannot share memory with this client, which did not come through a Unix socket; ask "
            "for messages.");
      stage_ = Stage::kOpening;
      *wants_more = false;
      return ok_status();
    }
    case v1::ProcessFramesRequest::kFramePart:
      return take_part(message.frame_part(), wants_more);
    case v1::ProcessFramesRequest::kFrameReady:
      return take_frame(message.frame_ready());
    case v1::ProcessFramesRequest::kEndOfFrames:
      return end_input();
    case v1::ProcessFramesRequest::kPictureTaken:
      if (transport_ != Transport::kSharedMemory)
        return invalid_argument(
            "A picture's slot comes back, and none was given; only shared memory has slots.");
      return free_picture(message.picture_taken().slot(), Turn::kClient);
    default:
      return invalid_argument("A message of the stream is empty, or of a kind that is not known.");
  }
}

Status StreamSession::choose(Transport transport) {
  if (transport_ == transport) return ok_status();
  if (transport_ != Transport::kUndecided)
    return invalid_argument(
        "A frame comes another way than the first one; samples travel in messages or through memory.");
  if (transport == Transport::kSharedMemory && !offer_)
    return invalid_argument(
        "A frame is said to lie in shared memory, and none was offered; send it in parts.");
  if (transport == Transport::kMessages &&
      plan_.open.settings().transport() == v1::STREAM_TRANSPORT_SHARED_MEMORY)
    return invalid_argument("A frame comes in a message, and the stream was opened for shared memory alone.");
  if (transport == Transport::kMessages && ring_.data() == nullptr)
    return resource_exhausted("A stream's memory cannot be mapped ({} bytes).", plan_.ring_bytes());
  transport_ = transport;
  return ok_status();
}

Status StreamSession::check_index(int64_t index) const {
  if (input_ended_)
    return invalid_argument("A frame comes after the end (index {}); end the frames once, behind all.",
                            index);
  if (index != frames_in_)
    return invalid_argument("A frame is out of order (index {}, expected {}).", index, frames_in_);
  const int64_t announced = plan_.open.frames();
  if (announced > 0 && index >= announced)
    return invalid_argument("More frames come than were announced ({}); announce none, or all of them.",
                            announced);
  return ok_status();
}

Status StreamSession::take_part(const v1::FramePart& part, bool* wants_more) {
  RETURN_IF_ERROR(choose(Transport::kMessages));
  RETURN_IF_ERROR(check_index(part.index()));
  RETURN_IF_ERROR(partial_.check(part, plan_.frame_bytes));
  if (!partial_.has_begun()) {
    const int slot = frames_.find(Turn::kClient);
    if (slot < 0) {
      *wants_more = false;
      held_.emplace();
      *held_->mutable_frame_part() = part;
      return ok_status();
    }
    partial_.begin(slot, part.facts());
  }
  partial_.add(part, ring_.data() + plan_.frame_offset(partial_.slot()));
  if (partial_.bytes() < plan_.frame_bytes) return ok_status();
  const int slot = partial_.finish();
  RETURN_IF_ERROR(frames_.move(slot, Turn::kClient, Turn::kWorker));
  report_frame(slot, partial_.facts());
  return ok_status();
}

Status StreamSession::take_frame(const v1::FrameReady& frame) {
  RETURN_IF_ERROR(choose(Transport::kSharedMemory));
  RETURN_IF_ERROR(check_index(frame.index()));
  RETURN_IF_ERROR(frames_.move(frame.slot(), Turn::kClient, Turn::kWorker));
  report_frame(frame.slot(), frame.facts());
  return ok_status();
}

void StreamSession::report_frame(int slot, const v1::FrameFacts& facts) {
  if (frames_.count(Turn::kWorker) == 1) worker_moved_ = clock_.now();
  frames_in_++;
  internal::v1::ToWorker message;
  internal::v1::StreamFrame& frame = *message.mutable_stream_frame();
  frame.set_slot(slot);
  *frame.mutable_facts() = facts;
  frame.set_arrival_ns(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
  link_->send(std::move(message));
}

void StreamSession::input_ended() {
  Status status;
  {
    const std::lock_guard lock(mutex_);
    if (stage_ == Stage::kOver) return;
    status = stage_ == Stage::kNew
                 ? invalid_argument("The stream ends before it was opened; send `open` in front.")
                 : end_input();
  }
  if (!status.ok()) end(std::move(status));
}

Status StreamSession::end_input() {
  if (std::exchange(input_ended_, true)) return ok_status();
  if (partial_.bytes() > 0)
    return invalid_argument("The last frame is cut ({} of {} bytes).", partial_.bytes(), plan_.frame_bytes);
  if (stage_ == Stage::kRunning) report_end();
  return ok_status();
}

void StreamSession::report_end() {
  worker_moved_ = clock_.now();
  internal::v1::ToWorker message;
  message.mutable_stream_input_ended();
  link_->send(std::move(message));
}

// --- To the client ------------------------------------------------------------------------------

// Returns a picture's slot to the worker after the client has read the picture.
Status StreamSession::free_picture(int slot, Turn from) {
  RETURN_IF_ERROR(pictures_.move(slot, from, Turn::kWorker));
  client_moved_ = clock_.now();
  worker_moved_ = clock_.now();
  if (link_ == nullptr || stage_ != Stage::kRunning) return ok_status();
  internal::v1::ToWorker message;
  message.mutable_stream_picture_taken()->set_slot(slot);
  link_->send(std::move(message));
  return ok_status();
}

std::optional<v1::ProcessFramesResponse> StreamSession::take() {
  // A request for the next message shows that the last chunk of a picture was sent.
  if (!parts_.is_empty() && parts_.is_sent(plan_.picture_bytes)) {
    const int slot = parts_.slot();
    parts_.pop();
    // Cannot fail, since the client owned the slot.
    static_cast<void>(free_picture(slot, Turn::kClient).ok());
  }
  if (!events_.empty()) {
    v1::ProcessFramesResponse event = std::move(events_.front());
    events_.pop_front();
    client_moved_ = clock_.now();
    if (event.has_slot_free())
      static_cast<void>(frames_.move(event.slot_free().slot(), Turn::kToClient, Turn::kClient).ok());
    if (event.has_picture_ready())
      static_cast<void>(pictures_.move(event.picture_ready().slot(), Turn::kToClient, Turn::kClient).ok());
    return event;
  }
  if (!parts_.is_empty()) return next_part();
  if (!report_) return std::nullopt;
  v1::ProcessFramesResponse response;
  *response.mutable_ended()->mutable_report() = *std::exchange(report_, std::nullopt);
  release();
  return response;
}

std::optional<v1::ProcessFramesResponse> StreamSession::next_part() {
  v1::ProcessFramesResponse response;
  *response.mutable_picture_part() =
      parts_.next(ring_.data() + plan_.picture_offset(parts_.slot()), plan_.picture_bytes);
  client_moved_ = clock_.now();
  return response;
}

void StreamSession::drop() { release(); }

void StreamSession::release() {
  stage_ = Stage::kOver;
  if (link_ != nullptr) link_->leave();
  link_.reset();
  ring_ = Ring();
  more_ = nullptr;
  held_.reset();
  events_.clear();
  parts_.clear();
  report_.reset();
}

// --- The clock ----------------------------------------------------------------------------------

void StreamSession::poll() {
  Status status;
  {
    const std::lock_guard lock(mutex_);
    if (link_ == nullptr || stage_ == Stage::kOver) return;
    const TimePoint now = clock_.now();
    const int with_worker = pictures_.count(Turn::kWorker);
    const int waiting = pictures_.size() - with_worker;
    const bool opens = stage_ == Stage::kOpening || stage_ == Stage::kSharing;
    const bool client_is_due = stage_ == Stage::kDone || (with_worker == 0 && !opens);
    if (client_is_due && now - client_moved_ > limits_.stall_timeout)
      status = aborted("The client takes no pictures ({} wait, for {} s); read faster, or send less.",
                       waiting, whole_seconds(limits_.stall_timeout));
    const bool has_work = stage_ == Stage::kOpening || frames_.count(Turn::kWorker) > 0 || input_ended_;
    if (!client_is_due && has_work && now - worker_moved_ > limits_.hang_timeout)
      link_->kill_worker(
          fmt::format("Its work on a stream stands still (for {} s).", whole_seconds(limits_.hang_timeout)));
  }
  if (!status.ok()) end(std::move(status));
}

bool StreamSession::may_share() {
  const std::lock_guard lock(mutex_);
  return local_ && plan_.open.settings().transport() != v1::STREAM_TRANSPORT_MESSAGES;
}

bool StreamSession::is_over() {
  const std::lock_guard lock(mutex_);
  return stage_ == Stage::kOver;
}

StatusOr<channel::FileDescriptor> StreamSession::share_ring() {
  const std::lock_guard lock(mutex_);
  if (stage_ == Stage::kOver || ring_.descriptor() < 0) return unavailable("The stream is over.");
  return channel::duplicate(ring_.descriptor());
}

}  // namespace weft::streams
