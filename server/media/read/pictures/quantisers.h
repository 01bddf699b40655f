// SPDX-License-Identifier: Apache-2.0
// Reads the quantisers of pictures, which FFmpeg's decoders export as side data
// (AVVideoEncParams).
#pragma once

#include <string_view>

#include "base/quantisers.h"
#include "server/media/ffmpeg.h"

namespace weft::media {

// Returns the scale of the quantisers that the decoder of a codec ("mpeg2video") exports on the
// CPU. kNone: it exports none.
QuantiserScale quantiser_scale_of(std::string_view codec);

// Not thread-safe.
class QuantiserReader {
 public:
  // Begins with a picture that does not follow the previous ones.
  void start() { reference_.reset(); }
  // Returns the quantisers of the next picture in the order of display; they are interpreted by the
  // number of bits of a sample. A picture without exported quantisers has those of the reference:
  // FFmpeg 5.1 exports none for the last picture of a stream of MPEG-2.
  FrameQuantisers read(const AVFrame& picture, int bit_depth);

 private:
  QuantisersPtr reference_;
};

}  // namespace weft::media
