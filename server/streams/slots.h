// SPDX-License-Identifier: Apache-2.0
// Tracks the owners of the slots of a stream's ring. A transfer by a side that does not own the
// slot is an error.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weft::streams {

// Owner of a slot. A slot passes from its first owner to the other side and back. After the worker
// has returned a slot, its owner is kToClient until the call has read the message about the slot.
// This limits the messages that wait for a client that does not read.
enum class Turn { kClient, kWorker, kToClient };

class Slots {
 public:
  // `name` is the kind of slot for error messages, such as "frame".
  Slots(std::string_view name, int count, Turn first) : name_(name), turns_(size_t(count), first) {}

  // Transfers a slot from an owner to another. Returns INVALID_ARGUMENT if there is no such slot or
  // it has another owner.
  Status move(int slot, Turn from, Turn to);
  // Returns the first slot of an owner, or -1 if it owns none.
  int find(Turn turn) const;
  int count(Turn turn) const;
  int size() const { return int(turns_.size()); }

 private:
  std::string_view name_;
  std::vector<Turn> turns_;
};

}  // namespace weft::streams
