// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/bloom_check.h"

#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/video_format.h"
#include "kernels/lang/registry.h"

namespace weft::filters::bloom {
namespace {

constexpr double kMostHalfLight = 65504;

bool is_dual(const v1::BloomOptions& options) { return options.method() == v1::BLOOM_METHOD_DUAL; }
bool is_plain(const v1::BloomOptions& options) { return options.mode() == v1::BLOOM_MODE_CONVOLVE; }

// Validation at submission is stricter (options/). This check rejects every value without a
// meaning.
BloomFault check_values(const v1::BloomOptions& options) {
  for (const auto& [name, value] :
       {std::pair{"mode", int(options.mode())}, std::pair{"method", int(options.method())},
        std::pair{"energy", int(options.energy())}, std::pair{"padding", int(options.padding())},
        std::pair{"kernel_colour", int(options.kernel_colour())}, std::pair{"glare", int(options.glare())},
        std::pair{"intermediates", int(options.intermediates())}})
    if (value == 0)
      return {name, invalid_argument("The option '{}' has no meaning ({}); fill in the defaults first.", name,
                                     value)};
  for (const auto& [name, value] :
       {std::pair{"intensity", options.intensity()}, std::pair{"scatter", options.scatter()},
        std::pair{"spike", options.spike()}, std::pair{"threshold", options.threshold()},
        std::pair{"knee", options.knee()}, std::pair{"clamp", options.clamp()}})
    if (!(value >= 0) || !std::isfinite(value))
      return {name, invalid_argument("The option '{}' ({:g}) is below 0 or no number.", name, value)};
  return {};
}

BloomFault check_energy(const v1::BloomOptions& options) {
  if (is_plain(options) || options.energy() != v1::BLOOM_ENERGY_CONSERVING) return {};
  if (options.intensity() > 1)
    return {
        "intensity",
        invalid_argument("A bloom that keeps the light cannot spread more than all of it (intensity {:g}, "
                         "at most 1); give less, or energy=additive.",
                         options.intensity())};
  if (options.scatter() > 0 || (options.spike() > 0 && !is_dual(options))) return {};
  return {
      "scatter",
      invalid_argument(
          "Neither the kernel's centre nor the rest of it has light left (scatter 0{}); give more scatter{}.",
          is_dual(options) ? "; the dual method has no centre" : ", spike 0",
          is_dual(options) ? "" : " or spike")};
}

BloomFault check_intermediates(const v1::BloomOptions& options) {
  if (options.intermediates() != v1::BLOOM_INTERMEDIATES_FP16) return {};
  if (is_dual(options))
    return {"intermediates",
            invalid_argument("The dual method has no transforms whose intermediates could be fp16; give "
                             "method=fft, or intermediates=fp32.")};
  if (options.clamp() <= kMostHalfLight) return {};
  return {"intermediates",
          invalid_argument("Light is too bright for intermediates of fp16 (clamp {:g}, at most {:g}); give "
                           "clamp={:g} or less, or intermediates=fp32.",
                           options.clamp(), kMostHalfLight, kMostHalfLight)};
}

BloomFault check_method(const v1::BloomOptions& options, const BloomPictures& pictures) {
  if (!is_dual(options)) {
    if (!options.suppress_fireflies()) return {};
    return {"suppress_fireflies",
            invalid_argument(
                "Only the dual method weighs fireflies down; give clamp=VALUE instead, or method=dual.")};
  }
  if (is_plain(options) || pictures.kernel != nullptr)
    return {"method",
            invalid_argument("The dual method has a shape of its own and convolves with no kernel; give "
                             "method=fft.")};
  if (options.size() > 0) return {};
  return {"size", invalid_argument("The dual method needs a size above 0; give size=1.")};
}

Status check_picture(std::string_view what, const GlarePicture& picture) {
  if (picture.width < 1 || picture.height < 1 ||
      picture.rgb.size() != size_t(picture.width) * size_t(picture.height) * 3)
    return invalid_argument("The image of the {} ({}x{}) has no pixels.", what, picture.width,
                            picture.height);
  for (const double value : picture.rgb)
    if (!std::isfinite(value)) return invalid_argument("The image of the {} holds {:g}.", what, value);
  return ok_status();
}

BloomFault check_centre(const v1::BloomOptions& options) {
  if (options.has_centre_x() == options.has_centre_y()) return {};
  return {options.has_centre_x() ? "centre_x" : "centre_y",
          invalid_argument("A kernel's centre needs both its column and its row; give both or neither.")};
}

BloomFault check_plain_kernel(const v1::BloomOptions& options, const GlarePicture* picture) {
  if (picture == nullptr)
    return {"kernel", invalid_argument("The mode convolve needs the image of a kernel; give kernel=FILE.")};
  for (const auto& [name, value, as_it_is] :
       {std::tuple("size", options.size(), 0), std::tuple("rotation", options.rotation(), 0),
        std::tuple("radius_cut", options.radius_cut(), 1), std::tuple("taper", options.taper(), 0),
        std::tuple("scatter", options.scatter(), 1), std::tuple("spike", options.spike(), 1)})
    if (value != as_it_is)
      return {
          name,
          invalid_argument(
              "The mode convolve takes the kernel as it is; leave size, rotation, radius-cut, taper, scatter "
              "and spike out, or use the mode bloom.")};
  if (Status status = check_picture("kernel", *picture); !status.ok()) return {"kernel", std::move(status)};
  const auto [x, y] = plain_centre(options, *picture);
  if (x == std::floor(x) && y == std::floor(y) && x >= 0 && y >= 0 && x < picture->width &&
      y < picture->height)
    return {};
  return {"centre_x", invalid_argument("The kernel's centre ({:g}, {:g}) is no pixel of its image ({}x{}).",
                                       x, y, picture->width, picture->height)};
}

BloomFault check_aperture_of(const v1::BloomOptions& options, const BloomPictures& pictures) {
  if (pictures.dirt != nullptr)
    if (Status status = check_picture("dirt", *pictures.dirt); !status.ok())
      return {"dirt", std::move(status)};
  if (Status status = check_aperture(aperture_of(options, {})); !status.ok())
    return {"blades", std::move(status)};
  return {"dirt", check_aperture(aperture_of(options, pictures))};
}

BloomFault check_glare(const v1::BloomOptions& options, const BloomPictures& pictures, int frame_width,
                       int frame_height) {
  const GlarePicture* kernel = pictures.kernel;
  if (options.size() == 0 && kernel == nullptr)
    return {"size",
            invalid_argument("A kernel that is made needs a size above 0; give size=1, or an image by "
                             "kernel=FILE.")};
  const GlarePlacement placement = placement_of(options, kernel, frame_width, frame_height);
  if (Status status = check_placement(placement); !status.ok())
    return {options.size() > 0 ? "size" : "kernel", std::move(status)};
  if (kernel == nullptr)
    return options.glare() == v1::BLOOM_GLARE_APERTURE ? check_aperture_of(options, pictures) : BloomFault{};
  if (Status status = check_light(*kernel, placement.keeps_tint); !status.ok())
    return {"kernel", std::move(status)};
  return {placement.centre ? "centre_x" : "size", check_bounds(*kernel, placement)};
}

// Reports at submission the error that every device would report.
BloomFault check_kernels() {
  const std::string fault = kernels::why_not_opened("bloom/");
  return {"", fault.empty() ? ok_status() : failed_precondition("{}", fault)};
}

BloomFault check_frame(int width, int height) {
  if (width >= 1 && height >= 1 && width <= kMaxPictureSide && height <= kMaxPictureSide) return {};
  return {"",
          invalid_argument("The picture ({}x{}) is outside what bloom takes (1 to {} in either direction).",
                           width, height, kMaxPictureSide)};
}

}  // namespace

BloomFault check_bloom(const v1::BloomOptions& options, const BloomPictures& pictures, int frame_width,
                       int frame_height) {
  BloomFault fault = check_kernels();
  if (fault.ok()) fault = check_values(options);
  if (fault.ok()) fault = check_frame(frame_width, frame_height);
  if (fault.ok()) fault = check_energy(options);
  if (fault.ok()) fault = check_intermediates(options);
  if (fault.ok()) fault = check_method(options, pictures);
  if (!fault.ok() || is_dual(options)) return fault;
  fault = check_centre(options);
  if (!fault.ok()) return fault;
  return is_plain(options) ? check_plain_kernel(options, pictures.kernel)
                           : check_glare(options, pictures, frame_width, frame_height);
}

}  // namespace weft::filters::bloom
