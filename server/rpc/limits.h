// SPDX-License-Identifier: Apache-2.0
// What one client may cost the daemon, in one place.
#pragma once

namespace weft::rpc {

inline constexpr int kMaxRequestBytes = 1 << 20;      // specifications are small; video never travels here
inline constexpr int kMaxMetadataBytes = 16 << 10;    // of one call
inline constexpr int kMaxCallsPerConnection = 256;    // at once; further ones wait
inline constexpr size_t kMaxBufferBytes = 256 << 20;  // of all connections together
inline constexpr int kShortestPingMilliseconds = 10'000;  // clients that look all day ping every 30 s

}  // namespace weft::rpc
