// SPDX-License-Identifier: Apache-2.0
// Defines limits of the resources that one client may use in the daemon.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace weft::rpc {

// Limit of a message. Specifications are small, and video is never sent in a message.
inline constexpr int kMaxRequestBytes = 1 << 20;
inline constexpr int kMaxMetadataBytes = 16 << 10;    // metadata of one call
inline constexpr int kMaxCallsPerConnection = 256;    // further calls wait
inline constexpr size_t kMaxBufferBytes = 256 << 20;  // buffers of all connections together
// Shortest permitted interval. Clients with long watches ping every 30 s.
inline constexpr int kShortestPingMilliseconds = 10'000;

// File descriptors for jobs, workers and the store, which client connections never use.
inline constexpr int kReservedDescriptors = 256;
inline constexpr int kMostConnectionsOfAUser = 512;
// Watches of jobs, devices and logs. The queue has a limit for all users together.
inline constexpr int kMostWatchesOfAUser = 500;
// Connections over a limit that receive an error at the same time.
inline constexpr int kMostRefusals = 16;
inline constexpr std::chrono::seconds kLongestRefusal{1};

// Limits of connections over Unix sockets.
struct ConnectionLimits {
  int of_all = 0;
  int of_a_user = 0;
};
// Returns the limits. `descriptors` is the process's limit of open files. Connections may use all
// of them except the reserve (half of a small limit), and one user at most half of these.
inline ConnectionLimits connection_limits(int descriptors) {
  const int of_all = descriptors - std::min(kReservedDescriptors, descriptors / 2);
  return {of_all, std::min(kMostConnectionsOfAUser, of_all / 2)};
}

}  // namespace weft::rpc
