// SPDX-License-Identifier: Apache-2.0
// Fixture of the queue's tests: a temporary folder, small jobs and devices, workers that record
// their calls, and functions that wait for answers.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/status.h"
#include "server/queue/queue.h"
#include "server/queue/records/workers.h"

namespace weft::queue {

inline constexpr std::chrono::seconds kDeadline{20};

// A temporary folder, removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "weft-queue-XXXXXX").string();
    path_ = mkdtemp(name.data()) == nullptr ? "" : name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Reports a sample to the queue or its core.
template <class Receiver>
void report_sample(Receiver& receiver, const v1::DeviceSample& sample) {
  internal::v1::DeviceReport report;
  *report.mutable_sample() = sample;
  receiver.on_report(sample.device(), report);
}

inline Submission make_submission(const std::string& name = "a", int priority = 0,
                                  const std::string& device = "") {
  Submission submission;
  submission.spec.mutable_video()->set_input("/in/" + name + ".ts");
  submission.spec.mutable_video()->set_output("/out/" + name + ".mkv");
  submission.settings.set_job_class(v1::JOB_CLASS_NORMAL);
  submission.settings.set_priority(priority);
  submission.settings.set_device(device);
  submission.settings.set_max_attempts(3);
  return submission;
}

inline v1::DeviceStatus make_device(const std::string& id, v1::DeviceKind kind = v1::DEVICE_KIND_CPU,
                                    v1::DeviceState state = v1::DEVICE_STATE_IN_SERVICE) {
  v1::DeviceStatus device;
  device.set_id(id);
  device.set_kind(kind);
  device.set_state(state);
  device.set_name(id);
  return device;
}

// Waits for the value of a callback. get() returns DEADLINE_EXCEEDED if the value does not come in
// time.
template <class T>
class Answer {
 public:
  std::function<void(StatusOr<T>)> callback() {
    return [state = state_](StatusOr<T> value) { state->set_value(std::move(value)); };
  }
  StatusOr<T> get() {
    std::future<StatusOr<T>> future = state_->get_future();
    if (future.wait_for(kDeadline) != std::future_status::ready)
      return deadline_exceeded("No answer came in time.");
    return future.get();
  }

 private:
  std::shared_ptr<std::promise<StatusOr<T>>> state_ = std::make_shared<std::promise<StatusOr<T>>>();
};

template <class T, class Call>
StatusOr<T> ask(Call call) {
  Answer<T> answer;
  call(answer.callback());
  return answer.get();
}

// Returns the next event of a subscription, or nullopt at its end.
template <class Event>
StatusOr<std::optional<Event>> next_of(Subscription<Event>& subscription) {
  return ask<std::optional<Event>>([&](auto done) { subscription.next(std::move(done)); });
}

inline JobRecord record_of(v1::Job job) {
  JobRecord record;
  record.job = std::move(job);
  return record;
}

// Workers that only record their calls, in order. Thread-safe.
class RecordingWorkers final : public Workers {
 public:
  struct Call {
    std::string
        // "start", "stop", "change", "publish" or "discard" (for published jobs see was_removed)
        what;
    AttemptId attempt;
    std::string device;
    internal::v1::StopKind kind = internal::v1::STOP_KIND_UNSPECIFIED;
  };

  Status start(const AttemptId& attempt, const JobRecord&, std::string_view device) override {
    return note({"start", attempt, std::string(device)});
  }
  void stop(const AttemptId& attempt, internal::v1::StopKind kind) override {
    static_cast<void>(note({"stop", attempt, "", kind}));
  }
  void change(const AttemptId& attempt, const v1::JobSettings&) override {
    static_cast<void>(note({"change", attempt, ""}));
  }
  Status publish(const JobRecord& record, const CopyReport& report) override {
    const v1::Job& job = record.job;
    if (at_publish) RETURN_IF_ERROR(at_publish(job, report));
    const Status status = note({"publish", {job.id(), job.attempt()}, ""});
    std::lock_guard lock(mutex_);
    if (status.ok()) removed_.emplace(job.id(), false);
    return status;
  }
  Status discard(const v1::Job& job) override {
    {
      std::lock_guard lock(mutex_);
      if (const auto published = removed_.find(job.id()); published != removed_.end()) {
        published->second = true;
        return ok_status();
      }
    }
    const Status status = note({"discard", {job.id(), job.attempt()}, ""});
    return at_discard ? at_discard(job) : status;
  }

  void remove_orphans(const KnownJobs&, const std::string& folder) override {
    std::lock_guard lock(mutex_);
    orphan_folders_.insert(folder);
    arrived_.notify_all();
  }

  // Function called before each publication, on the thread that publishes. Its error is that of the
  // publication. Set it before the first publication.
  std::function<Status(const v1::Job&, const CopyReport&)> at_publish;
  // Function that is called for each removal of a work folder, except those of published jobs, and
  // returns its result. Set it before the first removal.
  std::function<Status(const v1::Job&)> at_discard;

  // Returns the next call in order. Fails the test after the deadline.
  Call next() {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, kDeadline, [&] { return !calls_.empty(); })) {
      ADD_FAILURE() << "The workers were not asked in time.";
      return {};
    }
    Call call = std::move(calls_.front());
    calls_.pop_front();
    return call;
  }
  size_t waiting_calls() {
    std::lock_guard lock(mutex_);
    return calls_.size();
  }
  // Returns true if a job was published and its work folder was removed after that.
  bool was_removed(const std::string& id) {
    std::lock_guard lock(mutex_);
    const auto published = removed_.find(id);
    return published != removed_.end() && published->second;
  }
  // Waits until orphans were sought in the folder. Returns false after the deadline.
  bool wait_for_orphans_in(const std::string& folder) {
    std::unique_lock lock(mutex_);
    return arrived_.wait_for(lock, kDeadline, [&] { return orphan_folders_.contains(folder); });
  }
  // Sets the result of the following calls of start and publish.
  void answer_with(Status status) {
    std::lock_guard lock(mutex_);
    status_ = std::move(status);
  }

 private:
  Status note(Call call) {
    std::lock_guard lock(mutex_);
    const bool may_fail = call.what == "start" || call.what == "publish";
    calls_.push_back(std::move(call));
    arrived_.notify_one();
    return may_fail ? status_ : ok_status();
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Call> calls_;
  std::set<std::string> orphan_folders_;
  std::map<std::string, bool> removed_;  // published jobs; true: the work folder is removed
  Status status_;
};

// A queue in a temporary folder, with recording workers. `reopen` is a restart of the daemon.
class QueueTest : public testing::Test {
 protected:
  void SetUp() override { reopen(); }

  void reopen() {
    queue_.reset();
    config_.state_folder = folder_.path();
    config_.retry_delay = std::chrono::milliseconds(1);
    config_.longest_retry_delay = std::chrono::milliseconds(10);
    StatusOr<std::unique_ptr<Queue>> opened = Queue::open(config_, clock_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    queue_ = *std::move(opened);
    queue_->start(workers_);
  }

  StatusOr<v1::Job> submit(const Submission& submission = make_submission()) {
    return ask<v1::Job>([&](auto done) { queue_->submit(submission, done); });
  }
  StatusOr<v1::Job> get(const std::string& id) {
    return ask<v1::Job>([&](auto done) { queue_->get(id, done); });
  }
  using Devices = std::vector<v1::DeviceStatus>;
  using JobCall = void (Queue::*)(std::string, Queue::Callback<v1::Job>);
  StatusOr<v1::Job> call(JobCall what, const std::string& id) {
    return ask<v1::Job>([&](auto done) { (queue_.get()->*what)(id, done); });
  }

  // Waits until `holds(job)` is true and returns the job. Fails the test after the deadline.
  template <class Holds>
  v1::Job wait_for(const std::string& id, std::string_view expected, Holds holds) {
    v1::JobFilter filter;
    filter.add_ids(id);
    const auto watch = queue_->watch(filter, "");
    while (true) {
      const auto event = next_of(*watch);
      if (!event.ok()) {
        ADD_FAILURE() << "The job is not " << expected << ": " << event.status();
        return {};
      }
      if (holds((*event)->job())) return (*event)->job();
    }
  }
  v1::Job wait_for_state(const std::string& id, v1::JobState state) {
    return wait_for(id, v1::JobState_Name(state), [&](const v1::Job& job) { return job.state() == state; });
  }

  TemporaryFolder folder_;
  SystemClock clock_;
  QueueConfig config_;
  RecordingWorkers workers_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace weft::queue
