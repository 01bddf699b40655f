// SPDX-License-Identifier: Apache-2.0
// Keeps the last frames of a source and the anchors before them, as data for checkpoints.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "server/media/read/packets/demuxer.h"
#include "server/media/read/pictures/frame_fetch.h"
#include "server/media/read/source/video_source.h"

namespace weft::media {

// Number of anchors in a checkpoint. Decoding begins at the older one, so that the decoder has a
// group of pictures more to settle.
inline constexpr size_t kKeptAnchors = 2;

// Returns the anchor for `packet`, which the demuxer read last and at which decoding can begin
// (random_access.h).
SourceCheckpoint::Anchor anchor_at(const AVPacket& packet, const Demuxer& demuxer);

// Not thread-safe.
class SeekHistory {
 public:
  using Anchor = SourceCheckpoint::Anchor;

  // `fetch` reads frames that stay on the GPU; null if there are none.
  explicit SeekHistory(FrameFetch* fetch) : fetch_(fetch) {}
  void clear();

  // Adds the anchor of a packet. Must be called in the order of the file.
  void add(Anchor anchor);
  // Drops the newest anchor, because its packet is damaged.
  void drop_anchor() { anchors_.pop_back(); }
  // Adds a frame. `pts` is the decoded time, `position` the offset of the frame's packet in the
  // file.
  void add(const SourceFrame& frame, int64_t pts, int64_t position);

  // Returns the decoded time of the last frame, which must exist.
  int64_t last_pts() const { return frames_.back().pts; }
  // Fills in the last frames of the checkpoint and the anchors from which it can be reached.
  void fill(SourceCheckpoint& checkpoint) const;
  // Returns true if the last frames are those of the checkpoint: times, offsets in the file,
  // hashes.
  bool matches(const SourceCheckpoint& checkpoint) const;
  // Returns the second newest anchor. Careful decoding that must be correct from the next frame on
  // begins there. Nullopt: it begins at the start of the file.
  std::optional<Anchor> phase_anchor() const;

 private:
  struct Given {
    SourceFrame frame;
    int64_t pts = 0;  // decoded time
    int64_t position = -1;
  };
  uint64_t hash_of(const SourceFrame& frame) const;

  FrameFetch* fetch_;
  std::deque<Given> frames_;  // at most kSeenFrames
  std::deque<Anchor> anchors_;
};

}  // namespace weft::media
