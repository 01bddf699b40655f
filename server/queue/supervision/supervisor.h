// SPDX-License-Identifier: Apache-2.0
// Runs one weft-worker process for each device: starts it, monitors it, kills it on a failure and
// starts it again. Each device has an event loop of its own. The workers that probe files share
// one. No loop waits for a file system.
//
//   ASSIGN_OR_RETURN(auto list, list_devices(worker, timeout));
//   ASSIGN_OR_RETURN(auto supervisor, Supervisor::make(config, list, *queue, clock));
//   queue->start(*supervisor);
//   supervisor->begin();
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/files/disk_budget.h"
#include "server/queue/files/file_threads.h"
#include "server/queue/records/traces.h"
#include "server/queue/records/workers.h"
#include "server/queue/supervision/event_loop.h"
#include "server/queue/supervision/file_worker.h"
#include "server/queue/supervision/presence_clock.h"
#include "server/queue/supervision/supervisor_slot.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::queue {

inline constexpr int kOpensPerMount = 4;  // concurrent file accesses on one file system

struct SupervisorConfig {
  WorkerSettings workers;
  std::vector<std::string> devices;  // devices to be used; empty: all
  Duration probe_timeout = std::chrono::seconds(30);
  int64_t probe_memory_bytes = 0;  // memory limit of a worker that probes files; 0: no limit
};

// Returns the output of `weft-worker --list-devices`. UNAVAILABLE, DEADLINE_EXCEEDED: the program
// cannot be run. DATA_LOSS: its output cannot be parsed.
StatusOr<internal::v1::DeviceList> list_devices(const std::string& worker, Duration timeout);

class Supervisor final : public Workers, public StreamWorkers, public TraceReader {
 public:
  // Makes a supervisor. It starts no device worker before begin(). `events` and `clock` outlive it.
  static StatusOr<std::unique_ptr<Supervisor>> make(SupervisorConfig config,
                                                    const internal::v1::DeviceList& list,
                                                    WorkerEvents& events, const Clock& clock);
  ~Supervisor() override;  // calls shut_down(0)

  // Reports every device to `events`, takes free devices and starts their workers.
  void begin();
  // Applies the settings that SIGHUP may change: the timeouts of hanging workers, worker starts and
  // probes, low_disk_bytes and the owners' weights. A stream keeps the weight that its owner had at
  // its start.
  void change(const SupervisorConfig& config);
  // Ends all workers, and answers waiting probes with UNAVAILABLE. A worker that does not end
  // within `grace` is killed, with a warning unless `grace` is 0. Returns when all workers have
  // ended, or a few seconds later if the kernel cannot end one.
  void shut_down(Duration grace);

  Prober& prober() { return *prober_; }
  // Returns the worker that answers ReadPicture.
  FileWorker& picture_worker() { return *pictures_; }

  // Implementation of Workers. Any thread may call it.
  Status start(const AttemptId& attempt, const JobRecord& record, std::string_view device) override;
  void stop(const AttemptId& attempt, internal::v1::StopKind kind) override;
  void change(const AttemptId& attempt, const v1::JobSettings& settings) override;
  Status publish(const JobRecord& record, const CopyReport& report) override;
  Status discard(const v1::Job& job) override;
  void take_device(std::string_view device) override;
  void remove_orphans(const KnownJobs& known, const std::string& folder) override;

  // Implementation of StreamWorkers. Any thread may call it.
  void start_stream(std::string_view device, internal::v1::StartStream order, SharedFiles files,
                    std::shared_ptr<StreamEvents> events) override;
  void send_to_stream(std::string_view device, uint64_t stream, internal::v1::ToWorker message,
                      SharedFiles files) override;
  void leave_stream(std::string_view device, uint64_t stream) override;
  void kill_worker_of_stream(std::string_view device, uint64_t stream, std::string_view reason) override;

  // Implementation of TraceReader. Any thread may call it.
  void read_trace(std::string_view device, std::string job_id, TraceDone done) override;

 private:
  DeviceSlot* find_slot(std::string_view device);
  explicit Supervisor(const Clock& clock);
  void tick();
  bool all_are_gone() const;

  FileThreads files_{kOpensPerMount};
  DiskBudget disk_budget_;
  std::string state_folder_;
  std::shared_ptr<const FileRules> rules_;
  StoreIdentity store_;
  std::vector<std::unique_ptr<DeviceSlot>> slots_;  // the vector does not change after make()

  PresenceClock clock_;              // used by the loop
  std::unique_ptr<EventLoop> loop_;  // used by the file workers below
  std::unique_ptr<FileWorker> probes_;
  // separate, so that decoding of pictures does not delay submits
  std::unique_ptr<FileWorker> pictures_;
  std::unique_ptr<WorkerProber> prober_;
  bool is_made_ = false;  // used on the loop's thread
  bool file_workers_end_ = false;

  std::mutex mutex_;
  std::condition_variable gone_changed_;
  bool file_workers_are_gone_ = false;
};

}  // namespace weft::queue
