// SPDX-License-Identifier: Apache-2.0
// Turns pictures to the orientation for display (TIFF 6.0, tag 274).
#include <cstring>
#include <utility>

#include "server/media/image/exif.h"
#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"

namespace weft::media {

namespace {

// Maps a displayed position to the stored pixel.
struct PixelTurn {
  bool swaps = false;       // stored rows are displayed as columns
  bool from_right = false;  // the stored column counts from the right
  bool from_below = false;
};

PixelTurn turn_of(int orientation) {
  constexpr PixelTurn kTurns[] = {{false, false, false}, {false, true, false}, {false, true, true},
                                  {false, false, true},  {true, false, false}, {true, false, true},
                                  {true, true, true},    {true, true, false}};
  return kTurns[orientation >= 1 && orientation <= 8 ? orientation - 1 : 0];
}

std::shared_ptr<const ImageMetadata> upright_metadata(const ImageMetadata& stored, const PixelTurn& turn) {
  auto metadata = std::make_shared<ImageMetadata>(stored);
  if (metadata->resolution && turn.swaps) std::swap(metadata->resolution->x, metadata->resolution->y);
  metadata->exif = with_orientation(std::move(metadata->exif), 1);
  return metadata;
}

}  // namespace

StatusOr<Image> upright(Image image) {
  if (image.info.orientation == 1) return image;
  return turned_upright(image);
}

bool swaps_sides(int orientation) { return turn_of(orientation).swaps; }

void copy_upright(const StoredPixels& stored, std::byte* target) {
  const PixelTurn turn = turn_of(stored.orientation);
  const int width = turn.swaps ? stored.height : stored.width,
            height = turn.swaps ? stored.width : stored.height;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++, target += stored.pixel_bytes) {
      const int column = turn.swaps ? y : x, row = turn.swaps ? x : y;
      const int64_t stored_x = turn.from_right ? stored.width - 1 - column : column;
      const int64_t stored_y = turn.from_below ? stored.height - 1 - row : row;
      std::memcpy(target, stored.bytes + size_t(stored_y * stored.width + stored_x) * stored.pixel_bytes,
                  stored.pixel_bytes);
    }
}

StatusOr<Image> turned_upright(const Image& image) {
  const PixelTurn turn = turn_of(image.info.orientation);
  const ImageWindow from = image.info.data;
  ImageInfo info = image.info;
  info.orientation = 1;
  if (turn.swaps) {
    info.data = {0, 0, from.height, from.width};
    info.pixel_aspect = 1 / info.pixel_aspect;
  }
  info.display = info.data;
  if (info.metadata) info.metadata = upright_metadata(*info.metadata, turn);
  ASSIGN_OR_RETURN(Image result, make_image(std::move(info)));
  const size_t bytes = image.info.samples == SampleType::kHalf ? 8 : 16;
  copy_upright({image.samples.get(), from.width, from.height, bytes, image.info.orientation},
               result.samples.get());
  return result;
}

}  // namespace weft::media
