// SPDX-License-Identifier: Apache-2.0
// Implements the questions about an encoder in video_encoder.h.
#include <string>

#include "server/media/pixel_format.h"
#include "server/media/write/encoder_table.h"
#include "server/media/write/video_encoder.h"
#include "server/media/write/widen.h"

namespace weft::media {

std::string widening_note(std::string_view encoder, const OutputVideo& video) {
  const auto entry = find_encoder(encoder);
  if (!entry.ok() || (*entry)->ffmpeg_name.empty()) return "";
  const VideoFormat& format = video.format;
  if (widened(format) == format || find_pixel_format(**entry, format) != AV_PIX_FMT_NONE) return "";
  return fmt::format(
      "The chroma is interpolated from {} to {}: the encoder {} does not take it as it is; ffv1 does.",
      name_of(format.chroma), name_of(widened(format).chroma), (*entry)->name);
}

// FFmpeg's encoders that write captions have the option a53cc.
bool carries_captions(std::string_view encoder) {
  const auto entry = find_encoder(encoder);
  if (!entry.ok() || (*entry)->ffmpeg_name.empty()) return false;
  const AVCodec* const codec = avcodec_find_encoder_by_name(std::string((*entry)->ffmpeg_name).c_str());
  if (codec == nullptr || codec->priv_class == nullptr) return false;
  const AVClass* options = codec->priv_class;
  return av_opt_find(&options, "a53cc", nullptr, 0, AV_OPT_SEARCH_FAKE_OBJ) != nullptr;
}

bool reads_times(std::string_view encoder) {
  const auto entry = find_encoder(encoder);
  return entry.ok() && (*entry)->reads_times;
}

}  // namespace weft::media
