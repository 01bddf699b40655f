// SPDX-License-Identifier: Apache-2.0
#include "bench/bloom/ours.h"

#include <algorithm>
#include <cstring>

#include "server/filters/bloom/short_lines.h"

namespace weft::bench {

using device::Device;
using device::Mark;
using device::MemoryKind;
using filters::bloom::Convolution;
using filters::bloom::ConvolutionShape;
using filters::bloom::ConvolutionWork;
using filters::bloom::Intermediates;
using filters::bloom::KernelImage;
using filters::bloom::ShortLines;
using graph::PixelType;

namespace {

ConvolutionShape shape_of(const Problem& problem, Intermediates intermediates) {
  ConvolutionShape shape{.width = problem.width, .height = problem.height};
  shape.reach_x = problem.reach > 0 ? problem.reach : problem.width / 2;
  shape.reach_y = problem.reach > 0 ? problem.reach : problem.height / 2;
  shape.has_channel_kernels = problem.has_channel_kernels;
  shape.intermediates = intermediates;
  double sum = 0;
  for (const Tap& tap : problem.taps) sum += std::ranges::max(tap.weights);
  if (sum > 0) shape.kernel_sum = sum;
  return shape;
}

}  // namespace

StatusOr<std::unique_ptr<Convolution>> make_convolution(Device& device, const Problem& problem,
                                                        Intermediates intermediates) {
  const ConvolutionShape shape = shape_of(problem, intermediates);
  if (problem.reach > 0) return Convolution::make(device, shape);
  ASSIGN_OR_RETURN(const auto plan,
                   plan_convolution(shape, {problem.width, problem.height},
                                    filters::bloom::layout_of(device.info()), device.info()));
  return ShortLines::make(device, shape, plan);
}

StatusOr<std::unique_ptr<Ours>> Ours::make(Device& device, const Problem& problem,
                                           Intermediates intermediates) {
  std::unique_ptr<Ours> ours(new Ours(device, problem));
  ASSIGN_OR_RETURN(ours->convolution_, make_convolution(device, problem, intermediates));
  ASSIGN_OR_RETURN(ours->stream_, device.make_stream());
  ASSIGN_OR_RETURN(ours->scratch_,
                   device.allocate(MemoryKind::kDevice, ours->convolution_->scratch_bytes(problem.frames)));
  // This work occupies the device while the host enqueues the measured work.
  const size_t megabytes = device.info().is_software ? 1 : 2048;
  ASSIGN_OR_RETURN(ours->blocker_, device.allocate(MemoryKind::kDevice, megabytes << 20));
  RETURN_IF_ERROR(ours->make_frames());
  RETURN_IF_ERROR(ours->make_spectrum());
  return ours;
}

Status Ours::make_frames() {
  const size_t frame_bytes = problem_.pixels.size() * sizeof(uint16_t);
  const auto frames = size_t(problem_.frames);
  ASSIGN_OR_RETURN(staging_, device_.allocate(MemoryKind::kDownload, frame_bytes));
  ASSIGN_OR_RETURN(const auto staging, device_.allocate(MemoryKind::kUpload, frame_bytes));
  std::memcpy(staging->host(), problem_.pixels.data(), frame_bytes);
  const size_t rotated = device_.info().is_software ? 1 : kRotatedBytes;
  for (size_t i = 0; i <= rotated / (2 * frames * frame_bytes); i++) {
    ASSIGN_OR_RETURN(sources_.emplace_back(), device_.allocate(MemoryKind::kDevice, frames * frame_bytes));
    ASSIGN_OR_RETURN(targets_.emplace_back(), device_.allocate(MemoryKind::kDevice, frames * frame_bytes));
    for (size_t frame = 0; frame < frames; frame++)
      stream_->copy(*sources_.back(), frame * frame_bytes, *staging, 0, frame_bytes);
  }
  return stream_->wait_all();
}

Status Ours::make_spectrum() {
  KernelImage image;
  image.width = problem_.reach > 0 ? 2 * problem_.reach + 1 : problem_.width;
  image.height = problem_.reach > 0 ? 2 * problem_.reach + 1 : problem_.height;
  image.centre_x = image.width / 2;
  image.centre_y = image.height / 2;
  std::vector<float> values(size_t(4) * size_t(image.width) * size_t(image.height), 0.0f);
  for (const Tap& tap : problem_.taps) {
    const auto x = size_t(image.centre_x + tap.dx), y = size_t(image.centre_y + tap.dy);
    for (size_t c = 0; c < 4; c++) values[(y * size_t(image.width) + x) * 4 + c] += tap.weights[c];
  }
  const size_t bytes = values.size() * sizeof(float);
  ASSIGN_OR_RETURN(const auto staging, device_.allocate(MemoryKind::kUpload, bytes));
  ASSIGN_OR_RETURN(const auto kernel, device_.allocate(MemoryKind::kDevice, bytes));
  std::memcpy(staging->host(), values.data(), bytes);
  stream_->copy(*kernel, 0, *staging, 0, bytes);
  image.buffer = kernel.get();
  ASSIGN_OR_RETURN(spectrum_, convolution_->make_spectrum(*stream_, *scratch_, image));
  return stream_->wait_all();
}

ConvolutionWork Ours::work(size_t i) const {
  ConvolutionWork work;
  const int stride = problem_.width, frame_stride = problem_.width * problem_.height;
  work.source = {sources_[i % sources_.size()].get(), 0, PixelType::kHalf, stride, frame_stride};
  work.target = {targets_[i % targets_.size()].get(), 0, PixelType::kHalf, stride, frame_stride};
  work.spectrum = spectrum_.get();
  work.scratch = scratch_.get();
  work.units = problem_.frames;
  return work;
}

std::string Ours::convolve(std::vector<uint16_t>& pixels) {
  convolution_->enqueue(*stream_, work(0));
  const size_t bytes = problem_.pixels.size() * sizeof(uint16_t);
  stream_->copy(*staging_, 0, *targets_[0], size_t(problem_.frames - 1) * bytes, bytes);
  if (const Status status = stream_->wait_all(); !status.ok()) return std::string(status.message());
  pixels.resize(problem_.pixels.size());
  std::memcpy(pixels.data(), staging_->host(), bytes);
  return "";
}

std::string Ours::measure(int iterations, double& us) {
  const StatusOr<double> measured = measure_pass(iterations, -1);
  if (!measured.ok()) return std::string(measured.status().message());
  us = *measured;
  return "";
}

StatusOr<double> Ours::measure_pass(int iterations, int pass) {
  // The device is busy until everything is enqueued. Otherwise it would wait for the host between
  // short kernels.
  constexpr int kMostFills = 64;
  while (true) {
    for (int i = 0; i < fills_; i++) stream_->fill(*blocker_, 0, blocker_->size_bytes(), std::byte{0});
    const Mark begin = stream_->mark();
    for (int i = 0; i < iterations; i++) {
      if (pass < 0)
        convolution_->enqueue(*stream_, work(size_t(i)));
      else
        convolution_->enqueue_pass(*stream_, work(size_t(i)), pass);
    }
    const Mark end = stream_->mark();
    const bool was_ahead = !stream_->is_done(begin);
    RETURN_IF_ERROR(stream_->wait(end));
    ASSIGN_OR_RETURN(const Duration time, stream_->elapsed(begin, end));
    if (was_ahead || fills_ >= kMostFills || device_.info().is_software)
      return double(time.count()) / 1e3 / iterations;
    fills_ *= 2;
  }
}

}  // namespace weft::bench
