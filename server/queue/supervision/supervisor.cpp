// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/supervisor.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "server/queue/files/job_files.h"
#include "server/queue/files/publishing.h"

namespace weft::queue {
namespace {

// The kernel may need a moment to end a killed process.
constexpr std::chrono::seconds kLongestKill{5};

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
  auto result = std::unique_ptr<Supervisor>(new Supervisor(clock));
  Supervisor& self = *result;
  self.state_folder_ = config.workers.state_folder;
  self.rules_ = config.workers.rules;
  self.store_ = config.workers.store;
  ASSIGN_OR_RETURN(self.loop_, EventLoop::start([&self] { self.tick(); }));
  FileWorker::Settings probes{.name = "probe",
                              .arguments = config.workers.arguments,
                              .timeout = config.probe_timeout,
                              .memory_bytes = config.probe_memory_bytes,
                              .most_waiting = kMaxWaitingProbes,
                              .most_waiting_of_owner = kMaxWaitingProbesOfOwner,
                              .patience = kProbePatience};
  FileWorker::Settings pictures = probes;
  pictures.name = "pictures";
  pictures.memory_bytes = config.probe_memory_bytes * kPictureMemoryFactor;
  pictures.most_waiting = pictures.most_waiting_of_owner = kMaxPictures;
  pictures.patience = kPicturePatience;
  self.probes_ = std::make_unique<FileWorker>(*self.loop_, self.files_, std::move(probes), self.clock_);
  self.pictures_ = std::make_unique<FileWorker>(*self.loop_, self.files_, std::move(pictures), self.clock_);
  self.prober_ = std::make_unique<WorkerProber>(*self.probes_);
  config.workers.prober = self.prober_.get();
  const auto& wanted = config.devices;
  for (const v1::DeviceStatus& device : list.devices()) {
    const bool used = wanted.empty() || std::find(wanted.begin(), wanted.end(), device.id()) != wanted.end();
    ASSIGN_OR_RETURN(self.slots_.emplace_back(), DeviceSlot::make(config.workers, device, used, events,
                                                                  self.files_, self.disk_budget_, clock));
  }
  self.loop_->post([&self] { self.is_made_ = true; });
  return result;
}

Supervisor::Supervisor(const Clock& clock) : clock_(clock) {}

// The threads end first, since they post results to the loops. loop_ ends before the slots, since
// its prober calls back into them.
Supervisor::~Supervisor() {
  if (prober_) shut_down(Duration(0));
  files_.stop();
  if (loop_) loop_->stop();
  slots_.clear();
}

void Supervisor::begin() {
  for (auto& slot : slots_) slot->post([](DeviceSlot& self) { self.begin(); });
}

void Supervisor::change(const SupervisorConfig& config) {
  for (auto& slot : slots_)
    slot->post([workers = config.workers](DeviceSlot& self) { self.change(workers); });
  loop_->post([this, timeout = config.probe_timeout] {
    for (FileWorker* worker : {probes_.get(), pictures_.get()}) worker->set_timeout(timeout);
  });
}

void Supervisor::tick() {
  clock_.here();
  if (!is_made_) return;
  probes_->tick();
  pictures_->tick();
  if (!file_workers_end_ || !probes_->is_gone() || !pictures_->is_gone()) return;
  const std::lock_guard lock(mutex_);
  file_workers_are_gone_ = true;
  gone_changed_.notify_all();
}

bool Supervisor::all_are_gone() const {
  return file_workers_are_gone_ &&
         std::all_of(slots_.begin(), slots_.end(), [](auto& slot) { return slot->is_gone(); });
}

void Supervisor::shut_down(Duration grace) {
  const auto one_is_gone = [this] {
    const std::lock_guard lock(mutex_);
    gone_changed_.notify_all();
  };
  for (auto& slot : slots_)
    slot->post([grace, one_is_gone](DeviceSlot& self) { self.shut_down(grace, one_is_gone); });
  loop_->post([this] {
    probes_->shut_down();
    pictures_->shut_down();
    file_workers_end_ = true;
  });
  std::unique_lock lock(mutex_);
  if (!gone_changed_.wait_for(lock, grace + kLongestKill, [this] { return all_are_gone(); }))
    log_error("A worker cannot be ended; the machine's driver or a file system may hang.");
}

Status Supervisor::start(const AttemptId& attempt, const JobRecord& record, std::string_view device) {
  DeviceSlot* slot = find_slot(device);
  if (slot == nullptr) return not_found("There is no device {}.", device);
  if (!slot->in_service()) return unavailable("The worker of {} is not ready.", device);
  slot->post([attempt, job = record.job, submitter = record.submitter](DeviceSlot& self) {
    self.start(attempt, job, submitter);
  });
  return ok_status();
}

void Supervisor::stop(const AttemptId& attempt, internal::v1::StopKind kind) {
  for (auto& slot : slots_)  // one slot has the attempt, others may have its further tasks
    slot->post([attempt, kind](DeviceSlot& self) { self.stop(attempt, kind); });
}

void Supervisor::change(const AttemptId& attempt, const v1::JobSettings& settings) {
  for (auto& slot : slots_)
    slot->post([attempt, settings](DeviceSlot& self) { self.change(attempt, settings); });
}

void Supervisor::take_device(std::string_view device) {
  if (DeviceSlot* slot = find_slot(device); slot != nullptr)
    slot->post([](DeviceSlot& self) { self.take_by_order(); });
}

void Supervisor::read_trace(std::string_view device, std::string job_id, TraceDone done) {
  DeviceSlot* slot = find_slot(device);
  if (slot == nullptr) return done(not_found("There is no device {}; `weft devices` lists them.", device));
  slot->post([job_id = std::move(job_id), done = std::move(done)](DeviceSlot& self) {
    self.read_trace(job_id, done);
  });
}

Status Supervisor::publish(const JobRecord& record, const CopyReport& report) {
  return publish_job(record.job, state_folder_, store_, {record.submitter, rules_}, report);
}

void Supervisor::remove_orphans(const KnownJobs& known, const std::string& folder) {
  queue::remove_orphans(known, folder);
}

Status Supervisor::discard(const v1::Job& job) { return discard_job(job, state_folder_, store_.secret); }

// Streams.

DeviceSlot* Supervisor::find_slot(std::string_view device) {
  const auto slot =
      std::find_if(slots_.begin(), slots_.end(), [&](auto& each) { return each->id() == device; });
  return slot == slots_.end() ? nullptr : slot->get();
}

void Supervisor::start_stream(std::string_view device, internal::v1::StartStream order, SharedFiles files,
                              std::shared_ptr<StreamEvents> events) {
  DeviceSlot* slot = find_slot(device);
  if (slot == nullptr)  // posted, since the stream holds its lock during this call
    return loop_->post([events = std::move(events)] { events->on_stream_lost("There is no such device."); });
  slot->post([order = std::move(order), files = std::move(files),
              events = std::move(events)](DeviceSlot& self) { self.start_stream(order, files, events); });
}

void Supervisor::send_to_stream(std::string_view device, uint64_t stream, internal::v1::ToWorker message,
                                SharedFiles files) {
  if (DeviceSlot* slot = find_slot(device))
    slot->post([stream, message = std::move(message), files = std::move(files)](DeviceSlot& self) {
      self.streams().send(stream, message, files);
    });
}

void Supervisor::leave_stream(std::string_view device, uint64_t stream) {
  if (DeviceSlot* slot = find_slot(device))
    slot->post([stream](DeviceSlot& self) { self.streams().leave(stream); });
}

void Supervisor::kill_worker_of_stream(std::string_view device, uint64_t stream, std::string_view reason) {
  if (DeviceSlot* slot = find_slot(device))
    slot->post(
        [stream, why = std::string(reason)](DeviceSlot& self) { self.streams().kill_worker(stream, why); });
}

}  // namespace weft::queue
