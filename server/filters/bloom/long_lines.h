// SPDX-License-Identifier: Apache-2.0
// Convolution of images whose lines are longer than a block's memory holds, or than a transform may be: the first pass of the
// transforms, of as many points as there are parts, is done in memory. What is left of an axis are so many lines for
// each one, and what is left of the image are parts_x * parts_y images of complex numbers, each of which is convolved by itself:
// in the frequencies that are k modulo parts. (Bailey 1990, "FFTs in external or hierarchical memory", does the same with
// equal halves of the passes.)
//
// One kernel for all: an image holds red + i green, and blue + i alpha, as the kernels of shorter lines do. One a channel: it holds
// two channels, and another the other two, since a sum of two channels cannot be taken apart within a part.
#pragma once

#include <array>
#include <memory>

#include "server/filters/bloom/convolution.h"
#include "server/filters/nodes/layout_node.h"

namespace weft::filters::bloom {

// How an axis is transformed: `parts` lines of `points` each.
struct LineSplit {
  int parts = 1;
  int points = 0;
};

// The parts' length for 1 to 5, 7 or 8 of them. INVALID_ARGUMENT: too long.
StatusOr<LineSplit> split_line(int needed, int parts, RadixSet set);
// The fewest parts that fit. FAILED_PRECONDITION: the device holds too little of a line.
StatusOr<LineSplit> choose_split(const ConvolutionShape& shape, LineAxis axis,
                                 const device::DeviceInfo& device);

class LongLines final : public Convolution {
 public:
  // INVALID_ARGUMENT: too many points in all; RESOURCE_EXHAUSTED: memory is short.
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
    size_t twiddles_offset = 0;  // into tables_
    const device::Kernel* splitting = nullptr;
    const device::Kernel* joining = nullptr;
    int points() const { return split.parts * split.points; }
  };
  // What a convolution reads: units, or a kernel, whose centre comes to (0, 0).
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
  int images() const { return shape_.has_channel_kernels ? 2 : 1; }  // of complex numbers, a frame
  double parts_in_all() const { return images() * x_.split.parts * y_.split.parts; }
  size_t image_bytes() const;
  size_t image_offset(int image, int units) const;  // into the scratch memory
  template <class Do>
  void each_part(Do&& act) const;  // act(image, offset in the image, number)
  void enqueue_split(device::Stream& stream, const Source& source, int image, bool is_kernel,
                     const device::Buffer& scratch) const;
  void enqueue_join(device::Stream& stream, const ConvolutionWork& work, int image) const;

  // The first and the last pass do little but go through memory.
  std::array<double, kPasses> pass_shares() const override { return {0.1, 0.75, 0.15}; }

  Axis x_, y_;
  std::unique_ptr<Convolution> part_;
  Constants tables_;
};

}  // namespace weft::filters::bloom
