// SPDX-License-Identifier: Apache-2.0
// What one client may cost the daemon, in one place.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace weft::rpc {

inline constexpr int kMaxRequestBytes = 1 << 20;      // specifications are small; video never travels here
inline constexpr int kMaxMetadataBytes = 16 << 10;    // of one call
inline constexpr int kMaxCallsPerConnection = 256;    // at once; further ones wait
inline constexpr size_t kMaxBufferBytes = 256 << 20;  // of all connections together
inline constexpr int kShortestPingMilliseconds = 10'000;  // clients that look all day ping every 30 s

inline constexpr int kReservedDescriptors = 256;  // for jobs, workers and the store: clients never have them
inline constexpr int kMostConnectionsOfAUser = 512;
inline constexpr int kMostWatchesOfAUser = 500;  // of jobs, devices and logs; the queue has a limit for all
inline constexpr int kMostRefusals = 16;         // connections that are told that they are too many, at once
inline constexpr std::chrono::seconds kLongestRefusal{1};

// How many connections over Unix sockets there may be.
struct ConnectionLimits {
  int of_all = 0;
  int of_a_user = 0;
};
// `descriptors`: what the process may have open. Clients get all but the reserve, of a small number half; one user at most half of that.
inline ConnectionLimits connection_limits(int descriptors) {
  const int of_all = descriptors - std::min(kReservedDescriptors, descriptors / 2);
  return {of_all, std::min(kMostConnectionsOfAUser, of_all / 2)};
}

}  // namespace weft::rpc
