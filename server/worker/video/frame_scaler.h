// SPDX-License-Identifier: Apache-2.0
// Scales frames of another size to the size of a job, for videos with changes of size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "server/graph/port.h"
#include "server/media/read/source/video_source.h"

namespace weft::worker {

// Scales with the weights of the filter `resize` (lanczos3) in integers, so that the result is the
// same on every machine. Fields of an interlaced frame are scaled separately. Not thread-safe.
class FrameScaler {
 public:
  FrameScaler(const VideoFormat& to, graph::ChromaSiting chroma) : to_(to), chroma_(chroma) {}

  // Scales a frame in place; a frame of the target size is unchanged. A scaled frame has no
  // quantisers. The chroma format and the bit
  // depth must be those of the target.
  Status scale(media::SourceFrame& frame);
  bool has_scaled() const { return fields_ > 0; }  // whether any frame was scaled

 private:
  struct Weights {
    int taps = 0;
    std::vector<int> first, weights;
  };
  // Weights for one field of a plane, or for the whole plane.
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
  graph::ChromaSiting chroma_;
  VideoFormat from_{};
  int fields_ = 0;
  std::vector<Plane> planes_;     // by plane, then by field
  std::vector<int32_t> between_;  // intermediate rows, scaled horizontally
};

}  // namespace weft::worker
