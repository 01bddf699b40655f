// SPDX-License-Identifier: Apache-2.0
// Sees the launches of a pipeline that is tuned: counts them, gives them another shape, or times kernels with several shapes in turn.
// A launch that is repeated writes the same again: that it may be is checked first (tune_pass.h).
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

using tuning::TunedPlace;

class ShapeObserver final : public device::LaunchObserver {
 public:
  // The device outlives it.
  explicit ShapeObserver(device::Device& device) : device_(device) {}

  void launch(device::Stream& stream, const device::Kernel& kernel, device::Grid grid,
              std::span<const std::byte> params) override;

  // From now on every launch of a tunable kernel is done twice, by its shape number `shape` (shapes_of), or its own where it has no
  // such; of these kernels only.
  void force(int shape, std::set<std::string> only);
  // In the batch that comes, the first `launches` (at most kMostLaunches) of `place` are timed with each of these shapes in this order, `repeats`
  // times each. Places may be timed together, as far as a stream keeps their marks (marks_of).
  static constexpr int kMostLaunches = 4;
  void time(const TunedPlace& place, std::vector<int> shapes, int launches, int repeats);
  // Launches are as they are asked for.
  void rest();

  // What the batch took with each of the shapes, of one launch of each of the place's launches together, in seconds: in the order of
  // time(). Empty where the kernel was not launched. After the batch has ended.
  StatusOr<std::vector<double>> take_times(const TunedPlace& place);
  // That timing so many shapes of a place takes.
  static int marks_of(int shapes) { return 2 * kMostLaunches * shapes; }
  // All that were launched since forget() was called last, and how often.
  std::map<TunedPlace, int> launches() const;
  void forget();
  // Of a kernel that was launched; {}: not tunable.
  std::vector<device::BlockShape> shapes(std::string_view kernel);

 private:
  struct Timed {
    device::Mark from, to;
    size_t number;  // of the order
  };
  struct Timing {
    std::vector<int> order;  // shapes
    int launches = 1;
    int repeats = 1;
    std::vector<Timed> timed;
  };

  const std::vector<device::BlockShape>& shapes_of_kernel(std::string_view name);
  void launch_timed(Timing& timing, device::Stream& stream, const device::Kernel& kernel, device::Grid grid,
                    std::span<const std::byte> params);
  const device::Kernel* shaped(const std::string& name, device::BlockShape block);

  device::Device& device_;
  mutable std::mutex mutex_;  // guards what follows
  int forced_ = 0;
  std::set<std::string> only_;  // kernels whose shape is forced_
  std::map<TunedPlace, Timing> timings_;
  device::Stream* stream_ = nullptr;  // of the timed launches
  Status error_;
  std::map<TunedPlace, int> launches_;
  std::map<std::string, std::vector<device::BlockShape>, std::less<>> shapes_;
};

}  // namespace weft::worker
