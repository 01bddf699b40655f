// SPDX-License-Identifier: Apache-2.0
// Records the newest events of a device's timeline: work and waits of the threads of jobs and
// streams, and batches on the device.
//
//   const TracedThread traced(ring, {.name = "attempt 1", .job = id});  // at a thread's beginning
//   const TraceSpan span(v1::TRACE_CATEGORY_DECODE, "decode");          // anywhere on that thread
//   std::thread([parent = current_track()] {                            // a thread of the same job
//     const TracedThread traced(parent, "input"); ...
//   });
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

// A row of the timeline. Its spans are nested or follow each other.
struct TraceTrack {
  std::string name;     // "input", "nodes"
  std::string job{};    // id of the job; empty: no job
  uint64_t stream = 0;  // number of the stream; 0: no stream
  // end of the names of tracks that are made from this one, such as " 2"
  std::string suffix{};
};

struct TracedWork {
  std::shared_ptr<const TraceTrack> track{};
  v1::TraceCategory category = v1::TRACE_CATEGORY_UNSPECIFIED;
  const char* name = "";  // a string literal
  TimePoint start{};
  Duration duration{0};
  int64_t units = 0;  // 0: not counted
};

// Keeps the newest kCapacity events. Thread-safe.
class TraceRing {
 public:
  static constexpr size_t kCapacity = 65'536;  // about 5 MiB

  void record(TracedWork work);
  // number of events so far, which is the serial number of the newest event
  uint64_t newest() const;

  struct TraceChunk {
    // serial number of the last of `works`; if `works` is empty, that from which reading continues
    uint64_t serial = 0;
    std::vector<TracedWork> works;
  };
  // Returns at most `limit` of the kept events with a larger serial number, oldest first.
  TraceChunk after(uint64_t serial, size_t limit) const;

 private:
  mutable std::mutex mutex_;
  std::vector<TracedWork> ring_;
  uint64_t newest_ = 0;
};

// The ring and the track of a thread. `ring` is null if the thread is not traced.
struct CurrentTrack {
  TraceRing* ring = nullptr;
  std::shared_ptr<const TraceTrack> track{};
};
CurrentTrack current_track();  // returns the track of this thread

// Assigns spans of this thread to a separate track, for the lifetime of the object.
class TracedThread {
 public:
  TracedThread(TraceRing& ring, TraceTrack track);
  // Traces for the job or stream of `parent`; inactive if `parent` is inactive. `suffix` replaces
  // TraceTrack::suffix if it is not empty.
  TracedThread(const CurrentTrack& parent, std::string name, std::string suffix = {});
  ~TracedThread();
  TracedThread(const TracedThread&) = delete;
  TracedThread& operator=(const TracedThread&) = delete;

 private:
  CurrentTrack before_;
};

// Waits shorter than this are not recorded.
inline constexpr Duration kShortestTracedWait = std::chrono::microseconds(10);

// Records work of this thread that has ended.
void trace(v1::TraceCategory category, const char* name, TimePoint start, Duration duration);

// Records the duration of a scope.
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

// Waits like std::condition_variable::wait() and records the wait.
template <class Condition, class Lock, class IsDone>
void traced_wait(Condition& condition, Lock& lock, const char* name, IsDone is_done) {
  if (is_done()) return;
  const TraceSpan span(v1::TRACE_CATEGORY_WAIT, name);
  condition.wait(lock, is_done);
}

// Calls Pipeline::pop() and records its wait for the oldest batch.
inline StatusOr<std::optional<graph::OutputUnit>> pop_traced(graph::Pipeline& pipeline) {
  const TraceSpan span(v1::TRACE_CATEGORY_WAIT, "batch");
  return pipeline.pop();
}

// Records work on the device of a job or stream, which is that of the creating thread. One thread
// at a time may record.
class DeviceTrack {
 public:
  explicit DeviceTrack(const char* name) : DeviceTrack(current_track(), name) {}
  DeviceTrack(const CurrentTrack& parent, const char* name);

  // Records work of `duration` on the device, observed to end at `end`. The recorded start is `end`
  // less `duration`, but not before the end of the previous work.
  void record(v1::TraceCategory category, TimePoint end, Duration duration, int64_t units);
  // Records the download of a batch's units, directly after the batch.
  void record_download(const graph::BatchTime& batch);

 private:
  CurrentTrack track_;
  const char* name_;
  TimePoint until_{};
};

}  // namespace weft::worker
