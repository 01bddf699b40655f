// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/duration_bits.h"

#include <algorithm>
#include <cmath>

namespace weft::media {

namespace {

constexpr double kQuantisersOfHalf = 6;  // that halve the bits
constexpr int kFraction = 1 << 16;       // denominator of an offset

// Attaches an offset of the whole picture. FFmpeg counts offsets in parts of the range of
// quantisers (AVRegionOfInterest), which has 51 steps for 8 bits and 6 more for each further bit.
Status attach_offset(AVFrame& frame, double quantisers) {
  AVFrameSideData* const data =
      av_frame_new_side_data(&frame, AV_FRAME_DATA_REGIONS_OF_INTEREST, sizeof(AVRegionOfInterest));
  if (data == nullptr) return resource_exhausted("There is no memory for the quantiser of a frame.");
  const AVPixFmtDescriptor* const format = av_pix_fmt_desc_get(AVPixelFormat(frame.format));
  const double range = 51 + kQuantisersOfHalf * (format->comp[0].depth - 8);
  AVRegionOfInterest region{};
  region.self_size = sizeof(region);
  region.bottom = frame.height;
  region.right = frame.width;
  region.qoffset = {int(std::lround(quantisers / range * kFraction)), kFraction};
  *reinterpret_cast<AVRegionOfInterest*>(data->data) = region;
  return ok_status();
}

}  // namespace

double DurationBits::factor(double mean_duration) const {
  return std::max((mean_duration / double(least_duration_) - 1) * weight_ + 1, 1.0);
}

Status DurationBits::add(FramePtr frame, int64_t duration, const Send& send) {
  block_.emplace_back(std::move(frame), duration);
  return block_.size() == size_t{kBlock} ? flush(send) : ok_status();
}

Status DurationBits::flush(const Send& send) {
  if (block_.empty()) return ok_status();
  double duration = 0;
  for (const auto& [frame, own] : block_) duration += double(own);
  const double offset = -kQuantisersOfHalf * std::log2(factor(duration / double(block_.size())));
  for (; !block_.empty(); block_.pop_front()) {
    // x265 3.5 keeps no room for offsets in a picture that had none, and reuses pictures: each gets
    // one, also 0.
    RETURN_IF_ERROR(attach_offset(*block_.front().first, offset));
    RETURN_IF_ERROR(send(*block_.front().first));
  }
  return ok_status();
}

}  // namespace weft::media
