// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/pictures/picture_changes.h"

#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace weft::media {

namespace {

constexpr size_t kMostTexts = 12;

// Of the picture, width to height; 0/1: unknown.
Ratio aspect_of(const PictureLook& look) {
  const int64_t num = int64_t{look.width} * look.pixel_aspect.num;
  const int64_t den = int64_t{look.height} * look.pixel_aspect.den;
  const int64_t divisor = std::gcd(num, den);
  if (num <= 0 || divisor == 0) return {};
  return {int(num / divisor), int(den / divisor)};
}

std::string text_of_aspect(const PictureLook& look) {
  const Ratio aspect = aspect_of(look);
  if (!aspect.known()) return "unknown";
  return fmt::format("{}:{} (pixels {}:{})", aspect.num, aspect.den, look.pixel_aspect.num,
                     look.pixel_aspect.den);
}

std::string text_of(const Colour& colour) {
  const char* const range = colour.range == Colour::Range::kFull      ? "full"
                            : colour.range == Colour::Range::kLimited ? "limited"
                                                                      : "unknown";
  return fmt::format("primaries {}, transfer {}, matrix {}, range {}, chroma location {}", colour.primaries,
                     colour.transfer, colour.matrix, range, colour.chroma_location);
}

}  // namespace

void PictureChanges::look(const PictureLook& look, int64_t index, double seconds) {
  if (std::exchange(is_lost_, false)) first_ = now_ = look;
  if (look == now_) return;
  const auto add = [&](std::string what) {
    if (texts_.size() < kMostTexts)
      texts_.push_back(fmt::format("From frame {} ({:.3f} s) on {}", index, seconds, what));
    if (texts_.size() == kMostTexts - 1) texts_.push_back("More changes may follow; they are not listed.");
  };
  const bool is_other_size = look.width != now_.width || look.height != now_.height;
  if (is_other_size && splits_) first_ = now_ = look;  // whoever begins another output tells of it
  if (is_other_size && !splits_)
    add(fmt::format("pictures are {}x{}, before it {}x{}.", look.width, look.height, now_.width,
                    now_.height));
  if (aspect_of(look) != aspect_of(now_))
    add(fmt::format("the picture's aspect is {}, before it {}; the output says the first for all, {}.",
                    text_of_aspect(look), text_of_aspect(now_), text_of_aspect(first_)));
  if (look.colour != now_.colour)
    add(fmt::format("the colours are {}, before it {}; the output says those of the first frame for all.",
                    text_of(look.colour), text_of(now_.colour)));
  now_ = look;
}

}  // namespace weft::media
