// SPDX-License-Identifier: Apache-2.0
// Convolves images of red, green and blue with a kernel of any size, by FFT: three passes over
// memory with every kernel. Alpha is not convolved.
//
//   ASSIGN_OR_RETURN(auto convolution, Convolution::make(device, {.width = 1920, ...}));
//   ASSIGN_OR_RETURN(auto spectrum, convolution->make_spectrum(stream, *scratch, kernel));  // once
//   convolution->enqueue(stream, {.source = {...}, .spectrum = spectrum.get(), ...});
//
// out(x, y) = sum over (i, j) of kernel(i, j) in(x - (i - centre_x), y - (j - centre_y)), exact to
// the rounding of fp32: the error is about 2^-24 log2(points) of the root of the sum of squares of
// the convolved values, at every position.
//
// A transform equals a direct sum if each axis has at least image + reach points (wrapped values
// are cropped), or image + 2 reach if the image is continued outside. The reach is the kernel's
// extent to its longer side.
//
// Lines that fit a block's memory are transformed in three launches (short_lines.h). Longer lines
// are split into parts first (long_lines.h).
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
  Pixels target;  // output; its alpha becomes 0
  const device::Buffer* spectrum = nullptr;
  size_t spectrum_offset_bytes = 0;
  const device::Buffer* scratch = nullptr;
  int units = 1;
};

// A kernel as an image in device memory, with four floats per pixel. Without has_channel_kernels
// only the first channel is used.
struct KernelImage {
  const device::Buffer* buffer = nullptr;
  size_t offset_bytes = 0;
  // At most the transform's length; no pixel is farther from the centre than the shape's reach.
  int width = 0;
  int height = 0;
  int centre_x = 0;  // position of the centre inside the image, from 0
  int centre_y = 0;
  int stride = 0;  // pixels from a row to the next; 0: the width
};

// Is made for one device and shape. Not thread-safe.
class Convolution {
 public:
  // Creates a convolution. INVALID_ARGUMENT: a side or a length out of range. FAILED_PRECONDITION:
  // lines that the device's shared memory cannot hold even in the largest number of parts.
  // RESOURCE_EXHAUSTED: memory is short.
  static StatusOr<std::unique_ptr<Convolution>> make(device::Device& device, const ConvolutionShape& shape);
  virtual ~Convolution() = default;

  const ConvolutionShape& shape() const { return shape_; }  // includes the intermediates in use
  const TransformSides& sides() const { return sides_; }
  // Returns the size of the device memory that enqueue() and make_spectrum() use while they run.
  virtual size_t scratch_bytes(int units) const = 0;
  virtual size_t spectrum_bytes() const = 0;
  virtual double operations_per_unit() const = 0;  // 5 n log2 n for each line of n points
  double operations_of_spectrum() const;

  // Enqueues the computation of a kernel's spectrum. The spectrum serves any number of enqueue()
  // calls on this stream, or on streams that wait for it. INVALID_ARGUMENT: the kernel does not fit
  // the shape, or the scratch memory is too small.
  StatusOr<std::unique_ptr<device::Buffer>> make_spectrum(device::Stream& stream,
                                                          const device::Buffer& scratch,
                                                          const KernelImage& kernel) const;
  // Enqueues the computation of a spectrum into spectrum_bytes() bytes of `spectrum`, from
  // `offset_bytes` on, in portions as for enqueue(). The caller has checked the kernel and the size
  // of the scratch memory.
  virtual void enqueue_spectrum(device::Stream& stream, const device::Buffer& scratch,
                                const KernelImage& kernel, const device::Buffer& spectrum,
                                size_t offset_bytes, const Portion& portion = {}) const = 0;
  Status check_kernel(const KernelImage& kernel) const;

  // Enqueues the units' work: three launches or, for lines in parts, more. Does not fail: errors
  // occur at creation, and the stream's wait returns a device error. Buffers and strides must hold
  // the shape's pixels. Portions of the same work are enqueued in order, with no other use of the
  // scratch memory between them; together they produce the same bytes as the whole work.
  void enqueue(device::Stream& stream, const ConvolutionWork& work, const Portion& portion = {}) const;
  // Enqueues a portion of one of the three passes, in order: rows, columns, rows back. For lines in
  // parts the passes are splitting, convolving and joining.
  static constexpr int kPasses = 3;
  virtual void enqueue_pass(device::Stream& stream, const ConvolutionWork& work, int pass,
                            const Portion& portion = {}) const = 0;

 protected:
  Convolution(device::Device& device, const ConvolutionShape& shape, const TransformSides& sides)
      : device_(device), shape_(shape), sides_(sides) {}
  // approximate shares of a frame's time
  virtual std::array<double, kPasses> pass_shares() const = 0;

  device::Device& device_;
  ConvolutionShape shape_;
  const TransformSides sides_;
};

// Returns a kernel's samples as pixels.
Pixels pixels_of(const KernelImage& kernel);

}  // namespace weft::filters::bloom
