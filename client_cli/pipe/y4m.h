// SPDX-License-Identifier: Apache-2.0
// YUV4MPEG2: the header's line and the lines between frames, read and written. Samples are the caller's.
// The format: https://wiki.multimedia.cx/index.php/YUV4MPEG2; names of deep formats are FFmpeg's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::cli {

inline constexpr size_t kLongestY4mLine = 4096;  // bytes, of a header or between frames

struct Y4mHeader {
  v1::FrameFormat format;
  v1::FrameRate rate;  // 0/0: not said
  v1::FieldOrder field_order = v1::FIELD_ORDER_UNSPECIFIED;
  bool mixed = false;        // each frame says its own order
  std::string colour_space;  // "420jpeg", as it was said; empty: not said
  v1::ChromaPosition chroma_position = v1::CHROMA_POSITION_UNSPECIFIED;  // as the colour space says
  std::string aspect;                                                    // "1:1"; empty: not said
  std::vector<std::string> extras;  // "YSCSS=420JPEG", what follows each X
};

// `line`: without the newline. INVALID_ARGUMENT: not Y4M, or a format that no filter takes.
StatusOr<Y4mHeader> parse_y4m_header(std::string_view line);
// The line between frames, without the newline: "FRAME", "FRAME Ip". INVALID_ARGUMENT: something else.
StatusOr<v1::FrameFacts> parse_y4m_frame(std::string_view line, bool mixed);

// The header of what a stream makes of frames of that header: as it was said, but for what the filters changed.
Y4mHeader header_of_pictures(Y4mHeader frames, const v1::OpenStream& open, const v1::StreamOpened& pictures);
// "16:11"; not known: 0/0.
v1::SampleAspect parse_y4m_aspect(std::string_view text);
// With the newline: the header at another rate.
std::string format_y4m_header(const Y4mHeader& header, const v1::FrameRate& rate);
inline constexpr std::string_view kY4mFullRange = "COLORRANGE=FULL";  // one of the extras
inline constexpr std::string_view kY4mFrame = "FRAME";

// "25", "29.97", "30000/1001", "30000:1001". 29.97 and its like (23.976, 59.94, 119.88) are taken as the rates of NTSC.
StatusOr<v1::FrameRate> parse_frame_rate(std::string_view text);

}  // namespace weft::cli
