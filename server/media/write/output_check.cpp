// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/output_check.h"

#include <algorithm>

#include "server/media/hdr10.h"
#include "server/media/write/container.h"
#include "server/media/write/encoder_table.h"

namespace weft::media {

namespace {

Status check_audio_streams(std::span<const StreamInfo> others, const CopyChoices& choices) {
  std::vector<int> audio;
  for (const StreamInfo& stream : others)
    if (stream.kind == StreamKind::kAudio) audio.push_back(stream.stream);
  for (const auto& [stream, choice] : choices.audio_streams)
    if (std::ranges::count(audio, stream) == 0)
      return invalid_argument(
          "--audio-stream names stream {}, which is no audio; the input's audio has the numbers {}.", stream,
          audio.empty() ? "(none)" : fmt::format("{}", fmt::join(audio, ", ")));
  return ok_status();
}

}  // namespace

StatusOr<OutputPlan> check_output(std::string_view name, std::string_view encoder, const MediaInfo& info,
                                  const CopyChoices& choices) {
  ASSIGN_OR_RETURN(const EncoderEntry* entry, find_encoder(encoder));
  if (entry->codec == AV_CODEC_ID_NONE) return OutputPlan{};
  ASSIGN_OR_RETURN(const ContainerEntry* container, find_container(name));
  if (!holds_video(*container, entry->codec)) {
    std::string names;
    for (const ContainerEntry& other : container_table())
      if (holds_video(other, entry->codec))
        names += fmt::format("{}{}", names.empty() ? "" : ", ", other.name);
    return invalid_argument(
        "The container {} cannot hold what the encoder {} gives ({}); use {}, or another encoder.",
        container->name, entry->name, avcodec_get_name(entry->codec), names);
  }
  RETURN_IF_ERROR(check_audio_streams(info.others, choices));
  return plan_output(*container, entry->codec, info.others, choices);
}

std::string fields_note(std::string_view name, std::string_view encoder, const OutputVideo& video) {
  const auto entry = find_encoder(encoder);
  const auto container = find_container(name);
  const bool is_written = entry.ok() && container.ok() && (*entry)->codec != AV_CODEC_ID_NONE;
  if (!is_written || !is_interlaced(video.field_order)) return "";
  if (fields_of(**entry, video.format) != Fields::kNotSaid || (*entry)->codec == AV_CODEC_ID_RAWVIDEO)
    return "";
  const std::string why =
      (*entry)->fields == Fields::kCoded
          ? fmt::format("{} takes interlaced pictures of a multiple of {} lines ({})", (*entry)->name,
                        lines_of_fields(video.format), video.format.height)
          : fmt::format("{} knows no fields", (*entry)->name);
  if ((*container)->says_fields)
    return fmt::format(
        "The pictures are encoded as frames: {}. That they are interlaced stands in the container ({}) "
        "alone.",
        why, (*container)->name);
  return fmt::format(
      "The pictures are encoded as frames: {}. Nothing in the output says that they are interlaced; use the "
      "encoder x264 or ffv1, or the container mkv.",
      why);
}

std::string hdr10_note(std::string_view name, std::string_view encoder, const OutputVideo& video) {
  const auto entry = find_encoder(encoder);
  const auto container = find_container(name);
  const bool is_written = entry.ok() && container.ok() && (*entry)->codec != AV_CODEC_ID_NONE;
  if (!is_written || !video.hdr10.known()) return "";
  if ((*container)->says_hdr10 || !hdr10_options((*entry)->hdr10, video.hdr10).empty()) return "";
  return fmt::format(
      "The HDR metadata (mastering display, content light level) is left out: neither {} nor {} holds it; "
      "use "
      "the container mkv.",
      (*entry)->name, (*container)->name);
}

std::string encoder_for(std::string_view name) {
  const auto container = find_container(name);
  if (!container.ok()) return "x264";
  if ((*container)->name == "y4m") return "raw";
  return (*container)->name == "webm" ? "svt-av1" : "x264";
}

}  // namespace weft::media
