// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/source/seek_history.h"

#include <utility>

#include "server/media/frame_hash.h"

namespace weft::media {

SourceCheckpoint::Anchor anchor_at(const AVPacket& packet, const Demuxer& demuxer) {
  return {.position = packet.pos,
          .pts = packet.pts,
          .dts = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts,
          .clock = demuxer.repair_state()};
}

void SeekHistory::clear() {
  frames_.clear();
  anchors_.clear();
}

void SeekHistory::add(Anchor anchor) {
  anchors_.push_back(std::move(anchor));
  // Keeps the anchors that a checkpoint after the frames seen so far can use, and all newer ones.
  while (anchors_.size() > kKeptAnchors && !frames_.empty() &&
         anchors_[kKeptAnchors].pts <= frames_.front().pts)
    anchors_.pop_front();
}

void SeekHistory::add(const SourceFrame& frame, int64_t pts, int64_t position) {
  if (frames_.size() == kSeenFrames) frames_.pop_front();
  frames_.push_back({.frame = frame, .pts = pts, .position = position});
}

// Returns the hash of a frame. For a frame on the GPU that cannot be read it is 0, which matches no
// frame: a job that resumes there starts over.
uint64_t SeekHistory::hash_of(const SourceFrame& frame) const {
  if (frame.kept == nullptr) return hash_picture(frame.picture);
  const StatusOr<PictureView> picture = fetch_->read(frame.kept.get());
  return picture.ok() ? hash_picture(*picture) : 0;
}

void SeekHistory::fill(SourceCheckpoint& checkpoint) const {
  for (const Given& given : frames_)
    checkpoint.seen.push_back({.pts = given.pts, .position = given.position, .hash = hash_of(given.frame)});
  for (const Anchor& anchor : anchors_) {
    if (frames_.empty() || anchor.pts > frames_.front().pts) break;
    checkpoint.anchors.push_back(anchor);
  }
  if (checkpoint.anchors.size() > kKeptAnchors)
    checkpoint.anchors.erase(checkpoint.anchors.begin(), checkpoint.anchors.end() - kKeptAnchors);
}

bool SeekHistory::matches(const SourceCheckpoint& checkpoint) const {
  if (frames_.size() < checkpoint.seen.size()) return false;
  const size_t first = frames_.size() - checkpoint.seen.size();
  for (size_t i = 0; i < checkpoint.seen.size(); i++)
    if (frames_[first + i].pts != checkpoint.seen[i].pts ||
        frames_[first + i].position != checkpoint.seen[i].position)
      return false;
  for (size_t i = 0; i < checkpoint.seen.size(); i++)
    if (hash_of(frames_[first + i].frame) != checkpoint.seen[i].hash) return false;
  return true;
}

std::optional<SeekHistory::Anchor> SeekHistory::phase_anchor() const {
  if (anchors_.size() < kKeptAnchors || frames_.size() < kSeenFrames) return std::nullopt;
  const Anchor& anchor = anchors_[anchors_.size() - kKeptAnchors];
  return anchor.pts <= frames_.front().pts ? std::optional(anchor) : std::nullopt;
}

}  // namespace weft::media
