// SPDX-License-Identifier: Apache-2.0
// Job ids: ULIDs (github.com/ulid/spec): 48 bits of milliseconds and 80 random bits, as 26 characters of Crockford's
// base 32. They sort by the time they were made.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace weft::queue {

inline constexpr int kUlidLength = 26;

// Upper case, with the letters that Crockford reads as digits (O, I, L) replaced; nothing else is checked.
std::string normalise_ulid(std::string_view text);
bool is_ulid(std::string_view text);
// The smallest id of that time.
std::string first_ulid_at(WallTime time);

// Every id is greater than all before it and than `last`, whatever the wall clock does: while it stands still or
// steps back, the id is the one before plus one. Not thread-safe.
class UlidSource {
 public:
  // `last`: the greatest id ever given, empty if there is none. `seed`: for simulations.
  explicit UlidSource(std::string_view last, uint64_t seed = std::random_device{}());
  std::string next(WallTime now);

 private:
  // The 128 bits in two halves, so that comparing and counting on are plain arithmetic.
  uint64_t high_ = 0;
  uint64_t low_ = 0;
  std::mt19937_64 random_;
};

}  // namespace weft::queue
