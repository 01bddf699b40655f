// SPDX-License-Identifier: Apache-2.0
// Runs a peer's ways in a process of their own: what its library does to a process's context on the device (single small
// frames of ours took 1 to 2 us longer beside cuFFT) is then not in the others' times, and theirs are not in its.
#pragma once

#include <functional>
#include <memory>

#include "bench/bloom/way.h"

namespace weft::bench {

class PeerProcess {
 public:
  // Makes a way in the process it runs in; `mode` is what the caller of PeerProcess::make gave.
  using Make = std::function<Made(const Problem& problem, int mode)>;

  // Forks: call it before this process has threads or has opened a device.
  explicit PeerProcess(Make make);
  // The process ends with it; so do its ways.
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  // A way that lives in the process; this object outlives it. The problem's pixels and taps are those of random_pixels and
  // random_taps.
  Made make(const Problem& problem, int mode);

 private:
  int socket_ = -1;
  int child_ = -1;
  int ways_ = 0;  // made so far
};

}  // namespace weft::bench
