// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/pictures/side_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

extern "C" {
#include <libavutil/display.h>
}

namespace weft::media {

namespace {

// Kinds that are carried separately, or describe only the encoded source stream.
constexpr AVPacketSideDataType kOwnWays[] = {
    AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
    AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
    AV_PKT_DATA_A53_CC,
    AV_PKT_DATA_CPB_PROPERTIES,
    AV_PKT_DATA_NEW_EXTRADATA,
    AV_PKT_DATA_PARAM_CHANGE,
    AV_PKT_DATA_H263_MB_INFO,
    AV_PKT_DATA_PALETTE,
    AV_PKT_DATA_QUALITY_STATS,
    AV_PKT_DATA_FALLBACK_TRACK,
    AV_PKT_DATA_SKIP_SAMPLES,
    AV_PKT_DATA_STRINGS_METADATA,
    AV_PKT_DATA_METADATA_UPDATE,
    AV_PKT_DATA_MPEGTS_STREAM_ID,
    AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL,
    AV_PKT_DATA_PRFT,
    AV_PKT_DATA_ENCRYPTION_INIT_INFO,
    AV_PKT_DATA_ENCRYPTION_INFO,
    AV_PKT_DATA_DYNAMIC_HDR10_PLUS,
};

struct InFrames {
  AVFrameSideDataType in_frame;
  AVPacketSideDataType in_stream;
};
constexpr InFrames kInFrames[] = {
    {AV_FRAME_DATA_DISPLAYMATRIX, AV_PKT_DATA_DISPLAYMATRIX},
    {AV_FRAME_DATA_STEREO3D, AV_PKT_DATA_STEREO3D},
    {AV_FRAME_DATA_SPHERICAL, AV_PKT_DATA_SPHERICAL},
    {AV_FRAME_DATA_ICC_PROFILE, AV_PKT_DATA_ICC_PROFILE},
    {AV_FRAME_DATA_AFD, AV_PKT_DATA_AFD},
    {AV_FRAME_DATA_S12M_TIMECODE, AV_PKT_DATA_S12M_TIMECODE},
};

// Returns a name such as "rotation by 90 degrees clockwise (display matrix)", or an empty string if
// the matrix does not change the picture.
std::string name_of_matrix(const uint8_t* data, size_t size) {
  if (size < 9 * sizeof(int32_t)) return "";
  std::array<int32_t, 9> matrix{};
  std::copy_n(data, sizeof matrix, reinterpret_cast<uint8_t*>(matrix.data()));
  const double angle = -av_display_rotation_get(matrix.data());  // degrees clockwise, -180 to 180
  const bool is_mirrored = double(matrix[0]) * matrix[4] - double(matrix[1]) * matrix[3] < 0;
  if (std::isnan(angle)) return "display matrix";
  if (is_mirrored) return "mirroring (display matrix)";
  if (std::abs(angle) < 0.5) return "";
  return fmt::format("rotation by {:.0f} degrees {}clockwise (display matrix)", std::abs(angle),
                     angle < 0 ? "counter" : "");
}

std::string name_of(AVPacketSideDataType kind, const uint8_t* data, size_t size) {
  switch (kind) {
    case AV_PKT_DATA_DISPLAYMATRIX:
      return name_of_matrix(data, size);
    case AV_PKT_DATA_STEREO3D:
      return "arrangement of two views (stereo 3D)";
    case AV_PKT_DATA_SPHERICAL:
      return "projection of a sphere (spherical mapping)";
    case AV_PKT_DATA_DOVI_CONF:
      return "Dolby Vision configuration";
    case AV_PKT_DATA_ICC_PROFILE:
      return "ICC profile";
    case AV_PKT_DATA_AFD:
      return "active format description";
    case AV_PKT_DATA_S12M_TIMECODE:
      return "timecode in its frames (SMPTE 12M)";
    default:
      break;
  }
  const char* const name = av_packet_side_data_name(kind);
  return name != nullptr ? name : fmt::format("side data of kind {}", int(kind));
}

}  // namespace

std::vector<SideData> side_data_of(const AVStream& stream, const AVFrame& frame) {
  std::vector<SideData> all;
  const auto add = [&](AVPacketSideDataType kind, const uint8_t* data, size_t size, bool in_container) {
    const std::string name = name_of(kind, data, size);
    const bool is_known = std::ranges::count(all, int(kind), &SideData::kind) > 0;
    if (!name.empty() && !is_known) all.push_back({int(kind), name, in_container});
  };
  for (int i = 0; i < stream.nb_side_data; i++) {
    const AVPacketSideData& data = stream.side_data[i];
    if (std::ranges::count(kOwnWays, data.type) == 0) add(data.type, data.data, data.size, true);
  }
  for (const auto& [in_frame, in_stream] : kInFrames)
    if (const AVFrameSideData* data = av_frame_get_side_data(&frame, in_frame))
      add(in_stream, data->data, data->size, false);
  return all;
}

}  // namespace weft::media
