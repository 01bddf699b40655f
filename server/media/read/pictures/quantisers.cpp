// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/pictures/quantisers.h"

#include <algorithm>
#include <optional>

extern "C" {
#include <libavutil/video_enc_params.h>
}

namespace weft::media {
namespace {

constexpr int kSide = 16;  // luma samples of a macroblock
constexpr int kMostSide = 65536 / kSide;

// Returns the quantiser of a block on the scale of base/quantisers.h. FFmpeg exports the
// quantiser_scale of MPEG-2, which is twice the coded value with the linear table, and the QP of
// H.264 plus 6 for each bit of a sample above 8.
uint8_t coded_value(AVVideoEncParamsType type, int value, int bit_depth) {
  const int scaled = type == AV_VIDEO_ENC_PARAMS_MPEG2 ? 2 * value : value - 6 * (bit_depth - 8);
  return uint8_t(std::clamp(scaled, 0, 255));
}

// Returns null for quantisers of another scale, and for blocks outside of any picture.
QuantisersPtr table_of(const AVVideoEncParams& parameters, int bit_depth) {
  if (parameters.type != AV_VIDEO_ENC_PARAMS_MPEG2 && parameters.type != AV_VIDEO_ENC_PARAMS_H264)
    return nullptr;
  auto table = std::make_shared<Quantisers>();
  for (unsigned i = 0; i < parameters.nb_blocks; i++) {
    const AVVideoBlockParams& block =
        *av_video_enc_params_block(const_cast<AVVideoEncParams*>(&parameters), i);
    table->columns = std::max(table->columns, block.src_x / kSide + 1);
    table->rows = std::max(table->rows, block.src_y / kSide + 1);
  }
  // Without blocks the picture has one quantiser.
  if (parameters.nb_blocks == 0) table->columns = table->rows = 1;
  if (table->columns > kMostSide || table->rows > kMostSide) return nullptr;
  table->values.assign(size_t(table->columns) * size_t(table->rows),
                       coded_value(parameters.type, parameters.qp, bit_depth));
  for (unsigned i = 0; i < parameters.nb_blocks; i++) {
    const AVVideoBlockParams& block =
        *av_video_enc_params_block(const_cast<AVVideoEncParams*>(&parameters), i);
    if (block.src_x < 0 || block.src_y < 0) continue;
    const size_t at = size_t(block.src_y / kSide) * size_t(table->columns) + size_t(block.src_x / kSide);
    table->values[at] = coded_value(parameters.type, parameters.qp + block.delta_qp, bit_depth);
  }
  return table;
}

}  // namespace

QuantiserScale quantiser_scale_of(std::string_view codec) {
  if (codec == "h264") return QuantiserScale::kLogarithmic;
  const bool is_linear = codec == "mpeg1video" || codec == "mpeg2video" || codec == "mpeg4";
  return is_linear ? QuantiserScale::kLinear : QuantiserScale::kNone;
}

FrameQuantisers QuantiserReader::read(const AVFrame& picture, int bit_depth) {
  const AVFrameSideData* const data = av_frame_get_side_data(&picture, AV_FRAME_DATA_VIDEO_ENC_PARAMS);
  QuantisersPtr own;
  if (data != nullptr) own = table_of(*reinterpret_cast<const AVVideoEncParams*>(data->data), bit_depth);
  if (own == nullptr) return {reference_, reference_};
  if (picture.pict_type != AV_PICTURE_TYPE_B) reference_ = own;
  return {own, reference_};
}

}  // namespace weft::media
