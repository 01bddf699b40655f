// SPDX-License-Identifier: Apache-2.0
// Reads and writes logo files (*.lgd): the format of AviUtl's logo plug-ins, with the extended part
// that Amatsukaze adds.
//
// A logo is a linear map of each sample in a rectangle, with values from 0 to 1: background =
// a * seen + b. The opacity is 1 - 1/a, and the colour of the logo is b / (1 - a).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace weft::filters::logo {

// Largest number of luma samples of a logo.
inline constexpr int kMostLogoSamples = 1 << 17;

// The coefficients of a plane, row after row.
struct LogoPlane {
  std::vector<float> a, b;
};

struct Logo {
  std::string name;
  int x = 0, y = 0, width = 0, height = 0;     // rectangle in luma samples
  int image_width = 0, image_height = 0;       // size of the pictures; 0: unknown
  int chroma_shift_x = 0, chroma_shift_y = 0;  // logarithms of a chroma sample's luma samples
  int service = 0;                             // number of the broadcaster's service
  std::array<LogoPlane, 3> planes{};

  int plane_width(int plane) const { return plane == 0 ? width : width >> chroma_shift_x; }
  int plane_height(int plane) const { return plane == 0 ? height : height >> chroma_shift_y; }
};

// Parses a file with one logo. Uses the extended part if there is one; the base part alone gives
// chroma for each luma sample. INVALID_ARGUMENT: the file is damaged or of another kind, or has a
// sample that cannot be removed (opaque, or a <= 0).
StatusOr<Logo> parse_logo(std::span<const std::byte> file);

// Returns the file with both parts. The logo is as parse_logo() returns it, or made by a scan.
std::vector<std::byte> print_logo(const Logo& logo);

}  // namespace weft::filters::logo
