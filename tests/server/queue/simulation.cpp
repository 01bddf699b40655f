// SPDX-License-Identifier: Apache-2.0
#include "tests/server/queue/simulation.h"

#include <algorithm>
#include <utility>

#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

// A store on a disk that is sometimes full.
class FlakyStore final : public Store {
 public:
  FlakyStore(Store&& store, Random& random) : Store(std::move(store)), random_(random) {}
  Status commit(const StoreChange& change) override {
    if (flaky && random_.chance(0.02)) return resource_exhausted("The disk is full.");
    return Store::commit(change);
  }
  bool flaky = true;

 private:
  Random& random_;
};

std::vector<v1::DeviceStatus> make_devices() {
  v1::DeviceStatus software = make_device("vulkan:0", v1::DEVICE_KIND_VULKAN);
  software.set_name("llvmpipe (LLVM 15.0.6, 256 bits)");
  return {make_device("cpu"), make_device("cuda:0", v1::DEVICE_KIND_CUDA), software};
}

}  // namespace

Simulation::Simulation(uint64_t seed, std::string folder)
    : random_(seed), folder_(std::move(folder)), devices_(make_devices()), world_(random_, clock_, devices_) {
  config_.state_folder = folder_;
  config_.jobs_per_device = 1 + random_.below(2);
  world_.set_start_check(
      [this](const v1::Job& job, const std::string& device, int task) { check_order(job, device, task); });
  open();
}

void Simulation::open() {
  StatusOr<std::unique_ptr<Store>> store = Store::open(folder_, Durability::kProcess);
  if (!store.ok()) return violate("The store does not open: " + message_of(store.status()));
  store_ = std::make_unique<FlakyStore>(std::move(**store), random_);
  logs_ = std::move(LogStore::open(folder_)).value();
  const Post post = [this](auto work) { posted_.push_back(std::move(work)); };
  const Core::Elsewhere elsewhere = [this](const std::vector<std::string>&, auto work, auto done) {
    elsewhere_.push_back([work = std::move(work), done = std::move(done)] { done(work()); });
  };
  core_ = std::move(Core::make(config_, clock_, *store_, *logs_, post, elsewhere)).value();
  const Snapshot loaded = snapshot();
  if (!in_commit_ && loaded != durable_) violate("The store does not hold what was durable.");
  in_commit_ = false;
  durable_ = loaded;
  core_->start(world_);
  world_.daemon_started();
  replica_.connect(*core_);
}

void Simulation::kill_daemon() {
  kills_++;
  clock_.set_wall(std::chrono::seconds(random_.below(7200) - 3600));
  replica_.disconnect();
  posted_.clear();
  elsewhere_.clear();
  core_.reset();
  logs_.reset();
  store_.reset();
  world_.daemon_killed();
  open();
}

void Simulation::commit() {
  commits_++;
  in_commit_ = true;
  const Status status = core_->commit();
  in_commit_ = false;
  const Snapshot now = snapshot();
  if (status.ok()) {
    durable_ = now;
    audit();
  } else if (now != durable_) {
    violate("A batch that could not be written is not taken back whole.");
  }
}

void Simulation::run_posted() {
  while (!posted_.empty()) {
    const auto work = std::move(posted_.front());
    posted_.pop_front();
    work();
  }
}

// Publishes a job or removes a work folder: any waiting piece of work, not always the first.
void Simulation::work_elsewhere() {
  const auto chosen = elsewhere_.begin() + random_.below(int(elsewhere_.size()));
  const auto work = std::move(*chosen);
  elsewhere_.erase(chosen);
  work();
}

void Simulation::step() {
  clock_.advance(random_.milliseconds(200));
  world_.work();
  if (random_.chance(0.004)) world_.kill_worker(devices_[size_t(random_.below(3))].id());
  run_posted();
  const int requests = random_.below(3);
  for (int i = 0; i < requests; i++) client_acts();
  world_.deliver(*core_);
  while (!elsewhere_.empty() && random_.chance(0.7)) work_elsewhere();
  commit();
  if (random_.chance(0.7)) replica_.read(*core_, random_.below(40));
  run_posted();
}

std::vector<std::string> Simulation::run(int steps) {
  for (int i = 0; i < steps && world_.violations().empty(); i++) {
    try {
      step();
      if (random_.chance(0.01)) kill_daemon();
    } catch (const DaemonKilled&) {
      kill_daemon();
    }
  }
  if (world_.violations().empty()) settle();
  return world_.violations();
}

// Without further faults every waiting job must end.
void Simulation::settle() {
  world_.calm_down();
  static_cast<FlakyStore&>(*store_).flaky = false;
  core_->resume_devices({}, false, [](auto) {});
  core_->set_paused(false, [](auto) {});
  for (const RecordPtr& record : all_jobs()) core_->request(record->job.id(), event::Resume{}, [](auto) {});
  const auto done = [&] {
    const std::vector<RecordPtr> jobs = all_jobs();
    return world_.is_idle() && !core_->has_work() && elsewhere_.empty() &&
           std::all_of(jobs.begin(), jobs.end(), [](const auto& job) { return is_final(job->job.state()); });
  };
  for (int i = 0; i < 5'000 && !done(); i++) {
    // A late report of a dead worker may take a device out of service. The operator resumes the
    // devices.
    if (i % 100 == 99) core_->resume_devices({}, false, [](auto) {});
    clock_.advance(std::chrono::milliseconds(100));
    world_.work();
    world_.deliver(*core_);
    while (!elsewhere_.empty()) work_elsewhere();
    commit();
  }
  commit();
  if (!done()) violate("Jobs are stuck although nothing is in their way: " + describe_stuck());
  for (int i = 0; i < 1000; i++) {
    replica_.read(*core_, 100);
    run_posted();
  }
  audit_end();
}

void Simulation::client_acts() {
  if (random_.chance(0.45)) return submit();
  if (random_.chance(0.03)) return drain_or_resume_a_device();
  if (random_.chance(0.02)) return core_->set_paused(random_.chance(0.3), [](const auto&) {});
  if (acked_.empty()) return;
  auto job = acked_.lower_bound(std::next(acked_.begin(), random_.below(int(acked_.size())))->first);
  steer(job->first, random_.below(11));
}

void Simulation::submit() {
  const int64_t number = submissions_++;
  Submission submission = make_submission(std::to_string(number), random_.below(5) - 2);
  const int device = random_.below(8);
  if (device < 4) submission.settings.set_device(device < 3 ? devices_[size_t(device)].id() : "");
  if (device > 5) submission.settings.set_devices("cpu,cuda:0");
  submission.settings.set_owner(std::string(1, char('a' + random_.below(3))));
  if (random_.chance(0.3)) submission.settings.set_job_class(v1::JOB_CLASS_SPARE);
  if (random_.chance(0.4)) {
    // The estimate is large enough that a wait for another device can be worth its time.
    submission.estimate.set_units_in(1 + random_.below(2000));
    submission.estimate.set_cost_key("bwdif");
    submission.estimate.set_pace_key("bwdif x264");
    submission.estimate.mutable_unit_work()->set_bytes(500'000);
  }
  bool repeats = false;
  if (random_.chance(0.3)) {
    // A third of the request ids are used with two different requests.
    const int request = random_.below(200);
    submission =
        make_submission("r" + std::to_string(request) + (request % 3 == 0 && random_.chance(0.5) ? "b" : ""));
    submission.request_id = "request-" + std::to_string(request);
    repeats = requests_.contains(submission.request_id);
  }
  core_->submit(submission, [this, submission, repeats](const StatusOr<v1::Job>& job) {
    const std::string input = submission.spec.video().input();
    if (!job.ok()) {
      if (job.status().code() == StatusCode::kAlreadyExists && repeats &&
          !forgetting_.contains(requests_.at(submission.request_id)) &&
          acked_.at(requests_.at(submission.request_id)) == input)
        violate("A repeated submit is refused.");
      return;
    }
    if (!submission.request_id.empty()) {
      const auto [request, first] = requests_.emplace(submission.request_id, job->id());
      if (!first && request->second != job->id() && !forgetting_.contains(request->second))
        violate("One request_id has two jobs.");
      request->second = job->id();
    }
    const auto [acked, first] = acked_.emplace(job->id(), input);
    if (!first && submission.request_id.empty()) violate("The id " + job->id() + " is given twice.");
    // A repeated submit may be the first to learn the id of a job that was accepted by a killed
    // daemon.
    if (first && submission.request_id.empty() && job->id() <= last_id_)
      violate("The id " + job->id() + " is not greater than one before it.");
    last_id_ = std::max(last_id_, job->id());
    if (acked->second != input) violate("The job " + job->id() + " is another's.");
  });
}

void Simulation::steer(const std::string& id, int what) {
  const auto ignore = [](const auto&) {};
  if (what < 2) return core_->request(id, event::Cancel{}, ignore);
  if (what < 4) return core_->request(id, event::Pause{}, ignore);
  if (what < 7) return core_->request(id, event::Resume{}, ignore);
  if (what < 9) return core_->request(id, event::ChangePriority{random_.below(7) - 3}, ignore);
  if (what < 10) return forget(id);
  retried_.insert(id);
  core_->request(id, event::Retry{}, ignore);
}

void Simulation::forget(const std::string& id) {
  const RecordPtr record = core_->jobs().find(id);
  const bool is_known = record != nullptr;
  if (is_known) forgetting_.insert(id);
  core_->request(id, event::Forget{}, [this, id, is_known](const StatusOr<v1::Job>& job) {
    if (!job.ok()) return;
    if (!is_known) violate(fmt::format("The job {} is forgotten twice.", id));
    if (core_->jobs().find(id) != nullptr) violate(fmt::format("The forgotten job {} is there.", id));
    if (world_.has_work_folder(id)) violate(fmt::format("The forgotten job {} leaves its work folder.", id));
    forgotten_.insert(id);
  });
}

void Simulation::drain_or_resume_a_device() {
  const std::vector<std::string> ids{devices_[size_t(random_.below(3))].id()};
  if (random_.chance(0.3))
    core_->drain_devices(ids, [](const auto&) {});
  else
    core_->resume_devices(ids, false, [](const auto&) {});
}

std::vector<RecordPtr> Simulation::all_jobs() const {
  std::vector<RecordPtr> jobs;
  for (const std::string& id : core_->jobs().ids()) jobs.push_back(core_->jobs().find(id));
  return jobs;
}

std::string Simulation::describe_stuck() const {
  std::string text;
  for (const RecordPtr& record : all_jobs())
    if (!is_final(record->job.state()))
      text += core_->views().explain(record->job.id())->ShortDebugString().substr(0, 2000) + "\n";
  for (const v1::DeviceStatus& device : core_->devices().all()) text += device.ShortDebugString() + "\n";
  return text;
}

Simulation::Snapshot Simulation::snapshot() const {
  Snapshot result;
  for (const RecordPtr& record : all_jobs())
    result[record->job.id()] = {record->job.state(), record->job.revision()};
  return result;
}

}  // namespace weft::queue
