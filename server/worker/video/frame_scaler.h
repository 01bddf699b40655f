// SPDX-License-Identifier: Apache-2.0
// Brings frames of another size to the size that a job works with, where the size changes within a video.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "server/graph/port.h"
#include "server/media/read/source/video_source.h"

namespace weft::worker {

// One thread. By the weights of the filter `resize` (lanczos3), in integers: the same on every machine. Fields of an interlaced frame stay
// apart.
class FrameScaler {
 public:
  FrameScaler(const VideoFormat& to, graph::ChromaSite chroma) : to_(to), chroma_(chroma) {}

  // Frames of that size stay as they are. Chroma and bits are the same.
  Status scale(media::SourceFrame& frame);
  bool has_scaled() const { return fields_ > 0; }  // some frame

 private:
  struct Weights {
    int taps = 0;
    std::vector<int> first, weights;
  };
  // Of one field of a plane, or of all of it.
  struct Plane {
    Weights rows, columns;
  };
  void plan(const VideoFormat& from, int fields);
  Weights weights_of(int plane, int field, bool is_rows) const;
  template <class Sample>
  void scale_rows(const uint8_t* from, ptrdiff_t stride_bytes, int lines, const Weights& rows);
  template <class Sample>
  void scale_columns(uint8_t* to, ptrdiff_t stride_bytes, size_t width, const Weights& columns) const;
  template <class Sample>
  void scale_planes(const media::PictureView& from, const media::PictureView& to);

  VideoFormat to_;
  graph::ChromaSite chroma_;
  VideoFormat from_{};
  int fields_ = 0;
  std::vector<Plane> planes_;     // by plane, then by field
  std::vector<int32_t> between_;  // rows of the new length
};

}  // namespace weft::worker
