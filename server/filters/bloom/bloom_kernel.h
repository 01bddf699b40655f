// SPDX-License-Identifier: Apache-2.0
// From a bloom's options and the pictures that go with them to the kernel that light is convolved with. On the host; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/filters/bloom/glare.h"
#include "weft/v1/bloom.pb.h"

namespace weft::filters::bloom {

// Images that options speak of, in linear light. Null: none.
struct BloomPictures {
  const GlarePicture* kernel = nullptr;
  const GlarePicture* dirt = nullptr;
};

struct BloomKernel {
  int width = 0;
  int height = 0;
  int centre_x = 0;  // inside; what is 0 outside of all else has been cut off
  int centre_y = 0;
  std::vector<float> rgba{};  // alpha is 0
  bool is_gray = false;       // the three colours are the same
  // For each colour: the light that stays where it is, and what the convolution's result is multiplied by.
  std::array<double, 3> centre_weight{};
  std::array<double, 3> scatter_weight{};

  double largest_sum() const;  // of a colour's magnitudes
  int reach_x() const { return std::max(centre_x, width - 1 - centre_x); }
  int reach_y() const { return std::max(centre_y, height - 1 - centre_y); }
};

// Here and below: options with defaults filled in that passed check_bloom() (bloom_check.h) with these pictures.

// What the options say of a kernel in the mode bloom. `picture`: its image, or null.
GlarePlacement placement_of(const v1::BloomOptions& options, const GlarePicture* picture, int frame_width,
                            int frame_height);
ApertureGlare aperture_of(const v1::BloomOptions& options, const BloomPictures& pictures);
// In the mode convolve: the pixel that is the centre.
GlarePoint plain_centre(const v1::BloomOptions& options, const GlarePicture& picture);

// For BLOOM_METHOD_FFT. `alive` is called now and then: it may take a minute. INVALID_ARGUMENT: the kernel has no light left.
StatusOr<BloomKernel> make_bloom_kernel(const v1::BloomOptions& options, const BloomPictures& pictures,
                                        int frame_width, int frame_height,
                                        const std::function<void()>& alive = {});

// Whether white light's glow has colours, which a gray picture has no place for.
bool has_coloured_glow(const v1::BloomOptions& options, const BloomPictures& pictures);

// Equal for equal kernels: everything that decides what make_bloom_kernel() gives, as bytes.
std::string bloom_kernel_key(const v1::BloomOptions& options, const BloomPictures& pictures, int frame_width,
                             int frame_height);

}  // namespace weft::filters::bloom
