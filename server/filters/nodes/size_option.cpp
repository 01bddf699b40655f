// SPDX-License-Identifier: Apache-2.0
#include "server/filters/nodes/size_option.h"

#include <charconv>
#include <cstdint>

namespace weft::filters {
namespace {

// Reads two numbers with an x between them. Returns false if the text has another form.
bool read_sides(std::string_view text, Size& size) {
  const char* const end = text.data() + text.size();
  const auto [middle, error] = std::from_chars(text.data(), end, size.width);
  if (error != std::errc() || middle == end || *middle != 'x') return false;
  const auto [last, second_error] = std::from_chars(middle + 1, end, size.height);
  return second_error == std::errc() && last == end;
}

Status check_size(const Size& size) {
  for (const int side : {size.width, size.height})
    if (side < 1 || side > kMaxPictureSide)
      return invalid_argument("The size is out of range ({}x{}, each side from 1 to {}).", size.width,
                              size.height, kMaxPictureSide);
  return ok_status();
}

Status no_size(std::string_view text) {
  return invalid_argument("'{}' is not a size; write it as 1280x720.", text);
}

// Returns the length of a side of `from` samples after the other side changes from `other_from` to
// `other`, rounded to the nearest multiple of `n`.
int kept_side(int other, int from, int other_from, int n) {
  const int64_t divisor = int64_t(other_from) * n;
  const int64_t multiples = (2 * int64_t(other) * from + divisor) / (2 * divisor);
  return int(std::min<int64_t>(multiples, kMaxPictureSide + 1)) * n;
}

}  // namespace

Size size_of(const PortFormat& format) {
  return format.kind == PortKind::kPicture ? Size{format.video.width, format.video.height}
                                           : Size{format.width, format.height};
}

PortFormat resized(PortFormat format, const Size& size) {
  (format.kind == PortKind::kPicture ? format.video.width : format.width) = size.width;
  (format.kind == PortKind::kPicture ? format.video.height : format.height) = size.height;
  return format;
}

StatusOr<Size> parse_size(std::string_view text) {
  Size size;
  if (!read_sides(text, size)) return no_size(text);
  RETURN_IF_ERROR(check_size(size));
  return size;
}

StatusOr<Size> parse_size(std::string_view text, const Size& from) {
  Size size;
  if (!read_sides(text, size)) return no_size(text);
  if (size.width < 0 && size.height < 0)
    return invalid_argument("Both sides of the size keep the aspect ratio ({}); give one of them.", text);
  for (const int side : {size.width, size.height})
    if (side < -kMaxPictureSide) return no_size(text);
  if (size.width < 0) size.width = kept_side(size.height, from.width, from.height, -size.width);
  if (size.height < 0) size.height = kept_side(size.width, from.height, from.width, -size.height);
  RETURN_IF_ERROR(check_size(size));
  return size;
}

StatusOr<int> place_in(int outer, int inner, int wanted, int step, std::string_view axis) {
  const int margin = outer - inner;
  if (wanted < 0) return margin / 2 / step * step;
  if (wanted > margin)
    return invalid_argument("The part reaches past the picture ({} is {}, at most {}).", axis, wanted,
                            margin);
  if (wanted % step == 0) return wanted;
  const int below = wanted / step * step, above = below + step;
  if (above > margin)
    return invalid_argument(
        "{} splits a chroma sample or a pair of fields ({}); {} is the nearest that does not.", axis, wanted,
        below);
  return invalid_argument(
      "{} splits a chroma sample or a pair of fields ({}); {} and {} are the nearest that do not.", axis,
      wanted, below, above);
}

Size steps_of(const PortFormat& format, bool interlaced) {
  if (format.kind != PortKind::kPicture) return {1, 1};
  return {columns_of_chroma(format.video.chroma), rows_of_chroma(format.video.chroma) * (interlaced ? 2 : 1)};
}

}  // namespace weft::filters
