// SPDX-License-Identifier: Apache-2.0
// Defines the resource limits of streams.
#pragma once

#include <chrono>
#include <cstdint>

namespace weft::streams {

inline constexpr int kMaxStreams = 64;                         // limit of open streams
inline constexpr int64_t kMaxFrameBytes = int64_t{256} << 20;  // bytes of one frame
inline constexpr int kMaxTextureSide = 16384;                  // texels of a side, before upscaling
// Target size of all frame slots of a stream, in bytes.
inline constexpr int64_t kFrameSlotsBytes = int64_t{64} << 20;
// Limits for the number of frame slots, and of picture slots per frame.
inline constexpr int kMinSlots = 2;
inline constexpr int kMaxFrameSlots = 16;
// Average over the frames of a stream.
inline constexpr int kMaxPicturesPerFrame = 32;
// Bytes of the rings and of the held frames of all streams.
inline constexpr int64_t kMaxAllStreamsBytes = int64_t{4} << 30;
inline constexpr int64_t kPartBytes = int64_t{256} << 10;  // bytes of a frame in one message
inline constexpr int kMaxRate = 100'000;                   // frames per second
// Limit of connections to the ring socket.
inline constexpr int kMaxWaitingForRings = 32;
// Time from a connection to its token.
inline constexpr std::chrono::seconds kLongestRingRequest{5};
// Longest wait of a stream for a starting device.
inline constexpr std::chrono::seconds kLongestDeviceStart{60};
// Time from a stream's end to the end of its call, if the client does not read.
inline constexpr std::chrono::seconds kHangUp{5};

}  // namespace weft::streams
