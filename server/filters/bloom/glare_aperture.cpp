// SPDX-License-Identifier: Apache-2.0
// Computes diffraction at an opening: the mask, its Fourier transform, and the pattern in white
// light.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "server/filters/bloom/glare.h"

namespace weft::filters::bloom {

namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

constexpr int kPatternPoints = 1024;
constexpr int kPatternMiddle = kPatternPoints / 2;
constexpr int kEdgeSteps = 4;  // samples of a mask's pixel per axis
constexpr double kReferenceWavelength = 550;
constexpr double kFirstWavelength = 380, kLastWavelength = 780, kWavelengthStep = 10;

// Transforms `data` forward and in place, by splitting into even and odd positions (Cooley and
// Tukey, 1965). `size` is a power of two.
void transform(Complex* data, size_t size, size_t stride, std::vector<Complex>& line) {
  line.resize(size);
  const int bits = std::countr_zero(size);
  for (size_t i = 0; i < size; i++) {
    size_t reversed = 0;
    for (int bit = 0; bit < bits; bit++) reversed |= (i >> bit & 1) << (bits - 1 - bit);
    line[reversed] = data[i * stride];
  }
  for (size_t half = 1; half < size; half *= 2)
    for (size_t k = 0; k < half; k++) {
      const Complex turn = std::polar(1.0, -pi * double(k) / double(half));
      for (size_t i = k; i < size; i += 2 * half) {
        const Complex odd = line[i + half] * turn;
        line[i + half] = line[i] - odd;
        line[i] += odd;
      }
    }
  for (size_t i = 0; i < size; i++) data[i * stride] = line[i];
}

// Returns the opening's extent in a direction, at most 1.
double edge(const Aperture& aperture, double angle) {
  if (aperture.blades == 0) return 1;
  const double sector = 2 * pi / aperture.blades;
  const double turned = angle - aperture.rotation * pi / 180;
  // angle from the middle of a blade
  const double within = turned - sector * std::floor(turned / sector) - sector / 2;
  const double straight = std::cos(sector / 2) / std::cos(within);
  return straight + aperture.rounding * (1 - straight);
}

double dirt_at(const GlarePicture& dirt, double x, double y) {
  const int column = std::clamp(int((x + 1) / 2 * dirt.width), 0, dirt.width - 1);
  const int row = std::clamp(int((y + 1) / 2 * dirt.height), 0, dirt.height - 1);
  return std::clamp(dirt.rgb[(size_t(row) * size_t(dirt.width) + size_t(column)) * 3 + 1], 0.0, 1.0);
}

// Returns the transmission of a pixel of the mask. (x, y) is the middle of the pixel and `step` its
// side, in radii of the opening.
double transmission(const Aperture& aperture, double x, double y, double step) {
  if (std::hypot(x, y) > 1 + 2 * step) return 0;
  double sum = 0;
  for (int i = 0; i < kEdgeSteps * kEdgeSteps; i++) {
    const double u = x + ((i % kEdgeSteps + 0.5) / kEdgeSteps - 0.5) * step;
    const double v =
        y + ((i / kEdgeSteps + 0.5) / kEdgeSteps - 0.5) * step;  // NOLINT(bugprone-integer-division)
    if (std::hypot(u, v) > edge(aperture, std::atan2(-v, u))) continue;
    sum += aperture.dirt ? dirt_at(*aperture.dirt, u, v) : 1;
  }
  return sum / (kEdgeSteps * kEdgeSteps);
}

// A mask has `points` by `points` pixels.
double mask_at(const Aperture& aperture, int column, int row, int points) {
  const int middle = points / 2;
  const double step = 2.0 * kDiffractionPadding / points;
  return transmission(aperture, (column - middle) * step, (row - middle) * step, step);
}

Status no_light_through() { return invalid_argument("The aperture lets no light through."); }

Status check(const Aperture& aperture) {
  if (aperture.blades != 0 && (aperture.blades < 3 || aperture.blades > kMaxBlades))
    return invalid_argument("An aperture has 3 to {} blades, or 0 for a circle, not {}.", kMaxBlades,
                            aperture.blades);
  if (!(aperture.rounding >= 0 && aperture.rounding <= 1))
    return invalid_argument("The rounding of the aperture's blades ({:g}) is outside 0 to 1.",
                            aperture.rounding);
  if (!std::isfinite(aperture.rotation))
    return invalid_argument("The aperture's rotation ({:g}) is no angle.", aperture.rotation);
  if (aperture.dirt &&
      (aperture.dirt->width < 1 || aperture.dirt->height < 1 ||
       aperture.dirt->rgb.size() != size_t(aperture.dirt->width) * size_t(aperture.dirt->height) * 3))
    return invalid_argument("The image of the aperture's dirt has no pixels.");
  return ok_status();
}

// Returns a lobe of the fit: a Gaussian with a separate width on each side.
double lobe(double wavelength, double mean, double below, double above) {
  const double t = (wavelength - mean) / (wavelength < mean ? below : above);
  return std::exp(-0.5 * t * t);
}

// Returns the CIE 1931 colour of a wavelength (2 degrees) in linear sRGB (IEC 61966-2-1), without a
// gamut limit.
std::array<double, 3> colour_of(double nm) {
  const double x = 1.056 * lobe(nm, 599.8, 37.9, 31.0) + 0.362 * lobe(nm, 442.0, 16.0, 26.7) -
                   0.065 * lobe(nm, 501.1, 20.4, 26.2);
  const double y = 0.821 * lobe(nm, 568.8, 46.9, 40.5) + 0.286 * lobe(nm, 530.9, 16.3, 31.1);
  const double z = 1.217 * lobe(nm, 437.0, 11.8, 36.0) + 0.681 * lobe(nm, 459.0, 26.0, 13.8);
  return {3.2406 * x - 1.5372 * y - 0.4986 * z, -0.9689 * x + 1.8758 * y + 0.0415 * z,
          0.0557 * x - 0.2040 * y + 1.0570 * z};
}

// Interpolates bilinearly; returns 0 outside.
double pattern_at(const std::vector<double>& pattern, double x, double y) {
  if (x < 0 || y < 0 || x >= kPatternPoints - 1 || y >= kPatternPoints - 1) return 0;
  const auto column = size_t(x), row = size_t(y);
  const double u = x - double(column), v = y - double(row);
  const double* at = &pattern[row * kPatternPoints + column];
  return (1 - v) * ((1 - u) * at[0] + u * at[1]) +
         v * ((1 - u) * at[kPatternPoints] + u * at[kPatternPoints + 1]);
}

// Returns the pattern in white light, `radius` samples in each direction from its centre.
GlarePicture in_white_light(const std::vector<double>& pattern, int radius) {
  GlarePicture picture{2 * radius + 1, 2 * radius + 1, {}};
  picture.rgb.assign(size_t(picture.width) * size_t(picture.height) * 3, 0.0);
  for (double nm = kFirstWavelength; nm <= kLastWavelength; nm += kWavelengthStep) {
    const double shrink = kReferenceWavelength / nm;
    const std::array<double, 3> colour = colour_of(nm);
    size_t at = 0;
    for (int y = -radius; y <= radius; y++)
      for (int x = -radius; x <= radius; x++) {
        const double light =
            shrink * shrink * pattern_at(pattern, kPatternMiddle + x * shrink, kPatternMiddle + y * shrink);
        for (size_t c = 0; c < 3; c++) picture.rgb[at++] += light * colour[c];
      }
  }
  for (double& value : picture.rgb) value = std::max(value, 0.0);
  return picture;
}

}  // namespace

Status check_aperture(const ApertureGlare& glare) {
  if (!(glare.first_zero >= 0.015 && glare.first_zero <= 0.5))
    return invalid_argument("The first dark ring ({:g} of the kernel's radius) is outside 0.015 to 0.5.",
                            glare.first_zero);
  RETURN_IF_ERROR(check(glare.aperture));
  for (int i = 0; i < kPatternPoints * kPatternPoints; i++)
    if (mask_at(glare.aperture, i % kPatternPoints, i / kPatternPoints, kPatternPoints) > 0)
      return ok_status();
  return no_light_through();
}

StatusOr<std::vector<double>> diffraction_pattern(const Aperture& aperture, int points) {
  RETURN_IF_ERROR(check(aperture));
  if (points < 64 || points > 2048 || !std::has_single_bit(unsigned(points)))
    return invalid_argument("A diffraction pattern has 64 to 2048 points, a power of 2, not {}.", points);
  const auto size = size_t(points);
  std::vector<Complex> field(size * size), line;
  for (int i = 0; i < points * points; i++)
    field[size_t(i)] = mask_at(aperture, i % points, i / points, points);
  for (size_t y = 0; y < size; y++) transform(&field[y * size], size, 1, line);
  for (size_t x = 0; x < size; x++) transform(&field[x], size, size, line);
  std::vector<double> pattern(size * size);
  double total = 0;
  for (size_t i = 0; i < field.size(); i++) total += std::norm(field[i]);
  if (!(total > 0)) return no_light_through();
  for (size_t i = 0; i < field.size(); i++) {  // frequency 0 is moved to the middle
    const size_t y = (i / size + size / 2) % size, x = (i % size + size / 2) % size;
    pattern[y * size + x] = std::norm(field[i]) / total;
  }
  return pattern;
}

StatusOr<GlareKernel> make_aperture_glare(const ApertureGlare& glare, const GlarePlacement& placement) {
  RETURN_IF_ERROR(check_aperture(glare));
  ASSIGN_OR_RETURN(const std::vector<double> pattern, diffraction_pattern(glare.aperture, kPatternPoints));
  const double radius = kAiryFirstZero * kDiffractionPadding / glare.first_zero;
  const int samples = int(std::lround(radius));
  GlarePlacement placed = placement;
  placed.centre = GlarePoint{samples + 0.5, samples + 0.5};
  return place_glare(in_white_light(pattern, samples), placed);
}

}  // namespace weft::filters::bloom
