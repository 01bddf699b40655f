// SPDX-License-Identifier: Apache-2.0
#include "server/worker/tuning/drift_sampler.h"

#include <utility>

#include "server/device/shapes.h"

namespace weft::worker {

namespace {

constexpr uint32_t kMostSkipped = 8;

}  // namespace

void DriftSampler::take(const device::Stream& stream) {
  if (!timed_.has_value() || !stream.is_done(timed_->to)) return;
  const Timed timed = *std::exchange(timed_, std::nullopt);
  const StatusOr<Duration> time = stream.elapsed(timed.from, timed.to);
  if (time.ok()) sink_.take(timed.place, {timed.lanes, std::chrono::duration<double>(*time).count()});
}

void DriftSampler::launch(device::Stream& stream, const device::Kernel& kernel, device::Grid grid,
                          std::span<const std::byte> params) {
  take(stream);
  const TimePoint now = std::chrono::steady_clock::now();
  if (timed_.has_value() || now < next_) return stream.launch_unobserved(kernel, grid, params);
  tuning::TunedPlace place{kernel.name(), device::size_class_of(grid)};
  const bool is_wanted = sink_.wants(place);
  if (!is_wanted || skipped_ > 0) {
    if (is_wanted) skipped_--;
    return stream.launch_unobserved(kernel, grid, params);
  }
  const device::Mark from = stream.mark();
  stream.launch_unobserved(kernel, grid, params);
  timed_ = {std::move(place), double(grid.x) * grid.y * grid.z, from, stream.mark()};
  next_ = now + between_;
  random_ = random_ * 1664525u + 1013904223u;
  skipped_ = (random_ >> 16) % kMostSkipped;
}

}  // namespace weft::worker
