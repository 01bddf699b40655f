// SPDX-License-Identifier: Apache-2.0
#include "server/worker/image/preview.h"

#include <algorithm>
#include <cmath>

#include "server/media/image/image_file.h"

namespace weft::worker {
namespace {

constexpr int kGap = 8;  // pixels between the two pictures

void put(const media::Image& from, media::Image& to, int column) {
  for (int y = 0; y < from.info.data.height; y++)
    for (int i = 0; i < from.info.data.width * 4; i++)
      to.float_samples()[size_t(y) * size_t(to.info.data.width) * 4 + size_t(column * 4 + i)] =
          from.sample(size_t(y) * size_t(from.info.data.width) * 4 + size_t(i));
}

}  // namespace

StatusOr<std::string> preview_of(const media::Image& image, double stops) {
  return media::encode_preview(image, kPreviewSide, std::exp2(stops));
}

StatusOr<std::string> beside_each_other(const std::string& left, const std::string& right) {
  ASSIGN_OR_RETURN(const media::Image one, media::read_image(left, "left", {}));
  ASSIGN_OR_RETURN(const media::Image other, media::read_image(right, "right", {}));
  media::ImageInfo info;
  info.bit_depth = 8;
  info.data = {0, 0, one.info.data.width + kGap + other.info.data.width,
               std::max(one.info.data.height, other.info.data.height)};
  info.display = info.data;
  ASSIGN_OR_RETURN(media::Image both, media::make_image(info));
  std::fill(both.float_samples().begin(), both.float_samples().end(), 1.0f);
  put(one, both, 0);
  put(other, both, one.info.data.width + kGap);
  return media::encode_preview(both, both.info.data.width, 1);
}

}  // namespace weft::worker
