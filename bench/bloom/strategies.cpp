// SPDX-License-Identifier: Apache-2.0
#include "bench/bloom/strategies.h"

#include <cstring>
#include <numbers>
#include <random>

#include "kernels/bench/line_transform.kernel"

namespace weft::bench {

using device::Device;
using device::MemoryKind;
using filters::bloom::FftPlan;
using filters::bloom::RadixSet;

LineTransform::LineTransform(Device& device, FftPlan plan, int lines)
    : device_(device), plan_(std::move(plan)), lines_(lines) {}

StatusOr<std::unique_ptr<LineTransform>> LineTransform::make(Device& device, const LineStrategy& strategy,
                                                             int lines) {
  const device::DeviceInfo& info = device.info();
  const bool is_vulkan = info.kind == device::BackendKind::kVulkan;
  ASSIGN_OR_RETURN(FftPlan plan,
                   filters::bloom::plan_of(strategy.radices, is_vulkan ? RadixSet::kFew : RadixSet::kAll));
  std::unique_ptr<LineTransform> made(new LineTransform(device, std::move(plan), lines));
  made->layout_ = strategy.layout;
  const int last = (made->points() - 1) | (strategy.layout.permutation < 31 ? 7 : 0);
  const int places = last + (last >> strategy.layout.spare_log2) + 1;
  made->other_line_ = strategy.is_in_place ? 0 : places;
  size_t bytes = sizeof(Point) * size_t(places) * (strategy.is_in_place ? 1 : 2);
  if (bytes > info.shared_memory_bytes)
    return failed_precondition(
        "Lines of {} points do not fit in the shared memory of {} ({} bytes, at most {}).", made->points(),
        info.id, bytes, info.shared_memory_bytes);
  if (is_vulkan && info.is_software) bytes = info.shared_memory_bytes;  // each size is compiled anew
  ASSIGN_OR_RETURN(made->kernel_, device.load("bench/line_transform", bytes));
  const size_t data_bytes = sizeof(Point) * size_t(made->points()) * size_t(lines);
  const std::vector<float> table = filters::bloom::twiddles(made->plan_);
  const size_t table_bytes = table.size() * sizeof(float);
  ASSIGN_OR_RETURN(made->data_, device.allocate(MemoryKind::kDevice, data_bytes));
  ASSIGN_OR_RETURN(made->staging_, device.allocate(MemoryKind::kUpload, std::max(data_bytes, table_bytes)));
  ASSIGN_OR_RETURN(made->twiddles_, device.allocate(MemoryKind::kDevice, table_bytes));
  ASSIGN_OR_RETURN(made->stream_, device.make_stream());
  std::memcpy(made->staging_->host(), table.data(), table_bytes);
  made->stream_->copy(*made->twiddles_, 0, *made->staging_, 0, table_bytes);
  RETURN_IF_ERROR(made->stream_->wait_all());
  return made;
}

Status LineTransform::upload(const std::vector<Point>& points) {
  const size_t bytes = std::min(points.size() * sizeof(Point), data_->size_bytes());
  std::memcpy(staging_->host(), points.data(), bytes);
  stream_->copy(*data_, 0, *staging_, 0, bytes);
  return stream_->wait_all();
}

void LineTransform::enqueue(device::Stream& stream) const {
  namespace k = kernels::line_transform;
  k::Params params{};
  params.data = device::at<k::Points>(*data_);
  params.twiddles = device::at<k::Twiddles>(*twiddles_);
  params.radices = plan_.packed_radices();
  params.passes = int(plan_.radices.size());
  params.points = points();
  params.spare_log2 = layout_.spare_log2;
  params.permutation = layout_.permutation;
  params.other_line = other_line_;
  stream.launch(*kernel_, {uint32_t(lines_) * kernel_->shape().block_x, 1, 1}, params);
}

StatusOr<std::vector<LineTransform::Point>> LineTransform::download() const {
  ASSIGN_OR_RETURN(const auto staging, device_.allocate(MemoryKind::kDownload, data_->size_bytes()));
  stream_->copy(*staging, 0, *data_, 0, data_->size_bytes());
  RETURN_IF_ERROR(stream_->wait_all());
  std::vector<Point> points(data_->size_bytes() / sizeof(Point));
  std::memcpy(points.data(), staging->host(), data_->size_bytes());
  return points;
}

// Decimation in frequency: what a pass puts at q of its block has frequencies q modulo its radix among those of the block.
int LineTransform::frequency_of(int place) const {
  int frequency = 0, step = 1, length = points(), rest = place;
  for (const int radix : plan_.radices) {
    length /= radix;
    frequency += rest / length * step;
    rest %= length;
    step *= radix;
  }
  return frequency;
}

StatusOr<double> worst_error(LineTransform& transform, int lines) {
  const int points = transform.points();
  std::vector<LineTransform::Point> given(size_t(points) * size_t(lines));
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(-1, 1);
  for (LineTransform::Point& point : given)
    for (std::complex<float>& number : point) number = {value(random), value(random)};
  RETURN_IF_ERROR(transform.upload(given));
  transform.run();
  ASSIGN_OR_RETURN(const std::vector<LineTransform::Point> got, transform.download());
  std::vector<std::complex<double>> roots;
  for (int i = 0; i < points; i++) roots.push_back(std::polar(1.0, -2 * std::numbers::pi * i / points));
  double worst = 0, largest = 0;
  for (int line = 0; line < lines; line += 16) {
    const size_t begin = size_t(line) * size_t(points);
    for (int place = 0; place < points; place++) {
      const auto frequency = int64_t(transform.frequency_of(place));
      for (size_t part = 0; part < 2; part++) {
        std::complex<double> sum = 0;
        for (int i = 0; i < points; i++)
          sum += std::complex<double>(given[begin + size_t(i)][part]) * roots[size_t(frequency * i % points)];
        largest = std::max(largest, std::abs(sum));
        worst = std::max(worst, std::abs(sum - std::complex<double>(got[begin + size_t(place)][part])));
      }
    }
  }
  return worst / largest;
}

}  // namespace weft::bench
