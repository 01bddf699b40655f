// SPDX-License-Identifier: Apache-2.0
// The streams of a worker: each a runner with a thread of its own, between the daemon's messages and the device.
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
  using Send = std::function<void(const internal::v1::FromWorker&)>;  // any thread

  // What is shared outlives the host.
  StreamHost(const DeviceShare& share, Send send);
  ~StreamHost();  // stops all

  // True: the message was about a stream.
  bool handle(const internal::v1::ToWorker& message, std::vector<channel::FileDescriptor>& descriptors);
  // Forgets the streams that have ended. True: one of them ended because the device failed.
  bool look_after();
  void stop_all();
  // Sends a message for each stream whose frames, or what opens it, wait for their turn on the device. Some times a second.
  void tell_waiting();
  bool is_empty() const { return streams_.empty(); }

  struct Totals {
    int64_t units = 0;
    int last_batch_units = 0;
  };
  // Of all streams, also those that ended.
  Totals totals() const;
  // Adds each living stream to the sample, and what was counted since the last one, also of streams that ended.
  void describe(v1::DeviceSample& sample);

 private:
  class RunningStream;

  static void count(const RunningStream& stream, Totals& totals);
  void take_counts(RunningStream& stream);

  const DeviceShare share_;
  const Send send_;
  std::map<uint64_t, std::unique_ptr<RunningStream>> streams_;
  Totals past_;
  std::map<v1::StreamClass, v1::Histogram> latencies_;  // not told yet, nor are these
  int64_t frames_done_ = 0, frames_late_ = 0;
  struct Work {
    int64_t frames = 0;
    Duration device_time{0};
  };
  std::map<std::pair<v1::StreamClass, std::string>, Work> work_;  // by class and filter
};

}  // namespace weft::worker
