// SPDX-License-Identifier: Apache-2.0
// What the middle stages of jobs share, whatever their units are: one thread feeds units as there is room for them, another
// delivers what comes of the batches that the device's loop starts.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "base/status.h"
#include "server/graph/batches.h"
#include "server/worker/device/batch_work.h"
#include "server/worker/device/device_loop.h"
#include "server/worker/device/job_meter.h"

namespace weft::worker {

class BatchStage final {
 public:
  // All outlive the stage; `batches` is finished and popped by what feeds and delivers. `changed` is called whenever one of the waits
  // below may end, on any thread, perhaps with the loop's lock held: it must not call the loop.
  BatchStage(graph::Batches& batches, DeviceLoop& loop, JobMeter& meter,
             std::function<void()> changed = nullptr);
  ~BatchStage();  // close()
  BatchStage(const BatchStage&) = delete;
  BatchStage& operator=(const BatchStage&) = delete;

  // Before anything else. Errors are DeviceLoop::open's.
  Status open(schedule::SourceSpec source);
  // Waits for what is on the device.
  void close();

  // Until both have returned; the first error of either, of the device or of others. Once.
  Status run(const std::function<Status()>& feed, const std::function<Status()>& deliver);

  // Any thread: starts nothing more, and ends what waits.
  void stop();
  bool stopped() const;
  void change(schedule::SourceChanged change);
  // Ends the stage with an error; the first counts.
  void fail(const Status& error);
  // On the device's loop; 0: not open.
  schedule::SourceId source() const { return source_; }
  // All units were pushed, and all that comes of them was popped.
  bool is_complete() const;

  // For `feed`. Waits for room; false: the stage ends.
  bool wait_for_room();
  // After a unit was pushed, or something popped.
  void tell_ready();
  // No more units come.
  void finish();

  // For `deliver`: while it pops nothing. First how many batches were started, ...
  int64_t batches_started() const { return work_.batches(); }
  // ... then what ended the stage, if anything did, ...
  Status error() const;
  // ... and at last waits for another batch than the first `seen`. False: none will come, or the stage ends.
  bool wait_for_batch(int64_t seen);
  void count_costs();
  // What is done of all units, those in portions as far as they are: 2.5.
  double units_done() const { return double(work_.units_done()) / portions_; }
  // A unit counts as so many in the meter.
  void count_each_as(int64_t units) { counted_ = units; }

 private:
  void wake();
  void notify();

  graph::Batches& batches_;
  DeviceLoop& loop_;
  JobMeter& meter_;
  const std::function<void()> on_change_;  // null: nobody waits elsewhere
  BatchWork work_;
  schedule::SourceId source_ = 0;
  int portions_ = 1;
  int64_t counted_ = 1;
  DeviceTrack download_{{}, "download"};  // of the thread that delivers

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool input_ended_ = false, stopped_ = false;
  Status error_;  // the first
};

}  // namespace weft::worker
