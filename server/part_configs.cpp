// SPDX-License-Identifier: Apache-2.0
#include "server/part_configs.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <unistd.h>

#include "base/log.h"
#include "server/queue/supervision/machine_memory.h"
#include "server/queue/supervision/memory_group.h"

namespace weft {
namespace {

// Sets the limits of memory. Configured values apply unchanged; defaults are derived from the
// memory of the machine or control group.
void choose_memory(const Config& from, queue::QueueConfig& config) {
  config.host_memory_bytes = from.host_memory_bytes;
  if (from.host_memory_bytes > 0) return;
  config.host_memory_bytes = queue::read_machine_memory().for_jobs();
  if (config.host_memory_bytes <= 0)
    return log_warning(
        "How much memory the machine has cannot be read (/proc/meminfo); jobs start without regard to it.");
  config.available_memory = [] { return queue::read_machine_memory().for_jobs_now(); };
}

}  // namespace

std::vector<std::string> devices_in_use(const Config& config, const std::vector<std::string>& ids) {
  std::vector<std::string> used;
  for (const std::string& id : ids)
    if (config.device.empty() ||
        std::find(config.device.begin(), config.device.end(), id) != config.device.end())
      used.push_back(id);
  return used;
}

queue::QueueConfig queue_config(const Config& config) {
  queue::QueueConfig result;
  result.state_folder = config.state_dir;
  result.work_folder = config.work_dir;
  result.jobs_per_device = int(config.jobs_per_device);
  result.aging = config.queue_aging;
  result.owner_weights = config.owners;
  result.max_queued_jobs = config.queued_jobs;
  result.owner_bytes = config.owner_bytes;
  result.ended_jobs = config.ended_jobs;
  result.ended_age = std::chrono::days(config.ended_days);
  result.failed_work_age = std::chrono::days(config.failed_work_days);
  choose_memory(config, result);
  result.cpu_slots_chosen = config.cpu_slots > 0;
  result.cpu_slots = int(config.cpu_slots > 0 ? config.cpu_slots : std::thread::hardware_concurrency());
  result.encoder_sessions = int(config.encoder_sessions);
  return result;
}

queue::SupervisorConfig supervisor_config(const Config& config, std::shared_ptr<const queue::FileRules> rules,
                                          const queue::StoreIdentity& store) {
  queue::SupervisorConfig result;
  result.workers.arguments = {config.worker,    "--log-format",
                              "json",  // parsed by the daemon
                              "--log-level",    config.log_level,     "--cache",
                              config.cache_dir, "--cpu-threads",      std::to_string(config.cpu_threads),
                              "--foreign",      config.external_load, "--tuning",
                              config.tuning,    "--cpu-affinity",     config.cpu_affinity};
  result.workers.lock_folder = config.lock_dir;
  result.workers.state_folder = config.state_dir;
  result.workers.rules = std::move(rules);
  result.workers.store = store;
  result.workers.holder =
      fmt::format("weftd, process {}, {}", ::getpid(), config.listen.empty() ? "" : config.listen[0]);
  result.workers.owner_weights = config.owners;
  result.workers.hang_timeout = config.hang_timeout;
  result.workers.start_timeout = config.start_timeout;
  result.devices = config.device;
  result.workers.low_disk_bytes = config.low_disk_bytes;
  result.workers.analysis_cache_bytes = config.analysis_cache_bytes;
  result.probe_timeout = config.probe_timeout;
  result.probe_memory_bytes = config.probe_memory_bytes;
  return result;
}

void limit_memory(const Config& config, queue::WorkerSettings& workers) {
  const auto group = [&]() -> StatusOr<queue::MemoryGroup> {
    ASSIGN_OR_RETURN(const std::string own, queue::own_cgroup());
    return queue::MemoryGroup::make(
        own, config.workers_memory_bytes > 0 ? config.workers_memory_bytes : queue::default_workers_memory());
  }();
  if (group.ok()) workers.memory = *group;
  workers.no_memory_limit = group.ok() ? "" : message_of(group.status());
  if (!group.ok()) log_info("There is no limit on the memory of workers. {}", workers.no_memory_limit);
}

}  // namespace weft
