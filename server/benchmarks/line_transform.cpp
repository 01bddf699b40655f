// SPDX-License-Identifier: Apache-2.0
#include "server/benchmarks/line_transform.h"

#include <numbers>
#include <random>

#include "kernels/bench/line_transform.kernel"
#include "server/benchmarks/case_data.h"
#include "server/benchmarks/rotation.h"

namespace weft::benchmarks {

using filters::bloom::FftPlan;
using filters::bloom::RadixSet;

StatusOr<std::unique_ptr<LineTransform>> LineTransform::make(device::Device& device,
                                                             const LineStrategy& strategy, int lines) {
  const device::DeviceInfo& info = device.info();
  const bool is_vulkan = info.kind == device::BackendKind::kVulkan;
  ASSIGN_OR_RETURN(FftPlan plan,
                   filters::bloom::plan_of(strategy.radices, is_vulkan ? RadixSet::kFew : RadixSet::kAll));
  std::unique_ptr<LineTransform> made(new LineTransform(std::move(plan), lines));
  made->layout_ = strategy.layout;
  const int last = (made->points() - 1) | (strategy.layout.permutation < 31 ? 7 : 0);
  const int padded_points = last + (last >> strategy.layout.spare_log2) + 1;
  made->other_line_ = strategy.is_in_place ? 0 : padded_points;
  size_t bytes = sizeof(LinePoint) * size_t(padded_points) * (strategy.is_in_place ? 1 : 2);
  if (bytes > info.shared_memory_bytes)
    return failed_precondition(
        "Lines of {} points do not fit in the shared memory of {} ({} bytes, at most {}).", made->points(),
        info.id, bytes, info.shared_memory_bytes);
  // Each size is compiled separately.
  if (is_vulkan && info.is_software) bytes = info.shared_memory_bytes;
  ASSIGN_OR_RETURN(made->kernel_, device.load("bench/line_transform", bytes));
  ASSIGN_OR_RETURN(made->twiddles_, uploaded(device, bytes_of(filters::bloom::twiddles(made->plan_))));
  return made;
}

void LineTransform::enqueue(device::Stream& stream, const device::Buffer& from, size_t from_offset,
                            const device::Buffer& to, size_t to_offset) const {
  namespace k = kernels::line_transform;
  k::Params params{};
  params.source = device::at<k::Points>(from, from_offset);
  params.target = device::at<k::Points>(to, to_offset);
  params.twiddles = device::at<k::Twiddles>(*twiddles_);
  params.radices = plan_.packed_radices();
  params.passes = int(plan_.radices.size());
  params.points = points();
  params.spare_log2 = layout_.spare_log2;
  params.permutation = layout_.permutation;
  params.other_line = other_line_;
  stream.launch(*kernel_, {uint32_t(lines_) * kernel_->shape().block_x, 1, 1}, params);
}

// Decimation in frequency: the output q of a pass's block has the frequencies of the block that are
// q modulo its radix.
int LineTransform::frequency_of(int index) const {
  int frequency = 0, step = 1, length = points(), rest = index;
  for (const int radix : plan_.radices) {
    length /= radix;
    frequency += rest / length * step;
    rest %= length;
    step *= radix;
  }
  return frequency;
}

std::vector<LinePoint> random_lines(const LineTransform& transform) {
  std::vector<LinePoint> points(size_t(transform.points()) * size_t(transform.lines()));
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(-1, 1);
  for (LinePoint& point : points)
    for (std::complex<float>& number : point) number = {value(random), value(random)};
  return points;
}

double worst_error(const LineTransform& transform, std::span<const LinePoint> given,
                   std::span<const LinePoint> got, int stride) {
  const int points = transform.points();
  std::vector<std::complex<double>> roots;
  for (int i = 0; i < points; i++) roots.push_back(std::polar(1.0, -2 * std::numbers::pi * i / points));
  double worst = 0, largest = 0;
  for (int line = 0; line < transform.lines(); line += stride) {
    const size_t begin = size_t(line) * size_t(points);
    for (int index = 0; index < points; index++) {
      const auto frequency = int64_t(transform.frequency_of(index));
      for (size_t part = 0; part < 2; part++) {
        std::complex<double> sum = 0;
        for (int i = 0; i < points; i++)
          sum += std::complex<double>(given[begin + size_t(i)][part]) * roots[size_t(frequency * i % points)];
        largest = std::max(largest, std::abs(sum));
        const double error = std::abs(sum - std::complex<double>(got[begin + size_t(index)][part]));
        worst = error <= worst ? worst : error;  // NaN is kept
      }
    }
  }
  return worst / largest;
}

StatusOr<double> worst_error(device::Device& device, const LineTransform& transform) {
  const std::vector<LinePoint> given = random_lines(transform);
  ASSIGN_OR_RETURN(const auto data, uploaded(device, bytes_of(given)));
  ASSIGN_OR_RETURN(const auto stream, device.make_stream());
  transform.enqueue(*stream, *data, 0, *data, 0);
  RETURN_IF_ERROR(stream->wait_all());
  std::vector<LinePoint> got(given.size());
  RETURN_IF_ERROR(download(device, *data, std::as_writable_bytes(std::span(got))));
  return worst_error(transform, given, got, 16);
}

}  // namespace weft::benchmarks
