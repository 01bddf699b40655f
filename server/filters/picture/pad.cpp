// SPDX-License-Identifier: Apache-2.0
// Registers pad, which places pictures on larger ones.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "kernels/lang/lang.h"
#include "server/filters/nodes/place_node.h"
#include "server/filters/picture/colour_matrix.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters::registered {
namespace {

using Bytes = std::vector<std::byte>;

template <class Sample>
void append(Bytes& bytes, Sample sample) {
  bytes.resize(bytes.size() + sizeof(sample));
  std::memcpy(bytes.data() + bytes.size() - sizeof(sample), &sample, sizeof(sample));
}

// Returns red, green and blue from 0 to 1.
StatusOr<Triple> parse_colour(const FilterContext& context, std::string_view text) {
  uint32_t number = text == "gray" ? 0x808080 : text == "white" ? 0xffffff : 0;
  if (text != "black" && text != "gray" && text != "white") {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    if (error != std::errc() || end != text.data() + text.size() || text.size() != 6)
      return context.blame(
          "colour", invalid_argument(
                        "'{}' is not a colour; write black, gray, white, or six hexadecimal digits of red, "
                        "green and blue, such as 203040.",
                        text));
  }
  return Triple{double(number >> 16) / 255, double(number >> 8 & 255) / 255, double(number & 255) / 255};
}

// Returns one sample for each plane.
StatusOr<Bytes> fill_of_video(const FilterContext& context, const Triple& rgb, const VideoFormat& format,
                              const VideoColour& colour) {
  // A gray has the same code values under every matrix.
  const bool is_gray = rgb[0] == rgb[1] && rgb[1] == rgb[2];
  const StatusOr<MatrixWeights> weights =
      is_gray ? MatrixWeights{0.299, 0.114} : matrix_weights(colour, format.height);
  RETURN_IF_ERROR(context.blame("colour", weights.status()));
  const Triple values = from_rgb(*weights, rgb);
  const CodeRange range = code_range(colour.is_full_range, format.bit_depth);
  Bytes bytes;
  for (size_t plane = 0; plane < 3; plane++) {
    const double code =
        plane == 0 ? range.offset + values[0] * range.luma : range.middle + values[plane] * range.chroma;
    const long sample = std::clamp(std::lround(code), 0L, (1L << format.bit_depth) - 1);
    if (format.sample_bytes() == 1)
      append(bytes, uint8_t(sample));
    else
      append(bytes, uint16_t(sample));
  }
  return bytes;
}

// Returns an opaque pixel of linear light, by the curve of sRGB (IEC 61966-2-1).
Bytes fill_of_image(const Triple& rgb, PixelType type) {
  Bytes bytes;
  for (const double value : {rgb[0], rgb[1], rgb[2], -1.0}) {
    const double light = value < 0          ? 1
                         : value <= 0.04045 ? value / 12.92
                                            : std::pow((value + 0.055) / 1.055, 2.4);
    if (type == PixelType::kHalf)
      append(bytes, kernels::half(float(light)));
    else
      append(bytes, float(light));
  }
  return bytes;
}

StatusOr<Port> expand(const FilterContext& context, const v1::Pad& options, Network& network, Port input) {
  const PortFormat format = network.format(input);
  const Size from = size_of(format), steps = steps_of(format, network.properties(input).interlaced);
  const StatusOr<Size> size = parse_size(options.size());
  RETURN_IF_ERROR(context.blame("size", size.status()));
  if (size->width < from.width || size->height < from.height)
    return context.blame(
        "size",
        invalid_argument("The new picture ({}x{}) is smaller than the one to be put on it ({}x{}); crop or "
                         "resize that first.",
                         size->width, size->height, from.width, from.height));
  const auto x = place_in(size->width, from.width, options.has_x() ? options.x() : -1, steps.width, "x");
  RETURN_IF_ERROR(context.blame("x", x.status()));
  const auto y = place_in(size->height, from.height, options.has_y() ? options.y() : -1, steps.height, "y");
  RETURN_IF_ERROR(context.blame("y", y.status()));
  ASSIGN_OR_RETURN(const Triple rgb, parse_colour(context, options.colour()));
  Bytes fill;
  if (format.kind == PortKind::kPixels) {
    fill = fill_of_image(rgb, format.pixels);
  } else {
    ASSIGN_OR_RETURN(fill, fill_of_video(context, rgb, format.video, network.properties(input).colour));
  }
  ASSIGN_OR_RETURN(const Port result, add_placing(context, network, input, "pad", {*size, *x, *y, fill}));
  PictureProperties properties = network.properties(result);
  properties.gray = properties.gray && rgb[0] == rgb[1] && rgb[1] == rgb[2];
  network.set_properties(result, properties);
  return result;
}

constexpr Case kCases[] = {
    {"size: '120x101'", {97, 65, Chroma::k420, 8}},
    {"size: '64x50' x: 0 y: 1 colour: 'gray'", {64, 48, Chroma::k422, 10}},
    {"size: '150x70' x: 31 y: 0 colour: '20c3fA'", {37, 50, Chroma::k444, 16}},
};

}  // namespace

extern const Registration kPad;
const Registration kPad = registration<v1::Pad, expand>({.takes_images = true}, kCases);

}  // namespace weft::filters::registered
