// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/bloom_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace weft::filters::bloom {
namespace {

using Rgb = std::array<double, 3>;

StatusOr<GlareKernel> make_glare(const v1::BloomOptions& options, const BloomPictures& pictures,
                                 const GlarePlacement& placement) {
  if (pictures.kernel != nullptr) return place_glare(*pictures.kernel, placement);
  switch (options.glare()) {
    case v1::BLOOM_GLARE_GAUSSIAN:
      return make_gaussian({.sigma = options.gaussian_sigma()}, placement);
    case v1::BLOOM_GLARE_POWER:
      return make_power_law({.core = options.power_core(), .exponent = options.power_exponent()}, placement);
    case v1::BLOOM_GLARE_STREAK: {
      StreakGlare streak{.length = options.streak_length(), .width = options.streak_width()};
      if (options.kernel_colour() == v1::BLOOM_KERNEL_COLOUR_TINTED)
        streak.tint = {options.streak_red(), options.streak_green(), options.streak_blue()};
      return make_streak(streak, placement);
    }
    case v1::BLOOM_GLARE_APERTURE:
      return make_aperture_glare(aperture_of(options, pictures), placement);
    default:
      return invalid_argument("The option 'glare' has no meaning ({}); fill in the defaults first.",
                              int(options.glare()));
  }
}

// Merges the colours: the kernel becomes the luminance of its response to white.
void make_gray(BloomKernel& kernel) {
  const Rgb luminance = {0.2126, 0.7152, 0.0722};  // ITU-R BT.709
  Rgb share{};
  double centre = 0, scatter = 0;
  for (size_t c = 0; c < 3; c++) {
    share[c] = luminance[c] * kernel.scatter_weight[c];
    scatter += share[c];
    centre += luminance[c] * kernel.centre_weight[c];
  }
  for (size_t i = 0; i < kernel.rgba.size(); i += 4) {
    double sum = 0;
    for (size_t c = 0; c < 3; c++) sum += share[c] * double(kernel.rgba[i + c]);
    std::fill_n(&kernel.rgba[i], 3, scatter > 0 ? float(sum / scatter) : 0.0f);
  }
  kernel.centre_weight.fill(centre);
  kernel.scatter_weight.fill(scatter);
}

// Removes outer rows and columns that are entirely 0: they would only lengthen the transform.
void cut_black_sides(BloomKernel& kernel) {
  int left = kernel.centre_x, right = left, above = kernel.centre_y, below = above;
  for (int y = 0; y < kernel.height; y++)
    for (int x = 0; x < kernel.width; x++) {
      const float* pixel = &kernel.rgba[(size_t(y) * size_t(kernel.width) + size_t(x)) * 4];
      if (pixel[0] == 0 && pixel[1] == 0 && pixel[2] == 0) continue;
      left = std::min(left, x);
      right = std::max(right, x);
      above = std::min(above, y);
      below = std::max(below, y);
    }
  const size_t row = size_t(right - left + 1) * 4;
  for (int y = above; y <= below; y++)
    std::memmove(&kernel.rgba[size_t(y - above) * row],
                 &kernel.rgba[(size_t(y) * size_t(kernel.width) + size_t(left)) * 4], row * sizeof(float));
  kernel.width = right - left + 1;
  kernel.height = below - above + 1;
  kernel.centre_x -= left;
  kernel.centre_y -= above;
  kernel.rgba.resize(row * size_t(kernel.height));
}

bool has_one_shape(const BloomKernel& kernel) {
  for (size_t i = 0; i < kernel.rgba.size(); i += 4)
    if (kernel.rgba[i] != kernel.rgba[i + 1] || kernel.rgba[i] != kernel.rgba[i + 2]) return false;
  return true;
}

// Returns true if a pixel is not gray. `balanced`: the colours are first scaled to the same total
// light.
bool has_colours(const GlarePicture& picture, bool balanced) {
  constexpr double kSame = 1e-6;  // relative to the largest
  Rgb sum{}, scale = {1, 1, 1};
  for (size_t i = 0; i < picture.rgb.size(); i++) sum[i % 3] += picture.rgb[i];
  if (balanced)
    for (size_t c = 0; c < 3; c++) scale[c] = sum[c] != 0 ? sum[1] / sum[c] : 1;
  for (size_t i = 0; i + 2 < picture.rgb.size(); i += 3) {
    const Rgb pixel = {scale[0] * picture.rgb[i], scale[1] * picture.rgb[i + 1],
                       scale[2] * picture.rgb[i + 2]};
    const auto [least, most] = std::ranges::minmax(pixel);
    if (most - least > kSame * std::max(std::abs(least), std::abs(most))) return true;
  }
  return false;
}

// Returns the image itself as the kernel.
BloomKernel plain_kernel(const v1::BloomOptions& options, const GlarePicture& picture) {
  BloomKernel kernel;
  kernel.width = picture.width;
  kernel.height = picture.height;
  const GlarePoint centre = plain_centre(options, picture);
  kernel.centre_x = int(centre.x);
  kernel.centre_y = int(centre.y);
  kernel.rgba.resize(picture.rgb.size() / 3 * 4);
  for (size_t i = 0; i < picture.rgb.size(); i++) kernel.rgba[i / 3 * 4 + i % 3] = float(picture.rgb[i]);
  kernel.scatter_weight.fill(1);
  return kernel;
}

StatusOr<BloomKernel> glare_kernel(const v1::BloomOptions& options, const BloomPictures& pictures,
                                   int frame_width, int frame_height, const std::function<void()>& alive) {
  GlarePlacement placement = placement_of(options, pictures.kernel, frame_width, frame_height);
  placement.alive = &alive;
  ASSIGN_OR_RETURN(GlareKernel glare, make_glare(options, pictures, placement));
  BloomKernel kernel;
  kernel.width = kernel.height = glare.side();
  kernel.centre_x = kernel.centre_y = glare.radius;
  kernel.rgba = std::move(glare.rgba);
  kernel.centre_weight = glare.centre_weight;
  kernel.scatter_weight = glare.scatter_weight;
  return kernel;
}

}  // namespace

GlarePlacement placement_of(const v1::BloomOptions& options, const GlarePicture* picture, int frame_width,
                            int frame_height) {
  GlarePlacement placement;
  placement.radius = options.size() == 0 && picture != nullptr
                         ? std::max(picture->width, picture->height) / 2.0
                         : glare_radius(options.size(), frame_width, frame_height);
  // The kernel of a tiny picture is one pixel.
  placement.radius = std::max(placement.radius, 0.5);
  placement.rotation = options.rotation();
  placement.taper = options.taper();
  placement.cut = options.radius_cut();
  placement.keeps_tint = options.kernel_colour() != v1::BLOOM_KERNEL_COLOUR_BALANCED;
  if (options.has_centre_x())
    placement.centre = GlarePoint{options.centre_x() + 0.5, options.centre_y() + 0.5};
  return placement;
}

ApertureGlare aperture_of(const v1::BloomOptions& options, const BloomPictures& pictures) {
  ApertureGlare glare{.aperture = {.blades = options.blades(), .rounding = options.blade_rounding()},
                      .first_zero = options.dark_ring()};
  if (pictures.dirt != nullptr) glare.aperture.dirt = *pictures.dirt;
  return glare;
}

GlarePoint plain_centre(const v1::BloomOptions& options, const GlarePicture& picture) {
  const int x = picture.width / 2, y = picture.height / 2;
  return {options.has_centre_x() ? options.centre_x() : x, options.has_centre_y() ? options.centre_y() : y};
}

double BloomKernel::largest_sum() const {
  std::array<double, 4> sums{};
  for (size_t i = 0; i < rgba.size(); i++) sums[i % 4] += std::abs(double(rgba[i]));
  return std::ranges::max(sums);
}

StatusOr<BloomKernel> make_bloom_kernel(const v1::BloomOptions& options, const BloomPictures& pictures,
                                        int frame_width, int frame_height,
                                        const std::function<void()>& alive) {
  BloomKernel kernel;
  if (options.mode() == v1::BLOOM_MODE_CONVOLVE) {
    kernel = plain_kernel(options, *pictures.kernel);
  } else {
    ASSIGN_OR_RETURN(kernel, glare_kernel(options, pictures, frame_width, frame_height, alive));
  }
  if (options.kernel_colour() == v1::BLOOM_KERNEL_COLOUR_GRAY) make_gray(kernel);
  cut_black_sides(kernel);
  kernel.is_gray = has_one_shape(kernel);
  return kernel;
}

bool has_coloured_glow(const v1::BloomOptions& options, const BloomPictures& pictures) {
  if (options.method() == v1::BLOOM_METHOD_DUAL) return false;
  if (options.kernel_colour() == v1::BLOOM_KERNEL_COLOUR_GRAY) return false;
  const bool balanced = options.mode() != v1::BLOOM_MODE_CONVOLVE &&
                        options.kernel_colour() == v1::BLOOM_KERNEL_COLOUR_BALANCED;
  if (pictures.kernel != nullptr) return has_colours(*pictures.kernel, balanced);
  if (options.glare() == v1::BLOOM_GLARE_APERTURE) return true;
  return options.glare() == v1::BLOOM_GLARE_STREAK && !balanced &&
         (options.streak_red() != options.streak_green() || options.streak_red() != options.streak_blue());
}

std::string bloom_kernel_key(const v1::BloomOptions& options, const BloomPictures& pictures, int frame_width,
                             int frame_height) {
  v1::BloomOptions shape = options;
  // These options change the use of the kernel, not the kernel. The content of the images counts,
  // not their paths.
  shape.clear_kernel();
  shape.clear_dirt();
  shape.clear_preset();
  shape.clear_intensity();
  shape.clear_scatter();
  shape.clear_spike();
  shape.clear_energy();
  shape.clear_threshold();
  shape.clear_knee();
  shape.clear_clamp();
  shape.clear_intermediates();
  std::string key = shape.SerializeAsString();
  key += fmt::format("|{}x{}", frame_width, frame_height);
  for (const GlarePicture* picture : {pictures.kernel, pictures.dirt}) {
    if (picture == nullptr) {
      key += "|-";
      continue;
    }
    key += fmt::format("|{}x{}:", picture->width, picture->height);
    // Two sums of 64 bits over all words, in the manner of FNV-1a (Fowler, Noll, Vo) with other odd
    // factors.
    uint64_t one = 0xcbf29ce484222325, other = 0x9e3779b97f4a7c15;
    for (const double value : picture->rgb) {
      const auto bits = std::bit_cast<uint64_t>(value);
      one = (one ^ bits) * 0x9fb21c651e98df25;
      one ^= one >> 32;
      other = (other + bits) * 0xd6e8feb86659fd93;
      other ^= other >> 29;
    }
    key += fmt::format("{:016x}{:016x}", one, other);
  }
  return key;
}

}  // namespace weft::filters::bloom
