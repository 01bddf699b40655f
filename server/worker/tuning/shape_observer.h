// SPDX-License-Identifier: Apache-2.0
// Observes the launches of a pipeline that is tuned: counts them, changes their shape, or measures
// kernels with several shapes in turn. A repeated launch must write the same output again;
// tune_pass.h checks that first.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/device/device.h"
#include "server/tuning/tuning_file.h"

namespace weft::worker {

using tuning::LaunchSite;

class ShapeObserver final : public device::LaunchObserver {
 public:
  // The device must outlive the observer.
  explicit ShapeObserver(device::Device& device) : device_(device) {}

  void launch(device::Stream& stream, const device::Kernel& kernel, device::Grid grid,
              std::span<const std::byte> params) override;

  // From now on executes every launch of the kernels `only` twice with their shape number `shape`
  // (see shapes()), or with the declared shape if a kernel has no such number.
  void force(int shape, std::set<std::string> only);
  // In the next batch, measures the first `launches` launches (at most kMostLaunches) of `site`
  // with each of `shapes` in this order, `repeats` times each. Several sites may be measured
  // together, up to the number of marks that a stream keeps (marks_of()).
  static constexpr int kMostLaunches = 4;
  void time(const LaunchSite& site, std::vector<int> shapes, int launches, int repeats);
  // Executes launches unchanged from now on.
  void rest();

  // Returns the times of the batch in seconds, one for each shape in the order of time(): the sum
  // over the measured launches of the site. Returns an empty list if the kernel was not launched.
  // Call after the end of the batch.
  StatusOr<std::vector<double>> take_times(const LaunchSite& site);
  // Returns the number of marks that measuring this number of shapes at a site requires.
  static int marks_of(int shapes) { return 2 * kMostLaunches * shapes; }
  // Returns the launch sites since the last call of forget(), with the number of their launches.
  std::map<LaunchSite, int> launches() const;
  void forget();
  // Returns the shapes of a launched kernel, or {} if it is not tunable.
  std::vector<device::BlockShape> shapes(std::string_view kernel);

 private:
  struct Timed {
    device::Mark from, to;
    size_t number;  // index into `order`
  };
  struct Timing {
    std::vector<int> order;  // numbers of the shapes
    int launches = 1;
    int repeats = 1;
    std::vector<Timed> timed;
  };

  const std::vector<device::BlockShape>& shapes_of_kernel(std::string_view name);
  void launch_timed(Timing& timing, device::Stream& stream, const device::Kernel& kernel, device::Grid grid,
                    std::span<const std::byte> params);
  const device::Kernel* shaped(const std::string& name, device::BlockShape block);

  device::Device& device_;
  mutable std::mutex mutex_;  // guards the members below
  int forced_ = 0;
  std::set<std::string> only_;  // kernels that are launched with shape forced_
  std::map<LaunchSite, Timing> timings_;
  device::Stream* stream_ = nullptr;  // stream of the timed launches
  Status error_;
  std::map<LaunchSite, int> launches_;
  std::map<std::string, std::vector<device::BlockShape>, std::less<>> shapes_;
};

}  // namespace weft::worker
