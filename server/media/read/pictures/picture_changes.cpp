// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/pictures/picture_changes.h"

#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace weft::media {

namespace {

constexpr size_t kMostTexts = 12;

// Returns the picture's aspect ratio, width to height, or 0/1 if unknown.
Ratio aspect_of(const PictureFormat& format) {
  const int64_t num = int64_t{format.width} * format.pixel_aspect.num;
  const int64_t den = int64_t{format.height} * format.pixel_aspect.den;
  const int64_t divisor = std::gcd(num, den);
  if (num <= 0 || divisor == 0) return {};
  return {int(num / divisor), int(den / divisor)};
}

std::string text_of_aspect(const PictureFormat& format) {
  const Ratio aspect = aspect_of(format);
  if (!aspect.known()) return "unknown";
  return fmt::format("{}:{} (pixels {}:{})", aspect.num, aspect.den, format.pixel_aspect.num,
                     format.pixel_aspect.den);
}

std::string text_of(const Colour& colour) {
  const char* const range = colour.range == Colour::Range::kFull      ? "full"
                            : colour.range == Colour::Range::kLimited ? "limited"
                                                                      : "unknown";
  return fmt::format("primaries {}, transfer {}, matrix {}, range {}, chroma location {}", colour.primaries,
                     colour.transfer, colour.matrix, range, colour.chroma_location);
}

}  // namespace

void PictureChanges::observe(const PictureFormat& format, int64_t index, double seconds) {
  if (std::exchange(is_lost_, false)) first_ = now_ = format;
  if (format == now_) return;
  const auto add = [&](std::string what) {
    if (texts_.size() < kMostTexts)
      texts_.push_back(fmt::format("From frame {} ({:.3f} s) on {}", index, seconds, what));
    if (texts_.size() == kMostTexts - 1) texts_.push_back("More changes may follow; they are not listed.");
  };
  const bool is_other_size = format.width != now_.width || format.height != now_.height;
  // The consumer that begins another output reports the change.
  if (is_other_size && splits_) first_ = now_ = format;
  if (is_other_size && !splits_)
    add(fmt::format("pictures are {}x{}, before it {}x{}.", format.width, format.height, now_.width,
                    now_.height));
  if (aspect_of(format) != aspect_of(now_))
    add(fmt::format("the picture's aspect is {}, before it {}; the output says the first for all, {}.",
                    text_of_aspect(format), text_of_aspect(now_), text_of_aspect(first_)));
  if (format.colour != now_.colour)
    add(fmt::format("the colours are {}, before it {}; the output says those of the first frame for all.",
                    text_of(format.colour), text_of(now_.colour)));
  now_ = format;
}

}  // namespace weft::media
