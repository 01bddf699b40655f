// SPDX-License-Identifier: Apache-2.0
// The workers as real processes: one weft-worker a device, started, watched, killed and started again. Each device has a loop of its
// own, the workers that look into files one together; no loop waits for a file system.
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
#include "server/queue/files/disk_room.h"
#include "server/queue/files/file_threads.h"
#include "server/queue/records/traces.h"
#include "server/queue/records/workers.h"
#include "server/queue/supervision/event_loop.h"
#include "server/queue/supervision/file_worker.h"
#include "server/queue/supervision/presence_clock.h"
#include "server/queue/supervision/supervisor_slot.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::queue {

inline constexpr int kOpensPerMount =
    4;  // attempts whose files are opened, or disks looked at, on one file system at once

struct SupervisorConfig {
  WorkerSettings workers;
  std::vector<std::string> devices;  // the only ones to use; empty: all
  Duration probe_timeout = std::chrono::seconds(30);
  int64_t probe_memory_bytes = 0;  // that a worker may take that looks into files; 0: no limit
};

// Runs `weft-worker --list-devices`. UNAVAILABLE, DEADLINE_EXCEEDED: it cannot be run; DATA_LOSS: it says nonsense.
StatusOr<internal::v1::DeviceList> list_devices(const std::string& worker, Duration timeout);

class Supervisor final : public Workers, public StreamWorkers, public TraceReader {
 public:
  // Nothing runs before begin(). `events` and `clock` outlive the supervisor.
  static StatusOr<std::unique_ptr<Supervisor>> make(SupervisorConfig config,
                                                    const internal::v1::DeviceList& list,
                                                    WorkerEvents& events, const Clock& clock);
  ~Supervisor() override;  // shut_down(0)

  // Tells the events of every device, takes those that are free and starts their workers.
  void begin();
  // What SIGHUP may change: the timeouts, the workers' low_disk_bytes and the owners' weights. A stream keeps the weight that its
  // owner had when it began.
  void change(const SupervisorConfig& config);
  // Ends all workers, those that do not end within `grace` by force (with a warning, unless it is 0), and answers waiting
  // probes with UNAVAILABLE. Returns when they are gone, or after a few seconds more when the kernel cannot end one.
  void shut_down(Duration grace);

  Prober& prober() { return *prober_; }
  // Answers ReadPicture.
  FileWorker& picture_worker() { return *pictures_; }

  // Workers: any thread.
  Status start(const AttemptId& attempt, const JobRecord& record, std::string_view device) override;
  void stop(const AttemptId& attempt, internal::v1::StopKind kind) override;
  void change(const AttemptId& attempt, const v1::JobSettings& settings) override;
  Status publish(const JobRecord& record) override;
  Status discard(const v1::Job& job) override;
  void take_device(std::string_view device) override;
  void remove_orphans(const KnownJobs& known, const std::string& folder) override;

  // StreamWorkers: any thread.
  void start_stream(std::string_view device, internal::v1::StartStream order, SharedFiles files,
                    std::shared_ptr<StreamEvents> events) override;
  void send_to_stream(std::string_view device, uint64_t stream, internal::v1::ToWorker message,
                      SharedFiles files) override;
  void leave_stream(std::string_view device, uint64_t stream) override;
  void kill_worker_of_stream(std::string_view device, uint64_t stream, std::string_view reason) override;

  // TraceReader: any thread.
  void read_trace(std::string_view device, std::string job_id, TraceDone done) override;

 private:
  DeviceSlot* find_slot(std::string_view device);
  explicit Supervisor(const Clock& clock);
  void tick();
  bool all_are_gone() const;

  FileThreads files_{kOpensPerMount};
  DiskRoom room_;
  std::string state_folder_;
  std::shared_ptr<const FileRules> rules_;
  std::string store_secret_;
  std::vector<std::unique_ptr<DeviceSlot>> slots_;  // the vector does not change after make()

  PresenceClock clock_;              // of the loop
  std::unique_ptr<EventLoop> loop_;  // of the two that follow
  std::unique_ptr<FileWorker> probes_;
  std::unique_ptr<FileWorker> pictures_;  // of its own: looking at pictures holds up no submit
  std::unique_ptr<WorkerProber> prober_;
  bool is_made_ = false;  // on the loop's thread
  bool file_workers_end_ = false;

  std::mutex mutex_;
  std::condition_variable gone_changed_;
  bool file_workers_are_gone_ = false;
};

}  // namespace weft::queue
