// SPDX-License-Identifier: Apache-2.0
// A little daemon for crash tests: a queue with workers that work at once, on real files, and a diary of what was
// acknowledged and done that outlives it. It runs in a child process that is killed, and in the test that looks after.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/queue/queue.h"

namespace weft::queue {

// Lines in a file, each written at once.
class Diary {
 public:
  explicit Diary(std::string path) : path_(std::move(path)) {}
  void write(const std::string& line) const;
  std::vector<std::string> read() const;

 private:
  std::string path_;
};

// FOLDER/work/ID is a job's finished file before it is published, FOLDER/out/ID after. Everything finishes at once.
class FileWorkers final : public Workers {
 public:
  FileWorkers(const std::string& folder, Queue& queue);

  Status start(const AttemptId& attempt, const JobRecord& record, std::string_view device) override;
  void stop(const AttemptId& attempt, internal::v1::StopKind kind) override;
  void change(const AttemptId&, const v1::JobSettings&) override {}
  Status publish(const JobRecord& record) override;
  Status discard(const v1::Job& job) override;

 private:
  std::string work_file(const std::string& id) const { return folder_ + "/work/" + id; }

  const std::string folder_;
  Diary diary_;
  Queue& queue_;
};

class CrashDaemon {
 public:
  // Fails the test (or ends the child) when the queue does not open.
  explicit CrashDaemon(const std::string& folder);
  ~CrashDaemon() { queue_->stop(); }

  // A few jobs of every fate: finished, cancelled, paused and resumed, a repeated request; until all are final.
  void run_scenario();
  // Submits on several threads for ever.
  [[noreturn]] void submit_for_ever();
  // Until nothing waits or runs; false: it does not come to an end in time.
  bool run_to_the_end();
  std::vector<v1::Job> jobs();

 private:
  StatusOr<v1::Job> submit(const std::string& name, const std::string& request_id);

  const std::string folder_;
  Diary diary_;
  SystemClock clock_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<FileWorkers> workers_;
};

// What is wrong after a crash, in sentences: acknowledged jobs that are gone, attempts started twice, files published
// twice or not at all. All jobs are final.
std::vector<std::string> audit_after_crash(const std::string& folder, const std::vector<v1::Job>& jobs);

}  // namespace weft::queue
