// SPDX-License-Identifier: Apache-2.0
// What a media file holds, or a sentence that says why it cannot be used.
//
//   ASSIGN_OR_RETURN(InputFilePtr file, InputFile::open("in.ts"));
//   ASSIGN_OR_RETURN(MediaFacts facts, probe(file));
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"
#include "server/media/media_facts.h"

namespace weft::media {

// Opens the file and decodes its first frames. `programme`: whose video is taken, 0 for the one with the largest picture. INVALID_ARGUMENT says what is wrong with the file: not a media
// file, no video stream, no frame that decodes, a picture of more than kMaxPictureSide a side, a pixel format
// that is neither gray nor luma and chroma of 8 to 16 bits. Takes at most some seconds.
StatusOr<MediaFacts> probe(const InputFilePtr& file, int programme = 0);
// All streams but the video, as the whole file says, late ones included (StreamFacts::late): reads it all where more can come.
// `alive` is called now and then; its error ends it.
StatusOr<std::vector<StreamFacts>> probe_streams(const InputFilePtr& file, int programme,
                                                 const std::function<Status()>& alive);
// The same as probe() of a file, with InputFile::open's errors.
StatusOr<MediaFacts> probe(const std::string& path);

}  // namespace weft::media
