// SPDX-License-Identifier: Apache-2.0
// Parses and formats the lines of YUV4MPEG2: the header and the lines between frames. The caller
// reads and writes the samples. The format: https://wiki.multimedia.cx/index.php/YUV4MPEG2; the
// names of formats with more than 8 bits are FFmpeg's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::cli {

inline constexpr size_t kLongestY4mLine = 4096;  // bytes of a header or of a line between frames

struct Y4mHeader {
  v1::FrameFormat format;
  v1::FrameRate rate;  // 0/0: unknown
  v1::FieldOrder field_order = v1::FIELD_ORDER_UNSPECIFIED;
  bool mixed = false;        // true: each frame has its own field order
  std::string colour_space;  // name in the header: "420jpeg"; empty: absent
  // chroma siting that the colour space implies
  v1::ChromaPosition chroma_position = v1::CHROMA_POSITION_UNSPECIFIED;
  // sample aspect ratio in the header: "1:1"; empty: absent
  std::string aspect;
  std::vector<std::string> extras;  // texts of the X parameters without the X: "YSCSS=420JPEG"
};

// Parses a header without its newline. INVALID_ARGUMENT: the line is not Y4M, or no filter accepts
// the format.
StatusOr<Y4mHeader> parse_y4m_header(std::string_view line);
// Parses a line between frames without its newline: "FRAME", "FRAME Ip". INVALID_ARGUMENT: the line
// is not of this form. `mixed`: the line may contain the field order.
StatusOr<v1::FrameFacts> parse_y4m_frame(std::string_view line, bool mixed);

// Returns the header of the stream's output: the header of its input, with the changes that the
// filters make.
Y4mHeader header_of_pictures(Y4mHeader frames, const v1::OpenStream& open, const v1::StreamOpened& pictures);
// Parses a sample aspect ratio: "16:11". An invalid text yields 0/0, which means unknown.
v1::SampleAspect parse_y4m_aspect(std::string_view text);
// Returns the header with the frame rate `rate`, newline included.
std::string format_y4m_header(const Y4mHeader& header, const v1::FrameRate& rate);
// Counts the y4m frames of pictures with varying durations: a picture is written once for each
// tick of their rate within its duration. Not thread-safe.
class Y4mTicks {
 public:
  explicit Y4mTicks(const v1::StreamOpened& pictures) : pictures_(pictures) {}
  // Returns the number of frames of the next picture.
  int64_t frames_of(const v1::PictureFacts& picture);

 private:
  const v1::StreamOpened& pictures_;
  std::optional<int64_t> begin_;  // timestamp of the first picture
  int64_t frames_ = 0;            // frames of the earlier pictures
};

// an entry of Y4mHeader::extras
inline constexpr std::string_view kY4mFullRange = "COLORRANGE=FULL";
inline constexpr std::string_view kY4mFrame = "FRAME";

// Parses a frame rate: "25", "29.97", "30000/1001", "30000:1001". 29.97, 23.976, 59.94 and 119.88
// mean the NTSC rates (N * 1000/1001).
StatusOr<v1::FrameRate> parse_frame_rate(std::string_view text);

}  // namespace weft::cli
