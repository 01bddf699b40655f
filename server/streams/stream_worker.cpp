// SPDX-License-Identifier: Apache-2.0
// A stream's half towards its worker.
#include <utility>

#include "server/channel/status_message.h"
#include "server/streams/limits.h"
#include "server/streams/stream.h"

namespace weft::streams {
namespace {

// A slot that the worker names wrongly is our defect, not the client's.
Status as_defect(const Status& moved) {
  return moved.ok() ? moved : internal_error("The worker talks nonsense: {}", message_of(moved));
}

}  // namespace

void Stream::begin(std::string device, Ring ring, std::optional<v1::StreamRing> offer,
                   std::unique_ptr<WorkerLink> link) {
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kOpening) return;
  device_ = std::move(device);
  ring_ = std::move(ring);
  offer_ = std::move(offer);
  link_ = std::move(link);
  frames_ = Slots("frame", plan_.ring.frame_slots(), Turn::kClient);
  pictures_ = Slots("picture", plan_.ring.picture_slots(), Turn::kWorker);
  worker_moved_ = clock_.now();
  link_->start();
}

void Stream::on_stream_message(const internal::v1::FromWorker& message) {
  Status status;
  std::function<void()> more;
  {
    const std::lock_guard lock(mutex_);
    if (stage_ == Stage::kOver || stage_ == Stage::kDone || link_ == nullptr) return;
    worker_moved_ = clock_.now();
    status = handle_worker(message);
    if (status.ok() && stage_ == Stage::kRunning && !held_) more = std::exchange(more_, nullptr);
  }
  if (!status.ok()) return end(std::move(status));
  if (message.has_stream_stopped()) finish();
  if (more != nullptr) more();
  pump();
}

Status Stream::handle_worker(const internal::v1::FromWorker& message) {
  switch (message.message_case()) {
    case internal::v1::FromWorker::kStreamStarted:
      if (stage_ != Stage::kOpening) break;
      tell_opened(message.stream_started());
      stage_ = Stage::kRunning;
      if (input_ended_) tell_end();
      return ok_status();
    case internal::v1::FromWorker::kStreamFrameTaken:
      return give_back_frame(message.stream_frame_taken().slot());
    case internal::v1::FromWorker::kStreamPicture:
      return give_picture(message.stream_picture());
    case internal::v1::FromWorker::kStreamWaiting:
      return ok_status();  // it was heard of
    case internal::v1::FromWorker::kStreamStopped:
      RETURN_IF_ERROR(channel::to_status(message.stream_stopped().error()));
      report_ = message.stream_stopped().report();
      stage_ = Stage::kDone;
      client_moved_ = clock_.now();
      return ok_status();
    default:
      break;
  }
  return internal_error("The worker of {} says something about the stream that makes no sense now.", device_);
}

void Stream::tell_opened(const internal::v1::StreamStarted& started) {
  v1::ProcessFramesResponse response;
  v1::StreamOpened& opened = *response.mutable_opened();
  opened.set_device(device_);
  *opened.mutable_format() = started.format();
  *opened.mutable_picture_rate() = started.picture_rate();
  *opened.mutable_time_base() = started.time_base();
  opened.set_frames_ahead(started.frames_ahead());
  opened.mutable_deadline()->set_seconds(started.deadline_ns() / 1'000'000'000);
  opened.mutable_deadline()->set_nanos(int(started.deadline_ns() % 1'000'000'000));
  opened.set_frame_bytes(plan_.frame_bytes);
  opened.set_picture_bytes(plan_.picture_bytes);
  opened.set_part_bytes(kPartBytes);
  if (offer_) {
    v1::StreamRing& ring = *opened.mutable_ring();
    ring = *offer_;
    ring.set_bytes(plan_.ring_bytes());
    ring.set_frame_slots(plan_.ring.frame_slots());
    ring.set_frame_slot_bytes(plan_.ring.frame_slot_bytes());
    ring.set_picture_slots(plan_.ring.picture_slots());
    ring.set_picture_slot_bytes(plan_.ring.picture_slot_bytes());
  }
  events_.push_back(std::move(response));
}

Status Stream::give_back_frame(int slot) {
  const bool tells = transport_ == Transport::kSharedMemory;
  RETURN_IF_ERROR(as_defect(frames_.move(slot, Turn::kWorker, tells ? Turn::kToClient : Turn::kClient)));
  if (tells) {
    v1::ProcessFramesResponse response;
    response.mutable_slot_free()->set_slot(slot);
    events_.push_back(std::move(response));
    return ok_status();
  }
  if (!held_) return ok_status();
  const v1::ProcessFramesRequest part = *std::exchange(held_, std::nullopt);
  bool wants_more = true;
  return handle(part, &wants_more);
}

Status Stream::give_picture(const internal::v1::StreamPicture& picture) {
  if (pictures_.count(Turn::kWorker) == pictures_.size()) client_moved_ = clock_.now();
  const bool tells = transport_ == Transport::kSharedMemory;
  RETURN_IF_ERROR(
      as_defect(pictures_.move(picture.slot(), Turn::kWorker, tells ? Turn::kToClient : Turn::kClient)));
  if (!tells) {
    waiting_pictures_.push_back({picture.slot(), picture.facts()});
    return ok_status();
  }
  v1::ProcessFramesResponse response;
  response.mutable_picture_ready()->set_slot(picture.slot());
  *response.mutable_picture_ready()->mutable_facts() = picture.facts();
  events_.push_back(std::move(response));
  return ok_status();
}

void Stream::on_stream_lost(std::string_view reason) {
  end(unavailable("The stream ends: {} Open another one.", reason));
}

}  // namespace weft::streams
