// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/device_metrics.h"

#include <algorithm>
#include <vector>

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

void add(prometheus::Family<prometheus::Histogram>& family, const prometheus::Labels& labels,
         const v1::Histogram& histogram) {
  // from a worker of another version
  if (histogram.counts_size() != histogram.bounds_size() + 1) return;
  const prometheus::Histogram::BucketBoundaries bounds(histogram.bounds().begin(), histogram.bounds().end());
  const std::vector<double> counts(histogram.counts().begin(), histogram.counts().end());
  family.Add(labels, bounds).ObserveMultiple(counts, histogram.sum());
}

const char* name_of(v1::StreamClass stream_class) {
  return stream_class == v1::STREAM_CLASS_REALTIME ? "realtime" : "normal";
}

}  // namespace

DeviceMetrics::DeviceMetrics(prometheus::Registry& registry)
    : in_service_(gauge(registry, "weft_device_in_service", "1 while the device accepts work, else 0.")),
      jobs_(gauge(registry, "weft_device_jobs", "Running jobs of the device.")),
      memory_(gauge(registry, "weft_device_memory_bytes", "Memory of the device.")),
      memory_used_(gauge(registry, "weft_device_memory_used_bytes", "Device memory allocated by Weft.")),
      total_memory_used_(gauge(registry, "weft_device_total_memory_used_bytes",
                               "Device memory in use by all programs, reported by the driver.")),
      temperature_(gauge(registry, "weft_device_temperature_celsius",
                         "Temperature of the device, reported by the driver.")),
      power_(gauge(registry, "weft_device_power_watts", "Power draw of the device, reported by the driver.")),
      power_limit_(gauge(registry, "weft_device_power_limit_watts", "Power limit of the device.")),
      graphics_clock_(gauge(registry, "weft_device_graphics_clock_hertz", "Graphics clock of the device.")),
      clock_limited_(gauge(registry, "weft_device_clock_limited",
                           "1 while the power limit or the temperature reduces the graphics clock.")),
      memory_clock_(gauge(registry, "weft_device_memory_clock_hertz", "Memory clock of the device.")),
      worker_starts_(gauge(registry, "weft_device_worker_starts",
                           "Starts of the device's worker since the daemon started; above 1: it crashed.")),
      batch_(gauge(registry, "weft_device_last_batch_units", "Units of the newest batch.")),
      busy_(counter(registry, "weft_device_busy_seconds_total", "Device time of Weft's kernels and copies.")),
      units_(counter(registry, "weft_device_units_total", "Units (source frames) processed by the device.")),
      class_busy_(
          counter(registry, "weft_device_class_busy_seconds_total", "Device time of batches, by class.")),
      spare_(counter(registry, "weft_device_spare_seconds_total",
                     "Measured device time left by REALTIME streams and other programs.")),
      granted_(counter(registry, "weft_device_spare_granted_seconds_total",
                       "Predicted cost of the started background batches.")),
      external_load_(
          counter(registry, "weft_device_foreign_seconds_total", "Known device time of other programs.")),
      batches_(counter(registry, "weft_device_batches_total", "Finished background batches.")),
      frames_(counter(registry, "weft_stream_frames_total", "Finished frames of REALTIME streams.")),
      misses_(counter(registry, "weft_stream_deadline_misses_total",
                      "Frames of REALTIME streams finished after their deadline.")),
      stream_units_(counter(registry, "weft_stream_units_total", "Input frames of streams.")),
      stream_gpu_seconds_(
          counter(registry, "weft_stream_gpu_seconds_total", "Device time of the kernels of streams.")),
      predicted_load_(gauge(registry, "weft_device_predicted_load_ratio",
                            "Share of the device's time for admitted streams and other programs, 0 to 1.")),
      batch_units_(prometheus::BuildHistogram()
                       .Name("weft_batch_units")
                       .Help("Units of background batches.")
                       .Register(registry)),
      prediction_error_(prometheus::BuildHistogram()
                            .Name("weft_cost_prediction_error_ratio")
                            .Help("Relative error of the predicted cost of background batches.")
                            .Register(registry)),
      latency_(
          prometheus::BuildHistogram()
              .Name("weft_stream_latency_seconds")
              .Help(
                  "Latency of streams, from the arrival of the last required frame to the finished picture.")
              .Register(registry)) {}

void DeviceMetrics::count(const prometheus::Labels& device, const v1::ScheduleSample& sample) {
  const auto add_time = [](prometheus::Counter& counter, const google::protobuf::Duration& duration) {
    counter.Increment(std::max(0.0, seconds(duration)));
  };
  const auto of_class = [&](const char* name) -> prometheus::Counter& {
    prometheus::Labels labels = device;
    labels["class"] = name;
    return class_busy_.Add(labels);
  };
  add_time(of_class("realtime"), sample.realtime_busy());
  add_time(of_class("normal"), sample.normal_busy());
  add_time(of_class("spare"), sample.spare_busy());
  add_time(spare_.Add(device), sample.spare());
  add_time(granted_.Add(device), sample.granted());
  add_time(external_load_.Add(device), sample.foreign());
  batches_.Add(device).Increment(double(sample.batches()));
  frames_.Add(device).Increment(double(sample.frames()));
  misses_.Add(device).Increment(double(sample.misses()));
  predicted_load_.Add(device).Set(sample.predicted_load());
  add(batch_units_, device, sample.batch_units());
  add(prediction_error_, device, sample.prediction_error());
}

void DeviceMetrics::count(const prometheus::Labels& device, const v1::StreamLatency& latency) {
  prometheus::Labels labels = device;
  labels["class"] = name_of(latency.stream_class());
  add(latency_, labels, latency.seconds());
}

void DeviceMetrics::count(const prometheus::Labels& device, const v1::StreamWork& work) {
  prometheus::Labels labels = device;
  labels["class"] = name_of(work.stream_class());
  labels["filter"] = work.filter();
  stream_units_.Add(labels).Increment(double(work.frames()));
  stream_gpu_seconds_.Add(labels).Increment(seconds(work.gpu_time()));
}

// Values that the driver no longer reports are removed: an old temperature would be misleading.
void DeviceMetrics::set(const prometheus::Labels& device, const v1::DeviceReadings& readings) {
  const auto set = [&](prometheus::Family<prometheus::Gauge>& family, bool is_known, double value) {
    prometheus::Gauge& gauge = family.Add(device);
    if (is_known)
      gauge.Set(value);
    else
      family.Remove(&gauge);
  };
  set(total_memory_used_, readings.has_memory_used_bytes(), double(readings.memory_used_bytes()));
  set(temperature_, readings.has_temperature_celsius(), readings.temperature_celsius());
  set(power_, readings.has_power_watts(), readings.power_watts());
  set(power_limit_, readings.has_power_limit_watts(), readings.power_limit_watts());
  set(graphics_clock_, readings.has_graphics_clock_mhz(), 1e6 * readings.graphics_clock_mhz());
  set(clock_limited_, readings.has_clock_limited(), readings.clock_limited() ? 1 : 0);
  set(memory_clock_, readings.has_memory_clock_mhz(), 1e6 * readings.memory_clock_mhz());
}

void DeviceMetrics::changed(const v1::DeviceStatus& device) {
  const prometheus::Labels labels = {{"device", device.id()}};
  in_service_.Add(labels).Set(device.state() == v1::DEVICE_STATE_IN_SERVICE ? 1 : 0);
  jobs_.Add(labels).Set(device.job_ids_size());
  memory_.Add(labels).Set(double(device.memory_bytes()));
  worker_starts_.Add(labels).Set(device.worker_starts());
  if (!device.has_sample()) return;
  const v1::DeviceSample& sample = device.sample();
  memory_used_.Add(labels).Set(double(sample.memory_used_bytes()));
  batch_.Add(labels).Set(sample.last_batch_units());
  set(labels, sample.readings());
  // Every change of the device repeats the newest sample.
  int64_t& counted = counted_[device.id()];
  const int64_t time = TimeUtil::TimestampToNanoseconds(sample.time());
  if (time <= counted) return;
  counted = time;
  busy_.Add(labels).Increment(std::max(0.0, seconds(sample.busy())));
  units_.Add(labels).Increment(std::max(0.0, sample.units_per_second() * seconds(sample.interval())));
  if (sample.has_schedule()) count(labels, sample.schedule());
  for (const v1::StreamLatency& latency : sample.stream_latency()) count(labels, latency);
  for (const v1::StreamWork& work : sample.stream_work()) count(labels, work);
}

}  // namespace weft::metrics
