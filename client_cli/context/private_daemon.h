// SPDX-License-Identifier: Apache-2.0
// A weftd of our own, for `weft run` where no daemon answers: in a temporary state folder, gone when this is gone.
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
  // Starts the weftd that stands beside this program (else the one in PATH) and waits until it answers.
  // FAILED_PRECONDITION: it cannot be started, with the end of its log. CANCELLED: a signal came meanwhile.
  static StatusOr<std::unique_ptr<PrivateDaemon>> start(const Signals& signals);
  ~PrivateDaemon() { stop(); }
  // Stops it (SIGTERM, after ten seconds SIGKILL; at once when it never answered) and removes its folder.
  void stop();

  // OK while it runs. UNAVAILABLE: it ended, with the end of its log. Asked when a connection is lost: waits a moment for the end.
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

// The file of a program that stands beside this one, else its bare name, for PATH.
std::string program_beside_us(const std::string& name);

}  // namespace weft::cli
