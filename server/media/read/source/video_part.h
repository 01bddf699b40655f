// SPDX-License-Identifier: Apache-2.0
// Reads a part of a video as a clip of its own: the frames between two positions of a file.
//
//   ASSIGN_OR_RETURN(auto part, VideoPart::open(file, options, {.from = 250, .to = 12s}));
//   RETURN_IF_ERROR(part->begin());     // or resume(), at a place in the middle
//   while (auto frame = part->next())   // with the indices 0, 1, 2 ...
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "server/media/read/source/video_source.h"

namespace weft::media {

// The index of a frame, from 0 on; or a time as players show it, from the file's start
// (MediaInfo::start).
using PartEdge = std::variant<int64_t, Duration>;

struct PictureSize {
  int width = 0, height = 0;
  bool operator==(const PictureSize&) const = default;
};

// The limits of a part: from the first frame at or after `from` to the last frame before `to`.
// Without `from` or `to`, the part begins at the start or ends at the end of the video.
struct PartBounds {
  std::optional<PartEdge> from{};
  std::optional<PartEdge> to{};
  // size of the part's frames; the part ends before the first frame of another size
  std::optional<PictureSize> size{};

  bool is_whole() const { return !from && !to; }
};

// The first frame of a part. For a part that begins with the file: index 0 and no time.
struct PartStart {
  int64_t index = 0;  // index in the file
  std::optional<int64_t> pts{};
  bool operator==(const PartStart&) const = default;
};

// The first frame of another size, which ended a part.
struct NextOutputPart {
  int64_t index = 0;  // index in the file
  int64_t pts = 0;
  PictureFormat format{};
};

// Returns the edge as text: "frame 250", "12.5 s".
std::string text_of(const PartEdge& edge);
// Returns OUT_OF_RANGE with the length of the video.
Status behind_the_end(const PartEdge& from, int64_t frames, Duration length);

// Not thread-safe. The documentation of VideoSource applies to the source that the part owns.
class VideoPart {
 public:
  static StatusOr<std::unique_ptr<VideoPart>> open(InputFilePtr file, const SourceOptions& options,
                                                   const PartBounds& bounds);

  // Moves to the first frame: from an anchor if there is one, else by decoding from the start.
  // OUT_OF_RANGE if no frame lies in the part. This or resume() must be called before the first
  // next().
  Status begin();
  // Moves to a checkpoint within a part that began with `start`. Errors are those of
  // VideoSource::resume().
  Status resume(const SourceCheckpoint& checkpoint, const PartStart& start);
  // Returns the frame times of the file up to the part's end (VideoSource::frame_times).
  StatusOr<std::optional<FrameTimes>> frame_times();
  // Moves to frame `index` of the file, within a part that began with `start`, by the result of
  // frame_times(). Returns false, as VideoSource::skip_to(), if that is impossible.
  StatusOr<bool> go_to(int64_t index, const FrameTimes& times, const PartStart& start);

  // Returns the next frame, or nullopt at the part's end. If the end is an index, no frame at or
  // after it is decoded.
  StatusOr<std::optional<SourceFrame>> next();
  // Returns a checkpoint. Its next_index is an index in the file.
  SourceCheckpoint checkpoint() const { return source_->checkpoint(); }

  const PartStart& start() const { return start_; }
  // Returns the part's end after next() has returned nullopt: `to`, or the end of the last frame.
  // Nullopt: the part ends with the file.
  std::optional<int64_t> end_pts() const;
  // Returns the change of size that ended the part, after next() has returned nullopt.
  const std::optional<NextOutputPart>& next_output_part() const { return next_output_part_; }
  // Returns VideoSource::shortage() if the part ends with the file.
  std::string shortage() const { return has_ended_ ? "" : source_->shortage(); }
  const VideoSource& source() const { return *source_; }
  const PartBounds& bounds() const { return bounds_; }
  // Returns the number of the part's frames by the result of frame_times().
  int64_t frames_of(const FrameTimes& times, const PartStart& start) const;
  // Returns the number of frames decoded to reach the first frame of next().
  int64_t frames_skipped() const { return source_->frames_skipped() + frames_dropped_; }

 private:
  VideoPart(std::unique_ptr<VideoSource> source, const SourceOptions& options, const PartBounds& bounds);

  StatusOr<bool> skip();
  Status go_to_first();
  Status check_first() const;
  Status nothing_left(int64_t frames, int64_t end) const;
  Duration time_of(int64_t pts) const;
  bool ends_output_part(const SourceFrame& frame);

  // An edge of the part: a time in the video's unit, or a frame's index.
  struct Edge {
    bool is_frame = false;
    int64_t position = 0;
    bool is_reached(int64_t index, int64_t pts) const { return (is_frame ? index : pts) >= position; }
  };
  Edge edge_of(const PartEdge& edge) const;

  std::unique_ptr<VideoSource> source_;
  std::function<Status()> alive_;
  PartBounds bounds_;
  std::optional<Edge> from_, to_;
  PartStart start_;
  std::optional<SourceFrame> first_;  // frame found by begin() that next() has not returned yet
  int64_t next_index_ = 0;            // index in the file
  int64_t end_of_last_ = 0;           // end of the last returned frame: its pts plus its duration
  int64_t frames_dropped_ = 0;        // frames that begin() dropped
  bool has_ended_ = false;            // the part has ended, at `to` or at a change of size
  std::optional<NextOutputPart> next_output_part_;
};

}  // namespace weft::media
