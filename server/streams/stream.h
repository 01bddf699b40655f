// SPDX-License-Identifier: Apache-2.0
// One stream in the daemon: between a client's call and a worker. Holds both to the protocol, keeps what waits for either
// bounded, and copies samples only where the client has no shared memory.
//
//   client:  receive(message, more) ... input_ended()         next(done) ... (see Subscription)
//   worker:  begin(...), on_stream_message(...), share(ring), on_stream_message(...) ..., on_stream_lost(...)
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "server/queue/files/file_rights.h"
#include "server/queue/pull.h"
#include "server/queue/records/caller.h"
#include "server/queue/records/workers.h"
#include "server/streams/plan.h"
#include "server/streams/ring.h"
#include "server/streams/sample_parts.h"
#include "server/streams/slots.h"

namespace weft::streams {

struct StreamLimits {
  Duration stall_timeout =
      std::chrono::seconds(60);  // a client that takes no pictures although some wait for it
  Duration hang_timeout = std::chrono::seconds(60);         // a worker that has frames and does nothing
  std::shared_ptr<const queue::FileRules> rules = nullptr;  // where clients' files may lie; null: anywhere
};

// A stream's way to its worker. No call blocks.
class WorkerLink {
 public:
  virtual ~WorkerLink() = default;
  virtual void start() = 0;  // once, first
  // The stream's number is filled in. `files` travel with the message; null: none do.
  virtual void send(internal::v1::ToWorker message, queue::SharedFiles files = nullptr) = 0;
  virtual void leave() = 0;  // the stream ends; no more events come
  virtual void kill_worker(const std::string& reason) = 0;
};

// Thread-safe.
class StreamSession final : public queue::Pull<v1::ProcessFramesResponse>,
                            public queue::StreamEvents,
                            public std::enable_shared_from_this<StreamSession> {
 public:
  // What a stream asks of whoever keeps all of them. Must not block.
  using Ask = std::function<void(const std::shared_ptr<StreamSession>&, const StreamPlan&)>;
  struct Keeper {
    Ask find_device;  // answered by begin(), or end() with an error
    Ask make_ring;    // answered by share(), or end() with an error
  };

  // `local`: the client is on this machine, and may be offered shared memory. `caller`: who it is.
  StreamSession(bool local, queue::Caller caller, StreamLimits limits, const Clock& clock, Keeper keeper);

  // The client's next message. `more` is called once, when the next one is welcome: now, or when a slot is free; never
  // after the stream's end.
  void receive(const v1::ProcessFramesRequest& message, std::function<void()> more);
  // The client sends no more.
  void input_ended();

  // The worker is chosen; the link starts the stream there, unless the client is gone already.
  void begin(std::string device, std::unique_ptr<WorkerLink> link);
  // The memory of the plan's slots is there, and `files` holds its descriptor for the worker. `offer` (may be absent) names
  // socket and token for the client.
  void share(Ring ring, queue::SharedFiles files, std::optional<v1::StreamRing> offer);
  void on_stream_message(const internal::v1::FromWorker& message) override;
  void on_stream_lost(std::string_view reason) override;

  const queue::Caller& caller() const { return caller_; }
  // Whether memory may be offered to the client. Once it has opened the stream.
  bool may_share();
  // Looks at the clock; from time to time. Ends a stream whose client stands still, and a worker that does.
  void look();
  // Nothing is held any more: no slot, no memory, no worker.
  bool is_over();
  // The ring's descriptor, again; UNAVAILABLE when the stream is over.
  StatusOr<channel::FileDescriptor> share_ring();

 private:
  enum class Stage {
    kNew,
    kOpening,  // the worker plans and allocates
    kSharing,  // the ring is made
    kRunning,
    kDone,  // the worker has told all
    kOver,
  };
  enum class Transport { kUndecided, kMessages, kSharedMemory };

  // With the lock held. Errors end the stream.
  Status handle(const v1::ProcessFramesRequest& message, bool* wants_more);
  Status take_part(const v1::FramePart& part, bool* wants_more);
  Status take_frame(const v1::FrameReady& frame);
  Status choose(Transport transport);
  Status check_index(int64_t index) const;
  void tell_frame(int slot, const v1::FrameFacts& facts);
  Status handle_worker(const internal::v1::FromWorker& message);
  Status plan_ring(const internal::v1::StreamStarted& started);
  void tell_opened();
  Status give_back_frame(int slot);
  Status give_picture(const internal::v1::StreamPicture& picture);
  Status free_picture(int slot, Turn from);
  Status end_input();
  void tell_end();
  std::optional<v1::ProcessFramesResponse> next_part();
  void release();

  // Pull.
  std::optional<v1::ProcessFramesResponse> take() override;
  void drop() override;

  const bool local_;
  const queue::Caller caller_;
  const StreamLimits limits_;
  const Clock& clock_;
  const Keeper keeper_;

  Stage stage_ = Stage::kNew;
  Transport transport_ = Transport::kUndecided;
  StreamPlan plan_;
  std::string device_;
  v1::StreamOpened opened_;  // all but the ring
  Ring ring_;
  std::optional<v1::StreamRing> offer_;
  std::unique_ptr<WorkerLink> link_;
  Slots frames_{"frame", 0, Turn::kClient};
  Slots pictures_{"picture", 0, Turn::kWorker};

  // What comes from the client.
  std::function<void()> more_;                    // not called yet
  std::optional<v1::ProcessFramesRequest> held_;  // a part without a slot
  int64_t frames_in_ = 0;                         // whole ones
  PartialFrame partial_;                          // Transport::kMessages
  bool input_ended_ = false;

  // What goes to the client.
  std::deque<v1::ProcessFramesResponse> events_;
  PictureParts parts_;  // Transport::kMessages
  std::optional<v1::StreamReport> report_;

  TimePoint client_moved_{};
  TimePoint worker_moved_{};
};

}  // namespace weft::streams
