// SPDX-License-Identifier: Apache-2.0
// Times a launch of a job's or stream's pipeline now and then, if the table has an entry for it: two timestamps around a launch that happens
// anyway, at most ten times a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "server/device/device.h"
#include "server/tuning/drift_watch.h"

namespace weft::worker {

// Of one stream. Called by one thread at a time, as the stream is.
class DriftSampler final : public device::LaunchObserver {
 public:
  static constexpr Duration kBetweenSamples = std::chrono::milliseconds(100);

  // What happens with samples; both are called while a batch is enqueued: they are short.
  struct Sink {
    std::function<bool(const tuning::TunedPlace&)> wants;
    std::function<void(const tuning::TunedPlace&, tuning::DriftWatch::Launch)> take;
  };
  explicit DriftSampler(Sink sink, Duration between = kBetweenSamples)
      : sink_(std::move(sink)), between_(between) {}

  void launch(device::Stream& stream, const device::Kernel& kernel, device::Grid grid,
              std::span<const std::byte> params) override;

 private:
  struct Timed {
    tuning::TunedPlace place;
    double lanes = 0;
    device::Mark from, to;
  };
  void take(const device::Stream& stream);

  const Sink sink_;
  const Duration between_;
  TimePoint next_{};
  uint32_t random_ = 1;
  uint32_t skipped_ = 0;  // launches that are let go by first: the same one is not timed each time
  std::optional<Timed> timed_;
};

}  // namespace weft::worker
