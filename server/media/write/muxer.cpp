// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/muxer.h"

#include <algorithm>

#include "server/media/read/probe/stream_info.h"
#include "server/media/write/muxing.h"
#include "server/media/write/output_file.h"
#include "server/media/write/y4m.h"

namespace weft::media {

namespace {

Status write_y4m(const FinishRequest& request, VideoTrack& track, OutputFile& file) {
  ASSIGN_OR_RETURN(const std::string header, y4m_header(track.header()));
  const auto write = [&](std::string_view text) {
    avio_write(file.io(), reinterpret_cast<const unsigned char*>(text.data()), int(text.size()));
  };
  write(header);
  ProgressReporter progress(request.progress);
  VideoTrack::Packet packet;
  for (int64_t frames = 0;; frames++) {
    ASSIGN_OR_RETURN(const bool more, track.next(packet));
    if (!more) return ok_status();
    write(kY4mFrame);
    avio_write(file.io(), packet.data.data(), int(packet.data.size()));
    RETURN_IF_ERROR(file.status());
    RETURN_IF_ERROR(progress.frames(frames));
  }
}

// Writes the streams of a plan to a new file.
Status write_planned(const FinishRequest& request, const ContainerEntry& container, const OutputPlan& plan,
                     const AVFormatContext& described, Muxing::Parts parts, std::unique_ptr<OutputFile>& file,
                     FinishResult& result) {
  ASSIGN_OR_RETURN(const auto track, VideoTrack::open(request.segments));
  ASSIGN_OR_RETURN(file, OutputFile::create(request.output));
  parts.name = request.name;
  parts.choices = request.choices;
  parts.part = request.part;
  parts.constant_rate = track->has_constant_rate();
  parts.progress = request.progress;
  parts.file_status = [&file] { return file->status(); };
  Muxing muxing(std::move(parts));
  RETURN_IF_ERROR(
      muxing.start(file->io(), container, plan, described, track->header(), track->reorder_frames()));
  RETURN_IF_ERROR(muxing.write_packets(*track));
  RETURN_IF_ERROR(muxing.finish());
  result.notes = muxing.audio_notes();
  if (muxing.repaired_times() > 0)
    result.notes.push_back(
        fmt::format("Missing or falling timestamps of copied streams were repaired (packets: {}).",
                    muxing.repaired_times()));
  return ok_status();
}

// Writes the file. A container lists its streams at its beginning. If the end of the source shows
// that a stream is missing in the list, the file is written again.
Status write_with_source(const FinishRequest& request, const ContainerEntry& container, AVCodecID video,
                         std::unique_ptr<OutputFile>& file, FinishResult& result) {
  const auto plan_of = [&](const std::vector<StreamInfo>& streams) {
    return plan_output(container, video, streams, request.choices);
  };
  ASSIGN_OR_RETURN(const auto source, Demuxer::open(request.source, request.programme));
  ASSIGN_OR_RETURN(const OutputPlan first, plan_of(other_streams(*source)));
  StreamWatch watch(*source);
  AudioChanges changes;
  AudioChanges* const changing = container.one_audio_format ? &changes : nullptr;
  RETURN_IF_ERROR(write_planned(request, container, first, source->context(),
                                {.source = source.get(), .watch = &watch, .finds = changing}, file, result));
  ASSIGN_OR_RETURN(const OutputPlan whole, plan_of(watch.streams()));
  changes.finish();
  if (whole.copied != first.copied || changes.any()) {
    ASSIGN_OR_RETURN(const auto again, Demuxer::open(request.source, request.programme));
    RETURN_IF_ERROR(write_planned(request, container, whole, source->context(),
                                  {.source = again.get(), .routes = changing}, file, result));
  }
  for (std::string& note : changes.notes(source->start())) result.notes.push_back(std::move(note));
  result.notes.insert(result.notes.begin(), whole.notes.begin(), whole.notes.end());
  return ok_status();
}

// Returns a note for a container that stores no times, or an empty string if the frames have equal
// durations up to rounding.
std::string times_note(std::string_view container, const VideoTrack& track) {
  if (track.has_constant_rate()) return "";
  const Ratio rate = track.header().frame_rate;
  const double irregular = track.most_irregular();
  return fmt::format(
      "The times of the pictures are left out: {} holds their rate ({:.5g} a second) alone, by which a "
      "picture is shown up to {:.3f} s "
      "away from its time; mkv holds the times.",
      container, rate.value(), irregular);
}

// Sets the notes for an output that holds video only. Reads the whole source, so that streams that
// begin late are included.
Status note_late_streams(const FinishRequest& request, const ContainerEntry& container,
                         FinishResult& result) {
  ASSIGN_OR_RETURN(const auto source, Demuxer::open(request.source, request.programme));
  const auto alive = [&] { return request.progress ? request.progress(result.frames) : ok_status(); };
  ASSIGN_OR_RETURN(const std::vector<StreamInfo> streams, streams_of_whole_file(*source, alive));
  ASSIGN_OR_RETURN(const OutputPlan plan,
                   plan_output(container, AV_CODEC_ID_RAWVIDEO, streams, request.choices));
  result.notes = plan.notes;
  return ok_status();
}

struct FreeMemoryFile {
  void operator()(AVIOContext* io) const {
    uint8_t* bytes = nullptr;
    avio_close_dyn_buf(io, &bytes);
    av_free(bytes);
  }
};

}  // namespace

Status try_output(const TrialRequest& request) {
  ASSIGN_OR_RETURN(const ContainerEntry* container, find_container(request.name));
  if (container->only_video || request.video.codec.empty()) return ok_status();
  ASSIGN_OR_RETURN(const auto source, Demuxer::open(request.source, request.programme));
  const std::vector<StreamInfo> others = other_streams(*source);
  AVIOContext* opened = nullptr;
  if (avio_open_dyn_buf(&opened) < 0)
    return resource_exhausted("There is no memory to try the output ({}).", request.name);
  const std::unique_ptr<AVIOContext, FreeMemoryFile> memory(opened);
  Muxing muxing({.name = request.name, .choices = request.choices, .source = source.get()});
  int index = -1;
  Status tried = muxing.start(memory.get(), *container, request.plan, source->context(), request.video, 0);
  if (tried.ok()) tried = muxing.try_packets(index);
  if (tried.ok() || tried.code() == StatusCode::kResourceExhausted) return tried;
  const auto refused = std::ranges::find(others, index, &StreamInfo::stream);
  if (refused == others.end()) return invalid_argument("{}", message_of(tried));
  return invalid_argument("The container {} does not take the {} stream {} ({}) as it is; use {}. {}",
                          container->name, kind_name(*refused), index, refused->codec,
                          options_for(*container, *refused, request.choices.audio_of(index)),
                          message_of(tried));
}

StatusOr<FinishResult> finish(const FinishRequest& request) {
  ASSIGN_OR_RETURN(const auto track, VideoTrack::open(request.segments));
  FinishResult result;
  result.frames = track->frames();
  if (result.frames != request.expected_frames)
    return internal_error("The segments hold {} frames, and {} were expected; start the job over.",
                          result.frames, request.expected_frames);
  if (track->header().codec.empty()) return result;  // written by the encoder null
  ASSIGN_OR_RETURN(const ContainerEntry* container, find_container(request.name));
  if (request.timecodes)
    RETURN_IF_ERROR(write_whole_file(
        request.timecodes->output,
        timecode_text(track->times(), track->header().time_base, request.timecodes->precision)));
  std::unique_ptr<OutputFile> file;
  if (!container->only_video) {
    const AVCodecDescriptor* codec = avcodec_descriptor_get_by_name(track->header().codec.c_str());
    RETURN_IF_ERROR(write_with_source(request, *container, codec != nullptr ? codec->id : AV_CODEC_ID_NONE,
                                      file, result));
  } else {
    ASSIGN_OR_RETURN(file, OutputFile::create(request.output));
    RETURN_IF_ERROR(write_y4m(request, *track, *file));
    RETURN_IF_ERROR(note_late_streams(request, *container, result));
  }
  if (container->only_video || container->counts_frames)
    if (std::string note = times_note(container->name, *track); !note.empty())
      result.notes.push_back(std::move(note));
  ASSIGN_OR_RETURN(result.bytes, file->finish());
  return result;
}

}  // namespace weft::media
