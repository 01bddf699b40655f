// SPDX-License-Identifier: Apache-2.0
// Measures a logo from frames with a plain background around it: regressions of the background,
// taken from the border of a rectangle, against each sample within it. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/video_format.h"
#include "server/filters/logo/logo_file.h"

namespace weft::filters::logo {

// The rectangle of a scan: even numbers, in luma samples of the video's format.
struct ScanArea {
  VideoFormat format;
  int x = 0, y = 0, width = 0, height = 0;

  int plane_x(int plane) const { return plane == 0 ? x : x / columns_of_chroma(format.chroma); }
  int plane_y(int plane) const { return plane == 0 ? y : y / rows_of_chroma(format.chroma); }
  int plane_width(int plane) const { return plane == 0 ? width : width / columns_of_chroma(format.chroma); }
  int plane_height(int plane) const { return plane == 0 ? height : height / rows_of_chroma(format.chroma); }
  // Return the numbers of samples of all planes, and of their borders.
  size_t samples() const;
  size_t border_samples() const;
};

// The background of each plane, in code values.
using Background = std::array<int, 3>;

// Returns the background of a frame, or null if a plane's border is not plain. `border` has the
// border of each plane. `threshold` is on an 8-bit scale, for pictures of 1080 rows.
std::optional<Background> background_of(const ScanArea& area, std::span<const uint16_t> border,
                                        int threshold);

// Returns the border of each plane out of all samples of a frame.
std::vector<uint16_t> border_of(const ScanArea& area, std::span<const uint16_t> samples);

// A frame with a plain border: the rectangle's samples, plane after plane, and the background.
struct ScanFrame {
  std::span<const uint16_t> samples;
  Background background{};
};

// Returns the logo. INVALID_ARGUMENT: the backgrounds are too few or too similar, or the rectangle
// has no logo.
StatusOr<Logo> scan_logo(const ScanArea& area, std::span<const ScanFrame> frames);

}  // namespace weft::filters::logo
