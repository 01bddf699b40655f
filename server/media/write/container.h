// SPDX-License-Identifier: Apache-2.0
// Lists the containers by file extension, with their capabilities.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/media/ffmpeg.h"
#include "server/media/media_info.h"
#include "server/media/write/output_types.h"

namespace weft::media {

// The storage of a timecode. The source's timecode is read from the tags of its video.
enum class Timecode { kNone, kTag, kTrack };

struct ContainerEntry {
  std::string_view name{};   // the first extension: "mkv"
  std::string_view muxer{};  // name of FFmpeg's muxer; "yuv4mpegpipe" is written by Weft
  std::vector<std::string_view> extensions{};
  std::vector<AVCodecID> video{};  // codecs of Weft's encoders that the container holds
  // codecs of other streams that the container holds; empty: those that FFmpeg's muxer accepts
  std::vector<AVCodecID> others{};
  bool attachments = false;
  bool pictures = false;  // cover pictures
  bool only_video = false;
  bool counts_frames = false;     // holds no times: a frame's number gives its time, by the rate
  bool one_audio_format = false;  // a track declares sample rate and channels once
  Timecode timecode = Timecode::kNone;
  bool says_fields = false;  // declares that the video is interlaced, and the first field
  bool says_hdr10 = false;
  // side data of the video that FFmpeg's muxer writes, without HDR10
  std::vector<AVPacketSideDataType> side_data{};
  // tags of the file (metadata.h) by FFmpeg's names; "*": all
  std::vector<std::string_view> file_tags{};
  bool apple_keys = false;                      // holds Apple's keys, and then all other tags too
  std::vector<std::string_view> stream_tags{};  // tags of streams, without title and language
  bool titles = false;                          // holds titles of streams
  std::vector<std::string_view> languages{};    // held codes of ISO 639-2; "*": all
  bool only_audio_languages = false;            // no language of the video
  int flags = 0;                                // FFmpeg's AV_DISPOSITION_ flags that are stored
  bool chapters = false;
};

const std::vector<ContainerEntry>& container_table();

// Returns true if the container holds video of `codec`. NONE stands for any codec.
bool holds_video(const ContainerEntry& container, AVCodecID codec);

// Returns the kind of a stream for messages: "audio", "subtitle" ...
std::string_view kind_name(const StreamInfo& stream);
// Returns the options that convert or drop the stream: "--audio aac, flac or none".
std::string options_for(const ContainerEntry& container, const StreamInfo& stream, AudioChoice audio);

// Returns the container for a file name by its extension in any case. INVALID_ARGUMENT with the
// list of extensions.
StatusOr<const ContainerEntry*> find_container(std::string_view file_name);

// Returns the names of the containers that hold the video and write side data of this kind,
// separated by commas; empty if there is none.
std::string containers_writing(AVPacketSideDataType kind, AVCodecID video);

// Chooses the streams of `others` that the output contains, with a note for each of the others.
// Errors are those of check_output() (output_check.h).
StatusOr<OutputPlan> plan_output(const ContainerEntry& container, AVCodecID video,
                                 std::span<const StreamInfo> others, const CopyChoices& choices);

}  // namespace weft::media
