// SPDX-License-Identifier: Apache-2.0
// Going back to a checkpoint so that the frames that follow are the very same.
//
// Why they are: an anchor is an undamaged packet from whose time on the codec promises right frames (random_access.h).
// Decoding begins at the second newest one before the checkpoint, thus a whole group of pictures earlier than need be, with
// the state of time repair and reordering that the first run had. Then the frames just before the checkpoint must come out with
// the same times, from the same bytes of the file, with the same samples. If anything differs, the file is
// decoded from its start, which repeats the first run; the same comparison then tells whether it is the same file.
#include <algorithm>
#include <utility>

#include "server/media/read/source/ffmpeg_source.h"

namespace weft::media {

namespace {

constexpr int kMaxWarmUpFrames = 5000;  // decoded after an anchor in search of the checkpoint
constexpr int64_t kIntactFrames = 250;  // after which decoding is fast again
constexpr size_t kIntactAnchors = 4;    // at least so many in them

}  // namespace

// Of a frame that the GPU does not give back: one that matches nothing. A job that comes back to it starts over.
uint64_t FfmpegSource::hash_of(const SourceFrame& frame) const {
  if (frame.kept == nullptr) return hash_picture(frame.picture);
  const StatusOr<PictureView> picture = options_.fetch->read(frame.kept.get());
  return picture.ok() ? hash_picture(*picture) : 0;
}

// For a run that decodes what follows from any anchor.
SourceCheckpoint FfmpegSource::place() const {
  SourceCheckpoint checkpoint;
  checkpoint.next_index = next_index_;
  checkpoint.last_pts = last_pts_;
  checkpoint.file_bytes = file_->bytes();
  checkpoint.hardware = decoder_->hardware();
  checkpoint.reorder_frames = decoder_->reorder_frames();
  checkpoint.corrupt_packets = counters().corrupt_packets;
  checkpoint.repaired_timestamps = repaired_timestamps_;
  for (const Recent& recent : recent_)
    checkpoint.seen.push_back(
        {.pts = recent.pts, .position = recent.position, .hash = hash_of(recent.frame)});
  for (const Anchor& anchor : anchors_) {
    if (recent_.empty() || anchor.pts > recent_.front().pts) break;
    checkpoint.anchors.push_back(anchor);
  }
  if (checkpoint.anchors.size() > kKeptAnchors)
    checkpoint.anchors.erase(checkpoint.anchors.begin(), checkpoint.anchors.end() - kKeptAnchors);
  return checkpoint;
}

SourceCheckpoint FfmpegSource::checkpoint() const {
  SourceCheckpoint checkpoint = place();
  if (mode_ == Mode::kFast || !damage_seen_) return checkpoint;
  checkpoint.careful = true;
  checkpoint.anchors.clear();
  if (phase_anchor_) checkpoint.anchors.push_back(*phase_anchor_);
  return checkpoint;
}

// Whether the last frames given are those of the checkpoint.
bool FfmpegSource::matches(const SourceCheckpoint& checkpoint) const {
  if (recent_.size() < checkpoint.seen.size()) return false;
  const size_t first = recent_.size() - checkpoint.seen.size();
  for (size_t i = 0; i < checkpoint.seen.size(); i++)
    if (recent_[first + i].pts != checkpoint.seen[i].pts ||
        recent_[first + i].position != checkpoint.seen[i].position)
      return false;
  for (size_t i = 0; i < checkpoint.seen.size(); i++)
    if (hash_of(recent_[first + i].frame) != checkpoint.seen[i].hash) return false;
  return true;
}

StatusOr<bool> FfmpegSource::go_from_anchor(const SourceCheckpoint& checkpoint) {
  if (checkpoint.anchors.empty() || checkpoint.seen.size() < kSeenFrames) return false;
  const Anchor& anchor = checkpoint.anchors.front();
  if (!demuxer_->seek(anchor.position, anchor.pts, anchor.dts, anchor.clock)) return false;
  waits_for_random_access_ = true;
  for (int frames = 0; frames < kMaxWarmUpFrames || mode_ == Mode::kCareful; frames++) {
    const auto frame = next();
    frames_skipped_++;
    if (frame.status().code() == StatusCode::kResourceExhausted) return frame.status();
    if (!frame.ok() || !frame->has_value()) return false;
    if (decoder_->hardware() != checkpoint.hardware) return false;
    if (!matches(checkpoint)) continue;
    next_index_ = checkpoint.next_index;
    last_pts_ = checkpoint.last_pts;
    repaired_timestamps_ = checkpoint.repaired_timestamps;
    return true;
  }
  return false;
}

// False when the frames are other ones, or too few.
StatusOr<bool> FfmpegSource::go_from_start(const SourceCheckpoint& checkpoint) {
  while (next_index_ < checkpoint.next_index) {
    ASSIGN_OR_RETURN(const auto frame, next());
    if (!frame) return false;
    frames_skipped_++;
  }
  return last_pts_ == checkpoint.last_pts && matches(checkpoint);
}

// False when the frames there are other ones; or when damage was seen on the way and decoding was fast, so that they are
// what they are by chance.
StatusOr<bool> FfmpegSource::go_to(const SourceCheckpoint& checkpoint, Way way, Mode mode) {
  // From the start on as the first run was: nothing known of the reordering.
  RETURN_IF_ERROR(start(mode, way == Way::kAnchor ? checkpoint.reorder_frames : 0));
  // A phase's checkpoint names where the phase begins.
  phase_is_set_ = checkpoint.careful;
  if (checkpoint.careful && way == Way::kAnchor && !checkpoint.anchors.empty())
    phase_anchor_ = checkpoint.anchors.front();
  settling_ = true;
  const auto found = way == Way::kAnchor ? go_from_anchor(checkpoint) : go_from_start(checkpoint);
  settling_ = false;
  if (!found.ok()) return found.status();
  return *found && (mode_ == Mode::kCareful || !damage_seen_ || decoder_->hardware());
}

// Damage was seen while decoding fast. What was given so far is right.
Status FfmpegSource::open_phase() {
  const SourceCheckpoint here = place();
  const int64_t skipped = frames_skipped_;
  // A single anchor before here may be the first of the file; then the phase begins with the file.
  bool found = false;
  if (here.anchors.size() == kKeptAnchors) {
    ASSIGN_OR_RETURN(found, go_to(here, Way::kAnchor, Mode::kCareful));
  }
  if (!found) {
    damaged_before_ = 0;
    ASSIGN_OR_RETURN(found, go_to(here, Way::kStart, Mode::kCareful));
  }
  frames_skipped_ = skipped;
  if (!found && next_index_ < here.next_index)
    return data_loss("The input ({}) is damaged: frame {} cannot be found a second time.", file_->name(),
                     here.next_index);
  if (!found)
    notes_.push_back(fmt::format(
        "The decoder does not repeat the frames before frame {}: there is damage that it did not notice.",
        here.next_index));
  return ok_status();
}

// At the first damaged packet of a careful run: did the run start where the phase is to begin?
void FfmpegSource::find_phase_anchor() {
  phase_is_due_ = true;
  phase_anchor_.reset();
  if (anchors_.size() < kKeptAnchors || recent_.size() < kSeenFrames) return;
  const Anchor& anchor = anchors_[anchors_.size() - kKeptAnchors];
  if (anchor.pts <= recent_.front().pts) phase_anchor_ = anchor;
}

Status FfmpegSource::restart_phase(const SourceCheckpoint& here) {
  SourceCheckpoint phase = here;
  phase.careful = true;
  phase.anchors.clear();
  if (phase_anchor_) phase.anchors.push_back(*phase_anchor_);
  const int64_t skipped = frames_skipped_;
  bool found = false;
  if (phase_anchor_) {
    ASSIGN_OR_RETURN(found, go_to(phase, Way::kAnchor, Mode::kCareful));
  }
  if (!found) {
    damaged_before_ = 0;
    ASSIGN_OR_RETURN(found, go_to(phase, Way::kStart, Mode::kCareful));
  }
  frames_skipped_ = skipped;
  if (!found && next_index_ < here.next_index)
    return data_loss("The input ({}) is damaged: frame {} cannot be found a second time.", file_->name(),
                     here.next_index);
  return ok_status();
}

bool FfmpegSource::intact_for_long() const {
  return next_index_ - last_damage_index_ >= kIntactFrames && anchors_since_damage_ >= kIntactAnchors;
}

// Fast again, unless there is new damage just ahead: then the phase goes on.
Status FfmpegSource::close_phase() {
  const SourceCheckpoint here = place();
  const SourceCheckpoint in_phase = checkpoint();
  const int64_t skipped = frames_skipped_;
  const int64_t before = std::exchange(damaged_before_, here.corrupt_packets);
  ASSIGN_OR_RETURN(const bool fast, go_to(here, Way::kAnchor, Mode::kFast));
  frames_skipped_ = skipped;
  if (fast) return ok_status();
  damaged_before_ = before;
  phase_anchor_.reset();
  if (!in_phase.anchors.empty()) phase_anchor_ = in_phase.anchors.front();
  RETURN_IF_ERROR(restart_phase(here));
  last_damage_index_ = next_index_;
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
  if (next_index_ > 0)
    return internal_error("A source resumes before its first frame (frames given: {}).", next_index_);
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
  damaged_before_ = checkpoint.corrupt_packets - damaged_packets_;
  return resumed;
}

}  // namespace weft::media
