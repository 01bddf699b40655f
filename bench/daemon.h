// SPDX-License-Identifier: Apache-2.0
// A daemon for measurements. Its jobs stay queued once its device is drained.
#pragma once

#include <string>

#include <sys/types.h>

namespace weft::bench {

// Everything it keeps lies in a folder. It ends with this object.
class Daemon {
 public:
  explicit Daemon(std::string folder);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // The weftd beside this program.
  static std::string program();
  std::string address() const { return "unix:" + socket(); }

  // Does not wait for it. False: it cannot be started.
  bool start();
  // True as soon as somebody listens at the address.
  bool is_listening() const;
  // At once, as by a power cut.
  void kill();

 private:
  std::string socket() const { return folder_ + "/weft.sock"; }
  void end(int signal);

  const std::string folder_;
  pid_t pid_ = -1;
};

// Writes the smallest video there is.
void make_input(const std::string& path);

}  // namespace weft::bench
