// SPDX-License-Identifier: Apache-2.0
// Convolution of images of red, green and blue with a kernel of any size, by FFT: three passes over memory, whatever the kernel. Alpha
// is not convolved.
//
//   ASSIGN_OR_RETURN(auto convolution, Convolution::make(device, {.width = 1920, .height = 1080, ...}));
//   ASSIGN_OR_RETURN(auto spectrum, convolution->make_spectrum(stream, *scratch, kernel));   once a kernel
//   convolution->enqueue(stream, {.source = {...}, .target = {...}, .spectrum = spectrum.get(), ...});
//
// out(x, y) = sum over (i, j) of kernel(i, j) in(x - (i - centre_x), y - (j - centre_y)), exact to the rounding of fp32: the error is
// about 2^-24 log2(points) of the root of the sum of squares of what is convolved, wherever it lies.
//
// A transform of at least image + reach points an axis, with reach the furthest that the kernel goes to one side, gives
// what a direct sum gives (what wraps around is cropped); image + 2 reach where the image is continued outside.
//
// Lines that a block's memory holds are transformed in three launches (short_lines.h), longer ones are split into parts first
// (long_lines.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/status.h"
#include "server/device/device.h"
#include "server/filters/bloom/convolution_plan.h"
#include "server/filters/engine.h"
#include "server/graph/port.h"
#include "server/graph/portion.h"

namespace weft::filters::bloom {

inline constexpr int kLongestImageSide = kLongestLine;

// Frames of pixels in device memory, [frame][height][stride].
struct Pixels {
  const device::Buffer* buffer = nullptr;
  size_t offset_bytes = 0;  // a multiple of a pixel
  PixelType type = PixelType::kHalf;
  int stride = 0;        // pixels from a row to the next
  int frame_stride = 0;  // pixels from a frame to the next
};

struct ConvolutionWork {
  Pixels source;
  Pixels target;  // its alpha becomes 0
  const device::Buffer* spectrum = nullptr;
  size_t spectrum_offset_bytes = 0;
  const device::Buffer* scratch = nullptr;
  int units = 1;
};

// A kernel as an image in device memory: floats, four a pixel. Without has_channel_kernels its first channel counts.
struct KernelImage {
  const device::Buffer* buffer = nullptr;
  size_t offset_bytes = 0;
  int width = 0;  // at most the transform's length, and not further from its centre than the shape's reach
  int height = 0;
  int centre_x = 0;  // counted from 0, inside the image
  int centre_y = 0;
  int stride = 0;  // pixels from a row to the next; 0: the width
};

// Made for one device and shape. One thread at a time.
class Convolution {
 public:
  // INVALID_ARGUMENT: a side or a length out of range; FAILED_PRECONDITION: lines longer than the device's shared memory holds of the
  // most parts; RESOURCE_EXHAUSTED: memory is short.
  static StatusOr<std::unique_ptr<Convolution>> make(device::Device& device, const ConvolutionShape& shape);
  virtual ~Convolution() = default;

  const ConvolutionShape& shape() const { return shape_; }  // with the intermediates that are kept
  const TransformSides& sides() const { return sides_; }
  // Device memory that enqueue() and make_spectrum() work in.
  virtual size_t scratch_bytes(int units) const = 0;
  virtual size_t spectrum_bytes() const = 0;
  virtual double operations_per_unit() const = 0;  // 5 n log2 n for each line of n points
  double operations_of_spectrum() const;

  // Enqueues the making of a kernel's spectrum, for any number of enqueue()s on this stream, or others that wait for it.
  // INVALID_ARGUMENT: a kernel that does not fit the shape, or scratch too small.
  StatusOr<std::unique_ptr<device::Buffer>> make_spectrum(device::Stream& stream,
                                                          const device::Buffer& scratch,
                                                          const KernelImage& kernel) const;
  // Likewise, into the spectrum_bytes() from an offset on, and in portions as below; the caller knows that the kernel and the scratch
  // memory fit.
  virtual void enqueue_spectrum(device::Stream& stream, const device::Buffer& scratch,
                                const KernelImage& kernel, const device::Buffer& spectrum,
                                size_t offset_bytes, const Portion& portion = {}) const = 0;
  Status check_kernel(const KernelImage& kernel) const;

  // Enqueues the units' work, three launches or, of lines in parts, more. Cannot fail: what can, did at creation; a device error comes out of the
  // stream's wait. Buffers and strides must hold the shape's pixels. Portions of the same work are enqueued in order, with nothing else
  // in the scratch memory between them; together they give the same bytes.
  void enqueue(device::Stream& stream, const ConvolutionWork& work, const Portion& portion = {}) const;
  // One of the three, in order: rows, columns, rows back. Of lines in parts: splitting, convolving, joining. And a portion of that.
  static constexpr int kPasses = 3;
  virtual void enqueue_pass(device::Stream& stream, const ConvolutionWork& work, int pass,
                            const Portion& portion = {}) const = 0;

 protected:
  Convolution(device::Device& device, const ConvolutionShape& shape, const TransformSides& sides)
      : device_(device), shape_(shape), sides_(sides) {}
  virtual std::array<double, kPasses> pass_shares() const = 0;  // of a frame's time, about

  device::Device& device_;
  ConvolutionShape shape_;
  const TransformSides sides_;
};

// A kernel's samples as pixels.
Pixels pixels_of(const KernelImage& kernel);

}  // namespace weft::filters::bloom
