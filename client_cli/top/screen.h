// SPDX-License-Identifier: Apache-2.0
// Draws on the whole terminal and reads keys without echo. Restores the terminal at the end, also
// when a signal ends or suspends the program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <signal.h>
#include <termios.h>

#include "base/clock.h"
#include "base/status.h"
#include "client_cli/output/table.h"
#include "client_cli/output/terminal.h"
#include "client_cli/top/top_keys.h"

namespace weft::cli {

// The terminal as a screen. At most one object may exist. It must be created before other threads,
// so that they inherit its signal mask.
class Screen {
 public:
  // Prepares the terminal. Standard input and output must be terminals. UNAVAILABLE: the terminal
  // cannot be used.
  static StatusOr<std::unique_ptr<Screen>> open(const Terminal& terminal);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  size_t columns() const { return columns_; }
  size_t rows() const { return rows_; }

  // Draws lines from the top and clears the rest of the screen.
  void draw(const std::vector<TableRow>& lines);

  // kEnded: a signal arrived, or the terminal was closed. kResized: the screen must be drawn again,
  // also after the program was suspended.
  enum class Event { kTime, kKeys, kResized, kEnded };
  // Blocks until an event, at most until `time`. `keys` receives the pressed keys.
  Event wait_until(TimePoint time, std::vector<Key>& keys);

 private:
  explicit Screen(const Terminal& terminal) : terminal_(terminal) {}

  void enter();
  void leave();
  void measure();
  void write(std::string_view text);
  Event take_signal();
  void stop_until_continued();
  bool read_keys(std::vector<Key>& keys);

  const Terminal terminal_;
  sigset_t signals_{};
  sigset_t before_{};  // signal mask of the thread before
  int descriptor_ = -1;
  termios usual_{};
  size_t columns_ = 80, rows_ = 24;
  std::string bytes_;  // bytes of an incomplete key sequence
};

}  // namespace weft::cli
