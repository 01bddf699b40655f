// SPDX-License-Identifier: Apache-2.0
// Fixture of scenarios: a folder, small interlaced clips, the real weftd as a process, and calls to
// it with deadlines.
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

// Deadline of actions that end in a moment on an idle machine. It is long enough for a busy
// machine.
inline constexpr std::chrono::seconds kDeadline{120};

// Runs a program to its end. Returns its exit status, or 128 + the number of the signal that killed
// it. `output` receives its standard output and standard error.
int run(const std::vector<std::string>& words, std::string* output = nullptr);

// Waits until `is_true` returns true. Returns false after the deadline.
bool wait_until(const std::function<bool()>& is_true, std::chrono::milliseconds deadline = kDeadline);

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);
// Return the resident memory of a process in bytes, and the number of its open descriptors.
int64_t resident_bytes(pid_t pid);
int open_descriptors(pid_t pid);

// A weftd process with its own folders. It can run next to the daemon of the machine. The
// destructor kills it.
class Daemon {
 public:
  // `folder` contains state, socket, locks and log. `arguments` are added to the command line.
  explicit Daemon(std::string folder, std::vector<std::string> arguments = {"--device", "cpu"},
                  std::string program = WEFTD);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Sets the state folder, in place of one inside the daemon's folder. Call it before the start.
  void keep_state_in(std::string folder) { state_folder_ = std::move(folder); }
  // Starts the program and waits until it answers. Returns false if the program ended instead.
  bool start();
  // Starts the program without a wait. The entries of `environment`, "NAME=VALUE", are added to its
  // environment.
  void spawn(const std::vector<std::string>& environment = {});
  bool wait_until_it_answers();
  void signal(int number);
  // Waits for the end of the program. Returns its exit status, or 128 + the number of the signal
  // that ended it.
  int wait_for_end();
  void kill();  // sends SIGKILL and waits for the end
  int stop();   // sends SIGTERM and waits for the end

  pid_t pid() const { return pid_; }
  bool is_running();
  const std::string& address() const { return address_; }
  const std::string& state_folder() const { return state_folder_; }
  std::string log() const;

  // Returns a new connection that no other caller shares.
  std::shared_ptr<grpc::Channel> new_channel() const;
  v1::JobService::Stub& jobs() { return *jobs_; }
  v1::DeviceService::Stub& devices() { return *devices_; }

  grpc::Status submit(const v1::SubmitJobRequest& request, v1::SubmitJobResponse* response,
                      std::chrono::milliseconds deadline = kDeadline);
  // Returns the job's id. A refused request fails the test.
  std::string submit(const v1::SubmitJobRequest& request);
  v1::Job get(const std::string& id);
  v1::ListJobsResponse list();
  std::optional<v1::DeviceStatus> device(const std::string& id);
  // Waits until `is_there` returns true for the job and returns the job. The deadline fails the
  // test.
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

// Returns the path of an interlaced clip of 320x240, 25 frames a second, MPEG-2 in a transport
// stream. The clip is made once per run of the test program.
std::string clip(int seconds);

// Has a temporary folder and makes jobs in it.
class ScenarioTest : public testing::Test {
 protected:
  ScenarioTest();
  ~ScenarioTest() override;

  const std::string& folder() const { return folder_; }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  // Returns a job that deinterlaces a clip with bwdif to FFV1, in segments of 25 frames.
  v1::SubmitJobRequest request(const std::string& input, const std::string& output) const;
  // Returns the bytes that a daemon without faults writes for that input. They are made once per
  // run of the test program.
  static const std::string& undisturbed(const std::string& input);
  // Returns the names of work folders and other unfinished files in the folder of outputs.
  std::vector<std::string> leftovers() const;

 private:
  std::string folder_;
};

inline bool has_ended(const v1::Job& job) {
  return job.state() == v1::JOB_STATE_SUCCEEDED || job.state() == v1::JOB_STATE_FAILED ||
         job.state() == v1::JOB_STATE_CANCELLED;
}

}  // namespace weft::scenarios
