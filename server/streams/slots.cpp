// SPDX-License-Identifier: Apache-2.0
#include "server/streams/slots.h"

#include <algorithm>

namespace weft::streams {
namespace {

std::string_view holder(Turn turn) { return turn == Turn::kWorker ? "the worker" : "the client"; }

}  // namespace

Status Slots::move(int slot, Turn from, Turn to) {
  if (slot < 0 || slot >= size())
    return invalid_argument("There is no {} slot of that number ({}, there are {}).", name_, slot, size());
  Turn& turn = turns_[size_t(slot)];
  if (turn != from)
    return invalid_argument("The {} slot {} is not in the hands of {}; wait until it is told.", name_, slot,
                            holder(from));
  turn = to;
  return ok_status();
}

int Slots::find(Turn turn) const {
  const auto found = std::find(turns_.begin(), turns_.end(), turn);
  return found == turns_.end() ? -1 : int(found - turns_.begin());
}

int Slots::count(Turn turn) const { return int(std::count(turns_.begin(), turns_.end(), turn)); }

}  // namespace weft::streams
