// SPDX-License-Identifier: Apache-2.0
// Runs a daemon for measurements. Its jobs stay queued once its device is drained.
#pragma once

#include <string>

#include <sys/types.h>

namespace weft::bench {

// A daemon with all its files in `folder`. It ends with this object.
class Daemon {
 public:
  explicit Daemon(std::string folder);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Returns the path of the weftd in the folder of this program.
  static std::string program();
  std::string address() const { return "unix:" + socket(); }

  // Starts the daemon without waiting for it. Returns false if it cannot be started.
  bool start();
  // Returns true if a server listens at the address.
  bool is_listening() const;
  // Kills the daemon at once, as by a power cut.
  void kill();

 private:
  std::string socket() const { return folder_ + "/weft.sock"; }
  void end(int signal);

  const std::string folder_;
  pid_t pid_ = -1;
};

// Writes a video of minimal size.
void make_input(const std::string& path);

}  // namespace weft::bench
