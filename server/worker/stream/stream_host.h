// SPDX-License-Identifier: Apache-2.0
// Runs the streams of a worker, each with a runner and a thread, between the daemon's messages and
// the device.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/channel/file_descriptor.h"
#include "server/worker/device/device_share.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

class StreamHost {
 public:
  using Send = std::function<void(const internal::v1::FromWorker&)>;  // may be called on any thread

  // `share` must outlive the host.
  StreamHost(const DeviceShare& share, Send send);
  ~StreamHost();  // stops all streams

  // Handles a message about a stream. Returns false for other messages.
  bool handle(const internal::v1::ToWorker& message, std::vector<channel::FileDescriptor>& descriptors);
  // Removes the streams that have ended. Returns true if one of them ended because the device
  // failed.
  bool supervise();
  void stop_all();
  // Sends a message for each stream that progresses, or that waits for its turn on the device or
  // for a file system. Called several times a second.
  void report_waiting();
  bool is_empty() const { return streams_.empty(); }

  struct Totals {
    int64_t units = 0;
    int last_batch_units = 0;
  };
  // Returns totals of all streams, including streams that have ended.
  Totals totals() const;
  // Adds each open stream to the sample, and the counts since the last sample, including those of
  // streams that have ended.
  void describe(v1::DeviceSample& sample);

 private:
  class RunningStream;

  static void count(const RunningStream& stream, Totals& totals);
  void take_counts(RunningStream& stream);

  const DeviceShare share_;
  const Send send_;
  std::map<uint64_t, std::unique_ptr<RunningStream>> streams_;
  Totals past_;
  // not reported yet; the same holds for the members below
  std::map<v1::StreamClass, v1::Histogram> latencies_;
  int64_t frames_done_ = 0, frames_late_ = 0;
  struct Work {
    int64_t frames = 0;
    Duration device_time{0};
  };
  std::map<std::pair<v1::StreamClass, std::string>, Work> work_;  // by class and filter
};

}  // namespace weft::worker
