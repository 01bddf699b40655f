// SPDX-License-Identifier: Apache-2.0
// Declares a method for a problem of bloom_bench: Weft on a device, or a peer. One thread may use a
// method. Errors are texts, empty for success, so that the compilers of peers need no headers of
// Weft.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/bloom/problem.h"

namespace weft::bench {

inline constexpr int kRepeats = 5;  // repeats of a timing; their median is reported

class Way {
 public:
  virtual ~Way() = default;
  // Convolves the frames once. Sets `pixels` to those of the last frame.
  virtual std::string convolve(std::vector<uint16_t>& pixels) = 0;
  // Runs the method `iterations` times, frame after frame without a pause. Sets `us` to the time of
  // one run, of all its frames, on the device's clock.
  virtual std::string measure(int iterations, double& us) = 0;
};

struct Made {
  std::unique_ptr<Way> way;
  std::string trouble;  // reason if the method is missing
};

// Creates the method of cuFFT: unpack, transform, multiply, transform back, pack. The transform is
// complex with two channels in one number, or real with one channel.
Made make_cufft(const Problem& problem, bool is_real);

// Creates the same method of FFTW with `threads` threads.
Made make_fftw(const Problem& problem, bool is_real, int threads);

// A method of VkFFT through Vulkan, on the device with a UUID of 32 hexadecimal digits. VkFFT
// multiplies between the last forward and the first inverse pass. It works in place on planes of
// fp32; the conversion from and to pixels is left out.
struct VkfftMode {
  // True for one real transform per channel; false for complex ones with two channels in one
  // number, for one kernel.
  bool is_real;
  bool skips_zeros;  // uses VkFFT's zero padding
  bool
      // True to process all frames at once, each with a separate kernel, as VkFFT requires; false
      // for frame after frame.
      is_one_launch;
};
Made make_vkfft(const Problem& problem, const VkfftMode& mode, const std::string& uuid);

}  // namespace weft::bench
