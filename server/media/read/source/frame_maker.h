// SPDX-License-Identifier: Apache-2.0
// Makes decoded pictures frames of a source: numbers them, repairs their times, checks their format, reports changes, and holds their samples.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/media/read/pictures/picture_changes.h"
#include "server/media/read/source/picture_stream.h"
#include "server/media/read/source/video_source.h"

namespace weft::media {

// Used by one thread at a time.
class FrameMaker {
 public:
  // A place between two frames.
  struct Place {
    int64_t next_index = 0;
    int64_t last_pts = 0;  // of the frame before
    int64_t repaired_timestamps = 0;
  };
  struct Made {
    SourceFrame frame;
    int64_t pts = 0;        // as decoded
    int64_t position = -1;  // of its packet in the file
  };

  // Both outlive it.
  FrameMaker(const SourceOptions& options, const MediaFacts& facts) : options_(options), facts_(facts) {}

  // Begins with frame 0. The results of notes() and changes() stay.
  void start();
  // Goes on at a place that frames made before led to (settling).
  void go_on(const Place& place) { place_ = place; }
  // Goes on at a place that follows none of the frames made before.
  void skip_to(const Place& place);

  // Makes the picture that the stream decoded last the next frame, and takes its samples. `settling`: the frame is on the way to a place, and
  // nothing is reported. INVALID_ARGUMENT: another format than the first frame's. RESOURCE_EXHAUSTED: no memory.
  StatusOr<Made> make(PictureStream& stream, bool settling);

  const Place& place() const { return place_; }
  const PictureChanges& changes() const { return changes_; }
  // Sentences about how frames came to be.
  std::vector<std::string> notes() const;

 private:
  int64_t place_in_time(int64_t raw, int64_t first_clock, int64_t duration);
  int64_t duration_of(const AVFrame& picture) const;
  double seconds_of(int64_t pts) const;
  Status check_format(const VideoFormat& format, int64_t pts) const;
  void look_for_changes(PictureStream& stream, int64_t pts, bool settling);
  Status hold_samples(PictureStream& stream, SourceFrame& result);
  Status repack(PictureStream& stream, SourceFrame& result);

  const SourceOptions& options_;
  const MediaFacts& facts_;
  Place place_;
  PictureChanges changes_;
  BufferPoolPtr repacked_;
  size_t repacked_bytes_ = 0;                     // of a buffer of it
  int64_t lone_fields_ = 0, first_lone_ = 0;      // frames that are made of one; the first one's index
  int64_t frames_kept_ = 0, frames_fetched_ = 0;  // of NVDEC's, on the GPU and in memory
  std::string_view dynamic_hdr_;                  // of a frame so far
};

}  // namespace weft::media
