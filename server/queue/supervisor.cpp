// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervisor.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "server/queue/job_files.h"

namespace weft::queue {
namespace {

constexpr std::chrono::seconds kLongestKill{5};  // the kernel may need a moment to end a killed process

}  // namespace

StatusOr<internal::v1::DeviceList> list_devices(const std::string& worker, Duration timeout) {
  ASSIGN_OR_RETURN(const std::string output, run_program({worker, "--list-devices"}, timeout));
  internal::v1::DeviceList list;
  if (!list.ParseFromString(output))
    return data_loss(
        "{} --list-devices answers something that is not understood ({} bytes); it may be of another "
        "version.",
        worker, output.size());
  return list;
}

StatusOr<std::unique_ptr<Supervisor>> Supervisor::make(SupervisorConfig config,
                                                       const internal::v1::DeviceList& list,
                                                       WorkerEvents& events, const Clock& clock) {
  auto result = std::unique_ptr<Supervisor>(new Supervisor(std::move(config)));
  Supervisor& self = *result;
  ASSIGN_OR_RETURN(self.loop_, EventLoop::start([&self] { self.tick(); }));
  std::vector<std::unique_ptr<DeviceSlot>> slots;
  const auto& wanted = self.config_.devices;
  for (const v1::Device& device : list.devices()) {
    const bool used = wanted.empty() || std::find(wanted.begin(), wanted.end(), device.id()) != wanted.end();
    slots.push_back(
        std::make_unique<DeviceSlot>(*self.loop_, self.config_.workers, device, used, events, clock));
  }
  self.slots_ = std::move(slots);
  const auto file_worker = [&](const char* name, size_t most_waiting) {
    return std::make_unique<FileWorker>(*self.loop_, name, self.config_.workers.arguments,
                                        self.config_.probe_timeout, most_waiting, clock);
  };
  self.probes_ = file_worker("probe", kMaxWaitingProbes);
  self.pictures_ = file_worker("pictures", kMaxPictures);
  self.prober_ = std::make_unique<WorkerProber>(*self.probes_);
  return result;
}

Supervisor::Supervisor(SupervisorConfig config) : config_(std::move(config)) {}

Supervisor::~Supervisor() {
  if (!loop_) return;
  shut_down(Duration(0));
  loop_->stop();
}

void Supervisor::begin() {
  loop_->post([this] {
    begun_ = true;
    for (auto& slot : slots_) slot->begin();
  });
}

void Supervisor::change(const SupervisorConfig& config) {
  loop_->post([this, config] {
    config_.workers.hang_timeout = config.workers.hang_timeout;
    config_.workers.start_timeout = config.workers.start_timeout;
    config_.workers.low_disk_bytes = config.workers.low_disk_bytes;
    const auto weights = std::exchange(config_.workers.owner_weights, config.workers.owner_weights);
    for (auto& slot : slots_) slot->weigh_anew(weights);
    for (FileWorker* worker : {probes_.get(), pictures_.get()}) worker->set_timeout(config.probe_timeout);
  });
}

void Supervisor::tick() {
  if (!begun_) return;
  for (auto& slot : slots_) slot->tick();
  probes_->tick();
  pictures_->tick();
  const bool gone = probes_->is_gone() && pictures_->is_gone() &&
                    std::all_of(slots_.begin(), slots_.end(), [](auto& slot) { return slot->is_gone(); });
  const std::lock_guard lock(mutex_);
  if (!shutting_down_ || !gone) return;
  all_gone_ = true;
  all_gone_changed_.notify_all();
}

void Supervisor::shut_down(Duration grace) {
  loop_->post([this, grace] {
    for (auto& slot : slots_) slot->shut_down(grace);
    probes_->shut_down();
    pictures_->shut_down();
    begun_ = true;
    const std::lock_guard lock(mutex_);
    shutting_down_ = true;
  });
  std::unique_lock lock(mutex_);
  if (!all_gone_changed_.wait_for(lock, grace + kLongestKill, [this] { return all_gone_; }))
    log_error("A worker cannot be ended; the machine's driver may hang.");
}

Status Supervisor::start(const AttemptId& attempt, const v1::Job& job, std::string_view device) {
  auto slot = std::find_if(slots_.begin(), slots_.end(), [&](auto& each) { return each->id() == device; });
  if (slot == slots_.end()) return not_found("There is no device {}.", device);
  if (!(*slot)->in_service()) return unavailable("The worker of {} is not ready.", device);
  loop_->post([slot = slot->get(), attempt, job] { slot->start(attempt, job); });
  return ok_status();
}

void Supervisor::stop(const AttemptId& attempt, internal::v1::StopKind kind) {
  loop_->post([this, attempt, kind] {
    for (auto& slot : slots_) slot->stop(attempt, kind);  // only one knows it
  });
}

void Supervisor::change(const AttemptId& attempt, const v1::JobSettings& settings) {
  loop_->post([this, attempt, settings] {
    for (auto& slot : slots_) slot->change(attempt, settings);  // only one knows it
  });
}

Status Supervisor::publish(const v1::Job& job) { return publish_job(job); }

void Supervisor::remove_leftovers(const v1::Job& job) { discard_job(job).IgnoreError(); }  // logged there

void Supervisor::remove_orphans(const KnownJobs& known) { queue::remove_orphans(known); }

Status Supervisor::discard(const v1::Job& job) { return discard_job(job); }

// --- Streams ------------------------------------------------------------------------------------------------

DeviceSlot* Supervisor::find_slot(std::string_view device) {
  const auto slot =
      std::find_if(slots_.begin(), slots_.end(), [&](auto& each) { return each->id() == device; });
  return slot == slots_.end() ? nullptr : slot->get();
}

void Supervisor::start_stream(std::string_view device, internal::v1::StartStream order,
                              std::vector<channel::FileDescriptor> files,
                              std::shared_ptr<StreamEvents> events) {
  DeviceSlot* slot = find_slot(device);
  // What is posted can be copied; a descriptor cannot.
  auto shared = std::make_shared<std::vector<channel::FileDescriptor>>(std::move(files));
  loop_->post([this, slot, order = std::move(order), shared, events = std::move(events)]() mutable {
    if (slot == nullptr) return events->on_stream_lost("There is no such device.");
    order.set_owner_weight(weight_of(config_.workers.owner_weights, order.open().settings().owner()));
    slot->streams().start(order, *shared, events);
  });
}

void Supervisor::send_to_stream(std::string_view device, uint64_t stream, internal::v1::ToWorker message) {
  if (DeviceSlot* slot = find_slot(device))
    loop_->post([slot, stream, message = std::move(message)] { slot->streams().send(stream, message); });
}

void Supervisor::leave_stream(std::string_view device, uint64_t stream) {
  if (DeviceSlot* slot = find_slot(device)) loop_->post([slot, stream] { slot->streams().leave(stream); });
}

void Supervisor::kill_worker_of_stream(std::string_view device, uint64_t stream, std::string_view reason) {
  if (DeviceSlot* slot = find_slot(device))
    loop_->post([slot, stream, why = std::string(reason)] { slot->streams().kill_worker(stream, why); });
}

}  // namespace weft::queue
