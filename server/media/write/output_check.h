// SPDX-License-Identifier: Apache-2.0
// Checks at submit whether an output can be made, and lists its losses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/media/media_facts.h"
#include "server/media/write/output_types.h"

namespace weft::media {

// Can `name` (a file name; its extension chooses: mkv, mp4, m4v, mov, ts, m2ts, mts, webm, avi, nut, y4m)
// hold what `encoder` (a name of EncoderSettings) gives, and the source's other streams? INVALID_ARGUMENT
// naming the stream, the containers that can and the options that help. What begins late, or has no format near the start, is for finish() (muxer.h) to say.
StatusOr<OutputPlan> check_output(std::string_view name, std::string_view encoder, const MediaFacts& facts,
                                  const CopyChoices& choices = {});

// The treatment of interlaced pictures, as a sentence, where the stream that the encoder gives does not say that they are; "" where it
// does, and for progressive ones. The containers mkv, mp4, mov and y4m say it too.
std::string fields_note(std::string_view name, std::string_view encoder, const OutputVideo& video);

// That static HDR metadata is lost, as a sentence, where neither the encoder nor the container holds it; else "".
std::string hdr10_note(std::string_view name, std::string_view encoder, const OutputVideo& video);

// A sentence for each of the video's side data that the output will not have.
std::vector<std::string> side_data_notes(std::string_view name, std::string_view encoder,
                                         const VideoFacts& video);

// A sentence for each stream, and for the file, of whose tags, titles, languages, flags and chapters something is lost.
std::vector<std::string> metadata_notes(std::string_view name, std::string_view encoder,
                                        const MediaFacts& facts, const OutputPlan& plan);

// The encoder that "auto" stands for: "raw" for y4m, "svt-av1" for webm, else "x264".
std::string encoder_for(std::string_view name);

}  // namespace weft::media
