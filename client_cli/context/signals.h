// SPDX-License-Identifier: Apache-2.0
// Ctrl-C as an event: while one of these lives, SIGINT, SIGTERM and SIGHUP do not end the process but wake wait_until(). Those that
// were ignored when the program began, as nohup and a shell's & have it, stay ignored.
#pragma once

#include "base/clock.h"

namespace weft::cli {

class Signals {
 public:
  enum class Event { kSignal, kTime, kStopped };

  Signals();   // at most one at a time
  ~Signals();  // signals end the process again
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Waits for a signal, the time, or stop(). One thread at a time.
  Event wait_until(TimePoint time);
  // Whether a signal has come that no wait has told of yet.
  bool pending() const;
  // Ends the waiting; any thread.
  void stop();

  // The signal that came last, as long as the program runs; SIGINT before any came.
  static int last();
};

}  // namespace weft::cli
