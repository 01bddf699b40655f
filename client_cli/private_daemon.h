// SPDX-License-Identifier: Apache-2.0
// A weftd of our own, for `weft run` where no daemon answers: in a temporary state folder, gone when this is gone.
#pragma once

#include <memory>
#include <string>

#include <sys/types.h>

#include "base/status.h"
#include "client/connection.h"

namespace weft::cli {

class PrivateDaemon {
 public:
  // Starts the weftd that stands beside this program (else the one in PATH) and waits until it answers.
  // FAILED_PRECONDITION: it cannot be started, with the end of its log.
  static StatusOr<std::unique_ptr<PrivateDaemon>> start();
  // Stops it (SIGTERM, after ten seconds SIGKILL) and removes its folder.
  ~PrivateDaemon();

  const std::shared_ptr<client::Connection>& connection() const { return connection_; }

 private:
  PrivateDaemon() = default;
  Status spawn(const std::string& program);
  Status wait_until_ready();
  bool has_ended();
  std::string log_end() const;

  std::string folder_;
  pid_t pid_ = -1;
  std::shared_ptr<client::Connection> connection_;
};

// The file of a program that stands beside this one, else its bare name, for PATH.
std::string program_beside_us(const std::string& name);

}  // namespace weft::cli
