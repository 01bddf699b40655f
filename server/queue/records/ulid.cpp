// SPDX-License-Identifier: Apache-2.0
#include "server/queue/records/ulid.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace weft::queue {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

std::string encode(uint64_t high, uint64_t low) {
  std::string text(kUlidLength, '0');
  for (int i = kUlidLength - 1; i >= 0; i--) {
    text[size_t(i)] = kDigits[low & 31];
    low = low >> 5 | high << 59;
    high >>= 5;
  }
  return text;
}

std::pair<uint64_t, uint64_t> decode(std::string_view text) {
  uint64_t high = 0;
  uint64_t low = 0;
  for (const char c : text) {
    high = high << 5 | low >> 59;
    low = low << 5 | kDigits.find(c);
  }
  return {high, low};
}

uint64_t milliseconds_of(WallTime time) {
  const auto since_epoch = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
  return uint64_t(std::max<int64_t>(0, since_epoch)) & 0xffffffffffffULL;
}

}  // namespace

std::string first_ulid_at(WallTime time) { return encode(milliseconds_of(time) << 16, 0); }

std::string normalise_ulid(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
    if (c == 'O') c = '0';
    if (c == 'I' || c == 'L') c = '1';
  }
  return result;
}

bool is_ulid(std::string_view text) {
  return text.size() == kUlidLength && text[0] <= '7' && std::all_of(text.begin(), text.end(), [](char c) {
           return kDigits.find(c) != std::string_view::npos;
         });
}

UlidSource::UlidSource(std::string_view last, uint64_t seed) : random_(seed) {
  if (is_ulid(last)) std::tie(high_, low_) = decode(last);
}

std::string UlidSource::next(WallTime now) {
  const uint64_t milliseconds = milliseconds_of(now);
  if (milliseconds > high_ >> 16) {
    high_ = milliseconds << 16 | (random_() & 0xffff);
    low_ = random_();
  } else if (++low_ == 0) {
    high_++;
  }
  return encode(high_, low_);
}

}  // namespace weft::queue
