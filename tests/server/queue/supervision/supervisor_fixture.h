// SPDX-License-Identifier: Apache-2.0
// Fixture of the supervisor's tests: recorded events and streams, and a supervisor that runs
// fake_worker.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>

#include "server/channel/status_message.h"
#include "server/queue/files/job_files.h"
#include "server/queue/supervision/supervisor.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {

// Records events and waits for them. Thread-safe.
class RecordingEvents final : public WorkerEvents {
 public:
  struct End {
    AttemptId attempt;
    std::string how;  // "finished", "stopped", "refused", "out of space", "session refused", "lost"
    Status error;
    bool retriable = false;
  };

  void on_device(const v1::DeviceStatus& device) override {
    note([&] { devices_[device.id()] = device; });
  }
  void on_report(std::string_view, const internal::v1::DeviceReport&) override {}
  void on_progress(const AttemptId& attempt, const v1::JobProgress&) override {
    note([&] { working_.insert(attempt.job_id); });
  }
  void on_segment_finished(const AttemptId&, int, int64_t) override {
    note([&] { segments_++; });
  }
  void on_finished(const AttemptId& attempt, const v1::JobResult&) override {
    note([&] { ends_.push_back({attempt, "finished", ok_status()}); });
  }
  void on_stopped(const AttemptId& attempt, const Status& error, bool retriable,
                  const v1::JobResult&) override {
    note([&] { ends_.push_back({attempt, "stopped", error, retriable}); });
  }
  void on_start_refused(const AttemptId& attempt, const Status& error) override {
    note([&] { ends_.push_back({attempt, "refused", error}); });
  }
  void on_out_of_space(const AttemptId& attempt, const Status& error) override {
    note([&] { ends_.push_back({attempt, "out of space", error}); });
  }
  void on_session_refused(const AttemptId& attempt, const Status& error, int, const v1::JobResult&) override {
    note([&] { ends_.push_back({attempt, "session refused", error}); });
  }
  void on_worker_lost(std::string_view, const std::vector<AttemptId>& attempts,
                      std::string_view reason) override {
    note([&] {
      losses_++;
      for (const AttemptId& attempt : attempts) ends_.push_back({attempt, "lost", unavailable("{}", reason)});
    });
  }
  void on_log(const AttemptId&, std::string_view, std::string_view) override {}
  void on_file_wait(const AttemptId& attempt, std::string_view reason) override {
    note([&] { waits_[attempt.job_id] = reason; });
  }

  v1::DeviceStatus wait_for_device(const std::string& id, v1::DeviceState state, int starts = 0) {
    std::unique_lock lock(mutex_);
    const bool there = changed_.wait_for(lock, kDeadline, [&] {
      return devices_[id].state() == state && devices_[id].worker_starts() >= starts;
    });
    EXPECT_TRUE(there) << devices_[id].DebugString();
    return devices_[id];
  }
  v1::DeviceStatus wait_for_streams(const std::string& id, int streams) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kDeadline, [&] { return devices_[id].streams() == streams; }))
        << devices_[id].DebugString();
    return devices_[id];
  }
  End next_end() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kDeadline, [&] { return !ends_.empty(); })) {
      ADD_FAILURE() << "No attempt ended in time.";
      return {};
    }
    End end = ends_.front();
    ends_.pop_front();
    return end;
  }
  // Waits for progress that is reported after this call.
  void wait_until_working_again(const std::string& job) {
    {
      const std::lock_guard lock(mutex_);
      working_.erase(job);
    }
    wait_until_working(job);
  }
  void wait_until_working(const std::string& job) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kDeadline, [&] { return working_.contains(job); }));
  }
  void wait_for_losses(int losses) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kDeadline, [&] { return losses_ >= losses; }));
  }
  // Waits until the reason for the job's wait for a file system contains `words`, and returns the
  // reason.
  std::string wait_for_file_wait(const std::string& job, const std::string& words) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kDeadline, [&] {
      return waits_[job].find(words) != std::string::npos;
    })) << waits_[job];
    return waits_[job];
  }
  void wait_for_no_file_wait(const std::string& job) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kDeadline, [&] { return waits_[job].empty(); })) << waits_[job];
  }
  int losses() {
    const std::lock_guard lock(mutex_);
    return losses_;
  }
  int segments() {
    const std::lock_guard lock(mutex_);
    return segments_;
  }

 private:
  template <class Change>
  void note(Change change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, v1::DeviceStatus> devices_;
  std::set<std::string> working_;
  std::map<std::string, std::string> waits_;
  std::deque<End> ends_;
  int segments_ = 0;
  int losses_ = 0;
};

// Records the end of a stream.
class RecordingStream final : public StreamEvents {
 public:
  void on_stream_message(const internal::v1::FromWorker& message) override {
    end_.set_value(channel::to_status(message.stream_stopped().error()));
  }
  void on_stream_lost(std::string_view reason) override { end_.set_value(unavailable("{}", reason)); }
  Status end() {
    auto future = end_.get_future();
    return future.wait_for(kDeadline) == std::future_status::ready ? future.get()
                                                                   : deadline_exceeded("It goes on.");
  }

 private:
  std::promise<Status> end_;
};

inline SharedFiles null_ring() {
  std::vector<channel::FileDescriptor> files;
  files.emplace_back(::open("/dev/null", O_RDWR | O_CLOEXEC));
  return std::make_shared<const std::vector<channel::FileDescriptor>>(std::move(files));
}

class SupervisorTest : public testing::Test {
 protected:
  SupervisorTest() {
    config_.workers.arguments = {FAKE_WORKER};
    config_.workers.state_folder = folder_.path() + "/state";
    config_.workers.lock_folder = folder_.path() + "/locks";
    config_.workers.holder = "weftd, process 42, unix:/x";
  }

  void begin() {
    std::filesystem::create_directory(config_.workers.state_folder);
    auto list = list_devices(FAKE_WORKER, kDeadline);
    ASSERT_TRUE(list.ok()) << list.status();
    auto made = Supervisor::make(config_, *list, events_, clock_);
    ASSERT_TRUE(made.ok()) << made.status();
    supervisor_ = *std::move(made);
    supervisor_->begin();
  }
  // Makes a job with an input that contains instructions for the worker.
  v1::Job make_job(const std::string& what, const std::string& id = "01ARZ3NDEKTSV4RRFFQ69G5FAV") {
    const std::string input = folder_.path() + "/" + what;
    if (!std::filesystem::exists(input))
      std::ofstream(input) << what << "\n";  // Another thread may be reading an existing file.
    v1::Job job;
    job.set_id(id);
    job.set_attempt(1);
    job.mutable_spec()->mutable_video()->set_input(input);
    job.mutable_spec()->mutable_video()->set_output(folder_.path() + "/" + what + ".mkv");
    return job;
  }
  // Blocks the opening of the files of jobs with these instructions until the gate is open.
  void block(const std::string& what, const std::shared_future<void>& gate) {
    config_.workers.files.open = [what, gate](const v1::Job& job, std::string_view state,
                                              const StoreIdentity& store, const FileRights&) {
      if (job.spec().video().input().ends_with("/" + what)) gate.wait();
      return open_job(job, state, store);
    };
  }
  // Probes a file that contains instructions for the worker as its first word.
  void probe(const std::string& what, const std::string& owner, Prober::Answer answer) {
    const v1::Job job = make_job(what);
    std::vector<channel::FileDescriptor> inputs(1);
    inputs[0].reset(::open(job.spec().video().input().c_str(), O_RDONLY | O_CLOEXEC));
    channel::Credentials submitter;
    // The users of the tests begin with different letters.
    submitter.set_user(uint32_t(owner.front()));
    supervisor_->prober().probe(job.spec(), std::move(inputs), submitter, false, std::move(answer));
  }
  Status start(const v1::Job& job, const std::string& device = "cpu") {
    return supervisor_->start({job.id(), job.attempt()}, record_of(job), device);
  }

  TemporaryFolder folder_;
  SystemClock clock_;
  SupervisorConfig config_;
  RecordingEvents events_;
  std::unique_ptr<Supervisor> supervisor_;
};

}  // namespace weft::queue
