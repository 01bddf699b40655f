// SPDX-License-Identifier: Apache-2.0
// A fake daemon in memory. It keeps jobs, answers every call, and can be stopped, restarted, slowed
// and scripted.
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
  FakeServer();  // listens on a socket in its own folder
  ~FakeServer();

  const std::string& folder() const { return folder_; }
  std::string address() const { return "unix:" + folder_ + "/weft.sock"; }

  void stop();   // ends all calls and keeps the jobs
  void start();  // restarts at the same address

  // Sets the changes of each submitted job. The first watch of the job starts them, and each change
  // is one event.
  void script(std::vector<Step> steps);
  // Sets a function that is called before every submission. If it returns an error, the submission
  // is refused with that error; the submission is counted.
  void on_submit(std::function<grpc::Status(const v1::SubmitJobRequest&)> hook);
  // Sets the predictions of dry runs and the explanations of waiting jobs.
  void predict(std::vector<v1::DevicePrediction> predictions);
  // Sets the media kind of every input.
  void find_media(v1::MediaKind media);
  // Stores the next `count` submissions, but does not send the responses.
  void lose_answers(int count);
  // Blocks every unary call until release().
  void hold();
  void release();
  // Blocks every later watch of jobs before its first message, until the server stops.
  void hold_watches();
  // Invalidates all resume tokens.
  void forget_history();

  std::string add(v1::Job job);  // generates an ID if it is empty
  void change(const std::string& id, const Step& step, bool progress_only = false);
  // Removes a job and notifies the watches.
  void forget(const std::string& id);
  v1::Job job(const std::string& id);
  std::vector<v1::Job> jobs();
  void add_device(const v1::DeviceStatus& device);
  v1::DeviceStatus device(const std::string& id);
  // Continues the watches of devices with samples. By default a watch ends after the first sample.
  void let_samples_go_on();
  void add_log(const std::string& text);
  // Sets the decisions of a job, as the JSON text of a DecisionFile.
  void set_decisions(const std::string& id, const std::string& text);
  // Sets the answer to requests for statistics.
  void set_statistics(const v1::GetStatisticsResponse& statistics);
  // Returns the newest request for statistics.
  v1::GetStatisticsRequest statistics_request();
  void set_tuned(const v1::ListTunedKernelsResponse& tuned);
  // Sets the function that makes every picture. Without it there are no pictures.
  void on_picture(std::function<grpc::Status(const v1::ReadPictureRequest&, FakePicture&)> hook);
  std::vector<v1::ReadPictureRequest> picture_requests();  // requests in the order of arrival

  int submits();
  std::vector<std::string> watch_tokens();  // resume tokens, one per watch
  // Waits for a condition on this server's state. Returns false after ten seconds.
  bool wait_for(const std::function<bool()>& condition);

 private:
  struct Services;
  friend struct Services;
  struct Event {
    v1::WatchJobsResponse response;
    v1::JobState before = v1::JOB_STATE_UNSPECIFIED;  // state of the job before the event
  };

  grpc::Status enter();  // Blocks while the calls are held.
  v1::Job* find(const std::string& id, grpc::Status* status);
  void record(const v1::Job& job, bool progress_only);
  bool matches(const v1::Job& job, const v1::JobFilter& filter) const;
  // Returns true if the job matches the filter now or matched before.
  bool concerns(const Event& event, const v1::JobFilter& filter) const;
  grpc::Status watch(grpc::ServerContext* context, const v1::WatchJobsRequest& request,
                     grpc::ServerWriter<v1::WatchJobsResponse>* writer);
  void run_script(std::unique_lock<std::mutex>& lock);

  std::string folder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool held_ = false;
  bool watches_held_ = false;
  bool queue_paused_ = false;
  bool samples_go_on_ = false;
  int lose_ = 0;
  int submits_ = 0;
  int64_t revision_ = 0;
  size_t forgotten_ = 0;  // number of removed events
  std::map<std::string, v1::Job> jobs_;
  std::map<std::string, v1::JobState> sent_states_;  // state in the newest event, by ID
  std::map<std::string, std::string> request_ids_;
  std::map<std::string, v1::DeviceStatus> devices_;
  v1::ListTunedKernelsResponse tuned_;
  std::vector<std::string> log_;
  std::map<std::string, std::string> decisions_;  // by job ID
  v1::GetStatisticsResponse statistics_;
  v1::GetStatisticsRequest statistics_request_;
  std::function<grpc::Status(const v1::ReadPictureRequest&, FakePicture&)> on_picture_;
  std::vector<v1::ReadPictureRequest> picture_requests_;
  std::vector<Event> history_;
  std::vector<Step> script_;
  std::vector<std::string> unscripted_;  // jobs with a pending script
  std::vector<std::string> tokens_;
  std::vector<v1::DevicePrediction> predictions_;
  v1::MediaKind media_ = v1::MEDIA_KIND_VIDEO;
  std::function<grpc::Status(const v1::SubmitJobRequest&)> on_submit_;
  std::unique_ptr<Services> services_;
  std::unique_ptr<grpc::Server> server_;
};

// Returns a status with details in the daemon's format.
grpc::Status refuse(const Status& status);

}  // namespace weft::test
