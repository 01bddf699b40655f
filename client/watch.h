// SPDX-License-Identifier: Apache-2.0
// Follows jobs over restarts of the daemon: reconnects, goes on from where it was, and says so.
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

// Called on the thread that runs the watch; nothing here may block for long.
class WatchHandler {
 public:
  virtual ~WatchHandler() = default;

  // All jobs follow as on_job(): forget those known before. Called at the start, and again when the daemon no longer
  // knows where the watch was.
  virtual void on_snapshot_begin() {}
  virtual void on_snapshot_end() {}
  // A new or changed job. `progress_only`: nothing but its progress, or what it waits for, changed. Jobs never go back in revision.
  virtual void on_job(const v1::Job& job, bool progress_only) = 0;
  // A job that ended long ago is no longer kept. Told only while connected.
  virtual void on_forgotten(const v1::Job& job) { static_cast<void>(job); }
  // The connection broke; the watch tries again after `delay`.
  virtual void on_disconnected(const Status& why, std::chrono::milliseconds delay) {
    static_cast<void>(why);
    static_cast<void>(delay);
  }
  // There is a connection again; what was missed follows.
  virtual void on_reconnected() {}
};

struct WatchOptions {
  v1::JobFilter filter;
  std::string resume_token;  // from a list or an earlier watch; empty: begin with a snapshot
  std::chrono::milliseconds first_delay{500};  // before the first try to reconnect; doubles, with jitter
  std::chrono::milliseconds longest_delay{30000};
  std::chrono::milliseconds give_up_after{std::chrono::hours(24 * 365)};  // without a connection
  // An is_unreachable() error at the very first try ends the watch.
  bool fail_at_first = true;
};

class Watch {
 public:
  Watch(std::shared_ptr<Connection> connection, WatchOptions options, WatchHandler& handler);
  ~Watch();

  // Runs until `stop` is requested (OK; the handler may request it) or an error that trying again does not mend: a
  // refused filter, or no connection for `give_up_after`. Call it once.
  Status run(const std::stop_token& stop);

  // Ends the wait for the next try to reconnect, if there is one. Any thread.
  void retry_now();

  // Where to go on; changes while running. Read it on the thread that runs, or after run().
  const std::string& resume_token() const { return options_.resume_token; }

 private:
  // What the end of one stream asks for.
  enum class Next { kStop, kFail, kReconnect, kStartOver };

  Status read_until_end(const std::stop_token& stop);
  // Waits until there is a connection, so that on_reconnected() does not wait for the first event. Without one the
  // call that follows fails and says why.
  void await_connection(const std::stop_token& stop);
  Next next_after(const Status& status, const std::stop_token& stop) const;
  void receive(const v1::WatchJobsResponse& event);
  // Waits with back-off; false when it is time to give up or `stop` came.
  bool wait_to_reconnect(const Status& why, const std::stop_token& stop);

  std::shared_ptr<Connection> connection_;
  WatchOptions options_;
  WatchHandler& handler_;
  bool in_snapshot_ = false;
  bool ever_received_ = false;
  bool disconnected_ = false;
  std::chrono::steady_clock::time_point disconnected_since_;
  std::chrono::milliseconds delay_;
  std::mutex mutex_;  // of the two that follow
  std::condition_variable_any hurried_;
  bool waiting_ = false;
};

}  // namespace weft::client
