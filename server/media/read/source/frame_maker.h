// SPDX-License-Identifier: Apache-2.0
// Makes frames of decoded pictures: numbers them, repairs their times, checks their format, reports
// changes, and owns their samples.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/media/read/pictures/picture_changes.h"
#include "server/media/read/pictures/quantisers.h"
#include "server/media/read/source/picture_stream.h"
#include "server/media/read/source/video_source.h"

namespace weft::media {

// Not thread-safe.
class FrameMaker {
 public:
  // A position between two frames.
  struct Progress {
    int64_t next_index = 0;
    int64_t last_pts = 0;  // time of the previous frame
    int64_t repaired_timestamps = 0;
  };
  struct Made {
    SourceFrame frame;
    int64_t pts = 0;        // time of the picture as decoded
    int64_t position = -1;  // offset of the frame's packet in the file
  };

  // `options` and `info` must outlive this object.
  FrameMaker(const SourceOptions& options, const MediaInfo& info) : options_(options), info_(info) {}

  // Begins with frame 0. The results of notes() and changes() are kept.
  void start();
  // Continues at a position that was reached by decoding frames before it (settling).
  void go_on(const Progress& progress) { progress_ = progress; }
  // Continues at a position that does not follow the previous frames.
  void skip_to(const Progress& progress);

  // Makes the next frame from the picture that the stream decoded last, and takes over its samples.
  // `settling`: the source moves to a position, so nothing is reported. INVALID_ARGUMENT: a format
  // other than the first frame's. RESOURCE_EXHAUSTED: no memory.
  StatusOr<Made> make(PictureStream& stream, bool settling);

  const Progress& progress() const { return progress_; }
  const PictureChanges& changes() const { return changes_; }
  // Returns sentences about the making of frames.
  std::vector<std::string> notes() const;

 private:
  int64_t time_of(int64_t raw, int64_t first_clock, int64_t duration);
  int64_t duration_of(const AVFrame& picture) const;
  double seconds_of(int64_t pts) const;
  Status check_format(const VideoFormat& format, int64_t pts) const;
  void detect_changes(PictureStream& stream, int64_t pts, bool settling);
  Status hold_samples(PictureStream& stream, SourceFrame& result);
  Status repack(PictureStream& stream, SourceFrame& result);

  const SourceOptions& options_;
  const MediaInfo& info_;
  Progress progress_;
  PictureChanges changes_;
  QuantiserReader quantisers_;
  BufferPoolPtr repacked_;
  size_t repacked_bytes_ = 0;  // size of a buffer of repacked_
  // number of frames made of one field; index of the first
  int64_t lone_fields_ = 0, first_lone_ = 0;
  bool keeps_frames_ = false;     // whether a frame of NVDEC stayed on the GPU
  std::string_view dynamic_hdr_;  // name of the first dynamic HDR metadata found
};

}  // namespace weft::media
