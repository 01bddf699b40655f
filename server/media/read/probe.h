// SPDX-License-Identifier: Apache-2.0
// What a media file holds, or a sentence that says why it cannot be used.
//
//   ASSIGN_OR_RETURN(InputFilePtr file, InputFile::open("in.ts"));
//   ASSIGN_OR_RETURN(MediaFacts facts, probe(file));
#pragma once

#include <string>

#include "base/status.h"
#include "server/media/file.h"
#include "server/media/media_facts.h"

namespace weft::media {

// Opens the file and decodes its first frames. INVALID_ARGUMENT says what is wrong with the file: not a media
// file, no video stream, no frame that decodes, a picture of more than kMaxPictureSide a side, a pixel format
// that is neither gray nor luma and chroma of 8 to 16 bits. Takes at most some seconds.
StatusOr<MediaFacts> probe(const InputFilePtr& file);
// The same, with InputFile::open's errors.
StatusOr<MediaFacts> probe(const std::string& path);

}  // namespace weft::media
