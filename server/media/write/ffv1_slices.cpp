// SPDX-License-Identifier: Apache-2.0
// Chooses the number of FFV1 slices. The encoder accepts numbers that depend on size and format by
// its own rules, so each number is tried.
#include "server/media/write/encoder_table.h"

namespace weft::media {

namespace {

constexpr int kMostSlices = 64;

bool takes_slices(const AVCodec& codec, AVPixelFormat format, int width, int height, int slices) {
  const CodecPtr encoder(avcodec_alloc_context3(&codec));
  if (!encoder) return false;
  encoder->width = width;
  encoder->height = height;
  encoder->pix_fmt = format;
  encoder->time_base = {1, 25};
  encoder->level = 3;
  encoder->slices = slices;
  encoder->thread_count = 1;
  return avcodec_open2(encoder.get(), &codec, nullptr) >= 0;
}

}  // namespace

int ffv1_slices(AVPixelFormat format, int width, int height) {
  const int wanted = int64_t{width} * height >= 640 * 360 ? 16 : 4;
  const AVCodec* const codec = avcodec_find_encoder(AV_CODEC_ID_FFV1);
  const LogScope log;
  for (int distance = 0; codec != nullptr && distance < kMostSlices; distance++)
    for (const int slices : {wanted + distance, wanted - distance})
      if (slices > 0 && slices <= kMostSlices && takes_slices(*codec, format, width, height, slices))
        return slices;
  return wanted;  // opening the encoder with this number reports the error
}

}  // namespace weft::media
