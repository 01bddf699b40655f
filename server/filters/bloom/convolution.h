// SPDX-License-Identifier: Apache-2.0
// Convolution of images of three channels, or of three and alpha, with a kernel of any size, by FFT: three passes over memory, whatever the
// kernel.
//
//   ASSIGN_OR_RETURN(auto convolution, Convolution::make(device, {.width = 1920, .height = 1080, ...}));
//   ASSIGN_OR_RETURN(auto spectrum, convolution->make_spectrum(stream, *scratch, kernel));   once a kernel
//   convolution->enqueue(stream, {.source = {...}, .target = {...}, .spectrum = spectrum.get(), ...});
//
// Rows are transformed with two channels in one complex number (R + iG, B + iA), only those that hold something, and leave
// half of each channel's own transform; columns are transformed, multiplied and transformed back in one pass; rows go
// back, only what is wanted of them. out(x, y) = sum over (i, j) of kernel(i, j) in(x - (i - centre_x), y - (j - centre_y)),
// exact to the rounding of fp32: the error is about 2^-24 log2(points) of the root of the sum of squares of what is
// convolved, wherever it lies.
//
// Lines longer than a block's memory holds are split into parts first (long_lines.h), for a few passes more.
//
// A transform of at least image + reach points an axis, with reach the furthest that the kernel goes to one side, gives
// what a direct sum gives (what wraps around is cropped); image + 2 reach where the image is continued outside. Bytes that
// a frame moves, with S = 16 * points_x * height those of the rows' transforms: 8 or 16 a pixel in and out, 4 S, and the
// spectrum, 4 or 16 * points_x * points_y, once a launch where the cache holds it.
//
// Without alpha S and the spectrum of a kernel a channel are three quarters of that, and so are columns' operations: rows keep no half
// of alpha's transform, and blue's halves of two columns go through one column of two channels. GPUs do so, and have kernels for single
// lengths (fixed_lines.h) for three channels alone.
//
// Intermediates of fp16 halve S, and what is kept twice is rounded to 11 bits (docs/reference/bloom.md says what that costs). With n
// points a row, M the brightest sample and K a kernel's sum, a row's transforms are at most 2 n M, and what columns leave at
// most 2 M K: each is scaled by a power of 2 to at most half of what a half holds, and the pixels back. Spectra stay fp32.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"
#include "server/filters/bloom/fixed_lines.h"
#include "server/filters/engine.h"
#include "server/graph/port.h"
#include "server/graph/portion.h"

namespace weft::filters::bloom {

inline constexpr int kLongestImageSide = kLongestLine;

class LongLines;

enum class Padding { kZero, kClamp, kMirror };
// How rows' transforms lie in memory between the passes; the arithmetic is fp32 in either case. What is not of three channels in one
// part on a GPU keeps fp32.
enum class Intermediates { kFp32, kFp16 };

struct ConvolutionShape {
  int width = 0;  // of the image, in pixels
  int height = 0;
  int reach_x = 0;  // how far the kernel goes to the further side of its centre
  int reach_y = 0;
  bool is_circular = false;  // the image repeats itself; its sides are products of 2, 3, 5 and 7, from 16 on
  bool has_channel_kernels = false;  // red, green, blue and alpha each with a kernel of their own
  bool has_alpha = true;             // else it is not convolved: what comes out is scene_alpha_weight * scene
  Padding padding = Padding::kZero;  // what lies outside the image
  // A pixel is two complex numbers, of the image and of the kernel. Without has_channel_kernels the kernel's first counts.
  bool is_complex = false;
  Intermediates intermediates = Intermediates::kFp32;
  // With fp16 nothing may be past the largest half, so what is kept is scaled by powers of 2 that follow from these. No
  // sample of a frame is larger than `brightest`, either side of 0; the magnitudes of a kernel's channel add up to at most
  // `kernel_sum`. Both from 1e-12 to 1e12. What breaks them may come out as infinity or no number, all over the frame.
  double brightest = 65504;
  double kernel_sum = 1;

  // Chosen where 0, -1 or empty. For tests and measurements.
  int points_x = 0;
  int points_y = 0;
  bool is_modelled = false;  // lengths by the operations that they cost, where the device's were measured too
  // Lines that one of an axis is split into, where it is too long for the device's shared memory: 1 to 5, 7 or 8.
  int parts_x = 0;
  int parts_y = 0;
  int lines_log2 = -1;  // log2 of the columns of two channels that a block takes together
  std::vector<int> radices_x = {},
                   radices_y = {};  // in the order of the passes forward; they give the length too
  int skew = -1;                    // in shared memory place i of a line lies at i + (i >> skew); 31: at i
  // The kernels for some lengths alone (fixed_lines.h), without alpha: GPUs take them where they fit. And these of them, by name.
  std::optional<bool> fixed_lines = {};
  std::string rows_variant = {}, columns_variant = {}, rows_back_variant = {};
  bool is_portable = false;  // the CPU takes the kernels' bodies that GPUs have, where it was built with them
};

// Frames of pixels in device memory, [frame][height][stride].
struct Pixels {
  const device::Buffer* buffer = nullptr;
  size_t offset_bytes = 0;  // a multiple of a pixel
  PixelType type = PixelType::kHalf;
  int stride = 0;        // pixels from a row to the next
  int frame_stride = 0;  // pixels from a frame to the next
};

// pixel = weight * convolved + scene_weight * scene, and likewise for alpha.
struct Mix {
  float weight = 1;
  float scene_weight = 0;
  float alpha_weight = 1;
  float scene_alpha_weight = 0;
};

struct ConvolutionWork {
  Pixels source;
  Pixels target;
  Pixels scene;  // strides as the target's; may be the source; not read when both its weights are 0
  Mix mix;
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

// Samples of a line that hold something, or must not be folded onto: what its transform is at least long.
int needed_points(const ConvolutionShape& shape, LineAxis axis);

// Made for one device and shape. One thread at a time.
class Convolution {
 public:
  // INVALID_ARGUMENT: a side or a length out of range, a variant that is not for it; FAILED_PRECONDITION: lines longer than
  // the device's shared memory holds of the most parts; RESOURCE_EXHAUSTED: memory is short.
  static StatusOr<std::unique_ptr<Convolution>> make(device::Device& device, const ConvolutionShape& shape);
  ~Convolution();

  const ConvolutionShape& shape() const { return shape_; }  // with the lengths that were chosen
  // Device memory that enqueue() and make_spectrum() work in.
  size_t scratch_bytes(int units) const;
  size_t spectrum_bytes() const;
  // What must move and be computed for one frame; the spectrum is counted apart, as it is read once a launch.
  double bytes_per_unit(PixelType source, PixelType target) const;
  double operations_per_unit() const;  // 5 n log2 n for each line of n points
  double operations_of_spectrum() const;

  // Enqueues the making of a kernel's spectrum, for any number of enqueue()s on this stream, or others that wait for it.
  // INVALID_ARGUMENT: a kernel that does not fit the shape, or scratch too small.
  StatusOr<std::unique_ptr<device::Buffer>> make_spectrum(device::Stream& stream,
                                                          const device::Buffer& scratch,
                                                          const KernelImage& kernel) const;
  // Likewise, into the spectrum_bytes() from an offset on, and in portions as below; the caller knows that the kernel and the scratch
  // memory fit.
  void enqueue_spectrum(device::Stream& stream, const device::Buffer& scratch, const KernelImage& kernel,
                        const device::Buffer& spectrum, size_t offset_bytes,
                        const Portion& portion = {}) const;
  Status check_kernel(const KernelImage& kernel) const;

  // Enqueues the units' work, three launches or, of lines in parts, more. Cannot fail: what can, did at creation; a device error comes out of the
  // stream's wait. Buffers and strides must hold the shape's pixels. Portions of the same work are enqueued in order, with nothing else
  // in the scratch memory between them; together they give the same bytes.
  void enqueue(device::Stream& stream, const ConvolutionWork& work, const Portion& portion = {}) const;
  // One of the three, in order: rows, columns, rows back. Of lines in parts: splitting, convolving, joining. And a portion of that.
  static constexpr int kPasses = 3;
  void enqueue_pass(device::Stream& stream, const ConvolutionWork& work, int pass,
                    const Portion& portion = {}) const;

 private:
  // What a pass does to its lines: its tables on the device, and how its kernel is launched.
  struct Line {
    FftPlan plan;
    size_t twiddles_offset = 0;  // into tables_
    size_t order_offset = 0;
    int planes = 2;  // complex numbers of a pixel that a block works on together
    int lines = 1;   // rows of a block; log2 of the lines of a block of columns
    Skews skews;
    size_t shared_bytes = 0;
    std::string variant;  // of the kernel
    int resident = 1;     // blocks that fit on a multiprocessor at once
    const device::Kernel* kernel = nullptr;
    const device::Kernel* spectrum_kernel = nullptr;  // of fp32, as what follows
  };
  // Of rows, for most launches, and for those that would leave a third of the device's time idle with it (or the same).
  struct RowLines {
    Line usual, spread;
  };

  Convolution(device::Device& device, const ConvolutionShape& shape);
  Status choose_lines(LineAxis axis, RadixSet set);
  Status choose_rows_back(RadixSet set);
  StatusOr<bool> take_fixed_line(LinePass pass, const FftPlan& plan);
  static Line line_of(const FixedLine& fixed);
  void choose_wide_lines(LineAxis axis);
  int most_planes() const;
  Status choose_rows(RowLines& rows);
  Status choose_columns();
  Status make_tables();
  Status load_kernels();
  int padded_rows() const;  // rows of the transform that are not zero
  size_t row_points() const;
  size_t blue_points() const;  // of them, of three channels, that hold blue
  size_t row_bytes() const;    // of a row's transform, between the passes
  // What rows' transforms are multiplied by where they are kept, and what comes out of the columns; of fp32 both are 1.
  double rows_scale() const;
  double columns_scale() const;
  template <class Params>
  void describe_rows(Params& params,
                     const Line& line) const;       // the transform of a row, alike in both row passes
  std::array<double, kPasses> pass_shares() const;  // of a frame's time, about
  const Line& rows_for(const RowLines& lines, int rows, int units) const;
  template <class Params>
  void launch_rows(device::Stream& stream, const Line& line, const device::Kernel& kernel, int rows,
                   int units, const Portion& portion, Params& params) const;
  void enqueue_rows(device::Stream& stream, const Pixels& source, const device::Buffer& target, int units,
                    const KernelImage* kernel, const Portion& portion) const;
  void enqueue_columns(device::Stream& stream, const device::Buffer& data, const device::Buffer& spectrum,
                       size_t spectrum_offset, int units, bool makes_spectrum, const Portion& portion) const;
  void enqueue_rows_back(device::Stream& stream, const ConvolutionWork& work, const Portion& portion) const;

  device::Device& device_;
  ConvolutionShape shape_;
  bool is_wide_ =
      false;             // the CPU's own bodies: a row's transform is whole, columns take their mirrors along
  bool is_rgb_ = false;  // three channels between the passes
  std::unique_ptr<LongLines> long_lines_;  // does it all, where lines are in parts
  RowLines rows_, rows_back_;
  Line columns_;
  std::unique_ptr<device::Buffer> tables_;
};

}  // namespace weft::filters::bloom
