// SPDX-License-Identifier: Apache-2.0
// Counts the progress of a running job: its stages increase the counters and any thread reads them.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "server/media/file_calls.h"
#include "server/worker/device/trace_ring.h"

namespace weft::worker {

// One stage of a job. `busy_ns` is the time at work, without the time of waiting for other stages.
struct StageMeter {
  // category of the stage's work in traces
  v1::TraceCategory category = v1::TRACE_CATEGORY_UNSPECIFIED;
  const char* name = "";
  std::atomic<int64_t> units{0};
  std::atomic<Duration::rep> busy_ns{0};

  Duration busy() const { return Duration(busy_ns.load()); }
};

// Thread-safe.
struct JobMeter {
  StageMeter decode{v1::TRACE_CATEGORY_DECODE, "decode"}, copy{v1::TRACE_CATEGORY_UPLOAD, "upload"};
  StageMeter filter{v1::TRACE_CATEGORY_NODES, "nodes"}, encode{v1::TRACE_CATEGORY_ENCODE, "encode"};
  std::atomic<Duration::rep> device_ns{0};  // device time of kernels and copies
  // units of the whole job, with those of earlier attempts
  std::atomic<int64_t> units_done{0};
  std::atomic<int64_t> units_total{0};      // 0: unknown; an estimate until the source has ended
  std::atomic<int64_t> outputs_done{0};     // outputs of the whole job
  std::atomic<int64_t> corrupt_packets{0};  // corrupt packets of the whole job
  // number of threads that decode, copy or encode for the job, each
  std::atomic<int> lanes{1};
  std::atomic<int> last_batch_units{0};
  // increases when a stage finishes a piece of work; a constant value reveals a hang
  std::atomic<uint64_t> heartbeat{0};

  // File calls of all threads of the job. A long call is not a hang of the device.
  media::FileCalls file_calls;

  void beat() { heartbeat.fetch_add(1, std::memory_order_relaxed); }
};

// Adds the time of a scope to a stage's busy time, and to the trace.
class BusyTime {
 public:
  explicit BusyTime(StageMeter& stage) : stage_(stage), start_(std::chrono::steady_clock::now()) {}
  ~BusyTime() {
    const Duration duration = std::chrono::steady_clock::now() - start_;
    stage_.busy_ns += duration.count();
    trace(stage_.category, stage_.name, start_, duration);
  }
  BusyTime(const BusyTime&) = delete;
  BusyTime& operator=(const BusyTime&) = delete;

 private:
  StageMeter& stage_;
  TimePoint start_;
};

}  // namespace weft::worker
