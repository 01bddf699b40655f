// SPDX-License-Identifier: Apache-2.0
// Applies bloom to pictures in linear light, by FFT or by the dual filter. The options are those of
// proto/weft/v1/bloom.proto (docs/reference/bloom.md).
//
//   SpectrumCache cache;  // one for each device
//   ASSIGN_OR_RETURN(auto bloom,
//                    Bloom::make(device, {1920, 1080}, options, {.kernel = &star}, cache));
//   bloom->enqueue(stream, {.source = {...}, .target = {...}, .scratch = scratch.get(), ...});
//
// With L the light that blooms (made finite, clamped, above the threshold), K the kernel without
// its centre, c and s the light of the kernel's centre and of its rest, for each colour:
//   conserving   out = scene + intensity (spike c L + scatter s K * L) / (spike c + scatter s)
//                            - intensity L
//   additive     out = scene + intensity (spike c L + scatter s K * L)
//   convolve     out = intensity K * L, K the whole kernel; L keeps values below 0
// The dual filter has no centre: c = 0, s = 1. Alpha is copied from the scene. A conserving bloom
// keeps the total light of the scene, less the light that leaves the picture, to the rounding of
// fp32 (below 1e-5 of the total).
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/status.h"
#include "server/device/device.h"
#include "server/filters/bloom/bloom_kernel.h"
#include "server/filters/bloom/convolution.h"
#include "server/filters/bloom/dual_filter.h"
#include "server/filters/bloom/spectrum_cache.h"
#include "server/filters/bloom/spectrum_node.h"
#include "weft/v1/bloom.pb.h"

namespace weft::filters::bloom {

struct BloomShape {
  int width = 0;  // size of a frame, in pixels
  int height = 0;
  PixelType source = PixelType::kHalf;
  PixelType target = PixelType::kHalf;
};

struct BloomWork {
  Pixels source;  // input, with the type of the shape's source
  // output, with the type of the shape's target; not the memory of the source
  Pixels target;
  const device::Buffer* scratch = nullptr;  // scratch memory of scratch_bytes() bytes
  // Memory with two uint32 for each frame. The kernels add the number of pixels with a value that
  // is infinite or not a number, and the number of pixels with a value below 0.
  const device::Buffer* counts = nullptr;
  size_t counts_offset_bytes = 0;  // a multiple of 4
  size_t counts_stride_bytes = 8;  // bytes from a frame's counts to the next one's, a multiple of 4
  int units = 1;                   // frames or images; at most max_units()
};
inline constexpr size_t kBloomCountsBytes = 8;  // size of a frame's PixelReport

// Lower estimate of a CPU core's rate, in operations of a convolution per second: about half the
// rate of an AMD EPYC with AVX2.
inline constexpr double kCpuOperations = 1e10;

// Selects the creator of a kernel's spectrum that is not in the cache: make() before it returns, or
// the caller of take_preparation().
enum class SpectrumIsMade { kAtOnce, kByCaller };

// Is made for one device, shape and set of options. Not thread-safe.
class Bloom {
 public:
  // Creates a bloom. `options` have their defaults filled in; `alive` is called repeatedly. Waits
  // for the device if the kernel's spectrum is computed at once. `cache` outlives the bloom.
  // INVALID_ARGUMENT: options out of range or in conflict, or pictures with values that are not
  // light. FAILED_PRECONDITION: lines longer than the device can transform. RESOURCE_EXHAUSTED:
  // memory is short.
  static StatusOr<std::unique_ptr<Bloom>> make(device::Device& device, const BloomShape& shape,
                                               const v1::BloomOptions& options, const BloomPictures& pictures,
                                               SpectrumCache& cache,
                                               SpectrumIsMade spectrum = SpectrumIsMade::kAtOnce,
                                               const std::function<void()>& alive = {});

  // Returns, at most once, the work that computes the kernel's spectrum, or nothing if the spectrum
  // exists. The work must end before this object is destroyed.
  std::optional<Preparation> take_preparation() { return std::exchange(preparation_, std::nullopt); }

  int max_units() const;  // largest number of units in a batch
  size_t scratch_bytes(int units) const;
  // Enqueues the units' work. Does not fail: errors occur at creation, and the stream's wait
  // returns a device error. Portions of the same work are enqueued in order, with no other use of
  // the scratch memory between them; together they produce the same bytes as the whole work.
  void enqueue(device::Stream& stream, const BloomWork& work, const Portion& portion = {}) const;
  // portions() returns the number of portions of a unit. A unit that occupies the device for at
  // most kLongest has one portion; a longer one has portions of about kPortion each. The duration
  // is estimated from the number of operations and the lowest speed of such a device. Portions are
  // short because next to a stream with irregular frames no batch may last longer than a twentieth
  // of the period; in a longer gap the schedule starts many portions at once.
  static constexpr Duration kPortion = std::chrono::microseconds(250),
                            kLongest = std::chrono::milliseconds(2);
  // upper bound; the approximate number of blocks of lines is another one
  static constexpr int kMostPortions = 4096;
  int portions() const;

 private:
  // Weights of scene, light and glow in the output, for each colour.
  struct Weights {
    float scene = 1;
    std::array<float, 3> taken{};
    std::array<float, 3> glow{};
  };

  Bloom(device::Device& device, const BloomShape& shape, const v1::BloomOptions& options)
      : device_(device), shape_(shape), options_(options) {}
  Status make_convolution(const BloomPictures& pictures, SpectrumCache& cache, SpectrumIsMade made,
                          const std::function<void()>& alive);
  Status prepare_spectrum(const BloomKernel& kernel, const std::string& key, SpectrumCache& cache);
  int portions_for(double operations) const;
  Status make_convolution_for(const KernelSpectrum& spectrum);
  Status make_dual();
  Status choose_weights(const std::array<double, 3>& centre, const std::array<double, 3>& scatter);
  bool is_convolve() const { return options_.mode() == v1::BLOOM_MODE_CONVOLVE; }
  size_t method_bytes(int units) const;
  template <class Params>
  void describe_light(Params& params) const;
  void enqueue_prefilter(device::Stream& stream, const BloomWork& work, const Pixels& light,
                         const Portion& portion) const;
  void enqueue_composite(device::Stream& stream, const BloomWork& work, const Pixels& glow,
                         const Portion& portion) const;

  device::Device& device_;
  BloomShape shape_;
  v1::BloomOptions options_;
  Weights weights_;
  PixelType light_ = PixelType::kFloat;
  const device::Kernel* prefilter_ = nullptr;
  const device::Kernel* composite_ = nullptr;
  // The method: either a convolution with its spectrum, or a dual filter.
  std::unique_ptr<Convolution> convolution_;
  std::shared_ptr<const KernelSpectrum> spectrum_;
  std::optional<Preparation> preparation_;
  std::unique_ptr<DualFilter> dual_;
};

}  // namespace weft::filters::bloom
