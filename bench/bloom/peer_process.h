// SPDX-License-Identifier: Apache-2.0
// Runs a peer's methods in a separate process. A peer's library can affect the context of its
// process on the device: single small frames of Weft took 1 to 2 us longer next to cuFFT. The
// separation keeps such effects from the times of other methods.
#pragma once

#include <functional>
#include <memory>

#include "bench/bloom/way.h"

namespace weft::bench {

class PeerProcess {
 public:
  // Creates a method in its process; `mode` is the argument of PeerProcess::make.
  using Make = std::function<Made(const Problem& problem, int mode)>;

  // Forks. Call it before this process has threads or has opened a device.
  explicit PeerProcess(Make make);
  // Ends the process and its methods.
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  // Creates a method in the process. This object must outlive the method. The problem's pixels and
  // taps must be those of random_pixels and random_taps.
  Made make(const Problem& problem, int mode);

 private:
  int socket_ = -1;
  int child_ = -1;
  int ways_ = 0;  // number of created methods
};

}  // namespace weft::bench
