// SPDX-License-Identifier: Apache-2.0
// Tests glare kernels by physics and symmetry.
#include "server/filters/bloom/glare.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::filters::bloom {
namespace {

using std::numbers::pi;

GlareKernel made(StatusOr<GlareKernel> kernel) {
  EXPECT_THAT(kernel, IsOk());
  return kernel.ok() ? *std::move(kernel) : GlareKernel{};
}

float at(const GlareKernel& kernel, int x, int y, size_t channel = 1) {
  return kernel
      .rgba[(size_t(y + kernel.radius) * size_t(kernel.side()) + size_t(x + kernel.radius)) * 4 + channel];
}

// Expects weights that add up to 1, samples that sum to 1, no alpha, and no negative value.
void expect_normalised(const GlareKernel& kernel) {
  ASSERT_EQ(kernel.rgba.size(), size_t(kernel.side()) * size_t(kernel.side()) * 4);
  std::array<double, 4> sum{};
  for (size_t i = 0; i < kernel.rgba.size(); i++) {
    ASSERT_GE(kernel.rgba[i], 0);
    sum[i % 4] += kernel.rgba[i];
  }
  for (size_t c = 0; c < 3; c++) {
    EXPECT_NEAR(sum[c], 1, 1e-6);
    EXPECT_NEAR(kernel.centre_weight[c] + kernel.scatter_weight[c], 1, 1e-12);
    EXPECT_GE(kernel.centre_weight[c], 0);
  }
  EXPECT_EQ(sum[3], 0);
}

GlarePicture black(int width, int height) {
  return {width, height, std::vector<double>(size_t(width) * size_t(height) * 3)};
}
double* pixel(GlarePicture& picture, int x, int y) {
  return &picture.rgb[(size_t(y) * size_t(picture.width) + size_t(x)) * 3];
}
void set(GlarePicture& picture, int x, int y, double value) {
  for (size_t c = 0; c < 3; c++) pixel(picture, x, y)[c] = value;
}

TEST(Glare, GeneratorsAreNormalised) {
  expect_normalised(made(make_gaussian({}, {.radius = 20})));
  expect_normalised(made(make_power_law({}, {.radius = 33.3})));
  expect_normalised(made(make_streak({}, {.radius = 40, .rotation = 30})));
  expect_normalised(made(make_power_law({}, {.radius = 0.5})));
}

// The callback is needed since a kernel of 8192 pixels takes a minute.
TEST(Glare, SaysThatItIsAliveRowByRow) {
  int rows = 0;
  const std::function<void()> alive = [&] { rows++; };
  GlarePlacement placement{.radius = 20};
  placement.alive = &alive;
  made(make_power_law({}, placement));
  EXPECT_GE(rows, 41);
  rows = 0;
  const GlarePicture picture{3, 3, std::vector<double>(27, 1.0)};
  made(place_glare(picture, placement));
  EXPECT_GE(rows, 41);
}

TEST(Glare, GaussianIsOne) {
  const GlareKernel kernel = made(make_gaussian({.sigma = 0.25}, {.radius = 40, .taper = 0}));
  EXPECT_NEAR(at(kernel, 10, 0) / at(kernel, 20, 0), std::exp(1.5), 0.01);  // sigma is 10 pixels
  EXPECT_NEAR(at(kernel, 6, 8), at(kernel, 10, 0), 1e-4 * at(kernel, 10, 0));
  EXPECT_EQ(at(kernel, 7, -3), at(kernel, -7, 3));
}

TEST(Glare, PowerLawFallsWithItsExponent) {
  const GlareKernel kernel =
      made(make_power_law({.core = 0.001, .exponent = 3}, {.radius = 200, .taper = 0}));
  EXPECT_NEAR(at(kernel, 40, 0) / at(kernel, 80, 0), 8, 0.02);
  EXPECT_GT(kernel.centre_weight[0], 0.5);
}

TEST(Glare, GoesToZeroAtItsRadius) {
  const GlareKernel kernel = made(make_power_law({.exponent = 1}, {.radius = 50.5}));
  EXPECT_EQ(at(kernel, 51, 0), 0);
  EXPECT_EQ(at(kernel, 40, 40), 0);
  EXPECT_GT(at(kernel, 45, 0), 0);
  // Between 37.9 and 50.5 pixels the law is multiplied by half a cosine.
  const double cosine = 0.5 + 0.5 * std::cos(pi * (49 - 37.875) / 12.625);
  EXPECT_NEAR(at(kernel, 49, 0) / at(kernel, 37, 0), cosine * 37 / 49, 1e-3);
}

// Returns the light within a circle, including that of the centre.
double light_within(const GlareKernel& kernel, double radius) {
  double sum = 0;
  for (int y = -kernel.radius; y <= kernel.radius; y++)
    for (int x = -kernel.radius; x <= kernel.radius; x++)
      if (std::hypot(x, y) <= radius) sum += at(kernel, x, y);
  return kernel.centre_weight[1] + kernel.scatter_weight[1] * sum;
}

TEST(Glare, LooksAlikeAtEveryResolution) {
  const auto kernel = [](int height) {
    return made(
        make_power_law({.core = 0.01, .exponent = 2.5}, {.radius = glare_radius(0.5, height * 2, height)}));
  };
  const GlareKernel small = kernel(360), large = kernel(1080);
  EXPECT_EQ(small.radius, 90);
  EXPECT_EQ(large.radius, 270);
  for (const double part : {0.1, 0.2, 0.5, 0.8})
    EXPECT_NEAR(light_within(small, part * 90), light_within(large, part * 270), 0.01) << part;
}

TEST(Glare, StreakTurns) {
  const StreakGlare streak = {.length = 0.5, .width = 0.01};
  const GlareKernel flat = made(make_streak(streak, {.radius = 60, .taper = 0}));
  EXPECT_GT(at(flat, 30, 0), 100 * at(flat, 0, 30));
  const GlareKernel up = made(make_streak(streak, {.radius = 60, .rotation = 90, .taper = 0}));
  EXPECT_NEAR(at(up, 0, 30), at(flat, 30, 0), 1e-7);
  const GlareKernel slanted = made(make_streak(streak, {.radius = 60, .rotation = 45, .taper = 0}));
  // The slant is counter-clockwise, and y increases downwards.
  EXPECT_GT(at(slanted, 20, -20), 100 * at(slanted, 20, 20));
}

TEST(Glare, TintIsKeptWhenAsked) {
  const StreakGlare blue = {.tint = {0.2, 0.5, 1.5}};
  expect_normalised(made(make_streak(blue, {.radius = 30})));
  const GlareKernel kernel = made(make_streak(blue, {.radius = 30, .keeps_tint = true}));
  const auto total = [&](size_t c) { return kernel.centre_weight[c] + kernel.scatter_weight[c]; };
  EXPECT_NEAR(total(2) / total(0), 7.5, 1e-9);
  EXPECT_NEAR(0.2126 * total(0) + 0.7152 * total(1) + 0.0722 * total(2), 1, 1e-9);
}

// --- Images
// -------------------------------------------------------------------------------------------------

TEST(GlareImage, StaysAsItIsAtItsOwnSize) {
  for (const int side : {20, 21}) {  // The side is even: the brightest pixel is not the middle.
    GlarePicture picture = black(side, side);
    set(picture, 10, 10, 50);
    set(picture, 13, 8, 2);
    set(picture, 4, 10, 1);
    const GlareKernel kernel = made(place_glare(picture, {.radius = side / 2.0, .taper = 0}));
    expect_normalised(kernel);
    EXPECT_NEAR(kernel.centre_weight[0], 50.0 / 53, 1e-12);
    EXPECT_NEAR(at(kernel, 3, -2), 2.0 / 3, 1e-6);
    EXPECT_NEAR(at(kernel, -6, 0), 1.0 / 3, 1e-6);
    EXPECT_EQ(at(kernel, 0, 0), 0);
  }
}

TEST(GlareImage, CentreIsWhereItIsSaid) {
  GlarePicture picture = black(16, 12);
  set(picture, 2, 3, 9);
  set(picture, 8, 6, 3);
  const GlareKernel kernel =
      made(place_glare(picture, {.radius = 8, .taper = 0, .centre = GlarePoint{8.5, 6.5}}));
  EXPECT_NEAR(kernel.centre_weight[1], 0.25, 1e-12);
  EXPECT_NEAR(at(kernel, -6, -3), 1, 1e-6);
  EXPECT_THAT(place_glare(picture, {.radius = 8, .centre = GlarePoint{17, 3}}),
              StatusIs(StatusCode::kInvalidArgument, "centre"));
}

// Reduction in size keeps the light and its positions. The hot pixel does not affect its
// neighbours.
TEST(GlareImage, ShrinksByAreas) {
  GlarePicture picture = black(101, 101);
  for (int y = 0; y < 101; y++)
    for (int x = 0; x < 101; x++) set(picture, x, y, 1 + 0.01 * x);
  set(picture, 50, 50, 1e6);
  // 5 pixels are reduced to one.
  const GlareKernel kernel = made(place_glare(picture, {.radius = 10.1, .taper = 0}));
  expect_normalised(kernel);
  double scattered = 0;
  for (const double value : picture.rgb) scattered += value / 3;
  scattered -= 1e6;
  EXPECT_NEAR(kernel.centre_weight[0], 1e6 / (1e6 + scattered), 1e-5);
  EXPECT_NEAR(at(kernel, 4, 7) / at(kernel, -4, 7), (1 + 0.5 + 0.2) / (1 + 0.5 - 0.2), 1e-4);
  EXPECT_NEAR(at(kernel, 0, 0) / at(kernel, 1, 0), 1, 0.04);
}

TEST(GlareImage, GrowsAndTurns) {
  GlarePicture picture = black(21, 21);
  set(picture, 10, 10, 10);
  for (int x = 11; x < 21; x++) set(picture, x, 10, 1);  // a ray to the right
  const GlareKernel turned = made(place_glare(picture, {.radius = 21, .rotation = 90, .taper = 0}));
  expect_normalised(turned);
  EXPECT_GT(at(turned, 0, -12), 0);  // upwards
  EXPECT_EQ(at(turned, 12, 0), 0);
  EXPECT_EQ(at(turned, 0, 12), 0);
  const GlareKernel plain = made(place_glare(picture, {.radius = 21, .taper = 0}));
  EXPECT_NEAR(at(turned, 0, -12), at(plain, 12, 0), 1e-6);
}

// The centre may be at any position. Pixels far from it are kept.
TEST(GlareImage, IsWholeWhereverItsCentreIs) {
  GlarePicture picture = black(31, 21);
  set(picture, 0, 0, 4);
  set(picture, 5, 5, 2);
  set(picture, 30, 20, 1);
  const GlareKernel kernel =
      made(place_glare(picture, {.radius = 15.5, .taper = 0, .centre = GlarePoint{0.5, 0.5}}));
  expect_normalised(kernel);
  EXPECT_NEAR(kernel.centre_weight[1], 4.0 / 7, 1e-12);
  EXPECT_NEAR(at(kernel, 5, 5), 2.0 / 3, 1e-6);
  EXPECT_NEAR(at(kernel, 30, 20), 1.0 / 3, 1e-6);
  // The centre is also the brightest pixel. At half the size distances are half as long.
  EXPECT_EQ(made(place_glare(picture, {.radius = 15.5, .taper = 0})).rgba, kernel.rgba);
  const GlareKernel small = made(place_glare(picture, {.radius = 7.75, .taper = 0}));
  expect_normalised(small);
  EXPECT_NEAR(at(small, 15, 10), 1.0 / 3, 1e-6);
  // The taper ends at the edge of the image.
  set(picture, 20, 0, 1);
  const GlareKernel tapered = made(place_glare(picture, {.radius = 15.5, .taper = 0.25}));
  EXPECT_NEAR(at(tapered, 20, 0) / at(tapered, 5, 5), 0.5, 1e-6);
  EXPECT_EQ(at(tapered, 30, 20), 0) << "beyond the circle";
  // With the cut a part of it remains.
  EXPECT_GT(at(made(place_glare(picture, {.radius = 15.5, .taper = 0, .cut = 0.7})), 20, 0), 0);
}

TEST(GlareImage, KeepsItsCornersWhenItIsTurned) {
  GlarePicture picture = black(41, 41);
  for (const int x : {0, 40})
    for (const int y : {0, 40}) set(picture, x, y, 1);
  set(picture, 20, 20, 4);
  const GlareKernel kernel = made(place_glare(picture, {.radius = 20.5, .rotation = 45, .taper = 0}));
  expect_normalised(kernel);
  // bilinear samples contain the rest of the light
  EXPECT_NEAR(kernel.centre_weight[1], 0.5, 0.03);
  for (const auto& [x, y] : {std::pair(28, 0), {-28, 0}, {0, 28}, {0, -28}})
    EXPECT_GT(at(kernel, x, y), 0.1) << x << ", " << y;
  // The circle of a taper has the same size with and without a rotation.
  EXPECT_EQ(made(place_glare(picture, {.radius = 20.5, .rotation = 45, .taper = 0.25})).radius, 21);
  EXPECT_EQ(made(place_glare(picture, {.radius = 20.5, .taper = 0})).radius, 21);
}

TEST(GlareImage, WhatIsNoLightIsRefused) {
  EXPECT_THAT(place_glare(black(8, 8), {.radius = 4}), StatusIs(StatusCode::kInvalidArgument, "no light"));
  GlarePicture negative = black(3, 3);
  set(negative, 1, 1, -1);
  EXPECT_THAT(place_glare(negative, {.radius = 4}), StatusIs(StatusCode::kInvalidArgument, "holds -1"));
  set(negative, 1, 1, NAN);
  EXPECT_THAT(place_glare(negative, {.radius = 4}), StatusIs(StatusCode::kInvalidArgument, "holds nan"));
  EXPECT_THAT(place_glare({}, {.radius = 4}), StatusIs(StatusCode::kInvalidArgument, "no pixels"));
  EXPECT_THAT(make_gaussian({}, {.radius = 1e6}), StatusIs(StatusCode::kInvalidArgument, "radius"));
  EXPECT_THAT(make_gaussian({.sigma = 0}, {.radius = 9}), StatusIs(StatusCode::kInvalidArgument, "sigma"));
}

// --- Diffraction
// --------------------------------------------------------------------------------------------

constexpr int kPoints = 256;

std::vector<double> pattern_of(const Aperture& aperture) {
  const auto pattern = diffraction_pattern(aperture, kPoints);
  EXPECT_THAT(pattern, IsOk());
  return pattern.value_or(std::vector<double>(kPoints * kPoints));
}
double pattern_at(const std::vector<double>& pattern, double x, double y) {
  return pattern[size_t(std::lround(kPoints / 2 - y)) * kPoints + size_t(std::lround(kPoints / 2 + x))];
}

// Returns the Airy disc (2 J1(v) / v)^2, with J1 by its integral (Abramowitz and Stegun 9.1.21).
double airy(double v) {
  if (v == 0) return 1;
  double sum = 0;
  constexpr int kSteps = 2000;
  for (int i = 0; i < kSteps; i++) {
    const double t = pi * (i + 0.5) / kSteps;
    sum += std::cos(t - v * std::sin(t));
  }
  const double ratio = 2 * sum / kSteps / v;
  return ratio * ratio;
}

TEST(Diffraction, OfACircleIsAnAiryDisc) {
  const std::vector<double> pattern = pattern_of({.blades = 0});
  const double middle = pattern_at(pattern, 0, 0);
  for (int x = 1; x < 30; x++)
    EXPECT_NEAR(pattern_at(pattern, x, 0) / middle, airy(pi * x / kDiffractionPadding), 2e-3) << x;
  const double zero = kAiryFirstZero * kDiffractionPadding;  // 4.88 samples
  EXPECT_LT(pattern_at(pattern, zero, 0), 2e-3 * middle);
  EXPECT_GT(pattern_at(pattern, zero + 2, 0), 0.01 * middle);
  double sum = 0;
  for (const double value : pattern) sum += value;
  EXPECT_NEAR(sum, 1, 1e-12);
}

// Returns the rays around a circle: angles that are brighter than all others within some degrees,
// and far above the mean.
std::vector<int> rays(const std::vector<double>& pattern) {
  std::vector<double> light(360);
  for (int degree = 0; degree < 360; degree++)
    for (double r = 30; r < 90; r += 0.5)
      light[size_t(degree)] +=
          r * r * pattern_at(pattern, r * std::cos(degree * pi / 180), r * std::sin(degree * pi / 180));
  double mean = 0;
  for (const double value : light) mean += value / 360;
  std::vector<int> found;
  for (int degree = 0; degree < 360; degree++) {
    bool highest = light[size_t(degree)] > 2 * mean;
    for (int off = -8; off <= 8; off++)
      highest &= off == 0 || light[size_t(degree)] > light[size_t((degree + off + 360) % 360)] ||
                 (off > 0 && light[size_t(degree)] == light[size_t((degree + off + 360) % 360)]);
    if (highest) found.push_back(degree);
  }
  return found;
}

TEST(Diffraction, EvenBladesGiveAsManyRaysOddOnesTwice) {
  EXPECT_EQ(rays(pattern_of({.blades = 6})).size(), 6u);
  EXPECT_EQ(rays(pattern_of({.blades = 8})).size(), 8u);
  EXPECT_EQ(rays(pattern_of({.blades = 5})).size(), 10u);
  EXPECT_EQ(rays(pattern_of({.blades = 7})).size(), 14u);
  EXPECT_EQ(rays(pattern_of({.blades = 0})).size(), 0u);
  EXPECT_EQ(rays(pattern_of({.blades = 6, .rounding = 1})).size(), 0u);
}

TEST(Diffraction, RaysTurnWithTheBlades) {
  // The rays of a square aperture are normal to its sides. With blades turned by 20 degrees, the
  // rays are turned by 20 degrees as well.
  const std::vector<int> straight = rays(pattern_of({.blades = 4}));
  const std::vector<int> turned = rays(pattern_of({.blades = 4, .rotation = 20}));
  ASSERT_EQ(straight.size(), 4u);
  ASSERT_EQ(turned.size(), 4u);
  for (size_t i = 0; i < 4; i++) {
    const bool found = std::ranges::any_of(
        turned, [&](int degree) { return std::abs((degree - straight[i] - 20 + 540) % 360 - 180) <= 1; });
    EXPECT_TRUE(found) << straight[i];
  }
}

TEST(Diffraction, DirtSpreadsLight) {
  GlarePicture dirt = black(16, 16);
  std::mt19937 random(2);
  for (int i = 0; i < 16 * 16; i++) set(dirt, i % 16, i / 16, random() % 4 == 0 ? 0 : 1);
  const std::vector<double> clean = pattern_of({.blades = 0});
  const std::vector<double> dusty = pattern_of({.blades = 0, .dirt = dirt});
  EXPECT_LT(pattern_at(dusty, 0, 0), 0.85 * pattern_at(clean, 0, 0));
  EXPECT_GT(pattern_at(dusty, 20, 13), 3 * pattern_at(clean, 20, 13));
  EXPECT_THAT(diffraction_pattern({.dirt = black(4, 4)}, kPoints),
              StatusIs(StatusCode::kInvalidArgument, "no light"));
}

// Red rays reach further than blue ones. The sum of the colours remains white.
TEST(Diffraction, WhiteLightIsColouredOutside) {
  const GlareKernel kernel =
      made(make_aperture_glare({.aperture = {.blades = 0}, .first_zero = 0.3}, {.radius = 100, .taper = 0}));
  expect_normalised(kernel);
  // The first dark ring of blue is closer to the centre, so red exceeds blue there.
  const auto ring = [&](double radius, size_t c) {
    double sum = 0;
    for (int degree = 0; degree < 360; degree += 5)
      sum += at(kernel, int(std::lround(radius * std::cos(degree * pi / 180))),
                int(std::lround(radius * std::sin(degree * pi / 180))), c);
    return sum;
  };
  EXPECT_GT(ring(26, 0), 4 * ring(26, 2));  // 450 nm is dark at radius 30 * 450 / 550 = 24.5
  EXPECT_GT(ring(33, 2), ring(33, 0));      // 610 nm is dark at radius 33.3
}

TEST(Diffraction, BadAperturesAreRefused) {
  EXPECT_THAT(diffraction_pattern({.blades = 2}, kPoints), StatusIs(StatusCode::kInvalidArgument, "blades"));
  EXPECT_THAT(diffraction_pattern({.rounding = 2}, kPoints),
              StatusIs(StatusCode::kInvalidArgument, "rounding"));
  EXPECT_THAT(diffraction_pattern({}, 100), StatusIs(StatusCode::kInvalidArgument, "power of 2"));
  EXPECT_THAT(make_aperture_glare({.first_zero = 0.001}, {.radius = 100}),
              StatusIs(StatusCode::kInvalidArgument, "first dark ring"));
}

}  // namespace
}  // namespace weft::filters::bloom
