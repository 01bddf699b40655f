// SPDX-License-Identifier: Apache-2.0
// How a convolution's lines are transformed on a device: their lengths and radices, and what a block of the kernels takes.
//
// Pure functions, any thread.
#pragma once

#include "base/status.h"
#include "server/device/device.h"
#include "server/filters/bloom/fixed_lines.h"

namespace weft::filters::bloom {

enum class Padding { kZero, kClamp, kMirror };
// The format of rows' transforms in memory between the passes; the arithmetic is fp32 in either case.
// Only GPUs keep fp16, of lines in one part. Their scales are powers of 2 that follow from the brightest
// sample and the sum of the kernel's magnitudes, so that nothing overflows, whatever the light.
enum class Intermediates { kFp32, kFp16 };

struct ConvolutionShape {
  int width = 0;  // of the image, in pixels
  int height = 0;
  int reach_x = 0;  // how far the kernel goes to the further side of its centre
  int reach_y = 0;
  bool has_channel_kernels = false;  // red, green and blue each with a kernel of their own
  Padding padding = Padding::kZero;  // what lies outside the image
  Intermediates intermediates = Intermediates::kFp32;
  // With fp16 nothing may be past the largest half, so what is kept is scaled by powers of 2 that follow from these. No
  // sample of a frame is larger than `brightest`, either side of 0; the magnitudes of a kernel's channel add up to at most
  // `kernel_sum`. Both from 1e-12 to 1e12. What breaks them may come out as infinity or no number, all over the frame.
  double brightest = 65504;
  double kernel_sum = 1;
};

// Points of a transform's rows and columns.
struct TransformSides {
  int x = 0;
  int y = 0;
  bool operator==(const TransformSides&) const = default;
};

// What rows' transforms hold between the passes.
enum class PointLayout {
  kWide,     // four rows' whole transforms side by side: the CPU
  kHalves,   // half of each of three channels' transforms: GPUs
  kComplex,  // the whole transforms of pixels of two complex numbers: parts of long lines
};

struct RowPlan {
  LinePlan usual;
  LinePlan
      spread;  // for launches that would leave a third of the device's time idle with the usual one; or the same
};

struct ConvolutionPlan {
  PointLayout layout = PointLayout::kHalves;
  RowPlan rows = {}, rows_back = {};
  LinePlan columns = {};
  TransformSides sides() const { return {rows.usual.plan.points, columns.plan.points}; }
};

// Samples of a line that hold something, or must not be folded onto: what its transform is at least long.
int needed_points(const ConvolutionShape& shape, LineAxis axis);

RadixSet radices_of(const device::DeviceInfo& device);
// Points of the longest line that the device transforms in one part.
int longest_line(const device::DeviceInfo& device);
// Of what is not in parts.
PointLayout layout_of(const device::DeviceInfo& device);

// INVALID_ARGUMENT: points of which there are too many, or for which there are no radices; FAILED_PRECONDITION: lines longer than the
// device's shared memory holds. `sides`: the transform's, or 0 for the cheapest that are long enough.
StatusOr<ConvolutionPlan> plan_convolution(const ConvolutionShape& shape, const TransformSides& sides,
                                           PointLayout layout, const device::DeviceInfo& device);
// Lines of these radices by the kernels for every length.
StatusOr<RowPlan> plan_rows(const FftPlan& plan, PointLayout layout, const device::DeviceInfo& device);
StatusOr<LinePlan> plan_columns(const FftPlan& plan, PointLayout layout, const device::DeviceInfo& device);

// INVALID_ARGUMENT: more points than can be counted.
Status check_sides(const TransformSides& sides);

}  // namespace weft::filters::bloom
