// SPDX-License-Identifier: Apache-2.0
// The encoders there are, what each takes, and how the user's options become FFmpeg's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/media/ffmpeg.h"
#include "server/media/hdr10.h"
#include "server/media/write/output_types.h"

namespace weft::media {

// What becomes of interlaced pictures.
enum class Fields {
  kNotSaid,  // they are encoded as frames, and nothing in the stream says what they are
  kSaid,     // as frames, and each says it
  kCoded,    // as interlaced
};

struct EncoderEntry {
  std::string_view name;         // ours
  std::string_view ffmpeg_name;  // "" for raw and null, which need no encoder of FFmpeg
  AVCodecID codec;
  Fields fields = Fields::kNotSaid;
  bool on_gpu = false;
  // Options given before the user's.
  std::vector<std::pair<std::string_view, std::string_view>> defaults;
  // The option that carries the library's own options, "key=value:key=value"; "" for none.
  std::string_view library_options;
  std::string library_defaults = "";  // of those, before the user's
  Hdr10Words hdr10 = {};
};

const std::vector<EncoderEntry>& encoder_table();
// By our name or FFmpeg's. INVALID_ARGUMENT naming those there are.
StatusOr<const EncoderEntry*> find_encoder(std::string_view name);

// The pixel format that holds the samples unchanged and that the encoder takes, planar if it can be; AV_PIX_FMT_NONE where there is none.
AVPixelFormat find_pixel_format(const EncoderEntry& entry, const VideoFormat& format);
// The same, else the one that holds them widened (widen.h); AV_PIX_FMT_NONE for raw and null.
// INVALID_ARGUMENT saying what the encoder takes, and who takes the format.
StatusOr<AVPixelFormat> choose_pixel_format(const EncoderEntry& entry, const VideoFormat& format);

// The options as given to FFmpeg: defaults, what the video says, then the user's. INVALID_ARGUMENT for what names files or what
// the program decides itself.
Status collect_options(const EncoderEntry& entry, const EncoderSettings& settings, const Hdr10& hdr10,
                       Dictionary& options);

// What the lines of an interlaced picture are a multiple of where they are encoded as such; other pictures are encoded as frames.
int lines_of_fields(const VideoFormat& format);
Fields fields_of(const EncoderEntry& entry, const VideoFormat& format);

// How many slices FFV1 is told to make of such pictures. Its threads work on them, and their number changes the bytes, so it goes by
// size and format alone.
int ffv1_slices(AVPixelFormat format, int width, int height);

// The settings as one text, the same for the same settings.
std::string settings_text(const EncoderEntry& entry, const EncoderSettings& settings);

}  // namespace weft::media
