// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/pictures/field_order.h"

namespace weft::media {

bool frames_flag_fields(AVCodecID codec) {
  switch (codec) {
    case AV_CODEC_ID_MPEG2VIDEO:
    case AV_CODEC_ID_MPEG4:
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_VC1:
    case AV_CODEC_ID_WMV3:
    case AV_CODEC_ID_CAVS:
    case AV_CODEC_ID_DVVIDEO:
    case AV_CODEC_ID_DNXHD:
      return true;
    default:
      return false;
  }
}

FrameFields fields_of(const AVFrame& frame, const AVCodecParameters& parameters) {
  const ScanOrder stored = from_av(parameters.field_order);
  const bool says_top = frame.top_field_first != 0;
  if (frame.interlaced_frame != 0) {
    // Ut Video's frames declare fields without their order; FFmpeg leaves the flag at 0.
    const bool knows_order = parameters.codec_id != AV_CODEC_ID_UTVIDEO;
    return {true, knows_order ? says_top : stored != ScanOrder::kBottomFirst};
  }
  if (!frames_flag_fields(parameters.codec_id) && is_interlaced(stored))
    return {true, stored == ScanOrder::kTopFirst};
  return {false, says_top};
}

ScanOrder order_of(const AVFrame& frame, const AVCodecParameters& parameters) {
  const FrameFields fields = fields_of(frame, parameters);
  if (fields.interlaced) return fields.top_first ? ScanOrder::kTopFirst : ScanOrder::kBottomFirst;
  const bool is_flagged = frames_flag_fields(parameters.codec_id);
  return is_flagged ? ScanOrder::kProgressive : from_av(parameters.field_order);
}

}  // namespace weft::media
