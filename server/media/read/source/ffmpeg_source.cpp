// SPDX-License-Identifier: Apache-2.0
// Resuming at a checkpoint reproduces the same frames for these reasons. An anchor is an undamaged
// packet from which the codec guarantees correct frames (random_access.h). Decoding begins at the
// second newest anchor before the checkpoint, a whole group of pictures earlier than necessary,
// with the first run's state of time repair and reordering. The frames just before the checkpoint
// must then have the same times, offsets in the file and samples. If they differ, the file is
// decoded from its start, which repeats the first run; the same comparison then verifies that it is
// the same file.
//
// skip_to() begins at an anchor too; each of the frames just before its target must have the
// counted time.
#include "server/media/read/source/ffmpeg_source.h"

#include <algorithm>
#include <utility>

#include "server/media/read/probe/probe.h"
#include "server/media/read/source/frame_times.h"

namespace weft::media {

namespace {

// limit on the frames decoded after an anchor to reach the checkpoint
constexpr int kMaxWarmUpFrames = 5000;

}  // namespace

Status FfmpegSource::start(Mode mode, int reorder_frames) {
  ASSIGN_OR_RETURN(stream_, PictureStream::open(file_, options_, info_.video,
                                                {.mode = mode, .reorder_frames = reorder_frames}, history_));
  history_.clear();
  maker_.start();
  failure_ = ok_status();
  phase_is_set_ = false;
  phase_anchor_.reset();
  return ok_status();
}

StatusOr<std::optional<SourceFrame>> FfmpegSource::next() {
  if (settling_ && options_.alive) RETURN_IF_ERROR(options_.alive());
  RETURN_IF_ERROR(failure_);
  auto frame = next_in_mode();
  if (!frame.ok()) failure_ = frame.status();
  return frame;
}

StatusOr<std::optional<SourceFrame>> FfmpegSource::next_in_mode() {
  if (stream_->mode() == Mode::kCareful && !settling_ && stream_->intact_for_long(next_index()))
    RETURN_IF_ERROR(close_phase());
  StatusOr<bool> decoded = stream_->next(next_index());
  if (stream_->mode() == Mode::kFast && stream_->damage_seen() && !settling_ && !hardware()) {
    RETURN_IF_ERROR(open_phase());
    decoded = stream_->next(next_index());
  }
  // In careful mode the phase starts at phase_anchor(): the second newest anchor before the first
  // damaged packet, or the start of the file if there is none.
  if (!phase_is_set_ && stream_->first_damage() && !settling_) {
    RETURN_IF_ERROR(restart_phase(progress(), phase_anchor()));
    decoded = stream_->next(next_index());
  }
  RETURN_IF_ERROR(decoded.status());
  if (*decoded) {
    ASSIGN_OR_RETURN(FrameMaker::Made made, maker_.make(*stream_, settling_));
    history_.add(made.frame, made.pts, made.position);
    return std::optional(std::move(made.frame));
  }
  if (next_index() > 0) return std::optional<SourceFrame>();
  return data_loss("The input ({}) ends without a frame that can be decoded.", file_->name());
}

// Returns a checkpoint as for a stream in fast mode, with all anchors.
SourceCheckpoint FfmpegSource::progress() const {
  SourceCheckpoint checkpoint;
  checkpoint.next_index = next_index();
  checkpoint.last_pts = maker_.progress().last_pts;
  checkpoint.file_bytes = file_->bytes();
  checkpoint.hardware = hardware();
  checkpoint.reorder_frames = stream_->decoder().reorder_frames();
  checkpoint.corrupt_packets = counters().corrupt_packets;
  checkpoint.repaired_timestamps = maker_.progress().repaired_timestamps;
  history_.fill(checkpoint);
  return checkpoint;
}

// Returns the anchor at which the phase of a careful stream begins.
std::optional<SourceCheckpoint::Anchor> FfmpegSource::phase_anchor() const {
  if (phase_is_set_ || !stream_->first_damage()) return phase_anchor_;
  return stream_->first_damage()->anchor;
}

SourceCheckpoint FfmpegSource::checkpoint() const {
  SourceCheckpoint checkpoint = progress();
  if (stream_->mode() == Mode::kFast || !stream_->damage_seen()) return checkpoint;
  checkpoint.careful = true;
  checkpoint.anchors.clear();
  if (const std::optional<Anchor> anchor = phase_anchor()) checkpoint.anchors.push_back(*anchor);
  return checkpoint;
}

StatusOr<bool> FfmpegSource::go_from_anchor(const SourceCheckpoint& checkpoint) {
  if (checkpoint.anchors.empty() || checkpoint.seen.size() < kSeenFrames) return false;
  const Anchor& anchor = checkpoint.anchors.front();
  if (!stream_->seek(anchor)) return false;
  for (int frames = 0; frames < kMaxWarmUpFrames || stream_->mode() == Mode::kCareful; frames++) {
    const auto frame = next();
    frames_skipped_++;
    if (frame.status().code() == StatusCode::kResourceExhausted) return frame.status();
    if (!frame.ok() || !frame->has_value()) return false;
    if (hardware() != checkpoint.hardware) return false;
    if (!history_.matches(checkpoint)) continue;
    maker_.go_on({checkpoint.next_index, checkpoint.last_pts, checkpoint.repaired_timestamps});
    return true;
  }
  return false;
}

// Decodes from the start. Returns false if the frames differ or the file ends earlier.
StatusOr<bool> FfmpegSource::go_from_start(const SourceCheckpoint& checkpoint) {
  while (next_index() < checkpoint.next_index) {
    ASSIGN_OR_RETURN(const auto frame, next());
    if (!frame) return false;
    frames_skipped_++;
  }
  return maker_.progress().last_pts == checkpoint.last_pts && history_.matches(checkpoint);
}

// Moves to the checkpoint. Returns false if the frames there differ, or if damage was found in fast
// mode, so that the frames are not reproducible.
StatusOr<bool> FfmpegSource::go_to(const SourceCheckpoint& checkpoint, Way way, Mode mode) {
  // From the start, the decoder begins without known reordering, like the first run.
  RETURN_IF_ERROR(start(mode, way == Way::kAnchor ? checkpoint.reorder_frames : 0));
  // A checkpoint in a phase names the start of the phase.
  phase_is_set_ = checkpoint.careful;
  if (checkpoint.careful && way == Way::kAnchor && !checkpoint.anchors.empty())
    phase_anchor_ = checkpoint.anchors.front();
  settling_ = true;
  const auto found = way == Way::kAnchor ? go_from_anchor(checkpoint) : go_from_start(checkpoint);
  settling_ = false;
  if (!found.ok()) return found.status();
  return *found && (stream_->mode() == Mode::kCareful || !stream_->damage_seen() || hardware());
}

// Begins a careful phase after damage was detected in fast mode. The frames returned so far are
// correct.
Status FfmpegSource::open_phase() {
  const SourceCheckpoint here = progress();
  const int64_t skipped = frames_skipped_;
  // With a single anchor, which may be the first of the file, the phase begins with the file.
  bool found = false;
  if (here.anchors.size() == kKeptAnchors) {
    ASSIGN_OR_RETURN(found, go_to(here, Way::kAnchor, Mode::kCareful));
  }
  if (!found) {
    damaged_before_ = 0;
    ASSIGN_OR_RETURN(found, go_to(here, Way::kStart, Mode::kCareful));
  }
  frames_skipped_ = skipped;
  if (!found && next_index() < here.next_index) return frame_not_found(here);
  if (!found)
    notes_.push_back(fmt::format(
        "The decoder does not repeat the frames before frame {}: there is damage that it did not notice.",
        here.next_index));
  return ok_status();
}

Status FfmpegSource::frame_not_found(const SourceCheckpoint& here) const {
  return data_loss("The input ({}) is damaged: frame {} cannot be found a second time.", file_->name(),
                   here.next_index);
}

// Decodes carefully from the start of the phase.
Status FfmpegSource::restart_phase(const SourceCheckpoint& here, const std::optional<Anchor>& anchor) {
  SourceCheckpoint phase = here;
  phase.careful = true;
  phase.anchors.clear();
  if (anchor) phase.anchors.push_back(*anchor);
  const int64_t skipped = frames_skipped_;
  bool found = false;
  if (anchor) {
    ASSIGN_OR_RETURN(found, go_to(phase, Way::kAnchor, Mode::kCareful));
  }
  if (!found) {
    damaged_before_ = 0;
    ASSIGN_OR_RETURN(found, go_to(phase, Way::kStart, Mode::kCareful));
  }
  frames_skipped_ = skipped;
  if (!found && next_index() < here.next_index) return frame_not_found(here);
  return ok_status();
}

// Returns to fast mode. If there is damage just ahead, the careful phase continues.
Status FfmpegSource::close_phase() {
  const SourceCheckpoint here = progress();
  const SourceCheckpoint in_phase = checkpoint();
  const int64_t skipped = frames_skipped_;
  const int64_t before = std::exchange(damaged_before_, here.corrupt_packets);
  ASSIGN_OR_RETURN(const bool fast, go_to(here, Way::kAnchor, Mode::kFast));
  frames_skipped_ = skipped;
  if (fast) return ok_status();
  damaged_before_ = before;
  const std::vector<Anchor>& anchors = in_phase.anchors;
  RETURN_IF_ERROR(restart_phase(here, anchors.empty() ? std::nullopt : std::optional(anchors.front())));
  stream_->count_intact_from(next_index());
  return ok_status();
}

Status FfmpegSource::resume_fast(const SourceCheckpoint& checkpoint) {
  for (const Way way : {Way::kAnchor, Way::kStart}) {
    for (const Mode mode : {Mode::kFast, Mode::kCareful}) {
      ASSIGN_OR_RETURN(const bool found, go_to(checkpoint, way, mode));
      if (found) return ok_status();
    }
  }
  return out_of_range("not found");
}

Status FfmpegSource::resume_phase(const SourceCheckpoint& checkpoint) {
  for (const Way way : {Way::kAnchor, Way::kStart}) {
    ASSIGN_OR_RETURN(const bool found, go_to(checkpoint, way, Mode::kCareful));
    if (found) return ok_status();
  }
  return out_of_range("not found");
}

Status FfmpegSource::resume(const SourceCheckpoint& checkpoint) {
  if (next_index() > 0)
    return internal_error("A source resumes before its first frame (frames given: {}).", next_index());
  if (file_->bytes() != checkpoint.file_bytes)
    return failed_precondition(
        "The input ({}) has changed: {} bytes, and {} at the checkpoint; start the job over.", file_->name(),
        file_->bytes(), checkpoint.file_bytes);
  if (checkpoint.next_index == 0) return ok_status();
  options_.hardware = checkpoint.hardware;
  Status resumed = checkpoint.careful ? resume_phase(checkpoint) : resume_fast(checkpoint);
  if (resumed.code() == StatusCode::kOutOfRange)
    return failed_precondition(
        "The input ({}) does not give the frames before frame {} again: the file or the decoder has changed; "
        "start the job over.",
        file_->name(), checkpoint.next_index);
  damaged_before_ = checkpoint.corrupt_packets - stream_->damaged_packets();
  return resumed;
}

StatusOr<std::optional<FrameTimes>> FfmpegSource::frame_times(const FrameLimit& limit) {
  return read_frame_times(file_, options_, info_.video, limit);
}

StatusOr<bool> FfmpegSource::skip_to(int64_t index, const FrameTimes& times) {
  if (next_index() > 0)
    return internal_error("A source skips before its first frame (frames given: {}).", next_index());
  if (index < int64_t(kSeenFrames) || index >= int64_t(times.pts.size())) return false;
  const int64_t first = times.pts[size_t(index) - kSeenFrames];
  const auto newer = std::find_if(times.anchors.begin(), times.anchors.end(),
                                  [&](const Anchor& anchor) { return anchor.pts > first; });
  // The first anchor is the start of the file.
  if (newer - times.anchors.begin() <= ptrdiff_t(kKeptAnchors)) return false;
  settling_ = true;
  const auto found = go_on_to(index, times, *(newer - ptrdiff_t(kKeptAnchors)));
  settling_ = false;
  RETURN_IF_ERROR(found.status());
  if (!*found || stream_->damage_seen()) {
    RETURN_IF_ERROR(start(Mode::kFast, 0));
    return false;
  }
  maker_.skip_to({.next_index = index, .last_pts = times.pts[size_t(index) - 1]});
  return true;
}

StatusOr<bool> FfmpegSource::go_on_to(int64_t index, const FrameTimes& times, const Anchor& anchor) {
  if (!stream_->seek(anchor)) return false;
  int64_t expected = index - int64_t(kSeenFrames);
  bool is_on_the_way = false;  // the first of the compared frames was reached
  while (expected < index) {
    const auto frame = next();
    frames_skipped_++;
    if (frame.status().code() == StatusCode::kResourceExhausted) return frame.status();
    if (!frame.ok() || !frame->has_value()) return false;
    const int64_t pts = history_.last_pts(), wanted = times.pts[size_t(expected)];
    if (pts == wanted) {
      is_on_the_way = true;
      expected++;
    } else if (is_on_the_way || pts > wanted) {
      return false;
    }
  }
  return true;
}

std::vector<std::string> FfmpegSource::notes() const {
  std::vector<std::string> notes = notes_;
  if (!stream_->decoder().note().empty()) notes.push_back(stream_->decoder().note());
  if (hardware()) notes.push_back("NVDEC decodes.");
  for (std::string& note : maker_.notes()) notes.push_back(std::move(note));
  if (const int64_t repaired = counters().repaired_timestamps; repaired > 0)
    notes.push_back(fmt::format("Missing or falling timestamps were repaired (frames: {}).", repaired));
  return notes;
}

StatusOr<std::unique_ptr<VideoSource>> VideoSource::open(InputFilePtr file, const SourceOptions& options) {
  ASSIGN_OR_RETURN(MediaInfo info, probe(file, options.programme));
  SourceOptions possible = options;
  // Fields on a GPU are not woven, and NVDEC exports no quantisers.
  possible.hardware = options.hardware && !info.video.woven && !options.quantisers;
  auto source = std::make_unique<FfmpegSource>(std::move(file), possible, std::move(info));
  RETURN_IF_ERROR(source->start(FfmpegSource::Mode::kFast, 0));
  return source;
}

}  // namespace weft::media
