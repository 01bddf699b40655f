// SPDX-License-Identifier: Apache-2.0
// A way to solve a problem of bloom_bench: ours on a device, or a peer. One thread. What went wrong comes as text, empty
// when nothing did, so that the peers' compilers need nothing of ours.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/bloom/problem.h"

namespace weft::bench {

inline constexpr int kRepeats = 5;  // of what is timed; the shortest counts

class Way {
 public:
  virtual ~Way() = default;
  // Convolves the frames once; `pixels` become the last one's.
  virtual std::string convolve(std::vector<uint16_t>& pixels) = 0;
  // Does it so many times, frame after frame without a pause; `us` is one time's, of all its frames, on the device's clock.
  virtual std::string measure(int iterations, double& us) = 0;
};

struct Made {
  std::unique_ptr<Way> way;
  std::string trouble;  // why there is none
};

// cuFFT done the natural way: unpack, transform, multiply, transform back, pack; complex with two channels in one number,
// or a real transform a channel.
Made make_cufft(const Problem& problem, bool is_real);

// FFTW likewise, with so many threads.
Made make_fftw(const Problem& problem, bool is_real, int threads);

// VkFFT through Vulkan on the device with this UUID (32 hexadecimal digits), with its own product between the last transform
// forward and the first back. In place, planes of fp32 in and out: the way from and to pixels is left out.
struct VkfftMode {
  bool is_real;  // a real transform a channel; else complex with two channels in one number, for one kernel
  bool skips_zeros;  // its own zero padding
  bool
      is_one_launch;  // all frames at once, each with a kernel of its own, as VkFFT wants; else frame after frame
};
Made make_vkfft(const Problem& problem, const VkfftMode& mode, const std::string& uuid);

}  // namespace weft::bench
