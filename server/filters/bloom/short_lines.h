// SPDX-License-Identifier: Apache-2.0
// Convolves images with lines that fit a block's memory, in three launches: rows, columns, rows
// back.
//
// The first launch transforms the rows with content, with two channels in one complex number (R +
// iG, B); the transform of a single channel follows from half of its points. The second launch
// transforms the columns, multiplies them and transforms them back. The third launch transforms the
// needed rows back. The CPU stores whole transforms of R + iG and B + iA. GPUs store three
// channels: blue's halves of two columns are processed as one column of two channels. GPUs have
// kernels for single lengths (fixed_lines.h).
//
// Bytes moved per frame, with S the bytes of the rows' transforms: 8 or 16 per pixel in and out, 4
// S, and the spectrum, once per launch if the cache holds it. S is 16 * points_x * height on the
// CPU and three quarters of that on GPUs.
//
// With fp16 intermediates S is half as large, and values stored twice are rounded to 11 bits
// (docs/reference/bloom.md has the error). With n points per row, M the brightest sample and K a
// kernel's sum, a row's transforms are at most 2 n M, and the columns' results at most 2 M K. Each
// is scaled by a power of 2 to at most half of the largest half, and pixels are scaled back.
// Spectra stay fp32.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "server/filters/bloom/convolution.h"
#include "server/filters/nodes/layout_node.h"

namespace weft::filters::bloom {

class ShortLines final : public Convolution {
 public:
  // Creates the convolution by a plan for this device and shape. RESOURCE_EXHAUSTED: memory is
  // short.
  static StatusOr<std::unique_ptr<ShortLines>> make(device::Device& device, const ConvolutionShape& shape,
                                                    const ConvolutionPlan& plan);

  size_t scratch_bytes(int units) const override;
  size_t spectrum_bytes() const override;
  double operations_per_unit() const override;
  void enqueue_spectrum(device::Stream& stream, const device::Buffer& scratch, const KernelImage& kernel,
                        const device::Buffer& spectrum, size_t offset_bytes,
                        const Portion& portion = {}) const override;
  void enqueue_pass(device::Stream& stream, const ConvolutionWork& work, int pass,
                    const Portion& portion = {}) const override;

 private:
  // A pass over lines, with its tables and kernels on the device.
  struct Pass {
    LinePlan line;
    size_t twiddles_offset = 0;  // bytes from the start of tables_
    size_t order_offset = 0;
    const device::Kernel* kernel = nullptr;
    const device::Kernel* spectrum_kernel = nullptr;  // computes spectra, in fp32
  };
  struct RowPass {
    explicit RowPass(const RowPlan& plan) : usual{plan.usual}, spread{plan.spread} {}
    Pass usual, spread;
  };

  ShortLines(device::Device& device, const ConvolutionShape& shape, const ConvolutionPlan& plan);
  Status make_tables();
  Status load_kernels();
  StatusOr<const device::Kernel*> load(std::string_view name, const LinePlan& line, std::string_view kept);
  std::array<double, kPasses> pass_shares() const override;
  int padded_rows() const;  // number of the transform's rows that are not zero
  size_t row_points() const;
  size_t blue_points() const;  // points of a row that contain blue, with three channels
  size_t row_bytes() const;    // bytes of a row's transform between the passes
  // Scales of the stored transforms of rows, and of the results of columns; both are 1 for fp32.
  double rows_scale() const;
  double columns_scale() const;
  const Pass& pass_for(const RowPass& rows, int count, int units) const;
  template <class Params>
  void launch_rows(device::Stream& stream, const Pass& pass, const device::Kernel& kernel, int rows,
                   int units, const Portion& portion, Params& params) const;
  void enqueue_rows(device::Stream& stream, const Pixels& source, const device::Buffer& target, int units,
                    const KernelImage* kernel, const Portion& portion) const;
  void enqueue_columns(device::Stream& stream, const device::Buffer& data, const device::Buffer& spectrum,
                       size_t spectrum_offset, int units, bool makes_spectrum, const Portion& portion) const;
  void enqueue_rows_back(device::Stream& stream, const ConvolutionWork& work, const Portion& portion) const;

  const PointLayout layout_;
  RowPass rows_, rows_back_;
  Pass columns_;
  Constants tables_;
};

}  // namespace weft::filters::bloom
