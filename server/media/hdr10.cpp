// SPDX-License-Identifier: Apache-2.0
#include "server/media/hdr10.h"

#include <algorithm>
#include <cmath>

extern "C" {
#include <libavutil/mastering_display_metadata.h>
}

namespace weft::media {
namespace {

constexpr double kBrightest = 10000;  // largest luminance of the PQ curve, cd/m2
constexpr int kMostLight = 65535;     // largest value of H.265's message, cd/m2

bool is_in(Ratio value, double least, double most) { return value.value() >= least && value.value() <= most; }

void take(const AVMasteringDisplayMetadata& from, Hdr10& hdr10) {
  for (size_t colour = 0; colour < 3; colour++)
    for (size_t axis = 0; axis < 2; axis++)
      hdr10.chromaticities[2 * colour + axis] = from_av(from.display_primaries[colour][axis]);
  for (size_t axis = 0; axis < 2; axis++) hdr10.chromaticities[6 + axis] = from_av(from.white_point[axis]);
  hdr10.has_display_colours =
      from.has_primaries != 0 &&
      std::ranges::all_of(hdr10.chromaticities, [](Ratio value) { return is_in(value, 0, 1); });
  hdr10.darkest = from_av(from.min_luminance);
  hdr10.brightest = from_av(from.max_luminance);
  hdr10.has_display_light = from.has_luminance != 0 && is_in(hdr10.darkest, 0, kBrightest) &&
                            is_in(hdr10.brightest, 0, kBrightest) &&
                            hdr10.darkest.value() < hdr10.brightest.value();
}

void take(const AVContentLightMetadata& from, Hdr10& hdr10) {
  if (from.MaxCLL > kMostLight || from.MaxFALL > kMostLight) return;
  hdr10.brightest_pixel = int(from.MaxCLL);
  hdr10.brightest_frame = int(from.MaxFALL);
}

template <class Data>
const Data* find(const AVFrame& frame, AVFrameSideDataType in_frame, const AVStream& stream,
                 AVPacketSideDataType in_stream) {
  if (const AVFrameSideData* data = av_frame_get_side_data(&frame, in_frame);
      data != nullptr && data->size >= sizeof(Data))
    return reinterpret_cast<const Data*>(data->data);
  size_t size = 0;
  const uint8_t* data = av_stream_get_side_data(&stream, in_stream, &size);
  return data != nullptr && size >= sizeof(Data) ? reinterpret_cast<const Data*>(data) : nullptr;
}

// Adds `data` to the stream, which then owns it. Frees it and returns false on failure.
template <class Data>
bool give(AVStream& stream, AVPacketSideDataType type, Data* data, size_t size) {
  if (data == nullptr) return false;
  if (av_stream_add_side_data(&stream, type, reinterpret_cast<uint8_t*>(data), size) >= 0) return true;
  av_free(data);
  return false;
}

}  // namespace

Hdr10 hdr10_of(const AVFrame& frame, const AVStream& stream) {
  Hdr10 hdr10;
  if (const auto* display = find<AVMasteringDisplayMetadata>(frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA,
                                                             stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA))
    take(*display, hdr10);
  if (const auto* light = find<AVContentLightMetadata>(frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, stream,
                                                       AV_PKT_DATA_CONTENT_LIGHT_LEVEL))
    take(*light, hdr10);
  return hdr10;
}

std::string_view dynamic_hdr_of(const AVFrame& frame) {
  const auto has = [&](AVFrameSideDataType type) { return av_frame_get_side_data(&frame, type) != nullptr; };
  if (has(AV_FRAME_DATA_DYNAMIC_HDR_PLUS)) return "HDR10+";
  if (has(AV_FRAME_DATA_DOVI_RPU_BUFFER) || has(AV_FRAME_DATA_DOVI_METADATA)) return "Dolby Vision";
  if (has(AV_FRAME_DATA_DYNAMIC_HDR_VIVID)) return "HDR Vivid";
  return "";
}

bool add_hdr10(AVStream& stream, const Hdr10& hdr10) {
  if (hdr10.has_display()) {
    AVMasteringDisplayMetadata* display = av_mastering_display_metadata_alloc();
    if (display == nullptr) return false;
    for (size_t colour = 0; colour < 3; colour++)
      for (size_t axis = 0; axis < 2; axis++)
        display->display_primaries[colour][axis] = to_av(hdr10.chromaticities[2 * colour + axis]);
    for (size_t axis = 0; axis < 2; axis++)
      display->white_point[axis] = to_av(hdr10.chromaticities[6 + axis]);
    display->has_primaries = hdr10.has_display_colours;
    display->min_luminance = to_av(hdr10.darkest);
    display->max_luminance = to_av(hdr10.brightest);
    display->has_luminance = hdr10.has_display_light;
    if (!give(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, display, sizeof *display)) return false;
  }
  if (!hdr10.has_light()) return true;
  size_t size = 0;
  AVContentLightMetadata* light = av_content_light_metadata_alloc(&size);
  if (light == nullptr) return false;
  light->MaxCLL = unsigned(hdr10.brightest_pixel);
  light->MaxFALL = unsigned(hdr10.brightest_frame);
  return give(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, light, size);
}

std::string hdr10_options(const Hdr10Words& words, const Hdr10& hdr10) {
  if (words.display.empty()) return "";
  // Formats a value in the units of H.265's messages, or as a decimal number.
  const auto text = [&](Ratio value, double units) {
    return words.is_decimal ? fmt::format("{:.5f}", value.value())
                            : fmt::format("{}", std::llround(value.value() * units));
  };
  std::vector<std::string> options;
  if (hdr10.has_display_colours && hdr10.has_display_light) {
    const auto at = [&](size_t index) {
      return fmt::format("({},{})", text(hdr10.chromaticities[index], 50000),
                         text(hdr10.chromaticities[index + 1], 50000));
    };
    options.push_back(fmt::format("{}=G{}B{}R{}WP{}L({},{})", words.display, at(2), at(4), at(0), at(6),
                                  text(hdr10.brightest, 10000), text(hdr10.darkest, 10000)));
  }
  if (hdr10.has_light())
    options.push_back(fmt::format("{}={},{}", words.light, hdr10.brightest_pixel, hdr10.brightest_frame));
  return fmt::format("{}", fmt::join(options, ":"));
}

}  // namespace weft::media
