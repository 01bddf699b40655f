// SPDX-License-Identifier: Apache-2.0
// Counts the resources that running jobs take in whole numbers: CPU slots of the machine, and
// sessions of the video encoder of each GPU.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "server/queue/placement/cpu_slots.h"
#include "server/queue/placement/encoder_sessions.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// The need of a job; values of JobEstimate, which outlives it.
struct CountedNeed {
  std::string_view pace_key;
  int cpu_slots = 0;
  int encoder_sessions = 0;  // for each segment at the same time
};
inline CountedNeed counted_need_of(const v1::JobEstimate& estimate) {
  return {estimate.pace_key(), estimate.cpu_slots(), estimate.encoder_sessions()};
}

class CountedResources {
 public:
  CpuSlots& slots() { return slots_; }
  const CpuSlots& slots() const { return slots_; }
  EncoderSessions& sessions() { return sessions_; }

  void set_device(const v1::DeviceStatus& device) {
    if (device.kind() == v1::DEVICE_KIND_CUDA) gpus_.insert(device.id());
  }

  // Set and remove the resources of a running job or task on a device. A repeated take() replaces
  // them.
  void take(const std::string& key, const std::string& device, const CountedNeed& need, int segments);
  void give_back(const std::string& key);

  // Return true if a further job may start on the device. `is_idle`: the device has no job.
  bool has_session(const CountedNeed& need, const std::string& device) const {
    return sessions_.fits(encoder_of(device), need.encoder_sessions);
  }
  bool has_slots(const CountedNeed& need, bool is_idle) const {
    return slots_.fits(slots_.need_of(need.pace_key, need.cpu_slots), is_idle);
  }
  // Returns a sentence without a full stop about the resource that the job lacks there, or an empty
  // text.
  std::string lack(const CountedNeed& need, const std::string& device, bool is_idle) const;
  // Returns the number of segments, at most `segments`, that a starting job may render at the same
  // time.
  int segments_at_once(const CountedNeed& need, const std::string& device, int segments) const {
    return sessions_.segments_at_once(encoder_of(device), need.encoder_sessions, segments);
  }

  // The encoder of the device's jobs was refused a further session while that worker had `open`
  // ones. Returns false if no job had one, so that the refusal has another cause.
  bool session_refused(const std::string& device, int open);
  // Sets the fields for the sessions of the device's own encoder.
  void describe_sessions(v1::DeviceStatus& device) const;

 private:
  // Returns the device with the video encoder of a device's jobs: the device itself if it has CUDA,
  // else the first one with CUDA, or the device itself if there is none.
  const std::string& encoder_of(const std::string& device) const {
    return gpus_.empty() || gpus_.contains(device) ? device : *gpus_.begin();
  }

  CpuSlots slots_;
  EncoderSessions sessions_;
  std::set<std::string> gpus_;  // ids of devices with CUDA
};

}  // namespace weft::queue
