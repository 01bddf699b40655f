// SPDX-License-Identifier: Apache-2.0
// What a filter needs done on the device before its first frame is done when the device's schedule says so, as frames are.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "base/status.h"
#include "server/filters/batches.h"
#include "server/worker/device_loop.h"
#include "server/worker/job_meter.h"

namespace weft::worker {

class Preparing {
 public:
  // `meter`: of the job whose filters these are; null: of none. Both outlive this.
  explicit Preparing(DeviceLoop& loop, JobMeter* meter = nullptr) : loop_(loop), meter_(meter) {}

  // Prepares `filter` (a filters::Filter or ImageFilter) as a source like the one whose frames follow. Blocks, and holds
  // no turn to open anything. CANCELLED: stop() was called; DEADLINE_EXCEEDED: it took `longest`, and what was on the
  // device has ended; else the device's error.
  template <class AnyFilter>
  Status run(AnyFilter& filter, schedule::SourceSpec source, Duration longest = Duration::max()) {
    filters::Batches* work = filter.preparation();
    if (work == nullptr) return ok_status();
    RETURN_IF_ERROR(run_all(*work, std::move(source), longest));
    const auto turn = loop_.opening_turn();  // memory is freed
    filter.prepared();
    return ok_status();
  }

  // Any thread, at any time.
  void stop();
  void change(schedule::SourceChanged change);

 private:
  Status run_all(filters::Batches& work, schedule::SourceSpec source, Duration longest);
  void wake();

  DeviceLoop& loop_;
  JobMeter* const meter_;
  std::mutex source_mutex_;  // held when the loop is called, which may wake
  schedule::SourceId source_ = 0;
  std::optional<schedule::SourceChanged> change_;  // the newest
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
};

}  // namespace weft::worker
