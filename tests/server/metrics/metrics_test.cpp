// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <vector>

#include <google/protobuf/util/time_util.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include "server/metrics/device_metrics.h"
#include "server/metrics/job_metrics.h"

namespace weft::metrics {
namespace {

using google::protobuf::util::TimeUtil;

// Returns every value of a registry by name and labels, such as "weft_units_total{kind=video}". A
// histogram has its sum and count.
std::map<std::string, double> values_of(const prometheus::Registry& registry) {
  std::map<std::string, double> values;
  for (const prometheus::MetricFamily& family : registry.Collect())
    for (const prometheus::ClientMetric& metric : family.metric) {
      std::string labels;
      for (const auto& label : metric.label)
        labels += (labels.empty() ? "" : ",") + label.name + "=" + label.value;
      const std::string key = "{" + labels + "}";
      switch (family.type) {
        case prometheus::MetricType::Counter:
          values[family.name + key] = metric.counter.value;
          break;
        case prometheus::MetricType::Histogram:
          values[family.name + "_sum" + key] = metric.histogram.sample_sum;
          values[family.name + "_count" + key] = double(metric.histogram.sample_count);
          break;
        default:
          values[family.name + key] = metric.gauge.value;
      }
    }
  return values;
}

v1::Job job_named(const std::string& id) {
  v1::Job job;
  job.set_id(id);
  job.mutable_settings()->set_job_class(v1::JOB_CLASS_SPARE);
  job.mutable_spec()->mutable_video();
  *job.mutable_submit_time() = TimeUtil::SecondsToTimestamp(1000);
  return job;
}

v1::Job running(v1::Job job, int attempt) {
  job.set_state(v1::JOB_STATE_RUNNING);
  job.set_attempt(attempt);
  job.set_device("cpu");
  *job.mutable_start_time() = TimeUtil::SecondsToTimestamp(1007);
  return job;
}

TEST(JobMetrics, AJobsLifeIsCountedOnce) {
  prometheus::Registry registry;
  JobMetrics metrics(registry);
  v1::Job job = running(job_named("A"), 1);
  metrics.changed(job);
  metrics.changed(job);  // a change of the priority, for example
  job.set_state(v1::JOB_STATE_SUCCEEDED);
  job.mutable_result()->set_units_in(250);
  *job.mutable_result()->mutable_gpu_time() = TimeUtil::MillisecondsToDuration(500);
  *job.mutable_result()->mutable_wall_time() = TimeUtil::SecondsToDuration(3);
  metrics.changed(job);

  const auto values = values_of(registry);
  EXPECT_EQ(values.at("weft_job_wait_seconds_sum{class=spare}"), 7);
  EXPECT_EQ(values.at("weft_job_wait_seconds_count{class=spare}"), 1);
  EXPECT_EQ(values.at("weft_job_attempts_total{device=cpu}"), 1);
  EXPECT_EQ(values.at("weft_jobs_ended_total{class=spare,state=succeeded}"), 1);
  EXPECT_EQ(values.at("weft_units_total{kind=video}"), 250);
  EXPECT_EQ(values.at("weft_gpu_seconds_total{kind=video}"), 0.5);
  EXPECT_EQ(values.at("weft_job_run_seconds_sum{kind=video}"), 3);
}

TEST(JobMetrics, ASecondAttemptIsNoSecondWait) {
  prometheus::Registry registry;
  JobMetrics metrics(registry);
  metrics.changed(running(job_named("A"), 1));
  v1::Job waiting = job_named("A");
  waiting.set_state(v1::JOB_STATE_QUEUED);
  waiting.set_attempt(1);
  metrics.changed(waiting);
  metrics.changed(running(job_named("A"), 2));

  const auto values = values_of(registry);
  EXPECT_EQ(values.at("weft_job_wait_seconds_count{class=spare}"), 1);
  EXPECT_EQ(values.at("weft_job_attempts_total{device=cpu}"), 2);
}

TEST(JobMetrics, MissedChangesAreCounted) {
  prometheus::Registry registry;
  JobMetrics metrics(registry);
  EXPECT_EQ(values_of(registry).at("weft_metrics_missed_total{}"), 0);
  metrics.missed();
  EXPECT_EQ(values_of(registry).at("weft_metrics_missed_total{}"), 1);
}

TEST(DeviceMetrics, ASampleIsCountedOnce) {
  prometheus::Registry registry;
  DeviceMetrics metrics(registry);
  v1::DeviceStatus device;
  device.set_id("cuda:0");
  device.set_state(v1::DEVICE_STATE_IN_SERVICE);
  device.set_worker_starts(1);
  v1::DeviceSample& sample = *device.mutable_sample();
  *sample.mutable_time() = TimeUtil::SecondsToTimestamp(2000);
  *sample.mutable_interval() = TimeUtil::SecondsToDuration(2);
  *sample.mutable_busy() = TimeUtil::MillisecondsToDuration(1500);
  sample.set_units_per_second(100);
  sample.set_memory_used_bytes(4096);
  metrics.changed(device);
  device.add_job_ids("A");  // A change of the device reports the same sample again.
  metrics.changed(device);
  *sample.mutable_time() = TimeUtil::SecondsToTimestamp(2002);
  metrics.changed(device);

  const auto values = values_of(registry);
  EXPECT_EQ(values.at("weft_device_busy_seconds_total{device=cuda:0}"), 3);
  EXPECT_EQ(values.at("weft_device_units_total{device=cuda:0}"), 400);
  EXPECT_EQ(values.at("weft_device_memory_used_bytes{device=cuda:0}"), 4096);
  EXPECT_EQ(values.at("weft_device_in_service{device=cuda:0}"), 1);
  EXPECT_EQ(values.at("weft_device_jobs{device=cuda:0}"), 1);
}

TEST(DeviceMetrics, WhatTheScheduleDidIsAddedUp) {
  prometheus::Registry registry;
  DeviceMetrics metrics(registry);
  v1::DeviceStatus device;
  device.set_id("cpu");
  v1::ScheduleSample& schedule = *device.mutable_sample()->mutable_schedule();
  *schedule.mutable_realtime_busy() = TimeUtil::MillisecondsToDuration(400);
  *schedule.mutable_spare_busy() = TimeUtil::MillisecondsToDuration(300);
  *schedule.mutable_spare() = TimeUtil::MillisecondsToDuration(600);
  schedule.set_frames(60);
  schedule.set_misses(2);
  v1::StreamWork& work = *device.mutable_sample()->add_stream_work();
  work.set_stream_class(v1::STREAM_CLASS_REALTIME);
  work.set_filter("bwdif");
  work.set_frames(60);
  *work.mutable_gpu_time() = TimeUtil::MillisecondsToDuration(250);
  v1::Histogram& units = *schedule.mutable_batch_units();
  for (const double bound : {1, 2, 4}) units.add_bounds(bound);
  for (const int64_t count : {0, 3, 1, 0}) units.add_counts(count);
  units.set_sum(9);
  for (const int64_t second : {1, 2}) {
    *device.mutable_sample()->mutable_time() = TimeUtil::SecondsToTimestamp(second);
    metrics.changed(device);
  }
  const auto values = values_of(registry);
  EXPECT_DOUBLE_EQ(values.at("weft_device_class_busy_seconds_total{class=realtime,device=cpu}"), 0.8);
  EXPECT_DOUBLE_EQ(values.at("weft_device_class_busy_seconds_total{class=spare,device=cpu}"), 0.6);
  EXPECT_DOUBLE_EQ(values.at("weft_device_spare_seconds_total{device=cpu}"), 1.2);
  EXPECT_EQ(values.at("weft_stream_frames_total{device=cpu}"), 120);
  EXPECT_EQ(values.at("weft_stream_deadline_misses_total{device=cpu}"), 4);
  EXPECT_EQ(values.at("weft_stream_units_total{class=realtime,device=cpu,filter=bwdif}"), 120);
  EXPECT_DOUBLE_EQ(values.at("weft_stream_gpu_seconds_total{class=realtime,device=cpu,filter=bwdif}"), 0.5);
  EXPECT_EQ(values.at("weft_batch_units_count{device=cpu}"), 8);
  EXPECT_EQ(values.at("weft_batch_units_sum{device=cpu}"), 18);
}

TEST(DeviceMetrics, LatenciesOfStreamsAddUpOverStreamsAndWorkers) {
  prometheus::Registry registry;
  DeviceMetrics metrics(registry);
  v1::DeviceStatus device;
  device.set_id("cpu");
  const auto sample_with = [&](v1::StreamClass stream_class, std::vector<int64_t> counts, double sum) {
    v1::StreamLatency& latency = *device.mutable_sample()->add_stream_latency();
    latency.set_stream_class(stream_class);
    for (const double bound : {0.01, 0.02}) latency.mutable_seconds()->add_bounds(bound);
    latency.mutable_seconds()->mutable_counts()->Add(counts.begin(), counts.end());
    latency.mutable_seconds()->set_sum(sum);
  };
  sample_with(v1::STREAM_CLASS_REALTIME, {5, 2, 1}, 0.1);
  sample_with(v1::STREAM_CLASS_NORMAL, {0, 0, 0}, 0);
  *device.mutable_sample()->mutable_time() = TimeUtil::SecondsToTimestamp(1);
  metrics.changed(device);
  metrics.changed(device);      // the same sample again
  device.set_worker_starts(2);  // A new worker counts from zero again.
  device.mutable_sample()->clear_stream_latency();
  sample_with(v1::STREAM_CLASS_REALTIME, {1, 0, 0}, 0.005);
  sample_with(v1::STREAM_CLASS_NORMAL, {0, 3, 0}, 0.05);
  *device.mutable_sample()->mutable_time() = TimeUtil::SecondsToTimestamp(2);
  metrics.changed(device);
  const auto values = values_of(registry);
  EXPECT_EQ(values.at("weft_stream_latency_seconds_count{class=realtime,device=cpu}"), 9);
  EXPECT_DOUBLE_EQ(values.at("weft_stream_latency_seconds_sum{class=realtime,device=cpu}"), 0.105);
  EXPECT_EQ(values.at("weft_stream_latency_seconds_count{class=normal,device=cpu}"), 3);
}

TEST(DeviceMetrics, ReadingsAreThereAsLongAsTheDriverTells) {
  prometheus::Registry registry;
  DeviceMetrics metrics(registry);
  v1::DeviceStatus device;
  device.set_id("cuda:0");
  device.mutable_sample()->mutable_readings()->set_temperature_celsius(45);
  device.mutable_sample()->mutable_readings()->set_graphics_clock_mhz(1980);
  device.mutable_sample()->mutable_readings()->set_clock_limited(true);
  *device.mutable_sample()->mutable_time() = TimeUtil::SecondsToTimestamp(1);
  metrics.changed(device);
  EXPECT_EQ(values_of(registry).at("weft_device_temperature_celsius{device=cuda:0}"), 45);
  EXPECT_EQ(values_of(registry).at("weft_device_graphics_clock_hertz{device=cuda:0}"), 1.98e9);
  EXPECT_EQ(values_of(registry).at("weft_device_clock_limited{device=cuda:0}"), 1);
  EXPECT_FALSE(values_of(registry).contains("weft_device_power_watts{device=cuda:0}")) << "no driver told";
  device.mutable_sample()->clear_readings();
  metrics.changed(device);
  EXPECT_FALSE(values_of(registry).contains("weft_device_temperature_celsius{device=cuda:0}"));
}

TEST(DeviceMetrics, ADeviceOutOfServiceIsSeen) {
  prometheus::Registry registry;
  DeviceMetrics metrics(registry);
  v1::DeviceStatus device;
  device.set_id("cpu");
  device.set_state(v1::DEVICE_STATE_OUT_OF_SERVICE);
  metrics.changed(device);
  EXPECT_EQ(values_of(registry).at("weft_device_in_service{device=cpu}"), 0);
}

}  // namespace
}  // namespace weft::metrics
