// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/glare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string_view>

namespace weft::filters::bloom {

namespace {

using Rgb = std::array<double, 3>;
constexpr Rgb kLuminance = {0.2126, 0.7152, 0.0722};  // ITU-R BT.709

double luminance(const double* rgb) {
  return kLuminance[0] * rgb[0] + kLuminance[1] * rgb[1] + kLuminance[2] * rgb[2];
}

Status check_positive(std::string_view what, double value) {
  if (value > 0 && std::isfinite(value)) return ok_status();
  return invalid_argument("The kernel's {} ({:g}) is not above 0.", what, value);
}

// Returns 1 inside, 0 from `radius` on, and half a cosine between.
double window(double distance, double radius, double taper) {
  const double inner = radius * (1 - taper);
  if (distance <= inner) return 1;
  if (distance >= radius) return 0;
  return 0.5 + 0.5 * std::cos(std::numbers::pi * (distance - inner) / (radius - inner));
}

// A kernel under construction: doubles, with the light of the centre kept separately.
struct GlareDraft {
  int radius = 0;
  std::vector<double> rgb{};
  Rgb centre{};

  explicit GlareDraft(double pixels) : radius(int(std::ceil(pixels))) {
    rgb.resize(size_t(side()) * size_t(side()) * 3);
  }
  int side() const { return 2 * radius + 1; }
  double* at(int x, int y) { return &rgb[(size_t(y + radius) * size_t(side()) + size_t(x + radius)) * 3]; }
};

void row_is_made(const GlarePlacement& placement) {
  if (placement.alive != nullptr && *placement.alive) (*placement.alive)();
}

void apply_window(const GlarePlacement& placement, GlareDraft& draft) {
  if (placement.taper == 0) return;
  for (int y = -draft.radius; y <= draft.radius; y++) {
    for (int x = -draft.radius; x <= draft.radius; x++)
      for (size_t c = 0; c < 3; c++)
        draft.at(x, y)[c] *= window(std::hypot(x, y), placement.radius * placement.cut, placement.taper);
    row_is_made(placement);
  }
}

// Checks the light of each colour, `sum`.
Status check_colours(const Rgb& sum, bool keeps_tint) {
  constexpr std::array<std::string_view, 3> kColours = {"red", "green", "blue"};
  if (!(luminance(sum.data()) > 0))
    return invalid_argument("The kernel has no light; there is nothing to spread.");
  for (size_t c = 0; c < 3 && !keeps_tint; c++)
    if (!(sum[c] > 0))
      return invalid_argument(
          "The kernel has no light in {}, and each colour is to keep its own; give kernel-colour=tinted or "
          "gray.",
          kColours[c]);
  return ok_status();
}

StatusOr<GlareKernel> finish(const GlarePlacement& placement, GlareDraft draft) {
  apply_window(placement, draft);
  Rgb scatter{};
  for (size_t i = 0; i < draft.rgb.size(); i++) scatter[i % 3] += draft.rgb[i];
  Rgb total{};
  for (size_t c = 0; c < 3; c++) total[c] = scatter[c] + draft.centre[c];
  RETURN_IF_ERROR(check_colours(total, placement.keeps_tint));
  if (placement.keeps_tint) total.fill(luminance(total.data()));
  GlareKernel kernel;
  kernel.radius = draft.radius;
  for (size_t c = 0; c < 3; c++) {
    if (!std::isfinite(total[c])) return invalid_argument("The kernel's light has no finite sum.");
    kernel.centre_weight[c] = draft.centre[c] / total[c];
    kernel.scatter_weight[c] = scatter[c] / total[c];
  }
  kernel.rgba.resize(draft.rgb.size() / 3 * 4);
  for (size_t i = 0; i < draft.rgb.size(); i++)
    if (scatter[i % 3] > 0) kernel.rgba[i / 3 * 4 + i % 3] = float(draft.rgb[i] / scatter[i % 3]);
  return kernel;
}

// Moves the middle pixel's excess over its neighbours to the centre.
void split_centre(GlareDraft& draft) {
  if (draft.radius == 0) return;
  for (size_t c = 0; c < 3; c++) {
    double around = 0;
    for (int y = -1; y <= 1; y++)
      for (int x = -1; x <= 1; x++)
        if (x != 0 || y != 0) around = std::max(around, draft.at(x, y)[c]);
    double& middle = draft.at(0, 0)[c];
    draft.centre[c] = std::max(middle - around, 0.0);
    middle -= draft.centre[c];
  }
}

// Computes the mean of a function over each pixel, with more samples where the function may be
// steep. `shape` receives positions as fractions of the radius.
StatusOr<GlareKernel> draw(const GlarePlacement& placement, const Rgb& tint,
                           const std::function<double(double, double)>& shape) {
  GlareDraft draft(placement.radius * placement.cut);
  for (int y = -draft.radius; y <= draft.radius; y++) {
    for (int x = -draft.radius; x <= draft.radius; x++) {
      const int steps = std::clamp(int(64 / (1 + std::hypot(x, y))), 4, 64);
      double sum = 0;
      for (int i = 0; i < steps * steps; i++) {
        const double dx = (i % steps + 0.5) / steps - 0.5;
        const double dy = (i / steps + 0.5) / steps - 0.5;  // NOLINT(bugprone-integer-division)
        sum += shape((x + dx) / placement.radius, (y + dy) / placement.radius);
      }
      for (size_t c = 0; c < 3; c++) draft.at(x, y)[c] = tint[c] * sum / (steps * steps);
    }
    row_is_made(placement);
  }
  split_centre(draft);
  return finish(placement, std::move(draft));
}

GlarePoint brightest(const GlarePicture& picture) {
  const auto from_middle = [&](size_t pixel) {
    const size_t row = pixel / size_t(picture.width), column = pixel % size_t(picture.width);
    const double x = double(column) - (picture.width - 1) / 2.0;
    const double y = double(row) - (picture.height - 1) / 2.0;
    return x * x + y * y;
  };
  size_t best = 0;
  for (size_t pixel = 1; pixel < picture.rgb.size() / 3; pixel++) {
    const double here = luminance(&picture.rgb[pixel * 3]), there = luminance(&picture.rgb[best * 3]);
    if (here > there || (here == there && from_middle(pixel) < from_middle(best))) best = pixel;
  }
  const size_t row = best / size_t(picture.width), column = best % size_t(picture.width);
  return {double(column) + 0.5, double(row) + 0.5};
}

// Removes the excess over the surroundings in the area of a frame pixel around the centre, and
// returns the removed light.
Rgb take_centre(GlarePicture& picture, const GlarePoint& centre, double footprint) {
  const double half = std::max(footprint, 1.0) / 2;
  Rgb around{}, taken{};
  const auto visit = [&](auto use) {
    for (int y = int(std::floor(centre.y - half - 1)); y <= int(std::ceil(centre.y + half + 1)); y++)
      for (int x = int(std::floor(centre.x - half - 1)); x <= int(std::ceil(centre.x + half + 1)); x++) {
        if (x < 0 || y < 0 || x >= picture.width || y >= picture.height) continue;
        const double away = std::max(std::abs(x + 0.5 - centre.x), std::abs(y + 0.5 - centre.y));
        double* pixel = &picture.rgb[(size_t(y) * size_t(picture.width) + size_t(x)) * 3];
        for (size_t c = 0; c < 3; c++) use(away, pixel[c], c);
      }
  };
  visit([&](double away, double& value, size_t c) {
    if (away > half && away <= half + 1) around[c] = std::max(around[c], value);
  });
  visit([&](double away, double& value, size_t c) {
    if (away > half || value <= around[c]) return;
    taken[c] += value - around[c];
    value = around[c];
  });
  return taken;
}

// Averages areas of `scale` by `scale` pixels, with one area centred on `centre`. Sets `centre` to
// its position in the result, the middle of a pixel.
GlarePicture shrink(const GlarePicture& picture, GlarePoint& centre, double scale) {
  const int left = int(std::ceil(centre.x / scale - 0.5)),
            right = int(std::ceil((picture.width - centre.x) / scale - 0.5));
  const int above = int(std::ceil(centre.y / scale - 0.5)),
            below = int(std::ceil((picture.height - centre.y) / scale - 0.5));
  GlarePicture result{left + right + 1, above + below + 1, {}};
  result.rgb.resize(size_t(result.width) * size_t(result.height) * 3);
  const auto overlap = [](int pixel, double begin, double end) {
    return std::max(0.0, std::min(pixel + 1.0, end) - std::max(double(pixel), begin));
  };
  for (int y = 0; y < result.height; y++)
    for (int x = 0; x < result.width; x++) {
      const double x_begin = centre.x + (x - left - 0.5) * scale,
                   y_begin = centre.y + (y - above - 0.5) * scale;
      double* target = &result.rgb[(size_t(y) * size_t(result.width) + size_t(x)) * 3];
      for (int v = std::max(0, int(y_begin)); v < std::min<double>(picture.height, y_begin + scale); v++)
        for (int u = std::max(0, int(x_begin)); u < std::min<double>(picture.width, x_begin + scale); u++) {
          const double area = overlap(u, x_begin, x_begin + scale) * overlap(v, y_begin, y_begin + scale);
          const double* source = &picture.rgb[(size_t(v) * size_t(picture.width) + size_t(u)) * 3];
          for (size_t c = 0; c < 3; c++) target[c] += source[c] * area / (scale * scale);
        }
    }
  centre = {left + 0.5, above + 0.5};
  return result;
}

// Interpolates bilinearly between the middles of pixels; the outside is black.
Rgb sample(const GlarePicture& picture, double x, double y) {
  const double left = std::floor(x - 0.5), above = std::floor(y - 0.5);
  Rgb result{};
  for (int corner = 0; corner < 4; corner++) {
    const double u = left + corner % 2, v = above + corner / 2;  // NOLINT(bugprone-integer-division)
    if (u < 0 || v < 0 || u >= picture.width || v >= picture.height) continue;
    const double weight = (1 - std::abs(x - 0.5 - u)) * (1 - std::abs(y - 0.5 - v));
    for (size_t c = 0; c < 3; c++)
      result[c] += weight * picture.rgb[(size_t(v) * size_t(picture.width) + size_t(u)) * 3 + c];
  }
  return result;
}

// Returns the distance from the centre to the farther end of a side. A centre at most half a pixel
// from the middle counts as the middle, because the brightest pixel of a side with an even number
// of pixels is half a pixel away from it.
double farther(double centre, int side) {
  const double aside = std::abs(centre - side / 2.0);
  return side / 2.0 + (aside <= 0.5 ? 0 : aside);
}

// Distances from the centre, in frame pixels.
struct Reach {
  double side = 0;    // to the farthest side of the image before rotation
  double corner = 0;  // to the farthest column or row of the rotated image
};

// Returns the image pixels per frame pixel.
double scale_of(const GlarePicture& picture, const GlarePlacement& placement) {
  return std::max(picture.width, picture.height) / (2 * placement.radius);
}

Reach reach_of(const GlarePicture& picture, const GlarePlacement& placement, const GlarePoint& centre) {
  constexpr double kRounding = 1e-9;  // rounding error of a right angle's cosine
  const double half = std::max(picture.width, picture.height) / 2.0;
  const double x = farther(centre.x, picture.width) / half * placement.radius;
  const double y = farther(centre.y, picture.height) / half * placement.radius;
  const double angle = placement.rotation * std::numbers::pi / 180;
  const double along = std::abs(std::cos(angle)), across = std::abs(std::sin(angle));
  const double corner = std::max(along * x + across * y, across * x + along * y);
  return {std::max(x, y), corner - kRounding};
}

}  // namespace

Status check_placement(const GlarePlacement& placement) {
  if (!(placement.radius >= 0.5 && placement.radius <= kMaxGlareRadius))
    return invalid_argument("The kernel's radius ({:g} pixels) is outside 0.5 to {:g}; change its size.",
                            placement.radius, kMaxGlareRadius);
  if (!(placement.taper >= 0 && placement.taper <= 1))
    return invalid_argument("The kernel's taper ({:g}) is outside 0 to 1.", placement.taper);
  if (!(placement.cut > 0 && placement.cut <= 1))
    return invalid_argument("The part of the kernel's radius that is kept ({:g}) is outside 0 to 1.",
                            placement.cut);
  if (!std::isfinite(placement.rotation))
    return invalid_argument("The kernel's rotation ({:g}) is no angle.", placement.rotation);
  return ok_status();
}

Status check_light(const GlarePicture& picture, bool keeps_tint) {
  if (picture.width < 1 || picture.height < 1 ||
      picture.rgb.size() != size_t(picture.width) * size_t(picture.height) * 3)
    return invalid_argument("The kernel's image ({}x{}) has no pixels.", picture.width, picture.height);
  for (const double value : picture.rgb)
    if (!(value >= 0) || !std::isfinite(value))
      return invalid_argument("The kernel's image holds {:g}; light is finite and not negative.", value);
  Rgb sum{};
  for (size_t i = 0; i < picture.rgb.size(); i++) sum[i % 3] += picture.rgb[i];
  return check_colours(sum, keeps_tint);
}

Status check_bounds(const GlarePicture& picture, const GlarePlacement& placement) {
  const GlarePoint centre = placement.centre.value_or(brightest(picture));
  if (!(centre.x >= 0 && centre.x <= picture.width && centre.y >= 0 && centre.y <= picture.height))
    return invalid_argument("The kernel's centre ({:g}, {:g}) is outside its image ({}x{}).", centre.x,
                            centre.y, picture.width, picture.height);
  const double corner = reach_of(picture, placement, centre).corner * placement.cut;
  if (corner <= kMaxGlareRadius) return ok_status();
  return invalid_argument(
      "The kernel reaches too far from its centre ({:g} pixels, at most {:g}); give a smaller size or "
      "radius-cut, or a centre nearer to its middle.",
      corner, kMaxGlareRadius);
}

double glare_radius(double size, int frame_width, int frame_height) {
  return size * std::min(frame_width, frame_height) / 2;
}

StatusOr<GlareKernel> place_glare(const GlarePicture& picture, const GlarePlacement& placement) {
  RETURN_IF_ERROR(check_placement(placement));
  RETURN_IF_ERROR(check_light(picture, placement.keeps_tint));
  RETURN_IF_ERROR(check_bounds(picture, placement));
  GlarePoint centre = placement.centre.value_or(brightest(picture));
  const Reach reach = reach_of(picture, placement, centre);
  GlarePlacement placed = placement;
  placed.radius = reach.side;
  double scale = scale_of(picture, placement);
  GlarePicture scattered = picture;
  const Rgb taken = take_centre(scattered, centre, scale);
  // The taper leaves a circle, so rotation does not enlarge the kernel.
  GlareDraft draft((placement.taper > 0 ? reach.side : reach.corner) * placement.cut);
  for (size_t c = 0; c < 3; c++) draft.centre[c] = taken[c] / (scale * scale);
  if (scale > 1) {
    scattered = shrink(scattered, centre, scale);
    scale = 1;
  }
  const double angle = placement.rotation * std::numbers::pi / 180;
  const double along = std::cos(angle) * scale, across = std::sin(angle) * scale;
  for (int y = -draft.radius; y <= draft.radius; y++) {
    for (int x = -draft.radius; x <= draft.radius; x++) {
      const Rgb value =
          sample(scattered, centre.x + along * x - across * y, centre.y + across * x + along * y);
      std::copy(value.begin(), value.end(), draft.at(x, y));
    }
    row_is_made(placement);
  }
  return finish(placed, std::move(draft));
}

StatusOr<GlareKernel> make_gaussian(const GaussianGlare& glare, const GlarePlacement& placement) {
  RETURN_IF_ERROR(check_placement(placement));
  RETURN_IF_ERROR(check_positive("sigma", glare.sigma));
  const double fall = 1 / (2 * glare.sigma * glare.sigma);
  return draw(placement, {1, 1, 1}, [=](double x, double y) { return std::exp(-(x * x + y * y) * fall); });
}

StatusOr<GlareKernel> make_power_law(const PowerLawGlare& glare, const GlarePlacement& placement) {
  RETURN_IF_ERROR(check_placement(placement));
  RETURN_IF_ERROR(check_positive("core", glare.core));
  RETURN_IF_ERROR(check_positive("exponent", glare.exponent));
  const double widths = 1 / (glare.core * glare.core);
  return draw(placement, {1, 1, 1}, [=, power = -glare.exponent / 2](double x, double y) {
    return std::pow(1 + (x * x + y * y) * widths, power);
  });
}

StatusOr<GlareKernel> make_streak(const StreakGlare& glare, const GlarePlacement& placement) {
  RETURN_IF_ERROR(check_placement(placement));
  RETURN_IF_ERROR(check_positive("length", glare.length));
  RETURN_IF_ERROR(check_positive("width", glare.width));
  for (const double part : glare.tint) RETURN_IF_ERROR(check_positive("tint", part));
  const double angle = placement.rotation * std::numbers::pi / 180;
  const double fall = 1 / (2 * glare.width * glare.width);
  return draw(placement, glare.tint, [=, right = std::cos(angle), up = std::sin(angle)](double x, double y) {
    const double along = x * right - y * up, across = x * up + y * right;  // y increases downwards
    return std::exp(-std::abs(along) / glare.length - across * across * fall);
  });
}

}  // namespace weft::filters::bloom
