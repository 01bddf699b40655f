// SPDX-License-Identifier: Apache-2.0
// The whole terminal as a screen that is drawn anew: keys without an echo, its size, and everything as it was at the end,
// also when a signal ends or stops the program.
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

// One at a time, made before the program starts threads: those that come later leave signals alone.
class Screen {
 public:
  // Standard input and output are terminals. UNAVAILABLE: they cannot be used.
  static StatusOr<std::unique_ptr<Screen>> open(const Terminal& terminal);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  size_t columns() const { return columns_; }
  size_t rows() const { return rows_; }

  // Lines from the top; what is below them is cleared.
  void draw(const std::vector<TableRow>& lines);

  // kEnded: a signal, or the terminal is gone. kResized: draw again, also after the program was stopped.
  enum class Event { kTime, kKeys, kResized, kEnded };
  // Waits for the time at most. `keys` gets what was pressed.
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
  sigset_t before_{};  // the thread's mask
  int descriptor_ = -1;
  termios usual_{};
  size_t columns_ = 80, rows_ = 24;
  std::string bytes_;  // of a key that is not whole
};

}  // namespace weft::cli
