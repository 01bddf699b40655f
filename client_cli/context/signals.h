// SPDX-License-Identifier: Apache-2.0
// Turns signals into events. While an object exists, SIGINT, SIGTERM and SIGHUP do not end the
// process but wake wait_until(). Signals that were ignored when the program began (nohup, & in a
// script) stay ignored.
#pragma once

#include "base/clock.h"

namespace weft::cli {

class Signals {
 public:
  enum class Event { kSignal, kTime, kStopped };

  Signals();   // at most one object at a time
  ~Signals();  // restores the actions of the signals
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Blocks until a signal, the time or stop(). Only one thread at a time may call it.
  Event wait_until(TimePoint time);
  // Returns true if a signal arrived that wait_until() has not reported yet.
  bool pending() const;
  // Ends wait_until(). Thread-safe.
  void stop();

  // Returns the last signal since the start of the program, or SIGINT if there was none.
  static int last();
};

}  // namespace weft::cli
