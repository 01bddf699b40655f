// SPDX-License-Identifier: Apache-2.0
// Computes glare kernels: the response to a point of light, from an image or a formula, sampled at
// the distance of frame pixels. The computation runs on the host in double precision; a kernel
// serves many frames.
//
//   const double radius = glare_radius(0.5, 1920, 1080);  // half the kernel's side: 270 pixels
//   ASSIGN_OR_RETURN(GlareKernel kernel,
//                    make_power_law({.core = 0.002, .exponent = 2.5}, {.radius = radius}));
//   frame = centre_weight * scene + scatter_weight * (scene convolved with kernel.rgba)
//
// The centre is the light that stays at its position. It has a separate weight, which is applied to
// the scene itself, so that the picture stays sharp at any precision of the convolution. With both
// weights unchanged, the total light equals that of the scene.
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
  // (2 radius + 1)^2 pixels, the centre in the middle. The sum of each colour is 1; alpha is 0.
  std::vector<float> rgba{};
  // Weights of each colour. Their sum is 1, except for a kernel that keeps its tint.
  std::array<double, 3> centre_weight{};
  std::array<double, 3> scatter_weight{};

  int side() const { return 2 * radius + 1; }
};

// The image of a kernel.
using GlarePicture = RgbPicture;

// A position in an image, in pixels: the middle of pixel (x, y) is at (x + 0.5, y + 0.5).
struct GlarePoint {
  double x = 0;
  double y = 0;
};

struct GlarePlacement {
  double radius = 0;    // half of the kernel's side in frame pixels; 0.5 to kMaxGlareRadius
  double rotation = 0;  // degrees counter-clockwise, as seen on the screen
  // Outer fraction of the kept radius over which the kernel falls to 0 as half a cosine. 0: no
  // fall, and an image stays a square.
  double taper = 0.25;
  double cut = 1;  // fraction of the radius that is kept, above 0; applied before sums are computed
  // True: the kernel colours the light, and its sum is that of the luminance (BT.709). False: each
  // colour has its own sum.
  bool keeps_tint = false;
  // Callback after each computed row; the computation of a large kernel lasts a minute.
  const std::function<void()>* alive = nullptr;
  // Centre of an image. Absent: the brightest pixel; among equally bright ones, the nearest to the
  // middle.
  std::optional<GlarePoint> centre{};
};

// Returns half the side of a kernel that is `size` times as wide as the frame's shorter side. Such
// a kernel looks the same at every resolution.
double glare_radius(double size, int frame_width, int frame_height);

// All functions below return INVALID_ARGUMENT for a parameter out of range or a kernel without
// light. These functions check before a kernel is computed:
Status check_placement(const GlarePlacement& placement);
// check_light() checks that the pixels contain light, in each colour unless the tint is kept.
// check_bounds() checks the positions of the centre and of the farthest corner.
Status check_light(const GlarePicture& picture, bool keeps_tint);
Status check_bounds(const GlarePicture& picture, const GlarePlacement& placement);

// Places an image so that its longer side is the side of the kernel. The whole image is kept, with
// any centre and rotation: if a side or corner is farther from the centre than `placement.radius`,
// taper and cut refer to that distance. Images are shrunk by averaging areas, and enlarged and
// rotated bilinearly. Before that, the light around the centre in excess of its surroundings is
// moved to the weight of the centre, so that it does not spread. The area is one frame pixel, or
// one pixel of the image if that is larger.
StatusOr<GlareKernel> place_glare(const GlarePicture& picture, const GlarePlacement& placement);

// exp(-r^2 / (2 sigma^2)), with sigma as a fraction of the radius.
struct GaussianGlare {
  double sigma = 0.2;
};
StatusOr<GlareKernel> make_gaussian(const GaussianGlare& glare, const GlarePlacement& placement);

// (1 + (r / core)^2)^(-exponent / 2): a Lorentzian for exponent 2, Moffat's profile (A. F. J.
// Moffat, 1969) in general. `core` is a fraction of the radius.
struct PowerLawGlare {
  double core = 0.005;
  double exponent = 2.5;
};
StatusOr<GlareKernel> make_power_law(const PowerLawGlare& glare, const GlarePlacement& placement);

// A line through the centre that fades exponentially, as the streak of an anamorphic lens. Lengths
// are fractions of the radius. The line is horizontal, turned by the `rotation` of the placement.
struct StreakGlare {
  double length = 0.3;                     // distance at which the light has fallen to 1/e
  double width = 0.004;                    // standard deviation across the line
  std::array<double, 3> tint = {1, 1, 1};  // effective only with keeps_tint
};
StatusOr<GlareKernel> make_streak(const StreakGlare& glare, const GlarePlacement& placement);

// The opening of a lens.
struct Aperture {
  int blades = 6;       // 0: a circle; else 3 to kMaxBlades
  double rotation = 0;  // degrees
  double rounding = 0;  // 0: straight blades, 1: a circle
  // Transmission of each point, from the green channel; stretched over the square around the
  // opening.
  std::optional<GlarePicture> dirt{};
};

// Returns the Fraunhofer diffraction of one wavelength: the squared magnitude of the opening's
// Fourier transform. The pattern has `points` by `points` values (a power of 2, 64 to 2048) with
// the sum 1 and the centre at (points / 2, points / 2). The opening is `points` / 4 samples wide,
// so that a circle's first dark ring has a radius of 1.22 * 4 samples.
StatusOr<std::vector<double>> diffraction_pattern(const Aperture& aperture, int points);
inline constexpr int kDiffractionPadding = 4;
// first zero of the Bessel function J1, divided by pi
inline constexpr double kAiryFirstZero = 1.2196698912665045;

// The pattern in white light (equal energy): 41 wavelengths from 380 to 780 nm, each scaled by
// wavelength / 550 nm, weighted by CIE 1931's matching functions (the fit of Wyman, Sloan and
// Shirley, JCGT 2013) and converted to linear sRGB; colours outside the gamut are clipped.
struct ApertureGlare {
  Aperture aperture{};
  double first_zero =
      // radius of a circle's first dark ring at 550 nm, as a fraction of the kernel's radius; 0.015
      // to 0.5
      0.02;
};
// Checks that the aperture is valid and transmits light.
Status check_aperture(const ApertureGlare& glare);
StatusOr<GlareKernel> make_aperture_glare(const ApertureGlare& glare, const GlarePlacement& placement);

}  // namespace weft::filters::bloom
