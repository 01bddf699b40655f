// SPDX-License-Identifier: Apache-2.0
// Runs a private weftd for `weft run` and `weft pipe` if no daemon answers. Its state is in a
// temporary folder. The destructor stops the daemon and removes the folder.
#pragma once

#include <memory>
#include <string>

#include <sys/types.h>

#include "base/status.h"
#include "client/connection.h"
#include "client_cli/context/signals.h"

namespace weft::cli {

class PrivateDaemon {
 public:
  // Starts the weftd next to this program, or the one in PATH, and blocks until the daemon answers.
  // FAILED_PRECONDITION: it cannot be started; the message contains the end of its log. CANCELLED:
  // a signal arrived during the start.
  static StatusOr<std::unique_ptr<PrivateDaemon>> start(const Signals& signals);
  ~PrivateDaemon() { stop(); }
  // Stops the daemon and removes its folder. Sends SIGTERM, and SIGKILL after ten seconds. A daemon
  // that has never answered gets SIGKILL at once.
  void stop();

  // Returns OK while the daemon runs, and UNAVAILABLE with the end of its log after it has ended.
  // Called after a lost connection: waits up to a second for the daemon to end.
  Status ended();

  const std::shared_ptr<client::Connection>& connection() const { return connection_; }

 private:
  PrivateDaemon() = default;
  Status spawn(const std::string& program);
  Status wait_until_ready(const Signals& signals);
  bool has_ended();
  std::string log_end() const;

  std::string folder_;
  pid_t pid_ = -1;
  bool ready_ = false;
  std::shared_ptr<client::Connection> connection_;
};

// Returns the path of a program next to this one. Returns the name itself if there is none, for a
// search in PATH.
std::string program_beside_us(const std::string& name);

}  // namespace weft::cli
