// SPDX-License-Identifier: Apache-2.0
// What stands between a client's submit and the queue: everything that can be known to be wrong is refused here, by the
// field that is wrong, before the job is durable.
//
// In order: the message by its declarations; whether this request_id was seen before (then nothing more is checked); the
// files; what the probe finds in the input; the space.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/queue/admission/probe_cache.h"
#include "server/queue/admission/prober.h"
#include "server/queue/files/file_rights.h"
#include "server/queue/files/file_threads.h"
#include "server/queue/queue.h"
#include "server/queue/records/caller.h"

namespace weft::queue {

inline constexpr size_t kMaxRequestIdBytes = 64;
inline constexpr size_t kMaxSpecBytes = 256 << 10;    // specification and settings together, as messages
inline constexpr size_t kMaxWaitingSubmits = 10'000;  // for the file system; beyond: UNAVAILABLE
inline constexpr int kSubmitsPerMount = 4;            // that look at files of one file system at once

struct AdmissionConfig {
  std::vector<std::string> devices;                  // ids that a job may ask for
  int64_t low_disk_bytes = 0;                        // of a file system, stay free
  std::shared_ptr<const FileRules> rules = nullptr;  // where clients' files may lie; null: anywhere
};

// Thread-safe.
class Admission {
 public:
  using Done = Queue::Callback<v1::SubmitJobResponse>;

  // Both must outlive the admission.
  Admission(Queue& queue, Prober& prober, AdmissionConfig config);
  ~Admission();  // stop()

  // Returns at once; `done` is called once, on any thread. Errors: INVALID_ARGUMENT (BadRequest, a violation a field),
  // FAILED_PRECONDITION (a field too: the output is there already), RESOURCE_EXHAUSTED (QuotaFailure), PERMISSION_DENIED (the
  // owner is somebody else than the caller), and those of Queue::submit.
  void submit(const v1::SubmitJobRequest& request, const Caller& caller, Done done);

  void set_low_disk_bytes(int64_t bytes) { low_disk_bytes_ = bytes; }
  // Answers all that wait for a file system with UNAVAILABLE, and waits for those that are with it.
  void stop();

 private:
  struct Case;  // one submit on its way
  using CasePtr = std::shared_ptr<Case>;

  void look_up(const CasePtr& submit);
  void check_files(const CasePtr& submit);
  void probe(const CasePtr& submit);
  void add(const CasePtr& submit);
  void refuse(const CasePtr& submit, const Status& why);

  Queue& queue_;
  ProbeCache probes_;
  const std::vector<std::string> devices_;
  const std::shared_ptr<const FileRules> rules_;
  std::atomic<int64_t> low_disk_bytes_;
  FileThreads threads_{kSubmitsPerMount, kMaxWaitingSubmits};
};

}  // namespace weft::queue
