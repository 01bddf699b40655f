// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/device_metrics.h"

#include <algorithm>

#include <google/protobuf/util/time_util.h>

#include "server/metrics/exposition.h"

namespace weft::metrics {
namespace {

using google::protobuf::util::TimeUtil;

prometheus::Family<prometheus::Gauge>& gauge(prometheus::Registry& registry, const char* name,
                                             const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Counter>& counter(prometheus::Registry& registry, const char* name,
                                                 const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

}  // namespace

DeviceMetrics::DeviceMetrics(prometheus::Registry& registry)
    : in_service_(gauge(registry, "weft_device_in_service", "1 while the device takes work, else 0.")),
      jobs_(gauge(registry, "weft_device_jobs", "Jobs that run on the device.")),
      memory_(gauge(registry, "weft_device_memory_bytes", "Memory of the device.")),
      memory_used_(
          gauge(registry, "weft_device_memory_used_bytes", "Device memory that Weft has allocated.")),
      worker_starts_(gauge(registry, "weft_device_worker_starts",
                           "Starts of the device's worker since the daemon began; above 1: it died.")),
      batch_(gauge(registry, "weft_device_last_batch_units", "Units of the newest batch.")),
      busy_(counter(registry, "weft_device_busy_seconds_total", "Device time of Weft's kernels and copies.")),
      units_(
          counter(registry, "weft_device_units_total", "Units (source frames) that the device has done.")) {}

void DeviceMetrics::changed(const v1::Device& device) {
  const prometheus::Labels labels = {{"device", device.id()}};
  in_service_.Add(labels).Set(device.state() == v1::DEVICE_STATE_IN_SERVICE ? 1 : 0);
  jobs_.Add(labels).Set(device.job_ids_size());
  memory_.Add(labels).Set(double(device.memory_bytes()));
  worker_starts_.Add(labels).Set(device.worker_starts());
  if (!device.has_sample()) return;
  const v1::DeviceSample& sample = device.sample();
  memory_used_.Add(labels).Set(double(sample.memory_used_bytes()));
  batch_.Add(labels).Set(sample.last_batch_units());
  // The same sample comes with each change of the device.
  int64_t& counted = counted_[device.id()];
  const int64_t time = TimeUtil::TimestampToNanoseconds(sample.time());
  if (time <= counted) return;
  counted = time;
  busy_.Add(labels).Increment(std::max(0.0, seconds(sample.busy())));
  units_.Add(labels).Increment(std::max(0.0, sample.units_per_second() * seconds(sample.interval())));
}

}  // namespace weft::metrics
