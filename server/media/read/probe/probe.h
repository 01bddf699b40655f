// SPDX-License-Identifier: Apache-2.0
// Examines a media file. Returns its properties, or an error with the reason why the file cannot be
// used.
//
//   ASSIGN_OR_RETURN(InputFilePtr file, InputFile::open("in.ts"));
//   ASSIGN_OR_RETURN(MediaInfo facts, probe(file));
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"
#include "server/media/media_info.h"

namespace weft::media {

// Opens the file and decodes its first frames, in at most a few seconds. `programme` is the number
// of the program, or 0 for the one with the largest picture. INVALID_ARGUMENT with the file's
// fault: not a media file, no video stream, no frame that can be decoded, a side of more than
// kMaxPictureSide, a pixel format that is neither gray nor luma and chroma of 8 to 16 bits.
StatusOr<MediaInfo> probe(const InputFilePtr& file, int programme = 0);
// Returns all streams but the video, including streams that begin late (StreamInfo::late). Reads
// the whole file if streams may begin late. `alive` is called repeatedly; its error ends the call.
StatusOr<std::vector<StreamInfo>> probe_streams(const InputFilePtr& file, int programme,
                                                const std::function<Status()>& alive);
// Opens and examines a file. Errors are those of InputFile::open() and probe().
StatusOr<MediaInfo> probe(const std::string& path);

}  // namespace weft::media
