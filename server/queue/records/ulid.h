// SPDX-License-Identifier: Apache-2.0
// Makes job ids. A job id is a ULID (github.com/ulid/spec): 48 bits of milliseconds and 80 random
// bits, as 26 characters of Crockford's base 32. Ids sort by their creation times.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace weft::queue {

inline constexpr int kUlidLength = 26;

// Converts to upper case and replaces O by 0 and I and L by 1 (Crockford's Base32). Does not
// validate the text.
std::string normalise_ulid(std::string_view text);
bool is_ulid(std::string_view text);
// Returns the smallest id with that time.
std::string first_ulid_at(WallTime time);

// Makes ids, each greater than all earlier ones and than `last`. While the wall clock stands still
// or steps back, the next id is the previous one plus one. Not thread-safe.
class UlidSource {
 public:
  // `last` is the greatest id made so far, or empty. Simulations set `seed`.
  explicit UlidSource(std::string_view last, uint64_t seed = std::random_device{}());
  std::string next(WallTime now);

 private:
  // The 128 bits in two halves, for comparison and increment with plain arithmetic.
  uint64_t high_ = 0;
  uint64_t low_ = 0;
  std::mt19937_64 random_;
};

}  // namespace weft::queue
