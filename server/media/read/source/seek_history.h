// SPDX-License-Identifier: Apache-2.0
// The last frames that a source gave and the anchors before them: the material of its checkpoints.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "server/media/read/packets/demuxer.h"
#include "server/media/read/pictures/frame_fetch.h"
#include "server/media/read/source/video_source.h"

namespace weft::media {

// The older one is used: a group of pictures more to settle in.
inline constexpr size_t kKeptAnchors = 2;

// Describes the place of a packet at which decoding can begin (random_access.h), which the demuxer read last.
SourceCheckpoint::Anchor anchor_at(const AVPacket& packet, const Demuxer& demuxer);

// Used by one thread at a time.
class SeekHistory {
 public:
  using Anchor = SourceCheckpoint::Anchor;

  // Reads frames that stay on the GPU by `fetch`; null where none do.
  explicit SeekHistory(FrameFetch* fetch) : fetch_(fetch) {}
  void clear();

  // Adds the anchor of a packet, in the order of the file.
  void add(Anchor anchor);
  // Drops the anchor that was added last: its packet is damaged.
  void drop_anchor() { anchors_.pop_back(); }
  // Adds a frame. `pts`: as decoded; `position`: of its packet in the file.
  void add(const SourceFrame& frame, int64_t pts, int64_t position);

  // Returns the last frame's time as decoded. There is one.
  int64_t last_pts() const { return frames_.back().pts; }
  // Sets the frames of a checkpoint here, and the anchors to reach it from.
  void fill(SourceCheckpoint& checkpoint) const;
  // Compares the last frames with those of the checkpoint: times, places in the file, hashes.
  bool matches(const SourceCheckpoint& checkpoint) const;
  // Returns the second newest anchor, at which careful decoding begins that is to be right from the next frame on. Nullopt: it begins at the
  // start of the file.
  std::optional<Anchor> phase_anchor() const;

 private:
  struct Given {
    SourceFrame frame;
    int64_t pts = 0;  // as decoded
    int64_t position = -1;
  };
  uint64_t hash_of(const SourceFrame& frame) const;

  FrameFetch* fetch_;
  std::deque<Given> frames_;  // kSeenFrames at most
  std::deque<Anchor> anchors_;
};

}  // namespace weft::media
