// SPDX-License-Identifier: Apache-2.0
// Lists the encoders with their formats, and translates the user's options to FFmpeg's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/media/ffmpeg.h"
#include "server/media/hdr10.h"
#include "server/media/write/output_types.h"

namespace weft::media {

// The encoding of interlaced frames.
enum class Fields {
  kNotSaid,  // as progressive frames; the stream does not declare the fields
  kSaid,     // as progressive frames; each frame declares the fields
  kCoded,    // as interlaced frames
};

struct EncoderEntry {
  std::string_view name;         // Weft's name
  std::string_view ffmpeg_name;  // empty for raw and null, which need no encoder of FFmpeg
  AVCodecID codec;
  Fields fields = Fields::kNotSaid;
  bool on_gpu = false;
  // options that precede the user's
  std::vector<std::pair<std::string_view, std::string_view>> defaults;
  // option that passes options to the encoder's library, "key=value:key=value"; empty if there is
  // none
  std::string_view library_options;
  std::string library_defaults = "";  // options for the library, before the user's
  Hdr10Words hdr10 = {};
  std::string bit_rate_defaults = "";  // replaces library_defaults if a bit rate is set
  // whether segments keep to maxrate and bufsize together (rate_buffer.h)
  bool has_rate_buffer = false;
  // suffix of the library's second file of statistics; empty: the encoder cannot make two passes
  std::string_view tree_suffix = {};
  bool reads_times = false;  // rate control counts time, not frames
  // takes an offset of the quantiser for each frame (duration_bits.h)
  bool takes_offsets = false;
};

const std::vector<EncoderEntry>& encoder_table();
// Returns the encoder with Weft's or FFmpeg's name. INVALID_ARGUMENT with the list of encoders.
StatusOr<const EncoderEntry*> find_encoder(std::string_view name);

// Returns the encoder's pixel format that holds the samples unchanged, planar if possible, or
// AV_PIX_FMT_NONE.
AVPixelFormat find_pixel_format(const EncoderEntry& entry, const VideoFormat& format);
// Returns the result of find_pixel_format(), or else the encoder's format for the widened samples
// (widen.h). Returns AV_PIX_FMT_NONE for raw and null. INVALID_ARGUMENT with the encoder's formats,
// and with the encoders that accept the format.
StatusOr<AVPixelFormat> choose_pixel_format(const EncoderEntry& entry, const VideoFormat& format);

// Collects the options for FFmpeg: defaults, properties of the video, then the user's options.
// INVALID_ARGUMENT for options that name files and for options that the program sets itself.
Status collect_options(const EncoderEntry& entry, const EncoderSettings& settings, const Hdr10& hdr10,
                       Dictionary& options);

// Adds an option for the encoder's library to those for FFmpeg, in front of the user's.
void set_library_option(const EncoderEntry& entry, std::string_view key, std::string_view value,
                        Dictionary& options);

// Returns the number that must divide the height of frames that are encoded as interlaced. Frames
// of other heights are encoded as progressive.
int lines_of_fields(const VideoFormat& format);
Fields fields_of(const EncoderEntry& entry, const VideoFormat& format);

// Returns the number of FFV1 slices. Threads encode the slices, and the number of slices changes
// the bytes, so it depends on size and format only.
int ffv1_slices(AVPixelFormat format, int width, int height);

// Returns the settings as text; equal settings give equal texts.
std::string settings_text(const EncoderEntry& entry, const EncoderSettings& settings);

}  // namespace weft::media
