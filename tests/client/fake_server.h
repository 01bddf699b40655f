// SPDX-License-Identifier: Apache-2.0
// A daemon made of memory: keeps jobs, answers every call, can be stopped, restarted, slowed and scripted.
//
//   FakeServer server;
//   server.script({[](v1::Job& job) { job.set_state(v1::JOB_STATE_SUCCEEDED); }});
//   ... submit and watch at server.address() ...
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "base/status.h"
#include "weft/v1/device_service.grpc.pb.h"
#include "weft/v1/job_service.grpc.pb.h"
#include "weft/v1/picture_service.grpc.pb.h"
#include "weft/v1/server_service.grpc.pb.h"
#include "weft/v1/statistics_service.grpc.pb.h"

namespace weft::test {

using Step = std::function<void(v1::Job&)>;

struct FakePicture {
  v1::PictureDescription description;
  std::string samples;
};

class FakeServer {
 public:
  FakeServer();  // listens on a socket in a folder of its own
  ~FakeServer();

  const std::string& folder() const { return folder_; }
  std::string address() const { return "unix:" + folder_ + "/weft.sock"; }

  void stop();   // ends all calls; what is known stays
  void start();  // again, at the same address

  // What happens to each submitted job as soon as somebody watches it, a step an event.
  void script(std::vector<Step> steps);
  // Asked before every submit; an error refuses it, after it was counted.
  void on_submit(std::function<grpc::Status(const v1::SubmitJobRequest&)> hook);
  // What a dry run is told, and whoever asks why a job waits.
  void predict(std::vector<v1::DevicePrediction> predictions);
  // What every input is found to be.
  void find_media(v1::MediaKind media);
  // The next submits are stored, and their answers lost.
  void lose_answers(int count);
  // Every call that is no stream blocks until release().
  void hold();
  void release();
  // Tokens given out so far are too old from here on.
  void forget_history();

  std::string add(v1::Job job);  // gives it an id when it has none
  void change(const std::string& id, const Step& step, bool progress_only = false);
  // Removes a job, and tells the watches.
  void forget(const std::string& id);
  v1::Job job(const std::string& id);
  std::vector<v1::Job> jobs();
  void add_device(const v1::DeviceStatus& device);
  v1::DeviceStatus device(const std::string& id);
  // Watches of devices last from here on, with samples; otherwise they end after the first.
  void let_samples_go_on();
  void add_log(const std::string& text);
  // The answer to everybody who asks for statistics.
  void set_statistics(const v1::GetStatisticsResponse& statistics);
  // The newest question for them.
  v1::GetStatisticsRequest statistics_request();
  void set_tuned(const v1::ListTunedKernelsResponse& tuned);
  // Asked for every picture; without it there is none.
  void on_picture(std::function<grpc::Status(const v1::ReadPictureRequest&, FakePicture&)> hook);
  std::vector<v1::ReadPictureRequest> picture_requests();  // in the order in which they came

  int submits();
  std::vector<std::string> watch_tokens();  // one for each watch that began
  // Waits until the condition, of this server's own words, is true; false after ten seconds.
  bool wait_for(const std::function<bool()>& condition);

 private:
  struct Services;
  friend struct Services;
  struct Event {
    v1::WatchJobsResponse response;
    v1::JobState before = v1::JOB_STATE_UNSPECIFIED;  // of the job
  };

  grpc::Status enter();  // blocks while held
  v1::Job* find(const std::string& id, grpc::Status* status);
  void record(const v1::Job& job, bool progress_only);
  bool matches(const v1::Job& job, const v1::JobFilter& filter) const;
  bool concerns(const Event& event, const v1::JobFilter& filter) const;  // it matches, or did before
  grpc::Status watch(grpc::ServerContext* context, const v1::WatchJobsRequest& request,
                     grpc::ServerWriter<v1::WatchJobsResponse>* writer);
  void run_script(std::unique_lock<std::mutex>& lock);

  std::string folder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool held_ = false;
  bool samples_go_on_ = false;
  int lose_ = 0;
  int submits_ = 0;
  int64_t revision_ = 0;
  size_t forgotten_ = 0;  // events before this one
  std::map<std::string, v1::Job> jobs_;
  std::map<std::string, v1::JobState> told_states_;  // by id, in the newest event
  std::map<std::string, std::string> request_ids_;
  std::map<std::string, v1::DeviceStatus> devices_;
  v1::ListTunedKernelsResponse tuned_;
  std::vector<std::string> log_;
  v1::GetStatisticsResponse statistics_;
  v1::GetStatisticsRequest statistics_request_;
  std::function<grpc::Status(const v1::ReadPictureRequest&, FakePicture&)> on_picture_;
  std::vector<v1::ReadPictureRequest> picture_requests_;
  std::vector<Event> history_;
  std::vector<Step> script_;
  std::vector<std::string> unscripted_;  // jobs whose script has not run yet
  std::vector<std::string> tokens_;
  std::vector<v1::DevicePrediction> predictions_;
  v1::MediaKind media_ = v1::MEDIA_KIND_VIDEO;
  std::function<grpc::Status(const v1::SubmitJobRequest&)> on_submit_;
  std::unique_ptr<Services> services_;
  std::unique_ptr<grpc::Server> server_;
};

// A status with details, as the daemon sends them.
grpc::Status refuse(const Status& status);

}  // namespace weft::test
