// SPDX-License-Identifier: Apache-2.0
// Runs the middle stage of a job with units of any kind. One thread feeds units while the pipeline
// has capacity; another thread delivers the results of the batches that the device's loop starts.
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
  // All arguments must outlive the stage. `feed` finishes `batches`, and `deliver` pops from it.
  // `changed` is called when a wait of this class may end, on any thread, possibly with the loop's
  // lock held: it must not call the loop.
  BatchStage(graph::Batches& batches, DeviceLoop& loop, JobMeter& meter,
             std::function<void()> changed = nullptr);
  ~BatchStage();  // calls close()
  BatchStage(const BatchStage&) = delete;
  BatchStage& operator=(const BatchStage&) = delete;

  // Opens a source of the device's loop. Call first. Errors are those of DeviceLoop::open().
  Status open(schedule::SourceSpec source);
  // Closes the source and blocks until its work on the device has ended.
  void close();

  // Runs `feed` and `deliver`, each on its own thread, and blocks until both have returned. Returns
  // the first error of either, of the device, or of fail(). Call once.
  Status run(const std::function<Status()>& feed, const std::function<Status()>& deliver);

  // Stops the start of batches and ends waiting calls. Any thread.
  void stop();
  bool stopped() const;
  void change(schedule::SourceChanged change);
  // Ends the stage with an error. A later error is ignored.
  void fail(const Status& error);
  // Returns the id of the source in the device's loop, or 0 if the source is not open.
  schedule::SourceId source() const { return source_; }
  // Returns true if all units were pushed and all their results were popped.
  bool is_complete() const;

  // Blocks until the pipeline has capacity. Returns false if the stage ends. For `feed`.
  bool wait_for_capacity();
  // Reports that a unit was pushed or a result was popped.
  void notify_ready();
  // Ends the input: no more units are pushed.
  void finish();

  // Returns the number of batches started. `deliver` reads it before it pops; if there is nothing
  // to pop, it calls wait_for_batch() with that number.
  int64_t batches_started() const { return work_.batches(); }
  // Returns the error that ended the stage, or OK.
  Status error() const;
  // Blocks until a batch after the first `seen` was started. Returns false if no batch will follow,
  // or the stage ends.
  bool wait_for_batch(int64_t seen);
  void count_costs();
  // Returns the number of finished units. Finished portions of a unit count as a fraction, as in
  // 2.5.
  double units_done() const { return double(work_.units_done()) / portions_; }
  // Sets the number of units that the meter counts for each unit of this stage.
  void count_each_as(int64_t units) { counted_ = units; }

 private:
  void wake();
  void notify();

  graph::Batches& batches_;
  DeviceLoop& loop_;
  JobMeter& meter_;
  const std::function<void()> on_change_;  // null if no other thread waits for changes
  BatchWork work_;
  schedule::SourceId source_ = 0;
  int portions_ = 1;
  int64_t counted_ = 1;
  DeviceTrack download_{{}, "download"};  // used by the delivering thread alone

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool input_ended_ = false, stopped_ = false;
  Status error_;  // first error of the stage
};

}  // namespace weft::worker
