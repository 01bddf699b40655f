// SPDX-License-Identifier: Apache-2.0
// Checks a submitted job before the queue accepts it. Every detectable error is reported with its
// field before the job is durable.
//
// The order of the checks is: the message against its declarations; a repeated request_id, after
// which no other check is made; the files; the input's headers, by a probe; the disk space.
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
// Limit of the encoded specification and settings together.
inline constexpr size_t kMaxSpecBytes = 256 << 10;
// submits that wait for a file system; UNAVAILABLE beyond it
inline constexpr size_t kMaxWaitingSubmits = 10'000;
// Submits that access one file system at once.
inline constexpr int kSubmitsPerMount = 4;

struct AdmissionConfig {
  std::vector<std::string> devices;  // ids of devices that a job may name
  int64_t low_disk_bytes = 0;        // bytes of a file system that stay free
  // Folders permitted for clients' files; null: all.
  std::shared_ptr<const FileRules> rules = nullptr;
  std::string work_folder = {};  // as in QueueConfig
};

// Thread-safe.
class Admission {
 public:
  using Done = Queue::Callback<v1::SubmitJobResponse>;

  // `queue` and `prober` must outlive this object.
  Admission(Queue& queue, Prober& prober, AdmissionConfig config);
  ~Admission();  // calls stop()

  // Returns at once; `done` is called once, on any thread. Errors are those of Queue::submit(),
  // and: INVALID_ARGUMENT with a BadRequest that has a violation for each wrong field;
  // FAILED_PRECONDITION with the field if the output exists; RESOURCE_EXHAUSTED with a
  // QuotaFailure; PERMISSION_DENIED if the owner in the request is not the caller.
  void submit(const v1::SubmitJobRequest& request, const Caller& caller, Done done);

  void set_low_disk_bytes(int64_t bytes) { low_disk_bytes_ = bytes; }
  // Answers submits that have not begun their file access with UNAVAILABLE, and waits until the
  // others have ended it.
  void stop();

 private:
  struct Case;  // a submit in progress
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
  const std::string work_folder_;
  std::atomic<int64_t> low_disk_bytes_;
  FileThreads threads_{kSubmitsPerMount, kMaxWaitingSubmits};
};

}  // namespace weft::queue
