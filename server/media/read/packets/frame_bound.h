// SPDX-License-Identifier: Apache-2.0
// How many frames a video's bytes can hold, whatever its headers say of its length.
//
// A header's duration is a claim of a few bytes. A coded frame has to lie somewhere in the file: what is reserved for a job by the claim is
// bounded by this.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "server/media/file.h"

namespace weft::media {

// Bytes that a file needs for each of its frames, at the least. The smallest are those of a picture that does not change: of 64x64 black
// pictures QuickTime RLE in MOV takes 12 bytes each, VP9 in Matroska 21, x264 in MP4 23 and a transport stream 328. The half of the
// smallest is left for what an encoder may yet save: 2 bytes of VP9's repeated frame and 4 in MP4's table of sizes are 6.
inline constexpr int64_t kFewestFrameBytes = 6;
// A claim of frames that are smaller than this is counted, where the file is small enough to be read as a whole.
inline constexpr int64_t kPlausibleFrameBytes = 500;
inline constexpr int64_t kCountedFileBytes = 48 << 20;

// By the number of bytes alone.
constexpr int64_t most_frames(int64_t file_bytes) { return file_bytes / kFewestFrameBytes + 1; }

// `claimed` frames, or fewer where the file cannot hold so many: by its bytes, or by its packets of the video that is taken of
// `programme`, as probe() has it. Errors are those of reading.
StatusOr<int64_t> believable_frames(const InputFilePtr& file, int programme, int64_t claimed);

}  // namespace weft::media
