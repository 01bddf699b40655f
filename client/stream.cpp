// SPDX-License-Identifier: Apache-2.0
#include "client/stream.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "client/channel.h"
#include "client/shared_ring.h"
#include "client/user.h"

namespace weft::client {
namespace {

constexpr size_t kWaitingPictures = 4;  // complete pictures from messages that wait for pull()

using Call = grpc::ClientReaderWriter<v1::ProcessFramesRequest, v1::ProcessFramesResponse>;

}  // namespace

struct FrameStream::Parts {
  struct Waiting {
    v1::PictureFacts facts;
    int slot = -1;                   // slot in the shared memory; -1: the samples are in `samples`
    std::vector<std::byte> samples;  // samples received in messages
  };

  std::shared_ptr<Connection> connection;
  grpc::ClientContext context;
  std::unique_ptr<Call> call;
  std::unique_ptr<SharedRing> ring;  // null: samples travel in messages
  v1::StreamOpened opened;

  std::mutex write_mutex;
  bool over = false;  // guarded by write_mutex; true: no more messages may be written

  // Used only by the pushing thread.
  std::vector<std::byte> frame;
  int staged_slot = -1;
  int64_t pushed = 0;

  // Used only by the pulling thread.
  Waiting pulled;

  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false;
  bool ended = false;      // true: the daemon ended the stream
  bool cancelled = false;  // true: this client cancelled the stream
  std::optional<Status> end;
  v1::StreamReport report;
  std::deque<int> free_slots;
  std::deque<Waiting> pictures;

  std::thread reader;

  void read();
  Status take(v1::ProcessFramesResponse& response);
  Status take_part(const v1::PicturePart& part);
  void finish_call(const Status& ours);
  Status write(const v1::ProcessFramesRequest& request);
  Status wait_for_end();
  Status write_parts(const v1::FrameFacts& facts);
  Waiting assembling;
};

// --- Reading -------------------------------------------------------------------------------------

void FrameStream::Parts::read() {
  v1::ProcessFramesResponse response;
  Status ours;
  while (ours.ok() && call->Read(&response)) ours = take(response);
  if (!ours.ok()) context.TryCancel();
  finish_call(ours);
}

Status FrameStream::Parts::take(v1::ProcessFramesResponse& response) {
  if (response.has_picture_part()) return take_part(response.picture_part());
  const std::lock_guard lock(mutex);
  switch (response.message_case()) {
    case v1::ProcessFramesResponse::kOpened:
      opened = response.opened();
      is_open = true;
      break;
    case v1::ProcessFramesResponse::kPictureReady:
      if (ring == nullptr || !ring->has_picture_slot(response.picture_ready().slot()))
        return data_loss("The daemon announces a picture in memory that is not shared (slot {}).",
                         response.picture_ready().slot());
      pictures.push_back({response.picture_ready().facts(), response.picture_ready().slot(), {}});
      break;
    case v1::ProcessFramesResponse::kSlotFree:
      free_slots.push_back(response.slot_free().slot());
      break;
    case v1::ProcessFramesResponse::kEnded:
      report = response.ended().report();
      ended = true;
      break;
    default:
      break;  // a message that only a newer daemon sends
  }
  changed.notify_all();
  return ok_status();
}

// Blocks while kWaitingPictures pictures are queued. This also limits the daemon and its worker.
Status FrameStream::Parts::take_part(const v1::PicturePart& part) {
  std::unique_lock lock(mutex);
  if (part.offset() == 0) {
    assembling.facts = part.facts();
    assembling.samples.clear();
    assembling.samples.reserve(size_t(opened.picture_bytes()));
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(part.samples().data());
  const size_t size = part.samples().size();
  if (int64_t(assembling.samples.size()) != part.offset() ||
      int64_t(assembling.samples.size() + size) > opened.picture_bytes())
    return data_loss("A piece of picture {} is out of place (offset {}, {} bytes).", part.index(),
                     part.offset(), size);
  assembling.samples.insert(assembling.samples.end(), bytes, bytes + size);
  if (int64_t(assembling.samples.size()) < opened.picture_bytes()) return ok_status();
  changed.wait(lock, [this] { return pictures.size() < kWaitingPictures || cancelled; });
  pictures.push_back(std::move(assembling));
  assembling = {};
  changed.notify_all();
  return ok_status();
}

void FrameStream::Parts::finish_call(const Status& ours) {
  grpc::Status status;
  {
    const std::lock_guard lock(write_mutex);
    over = true;
    status = call->Finish();
  }
  const std::lock_guard lock(mutex);
  if (!ours.ok())
    end = ours;
  else if (cancelled)
    end = weft::cancelled("The stream was cancelled.");
  else if (status.ok() && !ended)
    end = data_loss("The stream ended early without a reason from the daemon.");
  else
    end = from_grpc(connection->stubs(), status, std::chrono::milliseconds(0));
  changed.notify_all();
}

Status FrameStream::Parts::wait_for_end() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return end.has_value(); });
  return end->ok() ? failed_precondition("The stream has ended.") : *end;
}

// --- Writing -------------------------------------------------------------------------------------

Status FrameStream::Parts::write(const v1::ProcessFramesRequest& request) {
  {
    const std::lock_guard lock(write_mutex);
    if (!over && call->Write(request)) return ok_status();
  }
  return wait_for_end();
}

Status FrameStream::Parts::write_parts(const v1::FrameFacts& facts) {
  const int64_t longest = std::max<int64_t>(opened.part_bytes(), 1);
  for (int64_t offset = 0; offset < opened.frame_bytes(); offset += longest) {
    v1::ProcessFramesRequest request;
    v1::FramePart& part = *request.mutable_frame_part();
    part.set_index(pushed);
    part.set_offset(offset);
    part.set_samples(frame.data() + offset, size_t(std::min(longest, opened.frame_bytes() - offset)));
    if (offset == 0) *part.mutable_facts() = facts;
    RETURN_IF_ERROR(write(request));
  }
  return ok_status();
}

// --- The stream ----------------------------------------------------------------------------------

FrameStream::FrameStream(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

FrameStream::~FrameStream() {
  cancel();
  parts_->reader.join();
}

StatusOr<std::unique_ptr<FrameStream>> FrameStream::open(std::shared_ptr<Connection> connection,
                                                         v1::OpenStream request) {
  if (request.settings().owner().empty()) request.mutable_settings()->set_owner(user_name());
  auto parts = std::make_unique<Parts>();
  parts->connection = std::move(connection);
  parts->call = parts->connection->stubs().streams->ProcessFrames(&parts->context);
  v1::ProcessFramesRequest first;
  *first.mutable_open() = request;
  parts->call->Write(first);  // a failure is reported by the reading thread
  std::unique_ptr<FrameStream> stream(new FrameStream(std::move(parts)));
  Parts& p = *stream->parts_;
  p.reader = std::thread([&p] { p.read(); });
  std::unique_lock lock(p.mutex);
  p.changed.wait(lock, [&p] { return p.is_open || p.end.has_value(); });
  if (!p.is_open) return p.end->ok() ? data_loss("The daemon ends the stream at once.") : *p.end;
  if (!p.opened.has_ring() || request.settings().transport() == v1::STREAM_TRANSPORT_MESSAGES) {
    p.frame.resize(size_t(p.opened.frame_bytes()));
    return stream;
  }
  auto ring = SharedRing::map(p.opened.ring());
  if (ring.ok()) {
    p.ring = *std::move(ring);
    for (int slot = 0; slot < p.ring->frame_slots(); slot++) p.free_slots.push_back(slot);
  } else if (request.settings().transport() == v1::STREAM_TRANSPORT_SHARED_MEMORY) {
    return ring.status();
  } else {
    p.frame.resize(size_t(p.opened.frame_bytes()));
  }
  return stream;
}

const v1::StreamOpened& FrameStream::opened() const { return parts_->opened; }
bool FrameStream::shares_memory() const { return parts_->ring != nullptr; }

StatusOr<std::span<std::byte>> FrameStream::stage() {
  Parts& p = *parts_;
  const auto bytes = size_t(p.opened.frame_bytes());
  if (p.ring == nullptr) return std::span(p.frame);
  if (p.staged_slot >= 0) return std::span(p.ring->frame(p.staged_slot), bytes);
  std::unique_lock lock(p.mutex);
  p.changed.wait(lock, [&p] { return !p.free_slots.empty() || p.end.has_value(); });
  if (p.end.has_value()) return p.end->ok() ? failed_precondition("The stream has ended.") : *p.end;
  p.staged_slot = p.free_slots.front();
  p.free_slots.pop_front();
  return std::span(p.ring->frame(p.staged_slot), bytes);
}

Status FrameStream::push(const v1::FrameFacts& facts) {
  Parts& p = *parts_;
  if (p.ring == nullptr) {
    RETURN_IF_ERROR(p.write_parts(facts));
    p.pushed++;
    return ok_status();
  }
  if (p.staged_slot < 0)
    return failed_precondition("A frame is pushed that was not staged; call stage first.");
  v1::ProcessFramesRequest request;
  request.mutable_frame_ready()->set_index(p.pushed++);
  request.mutable_frame_ready()->set_slot(std::exchange(p.staged_slot, -1));
  *request.mutable_frame_ready()->mutable_facts() = facts;
  return p.write(request);
}

Status FrameStream::finish() {
  v1::ProcessFramesRequest request;
  request.mutable_end_of_frames();
  return parts_->write(request);
}

StatusOr<std::optional<PulledPicture>> FrameStream::pull() {
  Parts& p = *parts_;
  if (const int slot = std::exchange(p.pulled.slot, -1); slot >= 0) {
    v1::ProcessFramesRequest request;
    request.mutable_picture_taken()->set_slot(slot);
    const std::lock_guard lock(p.write_mutex);
    if (!p.over) p.call->Write(request);  // a failure is reported at the end of the stream
  }
  std::unique_lock lock(p.mutex);
  p.changed.wait(lock, [&p] { return !p.pictures.empty() || p.end.has_value(); });
  if (p.pictures.empty() || p.cancelled) {
    if (p.end.has_value() && p.end->ok()) return std::optional<PulledPicture>();
    if (p.end.has_value()) return *p.end;
  }
  p.pulled = std::move(p.pictures.front());
  p.pictures.pop_front();
  p.changed.notify_all();
  PulledPicture picture{p.pulled.facts, p.pulled.samples};
  if (p.pulled.slot >= 0)
    picture.samples = {p.ring->picture(p.pulled.slot), size_t(p.opened.picture_bytes())};
  return std::optional<PulledPicture>(std::move(picture));
}

const v1::StreamReport& FrameStream::report() const { return parts_->report; }

void FrameStream::cancel() {
  {
    const std::lock_guard lock(parts_->mutex);
    if (!parts_->end.has_value()) parts_->cancelled = true;
    parts_->changed.notify_all();
  }
  parts_->context.TryCancel();
}

}  // namespace weft::client
