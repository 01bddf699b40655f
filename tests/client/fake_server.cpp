// SPDX-License-Identifier: Apache-2.0
#include "tests/client/fake_server.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "google/rpc/status.pb.h"
#include "options/job_kinds.h"
#include "tests/client/fake_services.h"

namespace weft::test {

using std::chrono::seconds;

grpc::Status refuse(const Status& status) {
  google::rpc::Status full;
  full.set_code(int(status.code()));
  full.set_message(message_of(status));
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
    auto* detail = full.add_details();
    detail->set_type_url(std::string(type));
    detail->set_value(std::string(payload));
  });
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), full.message(), full.SerializeAsString());
}

FakeServer::FakeServer() : services_(std::make_unique<Services>(*this)) {
  std::string pattern = (std::filesystem::temp_directory_path() / "weft-fake-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  start();
}

FakeServer::~FakeServer() {
  stop();
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

void FakeServer::start() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = false;
  }
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address(), grpc::InsecureServerCredentials());
  builder.RegisterService(static_cast<v1::JobService::Service*>(services_.get()));
  builder.RegisterService(static_cast<v1::DeviceService::Service*>(services_.get()));
  builder.RegisterService(static_cast<v1::ServerService::Service*>(services_.get()));
  builder.RegisterService(static_cast<v1::StatisticsService::Service*>(services_.get()));
  builder.RegisterService(static_cast<v1::PictureService::Service*>(services_.get()));
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) throw std::runtime_error("the fake server cannot listen");
}

void FakeServer::stop() {
  if (server_ == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
  server_.reset();
}

grpc::Status FakeServer::enter() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !held_ || stopping_; });
  return stopping_ ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "stopping") : grpc::Status::OK;
}

v1::Job* FakeServer::find(const std::string& id, grpc::Status* status) {
  v1::Job* found = nullptr;
  for (auto& [key, job] : jobs_) {
    if (!key.starts_with(id)) continue;
    if (found != nullptr) {
      *status = refuse(invalid_argument("The id ({}) is the beginning of several; give more of it.", id));
      return nullptr;
    }
    found = &job;
  }
  if (found == nullptr) *status = refuse(not_found("There is no job ({}).", id));
  return found;
}

void FakeServer::record(const v1::Job& job, bool progress_only) {
  jobs_[job.id()].set_revision(++revision_);
  Event event;
  event.response.set_kind(progress_only ? v1::WatchJobsResponse::KIND_PROGRESS
                                        : v1::WatchJobsResponse::KIND_CHANGED);
  *event.response.mutable_job() = jobs_[job.id()];
  event.before = std::exchange(sent_states_[job.id()], job.state());
  event.response.set_resume_token(std::to_string(history_.size() + 1));
  history_.push_back(std::move(event));
  changed_.notify_all();
}

bool FakeServer::matches(const v1::Job& job, const v1::JobFilter& filter) const {
  const auto& states = filter.states();
  if (!states.empty() && std::find(states.begin(), states.end(), job.state()) == states.end()) return false;
  const auto& ids = filter.ids();
  if (!ids.empty() && std::find(ids.begin(), ids.end(), job.id()) == ids.end()) return false;
  if (!filter.kind().empty() && filter.kind() != options::kind_name(job.spec())) return false;
  if (job.submit_time().seconds() < filter.since().seconds()) return false;
  const auto& labels = job.settings().labels();
  for (const std::string& key : filter.label_keys())
    if (!labels.contains(key)) return false;
  for (const auto& [key, value] : filter.labels())
    if (!labels.contains(key) || labels.at(key) != value) return false;
  return filter.owner().empty() || filter.owner() == job.settings().owner();
}

bool FakeServer::concerns(const Event& event, const v1::JobFilter& filter) const {
  v1::Job before = event.response.job();
  before.set_state(event.before);
  return matches(event.response.job(), filter) || matches(before, filter);
}

void FakeServer::run_script(std::unique_lock<std::mutex>&) {
  for (const std::string& id : std::exchange(unscripted_, {}))
    for (const Step& step : script_) {
      const v1::JobState before = jobs_[id].state();
      step(jobs_[id]);
      record(jobs_[id], jobs_[id].state() == before);
    }
}

grpc::Status FakeServer::watch(ServerContext* context, const v1::WatchJobsRequest& request,
                               ServerWriter<v1::WatchJobsResponse>* writer) {
  std::unique_lock lock(mutex_);
  tokens_.push_back(request.resume_token());
  changed_.notify_all();
  while (watches_held_ && !stopping_ && !context->IsCancelled())
    changed_.wait_for(lock, std::chrono::milliseconds(20));
  if (stopping_) return {grpc::StatusCode::UNAVAILABLE, "stopping"};
  size_t next = history_.size();
  if (!request.resume_token().empty()) {
    next = std::stoul(request.resume_token());
    if (next < forgotten_) return refuse(out_of_range("The token ({}) is too old; list again.", next));
  } else {
    v1::WatchJobsResponse response;
    response.set_kind(v1::WatchJobsResponse::KIND_SNAPSHOT);
    for (const auto& [id, job] : jobs_) {
      if (!matches(job, request.filter())) continue;
      *response.mutable_job() = job;
      writer->Write(response);
    }
    response.Clear();
    response.set_kind(v1::WatchJobsResponse::KIND_SNAPSHOT_END);
    response.set_resume_token(std::to_string(next));
    writer->Write(response);
  }
  run_script(lock);
  while (!stopping_ && !context->IsCancelled()) {
    for (; next < history_.size(); next++)
      if (concerns(history_[next], request.filter())) writer->Write(history_[next].response);
    changed_.wait_for(lock, std::chrono::milliseconds(20));
  }
  return grpc::Status::OK;
}

void FakeServer::script(std::vector<Step> steps) {
  const std::lock_guard lock(mutex_);
  script_ = std::move(steps);
}

void FakeServer::on_submit(std::function<grpc::Status(const v1::SubmitJobRequest&)> hook) {
  const std::lock_guard lock(mutex_);
  on_submit_ = std::move(hook);
}

void FakeServer::predict(std::vector<v1::DevicePrediction> predictions) {
  const std::lock_guard lock(mutex_);
  predictions_ = std::move(predictions);
}

void FakeServer::find_media(v1::MediaKind media) {
  const std::lock_guard lock(mutex_);
  media_ = media;
}

void FakeServer::lose_answers(int count) {
  const std::lock_guard lock(mutex_);
  lose_ = count;
}

void FakeServer::hold() {
  const std::lock_guard lock(mutex_);
  held_ = true;
}

void FakeServer::release() {
  const std::lock_guard lock(mutex_);
  held_ = false;
  changed_.notify_all();
}

void FakeServer::hold_watches() {
  const std::lock_guard lock(mutex_);
  watches_held_ = true;
}

void FakeServer::forget_history() {
  const std::lock_guard lock(mutex_);
  forgotten_ = history_.size() + 1;
}

std::string FakeServer::add(v1::Job job) {
  const std::lock_guard lock(mutex_);
  if (job.id().empty()) job.set_id(id_of(jobs_));
  if (!job.has_submit_time()) set_now(job.mutable_submit_time());
  jobs_[job.id()] = job;
  record(job, false);
  return job.id();
}

void FakeServer::change(const std::string& id, const Step& step, bool progress_only) {
  const std::lock_guard lock(mutex_);
  step(jobs_.at(id));
  record(jobs_.at(id), progress_only);
}

void FakeServer::forget(const std::string& id) {
  const std::lock_guard lock(mutex_);
  record(jobs_.at(id), false);
  history_.back().response.set_kind(v1::WatchJobsResponse::KIND_FORGOTTEN);
  jobs_.erase(id);
}

v1::Job FakeServer::job(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return jobs_.at(id);
}

std::vector<v1::Job> FakeServer::jobs() {
  const std::lock_guard lock(mutex_);
  std::vector<v1::Job> result;
  for (const auto& [id, job] : jobs_) result.push_back(job);
  return result;
}

void FakeServer::add_device(const v1::DeviceStatus& device) {
  const std::lock_guard lock(mutex_);
  devices_[device.id()] = device;
}

v1::DeviceStatus FakeServer::device(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return devices_.at(id);
}

void FakeServer::let_samples_go_on() {
  const std::lock_guard lock(mutex_);
  samples_go_on_ = true;
}

void FakeServer::add_log(const std::string& text) {
  const std::lock_guard lock(mutex_);
  log_.push_back(text);
  changed_.notify_all();
}

void FakeServer::set_decisions(const std::string& id, const std::string& text) {
  const std::lock_guard lock(mutex_);
  decisions_[id] = text;
}

void FakeServer::set_statistics(const v1::GetStatisticsResponse& statistics) {
  const std::lock_guard lock(mutex_);
  statistics_ = statistics;
}

void FakeServer::set_tuned(const v1::ListTunedKernelsResponse& tuned) {
  const std::lock_guard lock(mutex_);
  tuned_ = tuned;
}

v1::GetStatisticsRequest FakeServer::statistics_request() {
  const std::lock_guard lock(mutex_);
  return statistics_request_;
}

void FakeServer::on_picture(std::function<grpc::Status(const v1::ReadPictureRequest&, FakePicture&)> hook) {
  const std::lock_guard lock(mutex_);
  on_picture_ = std::move(hook);
}

std::vector<v1::ReadPictureRequest> FakeServer::picture_requests() {
  const std::lock_guard lock(mutex_);
  return picture_requests_;
}

int FakeServer::submits() {
  const std::lock_guard lock(mutex_);
  return submits_;
}

std::vector<std::string> FakeServer::watch_tokens() {
  const std::lock_guard lock(mutex_);
  return tokens_;
}

bool FakeServer::wait_for(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace weft::test
