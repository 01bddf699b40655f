// SPDX-License-Identifier: Apache-2.0
// What scenarios share: a folder, small interlaced clips, the real weftd as a process, and calls to it with deadlines.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include "weft/v1/device_service.grpc.pb.h"
#include "weft/v1/job_service.grpc.pb.h"
#include "weft/v1/server_service.grpc.pb.h"

namespace weft::scenarios {

// For anything that should take a moment: long enough for a busy machine.
inline constexpr std::chrono::seconds kDeadline{120};

// Runs a program to its end; its exit status, 128 + signal when it was killed. `output` gets what it wrote to standard
// output and standard error.
int run(const std::vector<std::string>& words, std::string* output = nullptr);

// Waits until `is_true` says so; false after the deadline.
bool wait_until(const std::function<bool()>& is_true, std::chrono::milliseconds deadline = kDeadline);

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);
// Bytes of memory that a process has resident; its open descriptors.
int64_t resident_bytes(pid_t pid);
int open_descriptors(pid_t pid);

// One weftd, with folders of its own: it may run beside the machine's. Killed at the end.
class Daemon {
 public:
  // `folder` holds state, socket, locks and log. `arguments` are added to the command line.
  explicit Daemon(std::string folder, std::vector<std::string> arguments = {"--device", "cpu"},
                  std::string program = WEFTD);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // In place of a folder in the daemon's, before its start.
  void keep_state_in(std::string folder) { state_folder_ = std::move(folder); }
  // Starts the program, and waits until it answers. False: it ended instead.
  bool start();
  // Starts the program only. `environment`: "NAME=VALUE", added.
  void spawn(const std::vector<std::string>& environment = {});
  bool wait_until_it_answers();
  void signal(int number);
  // Waits for the end; the exit status, or 128 + the signal.
  int wait_for_end();
  void kill();  // kill -9, and waits for the end
  int stop();   // SIGTERM, and waits for the end

  pid_t pid() const { return pid_; }
  bool is_running();
  const std::string& address() const { return address_; }
  const std::string& state_folder() const { return state_folder_; }
  std::string log() const;

  // Connections of their own.
  std::shared_ptr<grpc::Channel> new_channel() const;
  v1::JobService::Stub& jobs() { return *jobs_; }
  v1::DeviceService::Stub& devices() { return *devices_; }

  grpc::Status submit(const v1::SubmitJobRequest& request, v1::SubmitJobResponse* response,
                      std::chrono::milliseconds deadline = kDeadline);
  // The job's id; fails the test when it is refused.
  std::string submit(const v1::SubmitJobRequest& request);
  v1::Job get(const std::string& id);
  v1::ListJobsResponse list();
  std::optional<v1::DeviceStatus> device(const std::string& id);
  // The job when `is_there` says so of it; fails the test when that does not come in time.
  v1::Job wait_for(const std::string& id, const std::function<bool(const v1::Job&)>& is_there);
  v1::Job wait_for_end_of(const std::string& id);

 private:
  const std::string folder_;
  std::string state_folder_ = folder_ + "/state";
  const std::string address_;
  const std::vector<std::string> arguments_;
  const std::string program_;
  pid_t pid_ = -1;
  std::unique_ptr<v1::JobService::Stub> jobs_;
  std::unique_ptr<v1::DeviceService::Stub> devices_;
};

std::unique_ptr<grpc::ClientContext> call_context(std::chrono::milliseconds deadline = kDeadline);

// An interlaced clip of 320x240, 25 frames a second, MPEG-2 in a transport stream. Made once a program run.
std::string clip(int seconds);

// A folder that goes away, and jobs in it.
class ScenarioTest : public testing::Test {
 protected:
  ScenarioTest();
  ~ScenarioTest() override;

  const std::string& folder() const { return folder_; }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  // bwdif of a clip to FFV1, in segments of 25 frames.
  v1::SubmitJobRequest request(const std::string& input, const std::string& output) const;
  // The bytes that an undisturbed daemon writes for that input. Made once a program run.
  static const std::string& undisturbed(const std::string& input);
  // Names in the folder of outputs that are not finished files: work folders.
  std::vector<std::string> leftovers() const;

 private:
  std::string folder_;
};

inline bool has_ended(const v1::Job& job) {
  return job.state() == v1::JOB_STATE_SUCCEEDED || job.state() == v1::JOB_STATE_FAILED ||
         job.state() == v1::JOB_STATE_CANCELLED;
}

}  // namespace weft::scenarios
