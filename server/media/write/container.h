// SPDX-License-Identifier: Apache-2.0
// The containers there are, by extension, and what each can hold.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/media/ffmpeg.h"
#include "server/media/media_facts.h"
#include "server/media/write/output_types.h"

namespace weft::media {

// What becomes of the source's timecode, which stands in the video's tags.
enum class Timecode { kNone, kTag, kTrack };

struct ContainerEntry {
  std::string_view name{};   // its first extension: "mkv"
  std::string_view muxer{};  // FFmpeg's; ours for "yuv4mpegpipe"
  std::vector<std::string_view> extensions{};
  std::vector<AVCodecID> video{};  // of what our encoders give
  // Empty: as FFmpeg's muxer says.
  std::vector<AVCodecID> others{};
  bool attachments = false;
  bool pictures = false;  // covers
  bool only_video = false;
  bool one_sound_format = false;  // a track says rate and channels once
  Timecode timecode = Timecode::kNone;
  bool says_fields = false;  // that the video is interlaced, and which field is first
  bool says_hdr10 = false;
  std::vector<AVPacketSideDataType> side_data{};  // of the video's that FFmpeg's muxer writes, HDR10 apart
  // Of the words of file and streams (metadata.h): FFmpeg's names of tags; "*" for all.
  std::vector<std::string_view> file_tags{};
  bool apple_keys = false;                      // holds them and then all others
  std::vector<std::string_view> stream_tags{};  // titles and languages apart
  bool titles = false;                          // of streams
  std::vector<std::string_view> languages{};    // codes of ISO 639-2
  bool only_sound_languages = false;            // not of the video
  int flags = 0;                                // FFmpeg's AV_DISPOSITION_
  bool chapters = false;
};

const std::vector<ContainerEntry>& container_table();

// `codec`: of the video; NONE: any.
bool holds_video(const ContainerEntry& container, AVCodecID codec);

// "sound", "subtitle" ...
std::string_view kind_name(const StreamFacts& stream);
// The options by which a job does without the stream as it is: "--audio aac, flac or none".
std::string options_for(const ContainerEntry& container, const StreamFacts& stream, SoundChoice audio);

// By the file's extension, whatever its case. INVALID_ARGUMENT naming those there are.
StatusOr<const ContainerEntry*> find_container(std::string_view file_name);

// The containers that hold the video and write such side data, with commas between them; "" for none.
std::string containers_writing(AVPacketSideDataType kind, AVCodecID video);

// The streams of `others` that go into the output, and those that do not. Errors as check_output's (output_check.h).
StatusOr<OutputPlan> plan_output(const ContainerEntry& container, AVCodecID video,
                                 std::span<const StreamFacts> others, const CopyChoices& choices);

}  // namespace weft::media
