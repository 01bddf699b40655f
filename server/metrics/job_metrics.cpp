// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/job_metrics.h"

#include <algorithm>

#include <google/protobuf/util/time_util.h>

#include "options/job_kinds.h"
#include "server/metrics/exposition.h"
#include "server/queue/records/record.h"

namespace weft::metrics {
namespace {

using google::protobuf::util::TimeUtil;
using prometheus::Histogram;

// Bucket bounds in seconds, from 0.1 s to a day.
const Histogram::BucketBoundaries kJobSeconds = {0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600};

}  // namespace

JobMetrics::JobMetrics(prometheus::Registry& registry)
    : wait_(prometheus::BuildHistogram()
                .Name("weft_job_wait_seconds")
                .Help("Time from a job's submission to the start of its first attempt, by class.")
                .Register(registry)),
      attempts_(prometheus::BuildCounter()
                    .Name("weft_job_attempts_total")
                    .Help("Started attempts, by device.")
                    .Register(registry)),
      ended_(prometheus::BuildCounter()
                 .Name("weft_jobs_ended_total")
                 .Help("Ended jobs, by state and class.")
                 .Register(registry)),
      units_(prometheus::BuildCounter()
                 .Name("weft_units_total")
                 .Help("Units (source frames) of ended jobs, by kind of job.")
                 .Register(registry)),
      gpu_seconds_(prometheus::BuildCounter()
                       .Name("weft_gpu_seconds_total")
                       .Help("Device time of kernels and copies of ended jobs, by kind of job.")
                       .Register(registry)),
      run_(prometheus::BuildHistogram()
               .Name("weft_job_run_seconds")
               .Help("Working time of successful jobs, without waits, by kind of job.")
               .Register(registry)),
      missed_(prometheus::BuildCounter()
                  .Name("weft_metrics_missed_total")
                  .Help("Interruptions of the job counters: changes arrived too fast and some were missed.")
                  .Register(registry)
                  .Add({})) {}

void JobMetrics::changed(const v1::Job& job) {
  switch (job.state()) {
    case v1::JOB_STATE_RUNNING:
      started(job);
      break;
    case v1::JOB_STATE_SUCCEEDED:
    case v1::JOB_STATE_FAILED:
    case v1::JOB_STATE_CANCELLED:
      running_.erase(job.id());
      ended(job);
      break;
    default:
      running_.erase(job.id());
  }
}

void JobMetrics::started(const v1::Job& job) {
  const auto [entry, is_new] = running_.try_emplace(job.id(), job.attempt());
  if (!is_new && entry->second == job.attempt()) return;  // another change of the same attempt
  entry->second = job.attempt();
  attempts_.Add({{"device", job.device()}}).Increment();
  if (job.attempt() != 1) return;
  const auto waited = TimeUtil::TimestampToNanoseconds(job.start_time()) -
                      TimeUtil::TimestampToNanoseconds(job.submit_time());
  wait_.Add({{"class", queue::class_name(job.settings().job_class())}}, kJobSeconds)
      .Observe(std::max(0.0, double(waited) * 1e-9));
}

void JobMetrics::ended(const v1::Job& job) {
  ended_
      .Add({{"state", queue::state_name(job.state())},
            {"class", queue::class_name(job.settings().job_class())}})
      .Increment();
  const prometheus::Labels kind = {{"kind", options::kind_name(job.spec())}};
  units_.Add(kind).Increment(double(job.result().units_in()));
  gpu_seconds_.Add(kind).Increment(seconds(job.result().gpu_time()));
  if (job.state() == v1::JOB_STATE_SUCCEEDED)
    run_.Add(kind, kJobSeconds).Observe(seconds(job.result().wall_time()));
}

void JobMetrics::missed() {
  missed_.Increment();
  running_.clear();
}

}  // namespace weft::metrics
