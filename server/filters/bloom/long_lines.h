// SPDX-License-Identifier: Apache-2.0
// Convolves images with lines longer than a block's memory, or than the longest transform. A first
// pass in memory, with as many points as parts, splits each axis into `parts` decimated sub-lines.
// The image becomes parts_x * parts_y complex sub-images, each convolved independently (frequencies
// congruent to k modulo parts). (Bailey 1990, "FFTs in external or hierarchical memory", does the
// same with equal halves of the passes.)
//
// With one kernel for all channels, an image contains red + i green and blue + i alpha, as in the
// kernels of shorter lines. With one kernel per channel, one image contains two channels and
// another image the other two, because a sum of two channels cannot be separated within a part.
#pragma once

#include <array>
#include <memory>

#include "server/filters/bloom/convolution.h"
#include "server/filters/nodes/layout_node.h"

namespace weft::filters::bloom {

// The split of an axis into `parts` lines of `points` points each.
struct LineSplit {
  int parts = 1;
  int points = 0;
};

// Splits a line of `needed` points into 1 to 5, 7 or 8 parts of the cheapest length.
// INVALID_ARGUMENT: a part is too long.
StatusOr<LineSplit> split_line(int needed, int parts, RadixSet set);
// Splits an axis into the fewest parts that fit. FAILED_PRECONDITION: the device's shared memory is
// too small even for parts.
StatusOr<LineSplit> choose_split(const ConvolutionShape& shape, LineAxis axis,
                                 const device::DeviceInfo& device);

class LongLines final : public Convolution {
 public:
  // Creates the convolution. INVALID_ARGUMENT: too many points in all. RESOURCE_EXHAUSTED: memory
  // is short.
  static StatusOr<std::unique_ptr<LongLines>> make(device::Device& device, const ConvolutionShape& shape,
                                                   const LineSplit& x, const LineSplit& y);

  size_t scratch_bytes(int units) const override;
  size_t spectrum_bytes() const override;
  double operations_per_unit() const override;
  void enqueue_spectrum(device::Stream& stream, const device::Buffer& scratch, const KernelImage& kernel,
                        const device::Buffer& spectrum, size_t offset_bytes,
                        const Portion& portion = {}) const override;
  void enqueue_pass(device::Stream& stream, const ConvolutionWork& work, int pass,
                    const Portion& portion = {}) const override;

 private:
  struct Axis {
    LineSplit split;
    size_t twiddles_offset = 0;  // bytes from the start of tables_
    const device::Kernel* splitting = nullptr;
    const device::Kernel* joining = nullptr;
    int points() const { return split.parts * split.points; }
  };
  // The input of a convolution: units, or a kernel with its centre moved to (0, 0).
  struct Source {
    Pixels pixels;
    int width, height;
    int centre_x, centre_y;
    int padding;
    int units;
  };

  LongLines(device::Device& device, const ConvolutionShape& shape, const LineSplit& x, const LineSplit& y);
  Status make_part();
  Status make_tables();
  Status load_kernels();
  int images() const { return shape_.has_channel_kernels ? 2 : 1; }  // complex images of a frame
  double parts_in_all() const { return images() * x_.split.parts * y_.split.parts; }
  size_t image_bytes() const;
  size_t image_offset(int image, int units) const;  // bytes from the start of the scratch memory
  // Calls act(image, offset in the image, number) for each part.
  template <class Do>
  void each_part(Do&& act) const;
  void enqueue_split(device::Stream& stream, const Source& source, int image, bool is_kernel,
                     const device::Buffer& scratch) const;
  void enqueue_join(device::Stream& stream, const ConvolutionWork& work, int image) const;

  // The first and the last pass are limited by memory.
  std::array<double, kPasses> pass_shares() const override { return {0.1, 0.75, 0.15}; }

  Axis x_, y_;
  std::unique_ptr<Convolution> part_;
  Constants tables_;
};

}  // namespace weft::filters::bloom
