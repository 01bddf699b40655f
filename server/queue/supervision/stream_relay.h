// SPDX-License-Identifier: Apache-2.0
// Passes messages between the streams of one device and its worker. Used on the device's loop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "server/queue/records/workers.h"
#include "server/queue/supervision/worker_process.h"

namespace weft::queue {

class StreamRelay {
 public:
  // `changed` is called after each start and end of a stream.
  explicit StreamRelay(std::function<void()> changed) : changed_(std::move(changed)) {}

  // Sets the worker of later streams.
  void set_worker(WorkerProcess* worker) { worker_ = worker; }
  // Reports the loss of the worker to all its streams.
  void lose_worker(const std::string& reason);

  void start(const internal::v1::StartStream& order, const SharedFiles& files,
             std::shared_ptr<StreamEvents> events);
  void send(uint64_t stream, internal::v1::ToWorker message, const SharedFiles& files);
  void leave(uint64_t stream);
  void kill_worker(uint64_t stream, const std::string& reason);

  void on_message(const internal::v1::FromWorker& message);

  int count() const { return int(streams_.size()); }

 private:
  // Sends a message. If this fails the worker is killed, and its streams are lost with it.
  void pass(const internal::v1::ToWorker& message, const SharedFiles& files);

  const std::function<void()> changed_;
  WorkerProcess* worker_ = nullptr;  // null if no worker accepts streams
  std::map<uint64_t, std::shared_ptr<StreamEvents>> streams_;
};

}  // namespace weft::queue
