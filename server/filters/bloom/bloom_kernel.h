// SPDX-License-Identifier: Apache-2.0
// Computes the convolution kernel of a bloom from its options and their pictures, on the host. Any
// thread may call these functions.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/filters/bloom/glare.h"
#include "weft/v1/bloom.pb.h"

namespace weft::filters::bloom {

// The images that options name, in linear light; null if the option is absent.
struct BloomPictures {
  const GlarePicture* kernel = nullptr;
  const GlarePicture* dirt = nullptr;
};

struct BloomKernel {
  int width = 0;
  int height = 0;
  int centre_x = 0;  // position of the centre inside the kernel; black borders are cropped
  int centre_y = 0;
  std::vector<float> rgba{};  // alpha is 0
  bool is_gray = false;       // true if the three colours are equal
  // Weights of each colour: of the light that stays at its position, and of the convolution's
  // result.
  std::array<double, 3> centre_weight{};
  std::array<double, 3> scatter_weight{};

  double largest_sum() const;  // largest sum of a colour's magnitudes
  int reach_x() const { return std::max(centre_x, width - 1 - centre_x); }
  int reach_y() const { return std::max(centre_y, height - 1 - centre_y); }
};

// The functions below expect options with defaults filled in that passed check_bloom()
// (bloom_check.h) with the same pictures.

// Returns the placement of a kernel by the options of the mode bloom. `picture` is the kernel's
// image, or null.
GlarePlacement placement_of(const v1::BloomOptions& options, const GlarePicture* picture, int frame_width,
                            int frame_height);
ApertureGlare aperture_of(const v1::BloomOptions& options, const BloomPictures& pictures);
// Returns the pixel that is the kernel's centre in the mode convolve.
GlarePoint plain_centre(const v1::BloomOptions& options, const GlarePicture& picture);

// Computes the kernel for BLOOM_METHOD_FFT, which may take a minute; `alive` is called repeatedly.
// INVALID_ARGUMENT: the kernel has no light left.
StatusOr<BloomKernel> make_bloom_kernel(const v1::BloomOptions& options, const BloomPictures& pictures,
                                        int frame_width, int frame_height,
                                        const std::function<void()>& alive = {});

// Returns true if the glow of white light has colours, which a gray picture cannot contain.
bool has_coloured_glow(const v1::BloomOptions& options, const BloomPictures& pictures);

// Returns a key of the kernel: all inputs of make_bloom_kernel() as bytes. Equal keys mean equal
// kernels.
std::string bloom_kernel_key(const v1::BloomOptions& options, const BloomPictures& pictures, int frame_width,
                             int frame_height);

}  // namespace weft::filters::bloom
