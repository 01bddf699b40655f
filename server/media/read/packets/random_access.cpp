// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/packets/random_access.h"

#include <cstdint>
#include <functional>
#include <span>

namespace weft::media {

namespace {

using Bytes = std::span<const uint8_t>;
// receives a NAL unit, beginning with its header
using UnitVisitor = std::function<void(Bytes unit)>;

// Visits the NAL units of a byte stream with start codes 00 00 01 (ITU-T H.264, annex B).
void visit_byte_stream(Bytes data, const UnitVisitor& visit) {
  size_t begin = data.size();
  for (size_t i = 0; i + 3 <= data.size(); i++) {
    if (data[i] != 0 || data[i + 1] != 0 || data[i + 2] != 1) continue;
    if (begin < i) visit(data.subspan(begin, i - begin));
    begin = i + 3;
    i += 2;
  }
  if (begin < data.size()) visit(data.subspan(begin));
}

// Visits NAL units that are preceded by their lengths (ISO/IEC 14496-15).
void visit_lengths(Bytes data, size_t length_bytes, const UnitVisitor& visit) {
  while (data.size() > length_bytes) {
    size_t length = 0;
    for (size_t i = 0; i < length_bytes; i++) length = length << 8 | data[i];
    data = data.subspan(length_bytes);
    if (length == 0 || length > data.size()) return;
    visit(data.first(length));
    data = data.subspan(length);
  }
}

// Reads bits and Exp-Golomb codes. Past the end, bits are zero.
class BitReader {
 public:
  explicit BitReader(Bytes data) : data_(data) {}
  unsigned bits(int count) {
    unsigned value = 0;
    for (; count > 0; count--, at_++)
      value = value << 1 | (at_ / 8 < data_.size() ? data_[at_ / 8] >> (7 - at_ % 8) & 1u : 0u);
    return value;
  }
  unsigned exp_golomb() {
    int zeros = 0;
    while (zeros < 31 && bits(1) == 0) zeros++;
    return (1u << zeros) - 1 + bits(zeros);
  }

 private:
  Bytes data_;
  size_t at_ = 0;
};

// Returns true for a recovery point with recovery_frame_cnt == 0, exact_match_flag and no
// broken_link_flag (H.264 D.1.8).
bool recovers_at_once(Bytes sei) {
  size_t at = 1;
  const auto read_number = [&] {
    unsigned number = 0;
    while (at < sei.size() && sei[at] == 255) number += sei[at++];
    return at < sei.size() ? number + sei[at++] : number;
  };
  while (at + 2 < sei.size()) {
    const unsigned type = read_number();
    const unsigned size = read_number();
    if (at + size > sei.size()) return false;
    if (type == 6) {
      BitReader reader(sei.subspan(at, size));
      const unsigned frames = reader.exp_golomb();
      const bool exact = reader.bits(1) != 0;
      const bool broken = reader.bits(1) != 0;
      return frames == 0 && exact && !broken;
    }
    at += size;
  }
  return false;
}

bool is_h264_random_access(Bytes data, Bytes extradata) {
  const bool with_lengths = extradata.size() > 4 && extradata[0] == 1;
  bool starts = false;
  bool parameters = with_lengths;
  const UnitVisitor visit = [&](Bytes unit) {
    const int type = unit[0] & 31;
    starts |= type == 5 || (type == 6 && recovers_at_once(unit));
    parameters |= type == 7;
  };
  with_lengths ? visit_lengths(data, (extradata[4] & 3u) + 1, visit) : visit_byte_stream(data, visit);
  return starts && parameters;
}

bool is_hevc_random_access(Bytes data, Bytes extradata) {
  const bool with_lengths = extradata.size() > 21 && extradata[0] == 1;
  bool starts = false;
  bool parameters = with_lengths;
  const UnitVisitor visit = [&](Bytes unit) {
    const int type = unit[0] >> 1 & 63;
    starts |= type >= 16 && type <= 21;
    parameters |= type == 33;
  };
  with_lengths ? visit_lengths(data, (extradata[21] & 3u) + 1, visit) : visit_byte_stream(data, visit);
  return starts && parameters;
}

bool has_sequence_header(Bytes data) {
  for (size_t i = 0; i + 4 <= data.size(); i++)
    if (data[i] == 0 && data[i + 1] == 0 && data[i + 2] == 1) {
      if (data[i + 3] == 0xB3) return true;
      if (data[i + 3] == 0x00) return false;  // start of the picture
    }
  return false;
}

}  // namespace

bool is_random_access(const AVPacket& packet, const AVCodecParameters& parameters) {
  if (packet.size <= 0 || (packet.flags & AV_PKT_FLAG_CORRUPT) != 0) return false;
  const Bytes data(packet.data, size_t(packet.size));
  const Bytes extradata(parameters.extradata, size_t(parameters.extradata_size));
  const bool key = (packet.flags & AV_PKT_FLAG_KEY) != 0;
  switch (parameters.codec_id) {
    case AV_CODEC_ID_H264:
      return key && is_h264_random_access(data, extradata);
    case AV_CODEC_ID_HEVC:
      return key && is_hevc_random_access(data, extradata);
    case AV_CODEC_ID_MPEG1VIDEO:
    case AV_CODEC_ID_MPEG2VIDEO:
      return key && has_sequence_header(data);
    case AV_CODEC_ID_FFV1:
    case AV_CODEC_ID_VP8:
    case AV_CODEC_ID_VP9:
    case AV_CODEC_ID_AV1:
      return key;
    default:
      break;
  }
  const AVCodecDescriptor* descriptor = avcodec_descriptor_get(parameters.codec_id);
  return descriptor != nullptr && (descriptor->props & AV_CODEC_PROP_INTRA_ONLY) != 0;
}

}  // namespace weft::media
