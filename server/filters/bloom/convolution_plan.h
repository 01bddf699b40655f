// SPDX-License-Identifier: Apache-2.0
// Plans the transforms of a convolution's lines on a device: their lengths and radices, and the
// blocks of the kernels.
//
// The functions are pure; any thread may call them.
#pragma once

#include "base/status.h"
#include "server/device/device.h"
#include "server/filters/bloom/fixed_lines.h"

namespace weft::filters::bloom {

enum class Padding { kZero, kClamp, kMirror };
// The format of rows' transforms in memory between the passes; the arithmetic is fp32 in either
// case. Only GPUs store fp16, for lines in one part. Their scales are powers of 2 determined by the
// brightest sample and the sum of the kernel's magnitudes, so that no light overflows.
enum class Intermediates { kFp32, kFp16 };

struct ConvolutionShape {
  int width = 0;  // size of the image, in pixels
  int height = 0;
  int reach_x = 0;  // extent of the kernel from its centre to the farther side
  int reach_y = 0;
  bool has_channel_kernels = false;  // true: red, green and blue each have a kernel
  Padding padding = Padding::kZero;  // values outside the image
  Intermediates intermediates = Intermediates::kFp32;
  // Bounds for fp16. Stored values must not exceed the largest half, so they are scaled by powers
  // of 2 that follow from these bounds. The magnitude of every sample is at most `brightest`; the
  // magnitudes of a kernel's channel add up to at most `kernel_sum`. Both are from 1e-12 to 1e12.
  // Input beyond them may produce infinities or NaN throughout the frame.
  double brightest = 65504;
  double kernel_sum = 1;
};

// Points of a transform's rows and columns.
struct TransformSides {
  int x = 0;
  int y = 0;
  bool operator==(const TransformSides&) const = default;
};

// Content of rows' transforms between the passes.
enum class PointLayout {
  kWide,     // whole transforms of four rows side by side: the CPU
  kHalves,   // half of the transforms of three channels each: GPUs
  kComplex,  // whole transforms of pixels with two complex numbers: parts of long lines
};

struct RowPlan {
  LinePlan usual;
  // Replaces `usual` in launches that would leave a third of the device's time idle with it; equal
  // to `usual` if there is no such plan.
  LinePlan spread;
};

struct ConvolutionPlan {
  PointLayout layout = PointLayout::kHalves;
  RowPlan rows = {}, rows_back = {};
  LinePlan columns = {};
  TransformSides sides() const { return {rows.usual.plan.points, columns.plan.points}; }
};

// Returns the least length of a line's transform: the samples with content, and those that must not
// be folded onto.
int needed_points(const ConvolutionShape& shape, LineAxis axis);

RadixSet radices_of(const device::DeviceInfo& device);
// Points of the longest line that the device transforms in one part.
int longest_line(const device::DeviceInfo& device);
// Returns the layout for lines in one part.
PointLayout layout_of(const device::DeviceInfo& device);

// Plans a convolution. `sides` are those of the transform; 0 stands for the cheapest length that
// suffices. INVALID_ARGUMENT: too many points, or a number without radices. FAILED_PRECONDITION:
// lines longer than the device's shared memory.
StatusOr<ConvolutionPlan> plan_convolution(const ConvolutionShape& shape, const TransformSides& sides,
                                           PointLayout layout, const device::DeviceInfo& device);
// Plan lines of these radices with the kernels that support every length.
StatusOr<RowPlan> plan_rows(const FftPlan& plan, PointLayout layout, const device::DeviceInfo& device);
StatusOr<LinePlan> plan_columns(const FftPlan& plan, PointLayout layout, const device::DeviceInfo& device);

// Returns INVALID_ARGUMENT if the kernels cannot index that many points.
Status check_sides(const TransformSides& sides);

}  // namespace weft::filters::bloom
