// SPDX-License-Identifier: Apache-2.0
// Implements the functions of a stream that its worker and the manager of all streams call.
#include <utility>

#include "options/texture_blocks.h"
#include "server/channel/status_message.h"
#include "server/streams/limits.h"
#include "server/streams/stream.h"

namespace weft::streams {
namespace {

// Converts the error of an invalid slot in a worker's message to INTERNAL, since the client did not
// cause it.
Status as_defect(const Status& moved) {
  return moved.ok() ? moved : internal_error("The worker sent an invalid message: {}", message_of(moved));
}

}  // namespace

void StreamSession::begin(std::string device, std::unique_ptr<WorkerLink> link) {
  const std::lock_guard lock(mutex_);
  if (stage_ != Stage::kOpening) return;
  device_ = std::move(device);
  link_ = std::move(link);
  worker_moved_ = clock_.now();
  link_->start();
}

void StreamSession::share(Ring ring, queue::SharedFiles files, std::optional<v1::StreamRing> offer) {
  std::function<void()> more;
  {
    const std::lock_guard lock(mutex_);
    if (stage_ != Stage::kSharing) return;
    stage_ = Stage::kRunning;
    ring_ = std::move(ring);
    offer_ = std::move(offer);
    frames_ = Slots("frame", plan_.ring.frame_slots(), Turn::kClient);
    pictures_ = Slots("picture", plan_.ring.picture_slots(), Turn::kWorker);
    internal::v1::ToWorker message;
    *message.mutable_stream_memory()->mutable_layout() = plan_.ring;
    link_->send(std::move(message), std::move(files));
    report_opened();
    if (input_ended_) report_end();
    more = std::exchange(more_, nullptr);
  }
  if (more != nullptr) more();
  pump();
}

void StreamSession::on_stream_message(const internal::v1::FromWorker& message) {
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
  if (message.has_stream_started()) return keeper_.make_ring(shared_from_this(), plan_);
  if (message.has_stream_stopped()) finish();
  if (more != nullptr) more();
  pump();
}

Status StreamSession::handle_worker(const internal::v1::FromWorker& message) {
  switch (message.message_case()) {
    case internal::v1::FromWorker::kStreamStarted:
      if (stage_ != Stage::kOpening) break;
      RETURN_IF_ERROR(plan_ring(message.stream_started()));
      stage_ = Stage::kSharing;
      return ok_status();
    case internal::v1::FromWorker::kStreamFrameTaken:
      return give_back_frame(message.stream_frame_taken().slot());
    case internal::v1::FromWorker::kStreamPicture:
      return give_picture(message.stream_picture());
    case internal::v1::FromWorker::kStreamWaiting:
      return ok_status();  // on_stream_message has set worker_moved_
    case internal::v1::FromWorker::kStreamStopped:
      RETURN_IF_ERROR(channel::to_status(message.stream_stopped().error()));
      report_ = message.stream_stopped().report();
      stage_ = Stage::kDone;
      client_moved_ = clock_.now();
      return ok_status();
    default:
      break;
  }
  return internal_error("The worker of {} sent a message that does not fit the state of the stream.",
                        device_);
}

Status StreamSession::plan_ring(const internal::v1::StreamStarted& started) {
  RETURN_IF_ERROR(plan_pictures(plan_, started));
  opened_.set_device(device_);
  if (options::carries_textures(plan_.open))
    *opened_.mutable_texture() = started.texture();
  else
    *opened_.mutable_format() = started.format();
  *opened_.mutable_picture_rate() = started.picture_rate();
  *opened_.mutable_time_base() = started.time_base();
  opened_.set_frames_ahead(started.frames_ahead());
  opened_.set_has_variable_rate(started.has_variable_rate());
  opened_.set_field_order(started.field_order());
  *opened_.mutable_colour() = started.colour();
  *opened_.mutable_sample_aspect() = started.sample_aspect();
  opened_.set_chroma_position(started.chroma_position());
  opened_.mutable_deadline()->set_seconds(started.deadline_ns() / 1'000'000'000);
  opened_.mutable_deadline()->set_nanos(int(started.deadline_ns() % 1'000'000'000));
  opened_.set_frame_bytes(plan_.frame_bytes);
  opened_.set_picture_bytes(plan_.picture_bytes);
  opened_.set_part_bytes(kPartBytes);
  return ok_status();
}

void StreamSession::report_opened() {
  v1::ProcessFramesResponse response;
  *response.mutable_opened() = std::move(opened_);
  if (offer_) {
    v1::StreamRing& ring = *response.mutable_opened()->mutable_ring();
    ring = *offer_;
    ring.set_bytes(plan_.ring_bytes());
    ring.set_frame_slots(plan_.ring.frame_slots());
    ring.set_frame_slot_bytes(plan_.ring.frame_slot_bytes());
    ring.set_picture_slots(plan_.ring.picture_slots());
    ring.set_picture_slot_bytes(plan_.ring.picture_slot_bytes());
  }
  events_.push_back(std::move(response));
}

Status StreamSession::give_back_frame(int slot) {
  const bool sends_messages = transport_ == Transport::kSharedMemory;
  RETURN_IF_ERROR(
      as_defect(frames_.move(slot, Turn::kWorker, sends_messages ? Turn::kToClient : Turn::kClient)));
  if (sends_messages) {
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

Status StreamSession::give_picture(const internal::v1::StreamPicture& picture) {
  if (pictures_.count(Turn::kWorker) == pictures_.size()) client_moved_ = clock_.now();
  const bool sends_messages = transport_ == Transport::kSharedMemory;
  RETURN_IF_ERROR(as_defect(
      pictures_.move(picture.slot(), Turn::kWorker, sends_messages ? Turn::kToClient : Turn::kClient)));
  if (!sends_messages) {
    parts_.push(picture.slot(), picture.facts());
    return ok_status();
  }
  v1::ProcessFramesResponse response;
  response.mutable_picture_ready()->set_slot(picture.slot());
  *response.mutable_picture_ready()->mutable_facts() = picture.facts();
  events_.push_back(std::move(response));
  return ok_status();
}

void StreamSession::on_stream_lost(std::string_view reason) {
  end(unavailable("The stream ends: {} Open another one.", reason));
}

}  // namespace weft::streams
