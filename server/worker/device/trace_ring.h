// SPDX-License-Identifier: Apache-2.0
// The newest events of a device's timeline: work and waits of the threads of jobs and streams, batches on the device.
//
//   const TracedThread traced(ring, {.name = "attempt 1", .job = id});            // at a thread's beginning
//   const TraceSpan span(v1::TRACE_CATEGORY_DECODE, "decode");                    // anywhere on that thread
//   std::thread([parent = current_track()] { const TracedThread traced(parent, "input"); ... });  // a thread of the same job
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/graph/pipeline.h"
#include "weft/v1/trace_service.pb.h"

namespace weft::worker {

// A row of the timeline: its spans nest or follow each other.
struct TraceTrack {
  std::string name;     // "input", "nodes"
  std::string job{};    // its id; empty: no job
  uint64_t stream = 0;  // its number; 0: no stream
};

struct TracedWork {
  std::shared_ptr<const TraceTrack> track{};
  v1::TraceCategory category = v1::TRACE_CATEGORY_UNSPECIFIED;
  const char* name = "";  // a literal
  TimePoint start{};
  Duration duration{0};
  int64_t units = 0;  // 0: not counted
};

// Keeps the newest kCapacity events. Thread-safe.
class TraceRing {
 public:
  static constexpr size_t kCapacity = 65'536;  // about 5 MiB

  void record(TracedWork work);
  uint64_t newest() const;  // the number of events so far, and the serial number of the newest

  struct Piece {
    uint64_t serial = 0;  // of the last of `works`, or of the newest where there are none
    std::vector<TracedWork> works;
  };
  // Events with a larger serial number that are kept, oldest first; at most `limit`.
  Piece after(uint64_t serial, size_t limit) const;

 private:
  mutable std::mutex mutex_;
  std::vector<TracedWork> ring_;
  uint64_t newest_ = 0;
};

// The ring and the track of a thread; null: the thread is not traced.
struct CurrentTrack {
  TraceRing* ring = nullptr;
  std::shared_ptr<const TraceTrack> track{};
};
CurrentTrack current_track();  // of this thread

// While it lives, spans of this thread go to a track of its own.
class TracedThread {
 public:
  TracedThread(TraceRing& ring, TraceTrack track);
  // Of the same job or stream as `parent`; not traced where that is not.
  TracedThread(const CurrentTrack& parent, std::string name);
  ~TracedThread();
  TracedThread(const TracedThread&) = delete;
  TracedThread& operator=(const TracedThread&) = delete;

 private:
  CurrentTrack before_;
};

// Shorter waits are left out.
inline constexpr Duration kShortestTracedWait = std::chrono::microseconds(10);

// Work of this thread that has ended.
void trace(v1::TraceCategory category, const char* name, TimePoint start, Duration duration);

// The time of a scope.
class TraceSpan {
 public:
  TraceSpan(v1::TraceCategory category, const char* name)
      : category_(category), name_(name), start_(std::chrono::steady_clock::now()) {}
  ~TraceSpan() { trace(category_, name_, start_, std::chrono::steady_clock::now() - start_); }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  const v1::TraceCategory category_;
  const char* const name_;
  const TimePoint start_;
};

// Waits, like std::condition_variable::wait, and records the wait.
template <class Condition, class Lock, class IsDone>
void traced_wait(Condition& condition, Lock& lock, const char* name, IsDone is_done) {
  if (is_done()) return;
  const TraceSpan span(v1::TRACE_CATEGORY_WAIT, name);
  condition.wait(lock, is_done);
}

// Pipeline::pop with a record of its wait for the oldest batch.
inline StatusOr<std::optional<graph::OutputUnit>> pop_traced(graph::Pipeline& pipeline) {
  const TraceSpan span(v1::TRACE_CATEGORY_WAIT, "batch");
  return pipeline.pop();
}

// Work on the device of the job or stream whose thread makes the track. One thread at a time records.
class DeviceTrack {
 public:
  explicit DeviceTrack(const char* name) : DeviceTrack(current_track(), name) {}
  DeviceTrack(const CurrentTrack& parent, const char* name);

  // The host saw the end of `duration` of device time. The start is late by as much as the thread was, at most up to the end of the work
  // before.
  void record(v1::TraceCategory category, TimePoint end, Duration duration, int64_t units);
  // The copy of a batch's units to the host, right behind the batch.
  void record_download(const graph::BatchTime& batch);

 private:
  CurrentTrack track_;
  const char* name_;
  TimePoint until_{};
};

}  // namespace weft::worker
