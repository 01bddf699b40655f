// SPDX-License-Identifier: Apache-2.0
#include "server/worker/tuning/shape_observer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/device/shapes.h"

namespace weft::worker {

const std::vector<device::BlockShape>& ShapeObserver::shapes_of_kernel(std::string_view name) {
  if (const auto found = shapes_.find(name); found != shapes_.end()) return found->second;
  const kernels::KernelImage* image = kernels::find_kernel(name);
  std::vector<device::BlockShape> shapes;
  if (image != nullptr && image->is_tunable) shapes = device::shapes_of(*image, device_.info());
  return shapes_.emplace(name, std::move(shapes)).first->second;
}

const device::Kernel* ShapeObserver::shaped(const std::string& name, device::BlockShape block) {
  StatusOr<const device::Kernel*> kernel = device_.load_shaped(name, block);
  if (kernel.ok()) return *kernel;
  if (error_.ok()) error_ = kernel.status();
  return nullptr;
}

void ShapeObserver::launch(device::Stream& stream, const device::Kernel& kernel, device::Grid grid,
                           std::span<const std::byte> params) {
  const std::lock_guard lock(mutex_);
  const auto& shapes = shapes_of_kernel(kernel.name());
  if (shapes.size() <= 1) return stream.launch_unobserved(kernel, grid, params);
  const LaunchSite site{kernel.name(), device::size_class_of(grid)};
  launches_[site]++;
  if (const auto timing = timings_.find(site); timing != timings_.end())
    if (timing->second.timed.size() < size_t(timing->second.launches) * timing->second.order.size())
      return launch_timed(timing->second, stream, kernel, grid, params);
  if (!only_.contains(kernel.name())) return stream.launch_unobserved(kernel, grid, params);
  const size_t number = size_t(forced_) < shapes.size() ? size_t(forced_) : 0;
  const device::Kernel* forced = shaped(kernel.name(), shapes[number]);
  for (int i = 0; i < 2; i++) stream.launch_unobserved(forced == nullptr ? kernel : *forced, grid, params);
}

void ShapeObserver::launch_timed(Timing& timing, device::Stream& stream, const device::Kernel& kernel,
                                 device::Grid grid, std::span<const std::byte> params) {
  stream_ = &stream;
  const auto& shapes = shapes_of_kernel(kernel.name());
  // An untimed launch first, so that the caches have the same state for every shape.
  stream.launch_unobserved(kernel, grid, params);
  for (size_t i = 0; i < timing.order.size(); i++) {
    const device::Kernel* one = shaped(kernel.name(), shapes[size_t(timing.order[i])]);
    if (one == nullptr) continue;
    const device::Mark from = stream.mark();
    for (int repeat = 0; repeat < timing.repeats; repeat++) stream.launch_unobserved(*one, grid, params);
    timing.timed.push_back({from, stream.mark(), i});
  }
}

void ShapeObserver::force(int shape, std::set<std::string> only) {
  const std::lock_guard lock(mutex_);
  forced_ = shape;
  only_ = std::move(only);
}

void ShapeObserver::time(const LaunchSite& site, std::vector<int> shapes, int launches, int repeats) {
  const std::lock_guard lock(mutex_);
  timings_[site] = {std::move(shapes), std::clamp(launches, 1, kMostLaunches), std::max(repeats, 1), {}};
}

void ShapeObserver::rest() {
  const std::lock_guard lock(mutex_);
  only_.clear();
  timings_.clear();
}

StatusOr<std::vector<double>> ShapeObserver::take_times(const LaunchSite& site) {
  const std::lock_guard lock(mutex_);
  if (!error_.ok()) return std::exchange(error_, ok_status());
  const auto found = timings_.find(site);
  if (found == timings_.end()) return std::vector<double>();
  const Timing timing = std::move(found->second);
  timings_.erase(found);
  if (timing.timed.empty()) return std::vector<double>();
  std::vector<double> seconds(timing.order.size(), 0);
  for (const Timed& one : timing.timed) {
    ASSIGN_OR_RETURN(const Duration time, stream_->elapsed(one.from, one.to));
    seconds[one.number] += std::chrono::duration<double>(time).count() / timing.repeats;
  }
  return seconds;
}

std::map<LaunchSite, int> ShapeObserver::launches() const {
  const std::lock_guard lock(mutex_);
  return launches_;
}

void ShapeObserver::forget() {
  const std::lock_guard lock(mutex_);
  launches_.clear();
}

std::vector<device::BlockShape> ShapeObserver::shapes(std::string_view kernel) {
  const std::lock_guard lock(mutex_);
  return shapes_of_kernel(kernel);
}

}  // namespace weft::worker
