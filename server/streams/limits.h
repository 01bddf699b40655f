// SPDX-License-Identifier: Apache-2.0
// What streams may cost the daemon, in one place.
#pragma once

#include <chrono>
#include <cstdint>

namespace weft::streams {

inline constexpr int kMaxStreams = 64;                          // at once
inline constexpr int64_t kMaxFrameBytes = int64_t{256} << 20;   // of one frame
inline constexpr int kMaxTextureSide = 16384;                   // texels, before it is doubled
inline constexpr int64_t kFrameSlotsBytes = int64_t{64} << 20;  // that a stream's slots for frames aim at
inline constexpr int kMinSlots = 2;                             // for frames, and for pictures a frame
inline constexpr int kMaxFrameSlots = 16;                       //
inline constexpr int kMaxPicturesPerFrame = 32;                 // on average
inline constexpr int64_t kMaxAllRingsBytes = int64_t{4} << 30;  // of all streams together
inline constexpr int64_t kPartBytes = int64_t{256} << 10;       // of a frame, in one message
inline constexpr int kMaxRate = 100'000;                        // frames a second
inline constexpr int kMaxWaitingForRings = 32;                  // connections to the ring socket
inline constexpr std::chrono::seconds kLongestRingRequest{5};   // from connecting to the token
inline constexpr std::chrono::seconds kLongestDeviceStart{60};  // that a stream waits for a device
inline constexpr std::chrono::seconds kHangUp{
    5};  // from a stream's end to the call's, when the client does not read

}  // namespace weft::streams
