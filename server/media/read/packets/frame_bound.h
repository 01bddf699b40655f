// SPDX-License-Identifier: Apache-2.0
// Limits the number of frames by the bytes of a video, independently of its headers.
//
// A few bytes of a header can declare any duration, but each coded frame occupies bytes in the
// file. The limit bounds the resources that are reserved for a job.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "server/media/file.h"

namespace weft::media {

// Smallest number of bytes of a file per frame. The smallest frames are those of a static picture:
// 64x64 black frames take 12 bytes each in QuickTime RLE in MOV, 21 in VP9 in Matroska, 23 in x264
// in MP4 and 328 in a transport stream. Half of the smallest is a margin for better encoders: 2
// bytes of VP9's repeated frame and 4 in MP4's table of sizes are 6.
inline constexpr int64_t kFewestFrameBytes = 6;
// If a declared number means smaller frames than this, the frames of a file of at most
// kCountedFileBytes are counted.
inline constexpr int64_t kPlausibleFrameBytes = 500;
inline constexpr int64_t kCountedFileBytes = 48 << 20;

// Returns the largest number of frames for a number of bytes.
constexpr int64_t most_frames(int64_t file_bytes) { return file_bytes / kFewestFrameBytes + 1; }

// Returns `claimed`, or fewer frames if the file's bytes, or the packets of the video of
// `programme` (as chosen by probe()), cannot hold that number. Errors are those of reading.
StatusOr<int64_t> believable_frames(const InputFilePtr& file, int programme, int64_t claimed);

}  // namespace weft::media
