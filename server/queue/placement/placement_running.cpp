// SPDX-License-Identifier: Apache-2.0
// Implements the functions of Placement for running jobs.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "server/queue/placement/placement.h"
#include "server/queue/records/job_filter.h"
#include "server/queue/records/record.h"

namespace weft::queue {
namespace {

// Stages in the progress reports of runners.
constexpr std::string_view kProcessingStage = "processing", kFinishingStage = "finishing";
constexpr char kTaskMark = '#';  // in the key of a task, after the id of its job

std::string job_of(const std::string& key) { return key.substr(0, key.find(kTaskMark)); }

// Returns "rock.mkv (job 01JD...)", since users recognise file names.
std::string name_of(const v1::Job& job) {
  const std::vector<std::string> inputs = inputs_of_spec(job.spec());
  if (inputs.empty()) return fmt::format("job {}", job.id());
  return fmt::format("{} (job {})", std::filesystem::path(inputs.front()).filename().string(), job.id());
}

int64_t bytes_of(const v1::Job& job, const v1::JobTask& task, bool is_shared) {
  return host_memory_of(job.estimate(), is_shared) +
         std::max(task.segments_at_once() - 1, 0) * job.estimate().segment_bytes();
}

}  // namespace

std::string task_key(const v1::Job& job, const v1::JobTask& task) {
  return fmt::format("{}{}{}.{}", job.id(), kTaskMark, job.attempt(), task.number());
}

void Placement::occupy(const std::string& device, const v1::Job& job, TimePoint now,
                       const v1::JobTask* task) {
  const std::string key = task == nullptr ? job.id() : task_key(job, *task);
  shares_.start(wait_key(job).share(), key, now);
  Running& running = running_[device][key];
  if (running.name.empty()) running.name = name_of(job);  // called at each progress report
  running.kind = kind_of_work(job);
  running.units = units_left(job);
  running.units_per_second = job.progress().units_per_second();
  running.is_finishing = job.progress().stage() == kFinishingStage;
  running.is_processing = job.progress().stage() == kProcessingStage;
  const auto slot = devices_.find(device);
  const bool is_shared = slot != devices_.end() && slot->second.shares_memory;
  if (task != nullptr) {
    memory_.take(device, key, bytes_of(job, *task, is_shared), task->device_bytes());
  } else {
    const int64_t device_bytes = job.attempts().empty() ? 0 : job.attempts().rbegin()->device_bytes();
    memory_.take(device, key, running_memory_of(job, is_shared), device_bytes);
  }
  const int segments = task != nullptr          ? task->segments_at_once()
                       : job.attempts().empty() ? 1
                                                : job.attempts().rbegin()->segments_at_once();
  counted_.take(key, device, counted_need_of(job.estimate()), segments);
}

void Placement::release(const std::string& device, const std::string& key, TimePoint now) {
  shares_.end(key, now);
  memory_.give_back(device, key);
  counted_.give_back(key);
  const auto found = running_.find(device);
  if (found == running_.end()) return;
  found->second.erase(key);
  if (found->second.empty()) running_.erase(found);
}

void Placement::progressed(const std::string& device, const v1::Job& job, TimePoint now) {
  occupy(device, job, now);
  const std::vector<const v1::JobTask*> tasks = open_tasks(job);
  for (const v1::JobTask* task : tasks) occupy(task->device(), job, now, task);
  // the pace of one device alone is learnt
  if (job.progress().stage() == kProcessingStage && tasks.empty())
    speeds_.learn_pace(device, kind_of_work(job), job.progress().units_per_second(), running_[device].size(),
                       now);
}

std::set<std::string> Placement::jobs_on(const std::string& device) const {
  std::set<std::string> jobs;
  const auto found = running_.find(device);
  if (found == running_.end()) return jobs;
  for (const auto& [key, running] : found->second) jobs.insert(job_of(key));
  return jobs;
}

int Placement::count_on(const std::string& device) const {
  const auto found = running_.find(device);
  return found == running_.end() ? 0 : int(found->second.size());
}

}  // namespace weft::queue
