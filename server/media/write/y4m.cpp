// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/y4m.h"

#include <algorithm>

#include "server/media/ffmpeg.h"
#include "server/media/pixel_format.h"

namespace weft::media {

namespace {

// Returns the name of 8-bit 4:2:0 with its chroma siting. The default is the centred siting of
// MPEG-1.
std::string name_of_420(int chroma_location) {
  switch (chroma_location) {
    case AVCHROMA_LOC_TOPLEFT:
      return "C420paldv XYSCSS=420PALDV";
    case AVCHROMA_LOC_LEFT:
      return "C420mpeg2 XYSCSS=420MPEG2";
    default:
      return "C420jpeg XYSCSS=420JPEG";
  }
}

std::string colour_space(const SegmentHeader& header) {
  const VideoFormat& format = header.format;
  if (format.chroma == Chroma::kGray)
    return format.bit_depth == 8 ? "Cmono" : fmt::format("Cmono{}", format.bit_depth);
  if (format.bit_depth == 8 && format.chroma == Chroma::k420)
    return name_of_420(header.colour.chroma_location);
  std::string ratio = name_of(format.chroma);
  std::erase(ratio, ':');
  return format.bit_depth > 8 ? fmt::format("C{0}p{1} XYSCSS={0}P{1}", ratio, format.bit_depth)
                              : fmt::format("C{0} XYSCSS={0}", ratio);
}

char interlacing_of(ScanOrder order) {
  switch (order) {
    case ScanOrder::kProgressive:
      return 'p';
    case ScanOrder::kTopFirst:
      return 't';
    case ScanOrder::kBottomFirst:
      return 'b';
    case ScanOrder::kUnknown:
      break;
  }
  return '?';
}

}  // namespace

bool has_y4m_name(const VideoFormat& format) {
  if (format.chroma == Chroma::k411) return format.bit_depth == 8;
  if (format.chroma == Chroma::k410 || format.chroma == Chroma::k440) return false;
  constexpr int depths[] = {8, 9, 10, 12, 14, 16};
  const bool is_gray14 = format.chroma == Chroma::kGray && format.bit_depth == 14;
  return std::ranges::count(depths, format.bit_depth) > 0 && !is_gray14;
}

StatusOr<std::string> y4m_header(const SegmentHeader& header) {
  const VideoFormat& format = header.format;
  if (!has_y4m_name(format))
    return invalid_argument("The container y4m has no name for {} pictures; use another.", describe(format));
  const Ratio aspect = header.sample_aspect_ratio;
  std::string line =
      fmt::format("YUV4MPEG2 W{} H{} F{}:{} I{} A{}:{} {}", format.width, format.height,
                  header.frame_rate.num, header.frame_rate.den, interlacing_of(header.field_order),
                  aspect.num, aspect.known() ? aspect.den : 0, colour_space(header));
  if (header.colour.range == Colour::Range::kLimited) line += " XCOLORRANGE=LIMITED";
  if (header.colour.range == Colour::Range::kFull) line += " XCOLORRANGE=FULL";
  return line + "\n";
}

}  // namespace weft::media
