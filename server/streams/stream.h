// SPDX-License-Identifier: Apache-2.0
// Connects a client's call to a worker, for one stream in the daemon. Enforces the protocol on both
// sides, limits the queues, and copies samples only for clients without shared memory.
//
//   client:  receive(message, more) ... input_ended(); next(done) ... (see Subscription)
//   worker:  begin(...), on_stream_message(...), share(ring), on_stream_message(...) ... or
//            on_stream_lost(...)
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
  // Longest time that a client may leave waiting pictures unread.
  Duration stall_timeout = std::chrono::seconds(60);
  // Longest time that a worker may hold frames without progress.
  Duration hang_timeout = std::chrono::seconds(60);
  // Permitted folders of clients' files; null: all folders.
  std::shared_ptr<const queue::FileRules> rules = nullptr;
};

// The connection of a stream to its worker. No function blocks.
class WorkerLink {
 public:
  virtual ~WorkerLink() = default;
  virtual void start() = 0;  // called once, before all other functions
  // Sends a message with the number of the stream, which this function sets. `files` are
  // descriptors that are sent with the message; null: none.
  virtual void send(internal::v1::ToWorker message, queue::SharedFiles files = nullptr) = 0;
  virtual void leave() = 0;  // ends the stream; no event follows
  virtual void kill_worker(const std::string& reason) = 0;
};

// One stream. Thread-safe.
class StreamSession final : public queue::Pull<v1::ProcessFramesResponse>,
                            public queue::StreamEvents,
                            public std::enable_shared_from_this<StreamSession> {
 public:
  // A request of a stream to the manager of all streams (Streams). Must not block.
  using Ask = std::function<void(const std::shared_ptr<StreamSession>&, const StreamPlan&)>;
  struct Keeper {
    Ask find_device;  // the manager calls begin(), or end() with an error
    Ask make_ring;    // the manager calls share(), or end() with an error
  };

  // `local` is true if the client is on this machine and may use shared memory. `caller` is the
  // client's identity.
  StreamSession(bool local, queue::Caller caller, StreamLimits limits, const Clock& clock, Keeper keeper);

  // Handles the next message of the client. Calls `more` once when the stream can accept another
  // message: at once, or when a slot is free. Does not call it after the stream's end.
  void receive(const v1::ProcessFramesRequest& message, std::function<void()> more);
  // Ends the client's input, if the client has not ended it by a message.
  void input_ended();

  // Sets the worker and starts the stream there, unless the stream has ended.
  void begin(std::string device, std::unique_ptr<WorkerLink> link);
  // Sets the memory of the planned slots. `files` contains the descriptor of the memory for the
  // worker. `offer` (optional) contains the socket and the token for the client.
  void share(Ring ring, queue::SharedFiles files, std::optional<v1::StreamRing> offer);
  void on_stream_message(const internal::v1::FromWorker& message) override;
  void on_stream_lost(std::string_view reason) override;

  const queue::Caller& caller() const { return caller_; }
  // Returns whether shared memory may be offered to the client. Valid once the client has opened
  // the stream.
  bool may_share();
  // Checks the time limits and ends a stream with a stalled client or worker. Must be called
  // periodically.
  void poll();
  // Returns whether the stream has ended and released its slots, memory and worker.
  bool is_over();
  // Returns another descriptor of the ring. Returns UNAVAILABLE if the stream has ended.
  StatusOr<channel::FileDescriptor> share_ring();

 private:
  enum class Stage {
    kNew,
    kOpening,  // the worker plans and allocates
    kSharing,  // the ring is being created
    kRunning,
    kDone,  // the worker has processed all frames
    kOver,
  };
  enum class Transport { kUndecided, kMessages, kSharedMemory };

  // The following functions are called with the lock held. Their errors end the stream.
  Status handle(const v1::ProcessFramesRequest& message, bool* wants_more);
  Status take_part(const v1::FramePart& part, bool* wants_more);
  Status take_frame(const v1::FrameReady& frame);
  Status choose(Transport transport);
  Status check_index(int64_t index) const;
  void report_frame(int slot, const v1::FrameFacts& facts);
  Status handle_worker(const internal::v1::FromWorker& message);
  Status plan_ring(const internal::v1::StreamStarted& started);
  void report_opened();
  Status give_back_frame(int slot);
  Status give_picture(const internal::v1::StreamPicture& picture);
  Status free_picture(int slot, Turn from);
  Status end_input();
  void report_end();
  std::optional<v1::ProcessFramesResponse> next_part();
  void release();

  // Implementation of Pull.
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
  v1::StreamOpened opened_;  // the message to the client, without the ring
  Ring ring_;
  std::optional<v1::StreamRing> offer_;
  std::unique_ptr<WorkerLink> link_;
  Slots frames_{"frame", 0, Turn::kClient};
  Slots pictures_{"picture", 0, Turn::kWorker};

  // Input from the client.
  std::function<void()> more_;                    // callback of receive() that was not called yet
  std::optional<v1::ProcessFramesRequest> held_;  // a chunk that waits for a slot
  int64_t frames_in_ = 0;                         // number of complete frames
  PartialFrame partial_;                          // used for Transport::kMessages
  bool input_ended_ = false;

  // Output to the client.
  std::deque<v1::ProcessFramesResponse> events_;
  PictureParts parts_;  // used for Transport::kMessages
  std::optional<v1::StreamReport> report_;

  TimePoint client_moved_{};
  TimePoint worker_moved_{};
};

}  // namespace weft::streams
