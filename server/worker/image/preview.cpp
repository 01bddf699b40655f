// SPDX-License-Identifier: Apache-2.0
#include "server/worker/image/preview.h"

#include <algorithm>
#include <cmath>

#include "server/media/image/image_file.h"

namespace weft::worker {
namespace {

constexpr int kGap = 8;  // pixels between the two

void put(const media::Image& from, media::Image& to, int column) {
  for (int y = 0; y < from.facts.data.height; y++)
    for (int i = 0; i < from.facts.data.width * 4; i++)
      to.float_samples()[size_t(y) * size_t(to.facts.data.width) * 4 + size_t(column * 4 + i)] =
          from.sample(size_t(y) * size_t(from.facts.data.width) * 4 + size_t(i));
}

}  // namespace

StatusOr<std::string> preview_of(const media::Image& image, double stops) {
  return media::encode_preview(image, kPreviewSide, std::exp2(stops));
}

StatusOr<std::string> beside_each_other(const std::string& left, const std::string& right) {
  ASSIGN_OR_RETURN(const media::Image one, media::read_image(left, "left", {}));
  ASSIGN_OR_RETURN(const media::Image other, media::read_image(right, "right", {}));
  media::ImageFacts facts;
  facts.bit_depth = 8;
  facts.data = {0, 0, one.facts.data.width + kGap + other.facts.data.width,
                std::max(one.facts.data.height, other.facts.data.height)};
  facts.display = facts.data;
  ASSIGN_OR_RETURN(media::Image both, media::make_image(facts));
  std::fill(both.float_samples().begin(), both.float_samples().end(), 1.0f);
  put(one, both, 0);
  put(other, both, one.facts.data.width + kGap);
  return media::encode_preview(both, both.facts.data.width, 1);
}

}  // namespace weft::worker
