// SPDX-License-Identifier: Apache-2.0
// Whose turn each slot of a stream's ring is. Pure; every move that is out of turn is an error, whoever makes it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weft::streams {

// A slot goes round: with whom it begins, to the other side, and back. On its way to the client it waits until the message
// that says so has been taken, so that a client that does not read has a bounded number of messages waiting for it.
enum class Turn { kClient, kWorker, kToClient };

class Slots {
 public:
  // `name`: "frame", for errors.
  Slots(std::string_view name, int count, Turn first) : name_(name), turns_(size_t(count), first) {}

  // From one side to the next. INVALID_ARGUMENT: there is no such slot, or it is not in that turn.
  Status move(int slot, Turn from, Turn to);
  // The first slot in that turn; -1: none.
  int find(Turn turn) const;
  int count(Turn turn) const;
  int size() const { return int(turns_.size()); }

 private:
  std::string_view name_;
  std::vector<Turn> turns_;
};

}  // namespace weft::streams
