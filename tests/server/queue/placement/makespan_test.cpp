// SPDX-License-Identifier: Apache-2.0
// Compares makespans of random mixes of jobs on random devices in virtual time: with Placement,
// with a fixed order of devices, and a lower bound.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/queue/placement/placement.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

struct Machine {
  std::string id;
  v1::DeviceKind kind;
  double slowness;         // cost of a unit divided by its work
  double load;             // fraction of the device that streams use
  double reference_error;  // factor between the measured and the real rates
};
struct Task {
  v1::Job job;
  double unit = 0;  // cost of a unit in seconds at slowness 1
  double arrival = 0;
  double cost_on(const Machine& machine) const {
    return double(job.estimate().units_in()) * unit * machine.slowness / (1 - machine.load);
  }
};
struct Mix {
  std::vector<Machine> machines;  // in the order of the rank of their kind
  std::vector<Task> tasks;        // in the order of arrival
};

Mix random_mix(uint64_t seed, bool all_at_once) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * double(random() >> 11) * 0x1p-53;
  };
  Mix mix;
  const v1::DeviceKind kinds[] = {v1::DEVICE_KIND_CUDA, v1::DEVICE_KIND_CUDA, v1::DEVICE_KIND_CPU};
  const auto machines = size_t(uniform(2, 4));
  for (size_t i = 0; i < machines; i++) {
    const bool last = i + 1 == machines;
    mix.machines.push_back({fmt::format("{}", i), kinds[last ? 2 : i], std::exp(uniform(0, last ? 3.5 : 1.5)),
                            uniform(0, 1) < 0.3 ? uniform(0.1, 0.8) : 0, std::exp(uniform(-1, 1))});
  }
  const auto tasks = int(uniform(1, 40));
  double arrival = 0;
  for (int i = 0; i < tasks; i++) {
    Task task;
    task.unit = i % 3 == 0 ? 0.002 : 0.001;
    task.job.set_id(fmt::format("{:03}", i));
    *task.job.mutable_settings() = make_submission(task.job.id()).settings;
    task.job.mutable_estimate()->set_units_in(int64_t(std::exp(uniform(6, 10))));
    task.job.mutable_estimate()->set_cost_key(i % 3 == 0 ? "bwdif" : "yadif");
    task.job.mutable_estimate()->set_pace_key(i % 3 == 0 ? "bwdif null" : "yadif null");
    task.job.mutable_estimate()->mutable_unit_work()->set_bytes(500'000);
    task.arrival = arrival;
    if (!all_at_once) arrival += uniform(0, 8);
    mix.tasks.push_back(std::move(task));
  }
  return mix;
}

// Returns a lower bound of the makespan: all devices work without a pause from the first arrival
// on, and each job takes at least its time on the best device for it.
double lower_bound(const Mix& mix) {
  double speed = 0, work = 0, longest = 0;
  for (const Machine& machine : mix.machines) speed += (1 - machine.load) / machine.slowness;
  for (const Task& task : mix.tasks) {
    work += double(task.job.estimate().units_in()) * task.unit;
    double best = INFINITY;
    for (const Machine& machine : mix.machines) best = std::min(best, task.cost_on(machine));
    longest = std::max(longest, task.arrival + best);
  }
  return std::max(work / speed, longest);
}

// Returns the makespan of the earlier policy: the first job runs on the free device of the best
// kind.
double fixed_order_makespan(const Mix& mix) {
  std::vector<double> busy_until(mix.machines.size(), 0);
  double end = 0, now = 0;
  for (const Task& task : mix.tasks) {
    now = std::max(now, task.arrival);
    now = std::max(now, *std::min_element(busy_until.begin(), busy_until.end()));
    const auto free = std::find_if(busy_until.begin(), busy_until.end(), [&](double t) { return t <= now; });
    *free = now + task.cost_on(mix.machines[size_t(free - busy_until.begin())]);
    end = std::max(end, *free);
  }
  return end;
}

// Simulates from event to event. Half a second after the start of a job its device has learnt its
// cost, and its speed is known.
class World {
 public:
  explicit World(const Mix& mix) : mix_(mix) {
    for (const Machine& machine : mix_.machines) {
      v1::DeviceStatus device = make_device(machine.id, machine.kind);
      const double speed = 1e9 / (machine.slowness * machine.reference_error);
      device.mutable_rates()->set_bytes_per_second(speed);
      device.mutable_rates()->set_operations_per_second(speed);
      placement_.set_device(device, true, "");
      report(machine, nullptr);
    }
  }

  double run() {
    size_t arrived = 0;
    while (ended_ < mix_.tasks.size()) {
      while (arrived < mix_.tasks.size() && mix_.tasks[arrived].arrival <= now_)
        placement_.set_waiting(mix_.tasks[arrived++].job, time());
      end_jobs();
      report_progress();
      start_jobs();
      if (running_.empty() && arrived > ended_) stalls_++;
      double next = arrived < mix_.tasks.size() ? mix_.tasks[arrived].arrival : INFINITY;
      if (placement_.next_due() != TimePoint::max())
        next =
            std::min(next, std::chrono::duration<double>(placement_.next_due().time_since_epoch()).count());
      for (const auto& [id, running] : running_)
        next = std::min(
            {next, running.end, running.start + kMeasured > now_ ? running.start + kMeasured : INFINITY});
      now_ = std::max(next, now_ + 1e-6);
    }
    return end_;
  }
  int stalls() const { return stalls_; }  // number of times at which jobs waited and no job ran
  size_t starts() const { return starts_; }

 private:
  static constexpr double kMeasured = 0.5;
  struct Running {
    const Task* task;
    double start, end;
  };
  TimePoint time() const { return TimePoint(Duration(int64_t(now_ * 1e9))); }
  const Machine& machine(const std::string& id) const { return mix_.machines[size_t(std::stoi(id))]; }

  void report(const Machine& machine, const Task* task) {
    v1::ScheduleSample sample;
    sample.set_predicted_load(machine.load);
    if (task != nullptr) {
      v1::LearntCost& cost = *sample.add_costs();
      cost.set_key(task->job.estimate().cost_key());
      cost.mutable_unit()->set_nanos(int32_t(task->unit * machine.slowness * 1e9));
    }
    placement_.learn(machine.id, sample, time());
  }
  void end_jobs() {
    std::erase_if(running_, [&](const auto& entry) {
      if (entry.second.end > now_) return false;
      end_ = std::max(end_, entry.second.end);
      placement_.release(entry.first, entry.second.task->job.id(), time());
      ended_++;
      return true;
    });
  }
  void start_jobs() {
    while (const auto next = placement_.next(time())) {
      const Task& task = mix_.tasks[size_t(std::stoi(next->job_id))];
      const Machine& where = machine(next->choice.device);
      placement_.remove_waiting(next->job_id);
      placement_.occupy(where.id, task.job, time());
      ASSERT_TRUE(running_.emplace(where.id, Running{&task, now_, now_ + task.cost_on(where)}).second);
      starts_++;
    }
  }
  void report_progress() {
    for (const auto& [id, running] : running_) {
      if (now_ - running.start < kMeasured) continue;
      report(machine(id), running.task);
      v1::Job job = running.task->job;
      const double rate = double(job.estimate().units_in()) / (running.end - running.start);
      job.mutable_progress()->set_stage("processing");
      job.mutable_progress()->set_units_done(int64_t(rate * (now_ - running.start)));
      job.mutable_progress()->set_units_per_second(rate);
      placement_.progressed(id, job, time());
    }
  }

  const Mix& mix_;
  Placement placement_{1};
  std::map<std::string, Running> running_;
  double end_ = 0, now_ = 0;
  int stalls_ = 0;
  size_t starts_ = 0, ended_ = 0;
};

struct Figures {
  // ratio of the makespans: mean over the mixes, and maximum
  double to_fixed = 0, worst_to_fixed = 0;
  double to_bound = 0, fixed_to_bound = 0;
};

Figures measure(bool all_at_once) {
  constexpr int kMixes = 150;
  Figures figures;
  for (uint64_t seed = 1; seed <= kMixes; seed++) {
    const Mix mix = random_mix(seed, all_at_once);
    World world(mix);
    const double ours = world.run();
    const double fixed = fixed_order_makespan(mix), bound = lower_bound(mix);
    EXPECT_EQ(world.starts(), mix.tasks.size()) << "seed " << seed << ": all work is done once";
    EXPECT_EQ(world.stalls(), 0) << "seed " << seed;
    EXPECT_GE(ours, bound * 0.999) << "seed " << seed;
    figures.to_fixed += ours / fixed / kMixes;
    figures.worst_to_fixed = std::max(figures.worst_to_fixed, ours / fixed);
    figures.to_bound += ours / bound / kMixes;
    figures.fixed_to_bound += fixed / bound / kMixes;
  }
  fmt::print(
      "makespan: {:.3f} of the fixed order's (at worst {:.3f}); {:.3f} of the bound (the fixed order: "
      "{:.3f})\n",
      figures.to_fixed, figures.worst_to_fixed, figures.to_bound, figures.fixed_to_bound);
  return figures;
}

TEST(Makespan, OfJobsThatAreAllThere) {
  const Figures figures = measure(true);
  EXPECT_LT(figures.to_fixed, 0.9);
  EXPECT_LT(figures.to_bound, 1.2);
}

TEST(Makespan, OfJobsThatComeOverTime) {
  const Figures figures = measure(false);
  EXPECT_LT(figures.to_fixed, 0.9);
  EXPECT_LT(figures.to_bound, 1.2);
}

}  // namespace
}  // namespace weft::queue
