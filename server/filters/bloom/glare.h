// SPDX-License-Identifier: Apache-2.0
// Glare kernels: what a point of light becomes, from an image or from a formula, as samples a frame pixel apart. All on the host,
// in double precision; a kernel is made once for many frames.
//
//   const double radius = glare_radius(0.5, 1920, 1080);                         half the kernel's side: 270 pixels
//   ASSIGN_OR_RETURN(GlareKernel kernel, make_power_law({.core = 0.002, .exponent = 2.5}, {.radius = radius}));
//   frame = centre_weight * scene + scatter_weight * (scene convolved with kernel.rgba)
//
// The centre, the light that stays where it is, is a weight of its own: applied to the scene as it is, it keeps the picture sharp
// whatever the convolution's precision. With both weights as given the total light is the scene's.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "base/status.h"
#include "server/filters/rgb_picture.h"

namespace weft::filters::bloom {

inline constexpr double kMaxGlareRadius = 8192;  // pixels
inline constexpr int kMaxBlades = 32;

struct GlareKernel {
  int radius = 0;  // samples reach from -radius to radius on both axes
  std::vector<float>
      rgba{};  // (2 radius + 1)^2 pixels, the centre in the middle; each colour's sum is 1, alpha is 0
  // For each colour. Their sum is 1, save where a tint is kept.
  std::array<double, 3> centre_weight{};
  std::array<double, 3> scatter_weight{};

  int side() const { return 2 * radius + 1; }
};

// An image of a kernel.
using GlarePicture = RgbPicture;

// A place in an image in pixels: the middle of pixel (x, y) is at (x + 0.5, y + 0.5).
struct GlarePoint {
  double x = 0;
  double y = 0;
};

struct GlarePlacement {
  double radius = 0;    // half of the kernel's side in frame pixels; 0.5 to kMaxGlareRadius
  double rotation = 0;  // degrees, counter-clockwise as seen
  // The outer part of the radius (of what is kept of it) in which the kernel goes to 0, by half a cosine; 0: none, and an image stays a square.
  double taper = 0.25;
  double cut =
      1;  // the part of the radius that is kept, above 0; what is outside is dropped before sums are made
  // Whether a coloured kernel colours the light: sums are of the luminance (BT.709) then, else of each colour.
  bool keeps_tint = false;
  // Called after each row that is made: a large kernel takes a minute.
  const std::function<void()>* alive = nullptr;
  std::optional<GlarePoint>
      centre{};  // of an image; not given: its brightest pixel, of several the one next to the middle
};

// Half the side of a kernel that is `size` times as wide as the frame's shorter side: the same look at every resolution.
double glare_radius(double size, int frame_width, int frame_height);

// All of these: INVALID_ARGUMENT for a parameter out of range, or a kernel without light. What can be known before a kernel is made:
Status check_placement(const GlarePlacement& placement);
// Of an image: whether its pixels are light, for each colour where no tint is kept; and where its centre and farthest corner are.
Status check_light(const GlarePicture& picture, bool keeps_tint);
Status check_place(const GlarePicture& picture, const GlarePlacement& placement);

// An image whose longer side becomes the kernel's. All of it is kept, wherever its centre is and however it is turned: where a side or
// corner is farther away than `placement.radius`, taper and cut are measured from there. Shrunk by averaging areas; enlarged and rotated bilinearly. Before that the
// light above what surrounds the centre (one frame pixel, or one pixel of the image, whichever is larger) is taken out as the centre's,
// so that it does not bleed.
StatusOr<GlareKernel> place_glare(const GlarePicture& picture, const GlarePlacement& placement);

// exp(-r^2 / (2 sigma^2)); sigma as a part of the radius.
struct GaussianGlare {
  double sigma = 0.2;
};
StatusOr<GlareKernel> make_gaussian(const GaussianGlare& glare, const GlarePlacement& placement);

// (1 + (r / core)^2)^(-exponent / 2): a Lorentzian for 2, Moffat's profile (A. F. J. Moffat, 1969) in general. core as a part of the
// radius.
struct PowerLawGlare {
  double core = 0.005;
  double exponent = 2.5;
};
StatusOr<GlareKernel> make_power_law(const PowerLawGlare& glare, const GlarePlacement& placement);

// A line through the centre that fades exponentially: an anamorphic lens' streak. Lengths are parts of the radius; `rotation` of the
// placement turns it from horizontal.
struct StreakGlare {
  double length = 0.3;                     // to 1/e
  double width = 0.004;                    // standard deviation across
  std::array<double, 3> tint = {1, 1, 1};  // seen with keeps_tint
};
StatusOr<GlareKernel> make_streak(const StreakGlare& glare, const GlarePlacement& placement);

// The opening of a lens.
struct Aperture {
  int blades = 6;       // 0: a circle; else 3 to kMaxBlades
  double rotation = 0;  // degrees
  double rounding = 0;  // 0: straight blades, 1: a circle
  std::optional<GlarePicture>
      dirt{};  // what each point lets through, by its green; stretched over the opening's square
};

// Fraunhofer diffraction of one wavelength: the squared magnitude of the opening's Fourier transform, `points` by `points` (a power of
// 2, 64 to 2048), the centre at (points / 2, points / 2), summing to 1. The opening is `points` / 4 samples across, so that a circle's first dark ring
// has a radius of 1.22 * 4 samples.
StatusOr<std::vector<double>> diffraction_pattern(const Aperture& aperture, int points);
inline constexpr int kDiffractionPadding = 4;
inline constexpr double kAiryFirstZero = 1.2196698912665045;  // of the Bessel function J1, over pi

// The pattern in white light (equal energy): 41 wavelengths from 380 to 780 nm, each scaled by wavelength / 550 nm, weighed by CIE 1931's
// matching functions (the fit of Wyman, Sloan and Shirley, JCGT 2013) and brought to linear sRGB; what is outside the gamut is cut off.
struct ApertureGlare {
  Aperture aperture{};
  double first_zero =
      0.02;  // radius of a circle's first dark ring at 550 nm, as a part of the kernel's radius; 0.015 to 0.5
};
// Whether it is one that lets light through.
Status check_aperture(const ApertureGlare& glare);
StatusOr<GlareKernel> make_aperture_glare(const ApertureGlare& glare, const GlarePlacement& placement);

}  // namespace weft::filters::bloom
