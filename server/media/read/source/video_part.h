// SPDX-License-Identifier: Apache-2.0
// A part of a video as a clip of its own: the frames between two places of a file.
//
//   ASSIGN_OR_RETURN(auto part, VideoPart::open(file, options, {.from = 250, .to = std::chrono::seconds(12)}));
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

// A frame's index, from 0 on; or a time as players show it, from the file's start on (MediaFacts::start).
using PartEdge = std::variant<int64_t, Duration>;

struct PictureSize {
  int width = 0, height = 0;
  bool operator==(const PictureSize&) const = default;
};

// From the first frame at or after `from` up to the last before `to`. Without one: from the start, to the end.
struct PartBounds {
  std::optional<PartEdge> from{};
  std::optional<PartEdge> to{};
  // The part ends before the first picture of another size than this.
  std::optional<PictureSize> size{};

  bool is_whole() const { return !from && !to; }
};

// The part's first frame. Of a part that begins with the file: frame 0, at whatever time.
struct PartStart {
  int64_t index = 0;  // in the file
  std::optional<int64_t> pts{};
  bool operator==(const PartStart&) const = default;
};

// The first picture of another size, which ended a part.
struct NextPiece {
  int64_t index = 0;  // in the file
  int64_t pts = 0;
  PictureLook look{};
};

// "frame 250", "12.5 s".
std::string text_of(const PartEdge& edge);
// OUT_OF_RANGE, saying how long the video is.
Status behind_the_end(const PartEdge& from, int64_t frames, Duration length);

// Used by one thread at a time, as the source that it owns. What is said there holds here.
class VideoPart {
 public:
  static StatusOr<std::unique_ptr<VideoPart>> open(InputFilePtr file, const SourceOptions& options,
                                                   const PartBounds& bounds);

  // Goes to the first frame: from a place where decoding can begin, if there is one, else by decoding what comes before it.
  // OUT_OF_RANGE when no frame lies in the part. Call this or resume(), before the first next().
  Status begin();
  // Goes to a place in the middle, of a part that began with `start`. Errors as VideoSource::resume's.
  Status resume(const SourceCheckpoint& checkpoint, const PartStart& start);

  // The next frame; nullopt at the part's end. No frame at or behind an end that is given by its index is decoded.
  StatusOr<std::optional<SourceFrame>> next();
  // Its next_index counts in the file.
  SourceCheckpoint checkpoint() const { return source_->checkpoint(); }

  const PartStart& start() const { return start_; }
  // Where the part ends, once next() has given nullopt: `to`, or the end of the last frame. Nullopt: with the file.
  std::optional<int64_t> end_pts() const;
  // Where its size has ended the part, once next() has given nullopt.
  const std::optional<NextPiece>& next_piece() const { return next_piece_; }
  // VideoSource's, where the part ends with the file.
  std::string shortage() const { return has_ended_ ? "" : source_->shortage(); }
  const VideoSource& source() const { return *source_; }
  const PartBounds& bounds() const { return bounds_; }
  // Decoded on the way to where next() began.
  int64_t frames_skipped() const { return source_->frames_skipped() + frames_dropped_; }

 private:
  VideoPart(std::unique_ptr<VideoSource> source, const SourceOptions& options, const PartBounds& bounds);

  StatusOr<bool> skip();
  Status go_to_first();
  Status check_first() const;
  Status nothing_left(int64_t frames, int64_t end) const;
  Duration time_of(int64_t pts) const;
  bool ends_piece(const SourceFrame& frame);

  // In the video's unit; a frame's index else.
  struct Edge {
    bool is_frame = false;
    int64_t place = 0;
    bool is_reached(int64_t index, int64_t pts) const { return (is_frame ? index : pts) >= place; }
  };
  Edge edge_of(const PartEdge& edge) const;

  std::unique_ptr<VideoSource> source_;
  std::function<Status()> alive_;
  PartBounds bounds_;
  std::optional<Edge> from_, to_;
  PartStart start_;
  std::optional<SourceFrame> first_;  // found by begin(), not given yet
  int64_t next_index_ = 0;            // in the file
  int64_t end_of_last_ = 0;           // pts and duration of the last frame given
  int64_t frames_dropped_ = 0;        // by begin()
  bool has_ended_ = false;            // by `to`, or by its size
  std::optional<NextPiece> next_piece_;
};

}  // namespace weft::media
