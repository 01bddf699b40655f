// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/container.h"

#include <algorithm>
#include <cctype>
#include <chrono>

#include "server/media/write/audio_encoder.h"

namespace weft::media {

namespace {

// Returns true if the container holds the stream after the treatment `audio`.
bool holds(const ContainerEntry& container, const StreamInfo& stream, AudioChoice audio) {
  if (stream.kind == StreamKind::kAttachment) return container.attachments;
  if (stream.kind == StreamKind::kVideo) return stream.picture && container.pictures;
  if (stream.kind == StreamKind::kData || container.only_video) return false;
  const AVCodecID encoded = stream.kind == StreamKind::kAudio ? codec_of(audio) : AV_CODEC_ID_NONE;
  const AVCodecDescriptor* codec = encoded != AV_CODEC_ID_NONE
                                       ? avcodec_descriptor_get(encoded)
                                       : avcodec_descriptor_get_by_name(stream.codec.c_str());
  if (codec == nullptr) return false;
  if (!container.others.empty()) return std::ranges::count(container.others, codec->id) > 0;
  const AVOutputFormat* format = av_guess_format(std::string(container.muxer).c_str(), nullptr, nullptr);
  return format != nullptr && avformat_query_codec(format, codec->id, FF_COMPLIANCE_NORMAL) == 1;
}

}  // namespace

bool holds_video(const ContainerEntry& container, AVCodecID codec) {
  return codec == AV_CODEC_ID_NONE || std::ranges::count(container.video, codec) > 0;
}

std::string_view kind_name(const StreamInfo& stream) {
  switch (stream.kind) {
    case StreamKind::kVideo:
      return stream.picture ? "cover picture" : "second video";
    case StreamKind::kAudio:
      return "audio";
    case StreamKind::kSubtitle:
      return "subtitle";
    case StreamKind::kAttachment:
      return "attachment";
    default:
      return "data";
  }
}

std::string options_for(const ContainerEntry& container, const StreamInfo& stream, AudioChoice audio) {
  if (stream.kind == StreamKind::kSubtitle) return "--subtitles none";
  if (stream.kind != StreamKind::kAudio) return "--unsupported-streams drop";
  std::string values;
  for (const auto& [value, name] :
       {std::pair(AudioChoice::kCopy, "copy"), std::pair(AudioChoice::kAac, "aac"),
        std::pair(AudioChoice::kFlac, "flac")})
    if (value != audio && holds(container, stream, value))
      values += fmt::format("{}{}", values.empty() ? "" : ", ", name);
  return fmt::format("--audio {}{}none", values, values.empty() ? "" : " or ");
}

namespace {

// Returns the containers that hold both the video and the stream, separated by commas; empty if
// there is none.
std::string others_holding(AVCodecID video, const StreamInfo& stream, AudioChoice audio) {
  std::string names;
  for (const ContainerEntry& entry : container_table())
    if (holds_video(entry, video) && holds(entry, stream, audio))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  return names;
}

// Returns ", which begins at 12.000 s (packets: 30)" for a stream that begins late, else an empty
// string.
std::string late_part(const StreamInfo& stream) {
  if (!stream.late) return "";
  return fmt::format(", which begins at {:.3f} s (packets: {})",
                     std::chrono::duration<double>(stream.begin).count(), stream.packets);
}

Status cannot_hold(const ContainerEntry& container, AVCodecID video, const StreamInfo& stream,
                   AudioChoice audio) {
  const std::string names = others_holding(video, stream, audio);
  const AVCodecID encoded = stream.kind == StreamKind::kAudio ? codec_of(audio) : AV_CODEC_ID_NONE;
  const std::string codec = encoded != AV_CODEC_ID_NONE ? avcodec_get_name(encoded) : stream.codec;
  return invalid_argument("The container {} cannot hold the {} stream {} ({}){}; use {}{}.", container.name,
                          kind_name(stream), stream.stream, codec, late_part(stream),
                          names.empty() ? "" : names + ", or ", options_for(container, stream, audio));
}

std::string does_not_hold(const ContainerEntry& container, AVCodecID video, const StreamInfo& stream,
                          AudioChoice audio) {
  const std::string names = others_holding(video, stream, audio);
  return names.empty() ? fmt::format("{} does not hold it", container.name)
                       : fmt::format("{} does not hold it, {} would", container.name, names);
}

// Returns the stream's name for messages: "The audio stream 1 (ac3)".
std::string stream_name(const StreamInfo& stream) {
  return fmt::format("The {} stream {} ({}){}", kind_name(stream), stream.stream, stream.codec,
                     stream.late ? late_part(stream) + "," : "");
}

// Returns a reason for leaving out the stream that does not depend on its codec, or an empty
// string.
std::string reason_to_leave(const ContainerEntry& container, const StreamInfo& stream) {
  if (container.only_video) return fmt::format("{} holds one video stream and nothing else", container.name);
  if (stream.kind == StreamKind::kVideo && !stream.picture) return "a job's output has one video stream";
  if (!stream.no_format) return "";
  return stream.packets == 0 ? "it has no packet" : "no packet tells its rate and channels";
}

// Returns a reason for leaving out the stream that causes no loss, or that the user requested; else
// an empty string.
std::string reason_to_spare(const ContainerEntry& container, const StreamInfo& stream,
                            const CopyChoices& choices) {
  if (stream.kind == StreamKind::kAudio && choices.audio_of(stream.stream) == AudioChoice::kNone)
    return choices.audio_streams.contains(stream.stream)
               ? fmt::format("--audio-stream {}=none says so", stream.stream)
               : "--audio none says so";
  if (stream.kind == StreamKind::kSubtitle && !choices.subtitles) return "--subtitles none says so";
  if (stream.timecode && container.timecode == Timecode::kTrack)
    return fmt::format("{} gets a new timecode track with the same start", container.name);
  if (stream.timecode && container.timecode == Timecode::kTag)
    return fmt::format("its start is kept as a tag of the video, {} has no timecode tracks", container.name);
  return "";
}

// Returns true if a stream that the container cannot hold is an error. Missing audio must not go
// unnoticed, so audio is always an error. Audio that begins late is found after the encoding, and
// must not fail a finished job.
bool is_refused(const StreamInfo& stream, Unsupported unsupported) {
  return unsupported == Unsupported::kRefuse || (stream.kind == StreamKind::kAudio && !stream.late);
}

// Adds one note for the streams of all other programmes.
void note_programmes(std::span<const StreamInfo> others, OutputPlan& plan) {
  std::vector<std::string> names;
  for (const StreamInfo& stream : others)
    if (!stream.other_programme.empty() && std::ranges::count(names, stream.other_programme) == 0)
      names.push_back(stream.other_programme);
  if (names.empty()) return;
  plan.notes.push_back(
      fmt::format("The streams of other programmes are left out: {}; --programme takes one of these instead.",
                  fmt::join(names, ", ")));
}

void add_stream(const StreamInfo& stream, const CopyChoices& choices, OutputPlan& plan) {
  plan.copied.push_back(stream.stream);
  if (stream.kind == StreamKind::kAudio && codec_of(choices.audio_of(stream.stream)) != AV_CODEC_ID_NONE)
    plan.encoded.push_back(stream.stream);
}

Status refused(const StreamInfo& stream, std::string_view why) {
  return invalid_argument("{} would be left out: {}; --unsupported-streams drop leaves it out.",
                          stream_name(stream), why);
}

}  // namespace

StatusOr<const ContainerEntry*> find_container(std::string_view file_name) {
  const size_t slash = file_name.rfind('/');
  const std::string_view leaf = slash == std::string_view::npos ? file_name : file_name.substr(slash + 1);
  const size_t dot = leaf.rfind('.');
  std::string extension(dot == std::string_view::npos ? "" : leaf.substr(dot + 1));
  for (char& letter : extension) letter = char(std::tolower(static_cast<unsigned char>(letter)));
  std::vector<std::string_view> known;
  for (const ContainerEntry& entry : container_table()) {
    if (std::ranges::count(entry.extensions, extension) > 0) return &entry;
    known.insert(known.end(), entry.extensions.begin(), entry.extensions.end());
  }
  return invalid_argument("The output's extension ({}) names no container; use one of {}.",
                          extension.empty() ? "none" : extension, fmt::join(known, ", "));
}

std::string containers_writing(AVPacketSideDataType kind, AVCodecID video) {
  std::string names;
  for (const ContainerEntry& entry : container_table())
    if (holds_video(entry, video) && std::ranges::count(entry.side_data, kind) > 0)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  return names;
}

StatusOr<OutputPlan> plan_output(const ContainerEntry& container, AVCodecID video,
                                 std::span<const StreamInfo> others, const CopyChoices& choices) {
  OutputPlan plan;
  plan.container = container.muxer;
  note_programmes(others, plan);
  for (const StreamInfo& stream : others) {
    if (!stream.other_programme.empty()) continue;
    const AudioChoice audio = choices.audio_of(stream.stream);
    const auto leave_out = [&](std::string_view why) {
      plan.notes.push_back(fmt::format("{} is left out: {}.", stream_name(stream), why));
    };
    if (stream.no_format && stream.packets < 0 && !container.only_video)
      continue;  // finish() knows its packets from the whole file
    const std::string spared = reason_to_spare(container, stream, choices),
                      left = reason_to_leave(container, stream);
    if (!spared.empty())
      leave_out(spared);
    else if (left.empty() && holds(container, stream, audio))
      add_stream(stream, choices, plan);
    else if (!left.empty() && choices.unsupported == Unsupported::kRefuse && stream.packets != 0)
      return refused(stream, left);
    else if (!left.empty())
      leave_out(left);
    else if (is_refused(stream, choices.unsupported))
      return cannot_hold(container, video, stream, audio);
    else
      leave_out(does_not_hold(container, video, stream, audio));
  }
  return plan;
}

}  // namespace weft::media
