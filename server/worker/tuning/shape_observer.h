// SPDX-License-Identifier: Apache-2.0
// Sees the launches of a pipeline that is tuned: counts them, gives them another shape, or times one kernel with several shapes in turn.
// A launch that is repeated writes the same again: that it may be is checked first (tune_pass.h).
#pragma once

#include <map>
#include <mutex>
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
  // such; of this kernel only, where one is named.
  void force(int shape, std::string_view only = {});
  // In the batch that comes, launches of `place` are timed with each of these shapes in this order, `repeats` times each.
  void time(const TunedPlace& place, std::vector<int> shapes, int repeats);
  // Launches are as they are asked for.
  void rest();

  // What the batch took with each of the shapes, of one launch of each of its launches together, in seconds: in the order of time().
  // Empty where the kernel was not launched. After the batch has ended.
  StatusOr<std::vector<double>> take_times();
  // All that were launched since forget() was called last, and how often.
  std::map<TunedPlace, int> launches() const;
  void forget();
  // Of a kernel that was launched; {}: not tunable.
  std::vector<device::BlockShape> shapes(std::string_view kernel);

 private:
  enum class Mode { kRest, kForce, kTime };
  struct Timed {
    device::Mark from, to;
    size_t number;  // of the order
  };

  const std::vector<device::BlockShape>& shapes_of_kernel(std::string_view name);
  void launch_timed(device::Stream& stream, const device::Kernel& kernel, device::Grid grid,
                    std::span<const std::byte> params);
  const device::Kernel* shaped(const std::string& name, device::BlockShape block);

  device::Device& device_;
  mutable std::mutex mutex_;  // guards what follows
  Mode mode_ = Mode::kRest;
  int forced_ = 0;
  std::string only_;
  TunedPlace place_;
  std::vector<int> order_;
  int repeats_ = 1;
  std::vector<Timed> timed_;
  device::Stream* stream_ = nullptr;  // of the timed launches
  Status error_;
  std::map<TunedPlace, int> launches_;
  std::map<std::string, std::vector<device::BlockShape>, std::less<>> shapes_;
};

}  // namespace weft::worker
