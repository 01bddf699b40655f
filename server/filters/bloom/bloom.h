// SPDX-License-Identifier: Apache-2.0
// The bloom of pictures in linear light, as its options say (proto/weft/v1/bloom.proto, docs/reference/bloom.md): by FFT or by the dual filter.
//
//   SpectrumCache cache;                                                        one for a device
//   ASSIGN_OR_RETURN(auto bloom, Bloom::make(device, {1920, 1080}, options, {.kernel = &star}, cache));
//   bloom->enqueue(stream, {.source = {...}, .target = {...}, .scratch = scratch.get(), .counts = counts.get(), .units = 4});
//
// With L the light that blooms (scrubbed, clamped, above the threshold), K the kernel without its centre, c and s the light of its
// centre and of the rest, for each colour:
//   conserving   out = scene + intensity (spike c L + scatter s K * L) / (spike c + scatter s) - intensity L
//   additive     out = scene + intensity (spike c L + scatter s K * L)
//   convolve     out = intensity K * L, K the whole kernel; L keeps what is below 0
// The dual filter has no centre: c = 0, s = 1. Alpha is the scene's. The total of a conserving bloom is the scene's, less what leaves
// the picture, to the rounding of fp32 (below 1e-5 of it).
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
  int width = 0;  // of a frame, in pixels
  int height = 0;
  PixelType source = PixelType::kHalf;
  PixelType target = PixelType::kHalf;
};

struct BloomWork {
  Pixels source;                            // of the shape's types
  Pixels target;                            // not the source
  const device::Buffer* scratch = nullptr;  // scratch_bytes() of it
  // Two uint32 a frame that are added to: pixels with a value that is no number or infinite, and with one below 0.
  const device::Buffer* counts = nullptr;
  size_t counts_offset_bytes = 0;  // a multiple of 4
  size_t counts_stride_bytes = 8;  // from a frame's to the next's, likewise
  int units = 1;                   // frames or images; at most max_units()
};
inline constexpr size_t kBloomCountsBytes = 8;  // of a frame: a PixelReport

// What a core of the CPU does at least in a second, of the operations that a convolution counts: about half of what an AMD EPYC with
// AVX2 does.
inline constexpr double kCpuOperations = 1e10;

// A kernel's spectrum that is not in the cache is made before make() returns, or by whoever runs take_preparation().
enum class SpectrumIsMade { kAtOnce, kByCaller };

// Made for one device, shape and set of options. One thread at a time.
class Bloom {
 public:
  // `options` with defaults filled in; `alive` is called now and then. Waits for the device where the kernel's spectrum is made at once. The cache outlives this.
  // INVALID_ARGUMENT: options out of range or against each other, pictures that are no light; FAILED_PRECONDITION: lines longer than
  // the device takes; RESOURCE_EXHAUSTED: memory is short.
  static StatusOr<std::unique_ptr<Bloom>> make(device::Device& device, const BloomShape& shape,
                                               const v1::BloomOptions& options, const BloomPictures& pictures,
                                               SpectrumCache& cache,
                                               SpectrumIsMade spectrum = SpectrumIsMade::kAtOnce,
                                               const std::function<void()>& alive = {});

  // What makes the kernel's spectrum, once; it must end before this does. Nothing: it is there.
  std::optional<Preparation> take_preparation() { return std::exchange(preparation_, std::nullopt); }

  int max_units() const;  // of a batch
  size_t scratch_bytes(int units) const;
  // Enqueues the units' work. Cannot fail: what can, did at creation; a device error comes out of the stream's wait. Portions of the
  // same work are enqueued in order, with nothing else in the scratch memory between them; together they give the same bytes.
  void enqueue(device::Stream& stream, const BloomWork& work, const Portion& portion = {}) const;
  // In how many portions a unit is done. A unit that takes the device up to kLongest is done at once, another in portions of about
  // kPortion each. The time is estimated from the number of operations and the least speed of such a device. Portions are short
  // because next to a stream with irregular frames nothing starts that takes more than a twentieth of the period; where the gap is
  // longer, the schedule starts many at once.
  static constexpr Duration kPortion = std::chrono::microseconds(250),
                            kLongest = std::chrono::milliseconds(2);
  static constexpr int kMostPortions = 4096;  // and no more than there are blocks of lines, about
  int portions() const;

 private:
  // What of scene, light and glow comes out, for each colour.
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
  // One of the two methods.
  std::unique_ptr<Convolution> convolution_;
  std::shared_ptr<const KernelSpectrum> spectrum_;
  std::optional<Preparation> preparation_;
  std::unique_ptr<DualFilter> dual_;
};

}  // namespace weft::filters::bloom
