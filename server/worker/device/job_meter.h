// SPDX-License-Identifier: Apache-2.0
// What a running job has done so far: counters that its stages raise and anybody reads.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "server/media/file_calls.h"
#include "server/worker/device/trace_ring.h"

namespace weft::worker {

// One stage of the pipeline. `busy`: time at work, waiting for other stages left out.
struct StageMeter {
  v1::TraceCategory category = v1::TRACE_CATEGORY_UNSPECIFIED;  // of its work in traces
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
  std::atomic<int64_t> units_done{0};       // of the kind, in the whole job, earlier attempts included
  std::atomic<int64_t> units_total{0};      // 0: not known; an estimate until the source has ended
  std::atomic<int64_t> outputs_done{0};     // in the whole job
  std::atomic<int64_t> corrupt_packets{0};  // the same
  std::atomic<int64_t> segment_end{0};      // the source frame after the segment at hand
  std::atomic<int> last_batch_units{0};
  // Rises whenever a stage finishes a piece of work: standing still is how a hang is noticed.
  std::atomic<uint64_t> heartbeat{0};

  // Of all its threads: one that lasts is no hang of the device.
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
