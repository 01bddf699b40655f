// SPDX-License-Identifier: Apache-2.0
// Checks at submit that an output can be made, and lists its losses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/media/media_info.h"
#include "server/media/write/output_types.h"

namespace weft::media {

// Checks that the file `name` can hold the output of `encoder` (a name of EncoderSettings) and the
// other streams of the source. The extension of `name` chooses the container: mkv, mp4, m4v, mov,
// ts, m2ts, mts, webm, avi, nut, y4m. Streams that begin late, or have no format near the start,
// are checked by finish() (muxer.h). INVALID_ARGUMENT with the stream, the containers that can hold
// it and the options that help.
StatusOr<OutputPlan> check_output(std::string_view name, std::string_view encoder, const MediaInfo& info,
                                  const CopyChoices& choices = {});

// Returns a sentence about the encoding of interlaced frames if the encoder's stream does not
// declare them as interlaced; else an empty string. The containers mkv, mp4, mov and y4m can
// declare it instead.
std::string fields_note(std::string_view name, std::string_view encoder, const OutputVideo& video);

// Returns a sentence if static HDR metadata is lost, because neither the encoder nor the container
// holds it; else an empty string.
std::string hdr10_note(std::string_view name, std::string_view encoder, const OutputVideo& video);

// Returns a sentence for each kind of the video's side data that is lost.
std::vector<std::string> side_data_notes(std::string_view name, std::string_view encoder,
                                         const VideoInfo& video);

// Returns a sentence for the file, and for each stream, that loses tags, titles, languages, flags
// or chapters.
std::vector<std::string> metadata_notes(std::string_view name, std::string_view encoder,
                                        const MediaInfo& info, const OutputPlan& plan);

// Returns the encoder for "auto": "raw" for y4m, "svt-av1" for webm, else "x264".
std::string encoder_for(std::string_view name);

}  // namespace weft::media
