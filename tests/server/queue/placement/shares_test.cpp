// SPDX-License-Identifier: Apache-2.0
// Tests the sharing of devices among owners: by rule, and in a seeded simulation on a virtual
// clock.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "server/queue/placement/placement.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

v1::Job owned_job(const std::string& owner, const std::string& id, int priority = 0,
                  const std::string& device = "", v1::JobClass job_class = v1::JOB_CLASS_NORMAL) {
  v1::Job job;
  job.set_id(id);
  *job.mutable_settings() = make_submission(id, priority, device).settings;
  job.mutable_settings()->set_job_class(job_class);
  job.mutable_settings()->set_owner(owner);
  return job;
}

class SharesTest : public testing::Test {
 protected:
  void add_devices(std::vector<std::string> ids) {
    for (const std::string& id : ids) placement_.set_device(make_device(id), true, "");
  }
  void wait(const v1::Job& job) {
    jobs_[job.id()] = job;
    placement_.set_waiting(job, now_);
  }
  void wait_many(const std::string& owner, const std::string& prefix, int count) {
    for (int i = 0; i < count; i++) wait(owned_job(owner, fmt::format("{}{:02}", prefix, i)));
  }
  // Starts all jobs that can start. Returns their ids in order.
  std::vector<std::string> start_all() {
    std::vector<std::string> started;
    while (const std::optional<Assignment> next = placement_.next(now_)) {
      placement_.remove_waiting(next->job_id);
      placement_.occupy(next->choice.device, jobs_.at(next->job_id), now_);
      device_of_[next->job_id] = next->choice.device;
      started.push_back(next->job_id);
    }
    return started;
  }
  // Runs the job for this time, ends it, and starts other jobs.
  std::vector<std::string> after(Duration time, const std::string& id) {
    now_ += time;
    placement_.release(device_of_.at(id), id, now_);
    return start_all();
  }

  TimePoint now_{std::chrono::hours(1)};
  Placement placement_{1, std::chrono::hours(100)};
  std::map<std::string, v1::Job> jobs_;
  std::map<std::string, std::string> device_of_;
};

TEST_F(SharesTest, ALaterJobOfAnotherOwnerWaitsForOneJobNotForAll) {
  add_devices({"cpu"});
  wait_many("alice", "a", 50);
  EXPECT_THAT(start_all(), ElementsAre("a00"));
  EXPECT_THAT(after(minutes(10), "a00"), ElementsAre("a01")) << "nobody else waits";
  now_ += minutes(5);
  wait(owned_job("bob", "b00"));
  EXPECT_EQ(placement_.ahead_of("b00", now_), 0);
  EXPECT_EQ(placement_.ahead_of("a02", now_), 1);
  EXPECT_THAT(after(minutes(5), "a01"), ElementsAre("b00"));
  EXPECT_THAT(after(minutes(1), "b00"), ElementsAre("a02"));
}

TEST_F(SharesTest, PriorityAndClassComeFirst) {
  add_devices({"cpu"});
  wait(owned_job("alice", "1"));
  EXPECT_THAT(start_all(), ElementsAre("1"));
  wait(owned_job("bob", "2", 0, "", v1::JOB_CLASS_SPARE));
  wait(owned_job("bob", "3", -1));
  wait(owned_job("bob", "4"));
  wait(owned_job("alice", "5", 1));
  EXPECT_THAT(after(minutes(1), "1"), ElementsAre("5"));
  EXPECT_THAT(after(minutes(1), "5"), ElementsAre("4"));
  EXPECT_THAT(after(minutes(1), "4"), ElementsAre("3"));
  EXPECT_THAT(after(minutes(1), "3"), ElementsAre("2"));
}

TEST_F(SharesTest, TimeOnDevicesIsSharedNotTheNumberOfJobs) {
  add_devices({"cpu"});
  wait_many("alice", "a", 10);
  wait_many("bob", "b", 20);
  EXPECT_THAT(start_all(), ElementsAre("a00"));
  std::vector<std::string> next = after(minutes(10), "a00");
  for (int i = 0; i < 10; i++) {
    EXPECT_THAT(next, ElementsAre(fmt::format("b{:02}", i)));
    if (HasFatalFailure() || next.empty()) return;
    next = after(seconds(61), next.front());
  }
  EXPECT_THAT(next, ElementsAre("a01")) << "both had ten minutes";
}

TEST_F(SharesTest, PlacesThatAreFreeAtOnceAreShared) {
  add_devices({"cuda:0", "cuda:1", "cuda:2", "cuda:3"});
  wait_many("alice", "a", 10);
  wait_many("bob", "b", 10);
  EXPECT_THAT(start_all(), ElementsAre("a00", "b00", "a01", "b01"));
  EXPECT_EQ(placement_.ahead_of("a02", now_), 0);
  EXPECT_EQ(placement_.ahead_of("b04", now_), 5);
}

TEST_F(SharesTest, WeightsCount) {
  add_devices({"cuda:0", "cuda:1", "cuda:2", "cuda:3"});
  placement_.set_owner_weights({{"bob", 3}});
  wait_many("alice", "a", 10);
  wait_many("bob", "b", 10);
  EXPECT_THAT(start_all(), ElementsAre("a00", "b00", "b01", "b02"));
}

TEST_F(SharesTest, ClassesAreCountedApart) {
  add_devices({"cpu"});
  wait(owned_job("alice", "1", 0, "", v1::JOB_CLASS_SPARE));
  EXPECT_THAT(start_all(), ElementsAre("1"));
  wait(owned_job("alice", "2"));
  wait(owned_job("bob", "3"));
  EXPECT_THAT(after(std::chrono::hours(1), "1"), ElementsAre("2"))
      << "what she had in spare time is not held against her";
}

// A start that could not be stored is undone at the same moment.
TEST_F(SharesTest, WhatIsTakenBackCostsNothing) {
  add_devices({"cpu"});
  wait(owned_job("alice", "1"));
  wait(owned_job("bob", "2"));
  EXPECT_THAT(start_all(), ElementsAre("1"));
  placement_.release("cpu", "1", now_);
  wait(owned_job("alice", "1"));
  EXPECT_THAT(start_all(), ElementsAre("1"));
}

// An owner with jobs that wait for a busy device gains a claim to other devices, which is bounded.
TEST_F(SharesTest, AClaimIsBounded) {
  add_devices({"cuda:0", "cuda:1"});
  wait(owned_job("carol", "0c", 0, "cuda:1"));
  wait(owned_job("alice", "a", 0, "cuda:1"));
  wait_many("bob", "b", 40);
  EXPECT_THAT(start_all(), ElementsAre("0c", "b00"));
  std::string last = "b00";
  for (int i = 0; i < 20; i++) last = after(minutes(30), last).front();
  EXPECT_EQ(last, "b20");
  wait_many("alice", "d", 40);
  int alices = 0;
  for (; alices < 20; alices++) {
    last = after(minutes(30), last).front();
    if (last[0] == 'b') break;
  }
  EXPECT_THAT(alices, testing::AllOf(testing::Ge(7), testing::Le(9))) << "four hours";
}

// Every fourth start is a job of the oldest job's priority. Owners share these starts as well.
TEST_F(SharesTest, WhatIsAgedIsSharedToo) {
  placement_ = Placement(1, minutes(30));
  add_devices({"cpu"});
  for (int i = 0; i < 20; i++) wait(owned_job("alice", fmt::format("a{:02}", i), -1));
  EXPECT_THAT(start_all(), ElementsAre("a00"));
  wait(owned_job("bob", "b", -1));
  for (int i = 0; i < 20; i++) wait(owned_job("alice", fmt::format("x{:02}", i)));
  std::string last = "a00";
  std::vector<std::string> aged;
  for (int i = 0; i < 12; i++) {
    last = after(minutes(10), last).front();
    if (last[0] != 'x') aged.push_back(last);
  }
  EXPECT_THAT(aged, ElementsAre("b", "a01", "a02"));
}

TEST_F(SharesTest, ItIsSaidWhoseTurnItIs) {
  add_devices({"cpu"});
  wait_many("alice", "a", 3);
  EXPECT_THAT(start_all(), ElementsAre("a00"));
  EXPECT_EQ(placement_.share_reason("a01", now_), "") << "she is alone";
  wait(owned_job("bob", "b00"));
  wait(owned_job("carol", "c00", 5));
  EXPECT_EQ(placement_.share_reason("a01", now_),
            "2 owners have jobs of its class and priority in line; they share the devices by the time that "
            "their jobs hold them, and by weight. Next is bob, then alice.");
  EXPECT_THAT(placement_.waiting_reason("a01", now_), HasSubstr("2 jobs are ahead"));
}

struct ShareHolder {
  std::string name;
  double weight;
  double usual;  // usual duration of this owner's jobs in seconds
  double had = 0;
  int jobs = 0;
};

// Several devices and owners with jobs of seconds to half an hour. Each owner always has waiting
// jobs.
class SharedMachine {
 public:
  explicit SharedMachine(uint64_t seed) : random_(seed), placement_(1 + int(random_() % 2)) {
    const auto devices = 1 + random_() % 4;
    for (size_t i = 0; i < devices; i++)
      placement_.set_device(make_device(fmt::format("cuda:{}", i), v1::DEVICE_KIND_CUDA), true, "");
    const auto owners = 2 + random_() % 4;
    OwnerWeights weights;
    const bool weighted = random_() % 2 == 0;
    for (size_t i = 0; i < owners; i++) {
      owners_.push_back({fmt::format("owner {}", i), weighted ? 1 + double(random_() % 4) : 1.0,
                         std::exp(uniform(std::log(5), std::log(1800)))});
      weights[owners_.back().name] = owners_.back().weight;
    }
    placement_.set_owner_weights(weights);
  }

  void run(double hours) {
    while (now_ < hours * 3600) {
      for (ShareHolder& owner : owners_)
        while (owner.jobs < 20) submit(owner);
      start();
      const auto first = std::min_element(running_.begin(), running_.end(), [](const auto& a, const auto& b) {
        return a.second.end < b.second.end;
      });
      now_ = first->second.end;
      owners_[first->second.owner].had += now_ - first->second.begin;
      placement_.release(first->second.device, first->first, time());
      running_.erase(first);
    }
  }
  // Returns Jain's index of the owners' shares by weight: 1 if all are equal.
  double fairness() const {
    double sum = 0, squares = 0;
    for (const ShareHolder& owner : owners_) {
      sum += owner.had / owner.weight;
      squares += owner.had / owner.weight * owner.had / owner.weight;
    }
    return sum * sum / (double(owners_.size()) * squares);
  }
  // Returns the number of waiting jobs with a wrong number of jobs ahead, or with a wrong position.
  // The correct values follow from the order of starts if all jobs could start.
  int misjudged() {
    Placement all = placement_;
    std::map<std::string, int64_t> ahead, position;
    for (const auto& [id, job] : waiting_) ahead[id] = all.ahead_of(id, time());
    for (const auto& [id, job] : waiting_) position[id] = all.position_of(id, time());
    for (int i = 0; i < 10; i++)
      all.set_device(make_device(fmt::format("cuda:{}", i + 10), v1::DEVICE_KIND_CUDA), true, "");
    int wrong = 0;
    int64_t place = 0;
    while (const auto next = all.next(time())) {
      if (ahead.at(next->job_id) != place++ || position.at(next->job_id) != place) wrong++;
      all.remove_waiting(next->job_id);
      all.occupy(next->choice.device, waiting_.at(next->job_id), time());
    }
    return wrong;
  }

 private:
  struct Running {
    size_t owner;
    std::string device;
    double begin, end;
  };
  double uniform(double low, double high) { return low + (high - low) * double(random_() >> 11) * 0x1p-53; }
  TimePoint time() const { return TimePoint(Duration(int64_t(now_ * 1e9))); }

  void submit(ShareHolder& owner) {
    const std::string id = fmt::format("{:08}", number_++);
    waiting_[id] = owned_job(owner.name, id);
    placement_.set_waiting(waiting_[id], time());
    owner.jobs++;
  }
  void start() {
    while (const auto next = placement_.next(time())) {
      const v1::Job job = waiting_.at(next->job_id);
      waiting_.erase(next->job_id);
      const auto owner = std::find_if(owners_.begin(), owners_.end(), [&](const ShareHolder& each) {
        return each.name == job.settings().owner();
      });
      owner->jobs--;
      placement_.remove_waiting(job.id());
      placement_.occupy(next->choice.device, job, time());
      running_[job.id()] = {size_t(owner - owners_.begin()), next->choice.device, now_,
                            now_ + owner->usual * uniform(0.5, 1.5)};
    }
  }

  std::mt19937_64 random_;
  Placement placement_;
  std::vector<ShareHolder> owners_;
  std::map<std::string, v1::Job> waiting_;
  std::map<std::string, Running> running_;
  double now_ = 0;
  int64_t number_ = 0;
};

TEST(SharesSimulation, WhoAlwaysHasJobsGetsHisPartAndAheadIsTrue) {
  double worst = 1;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    SharedMachine machine(seed);
    machine.run(50);
    worst = std::min(worst, machine.fairness());
    EXPECT_GE(machine.fairness(), 0.99) << "seed " << seed;
    EXPECT_EQ(machine.misjudged(), 0) << "seed " << seed;
  }
  RecordProperty("worst_fairness", std::to_string(worst));
}

}  // namespace
}  // namespace weft::queue
