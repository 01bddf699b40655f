// SPDX-License-Identifier: Apache-2.0
// Exports gauges and counters of devices, from their samples.
#pragma once

#include <string>
#include <unordered_map>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "weft/v1/device_service.pb.h"

namespace weft::metrics {

// One thread at a time may call it; scrapes may run concurrently.
// large class: a field for each metric
class DeviceMetrics {
 public:
  explicit DeviceMetrics(prometheus::Registry& registry);

  // Updates a device after a sample or a change of state.
  void changed(const v1::DeviceStatus& device);

 private:
  void count(const prometheus::Labels& device, const v1::ScheduleSample& sample);
  void count(const prometheus::Labels& device, const v1::StreamLatency& latency);
  void count(const prometheus::Labels& device, const v1::StreamWork& work);
  void set(const prometheus::Labels& device, const v1::DeviceReadings& readings);

  prometheus::Family<prometheus::Gauge>& in_service_;
  prometheus::Family<prometheus::Gauge>& jobs_;
  prometheus::Family<prometheus::Gauge>& memory_;
  prometheus::Family<prometheus::Gauge>& memory_used_;
  prometheus::Family<prometheus::Gauge>& total_memory_used_;
  prometheus::Family<prometheus::Gauge>& temperature_;
  prometheus::Family<prometheus::Gauge>& power_;
  prometheus::Family<prometheus::Gauge>& power_limit_;
  prometheus::Family<prometheus::Gauge>& graphics_clock_;
  prometheus::Family<prometheus::Gauge>& clock_limited_;
  prometheus::Family<prometheus::Gauge>& memory_clock_;
  prometheus::Family<prometheus::Gauge>& worker_starts_;
  prometheus::Family<prometheus::Gauge>& batch_;
  prometheus::Family<prometheus::Counter>& busy_;
  prometheus::Family<prometheus::Counter>& units_;
  prometheus::Family<prometheus::Counter>& class_busy_;
  prometheus::Family<prometheus::Counter>& spare_;
  prometheus::Family<prometheus::Counter>& granted_;
  prometheus::Family<prometheus::Counter>& external_load_;
  prometheus::Family<prometheus::Counter>& batches_;
  prometheus::Family<prometheus::Counter>& frames_;
  prometheus::Family<prometheus::Counter>& misses_;
  prometheus::Family<prometheus::Counter>& stream_units_;
  prometheus::Family<prometheus::Counter>& stream_gpu_seconds_;
  prometheus::Family<prometheus::Gauge>& predicted_load_;
  prometheus::Family<prometheus::Histogram>& batch_units_;
  prometheus::Family<prometheus::Histogram>& prediction_error_;
  prometheus::Family<prometheus::Histogram>& latency_;
  // time of each device's last counted sample, in ns
  std::unordered_map<std::string, int64_t> counted_;
};

}  // namespace weft::metrics
