// SPDX-License-Identifier: Apache-2.0
// Follows jobs across restarts of the daemon. A watch reconnects, continues from the last state and
// reports both to its handler.
//
//   Watch watch(connection, {.filter = filter}, handler);
//   const Status end = watch.run(stop.get_token());
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "client/connection.h"
#include "weft/v1/job_service.pb.h"

namespace weft::client {

// Receives the events of a watch on the thread that runs the watch. The functions must not block
// for long.
class WatchHandler {
 public:
  virtual ~WatchHandler() = default;

  // Begins a snapshot: on_job() follows for every job, and the handler forgets all earlier jobs.
  // Called at the start, and again when the daemon can no longer resume the watch at its position.
  virtual void on_snapshot_begin() {}
  virtual void on_snapshot_end() {}
  // Reports a new or changed job. `progress_only`: only the progress or the waiting reason changed.
  // The revisions of a job never decrease.
  virtual void on_job(const v1::Job& job, bool progress_only) = 0;
  // Reports that an ended job was deleted from the job store. Called only while connected.
  virtual void on_forgotten(const v1::Job& job) { static_cast<void>(job); }
  // Reports a broken connection. The watch reconnects after `delay`.
  virtual void on_disconnected(const Status& why, std::chrono::milliseconds delay) {
    static_cast<void>(why);
    static_cast<void>(delay);
  }
  // Reports that the connection is restored. The missed events follow.
  virtual void on_reconnected() {}
};

struct WatchOptions {
  v1::JobFilter filter;
  // token from a list or an earlier watch; empty: the watch begins with a snapshot
  std::string resume_token;
  // Delay before the first attempt to reconnect. The delay doubles at each attempt, with jitter.
  std::chrono::milliseconds first_delay{500};
  std::chrono::milliseconds longest_delay{30000};
  // Longest time without a connection; after it the watch ends with an error.
  std::chrono::milliseconds give_up_after{std::chrono::hours(24 * 365)};
  // true: an is_unreachable() error of the first attempt ends the watch
  bool fail_at_first = true;
};

class Watch {
 public:
  Watch(std::shared_ptr<Connection> connection, WatchOptions options, WatchHandler& handler);
  ~Watch();

  // Runs until `stop` is requested, which returns OK, or until a permanent error, such as a refused
  // filter or no connection for `give_up_after`. The handler may request `stop`. May be called
  // once.
  Status run(const std::stop_token& stop);

  // Ends the wait before the next attempt to reconnect. Thread-safe.
  void retry_now();

  // Returns the token for resuming after the last event. It changes during run(); it may be read on
  // the thread of run(), or after run().
  const std::string& resume_token() const { return options_.resume_token; }

 private:
  // The action after the end of a stream.
  enum class Next { kStop, kFail, kReconnect, kStartOver };

  Status read_until_end(const std::stop_token& stop);
  // Blocks until the connection is restored, so that on_reconnected() is called before the first
  // event. Returns after a failed attempt; the next call then fails with the reason.
  void await_connection(const std::stop_token& stop);
  Next next_after(const Status& status, const std::stop_token& stop) const;
  void receive(const v1::WatchJobsResponse& event);
  // Waits with back-off. Returns false after `give_up_after` without a connection, or if `stop` is
  // requested.
  bool wait_to_reconnect(const Status& why, const std::stop_token& stop);

  std::shared_ptr<Connection> connection_;
  WatchOptions options_;
  WatchHandler& handler_;
  bool in_snapshot_ = false;
  bool ever_received_ = false;
  bool disconnected_ = false;
  std::chrono::steady_clock::time_point disconnected_since_;
  std::chrono::milliseconds delay_;
  std::mutex mutex_;  // guards the next two fields
  std::condition_variable_any hurried_;
  bool waiting_ = false;
};

}  // namespace weft::client
