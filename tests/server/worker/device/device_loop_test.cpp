// SPDX-License-Identifier: Apache-2.0
// Tests the device loop on the CPU device: real work of several sources, started by the schedule.
#include "server/worker/device/device_loop.h"

#include <numeric>
#include <span>
#include <thread>

#include <gmock/gmock.h>
#include <google/protobuf/util/time_util.h>
#include <gtest/gtest.h>

#include "server/worker/device/job_meter.h"
#include "server/worker/device/schedule_report.h"
#include "tests/server/worker/device/held_work.h"
#include "tests/server/worker/jobs.h"

namespace weft::worker {
namespace {

using schedule::SourceClass;
using schedule::SourceId;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr size_t kUnitBytes = size_t{1} << 20;
constexpr Duration kReaction = milliseconds(50);

// Work that fills a megabyte for each unit.
class Fills final : public DeviceWork {
 public:
  Fills(DeviceLoop& loop, int units, SourceClass work_class = SourceClass::kNormal, int priority = 0,
        const std::string& cost_key = "fill", int portions = 1)
      : loop_(loop), units_(units), left_(units) {
    stream_ = *cpu_device().make_stream();
    buffer_ = *cpu_device().allocate(device::MemoryKind::kDevice, kUnitBytes);
    schedule::SourceSpec spec;
    spec.owner = "somebody";
    spec.cost_key = cost_key;
    spec.work_class = work_class;
    spec.priority = priority;
    spec.max_units = 1000;
    spec.portions = portions;
    id_ = *loop.open(spec, *this);
    loop.ready(id_);
  }
  ~Fills() override { loop_.close(id_); }

  SourceId id() const { return id_; }
  int started() const { return units_ - left_; }
  int done() const { return done_; }
  Status error() {
    const std::lock_guard lock(mutex_);
    return error_;
  }
  int failures() const { return failures_; }
  int started_after_failure() const { return started_after_failure_; }
  void fail_next() { fails_ = true; }
  // Sets the reported device time of a unit, so that predictions do not depend on the machine.
  void say_each_takes(Duration time) { each_ns_ = time.count(); }
  // Waits until the condition is true. Returns false after 30 seconds.
  template <class Condition>
  bool wait_until(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, seconds(30), condition);
  }

 private:
  Ready ready() override {
    Ready ready;
    ready.units = left_;
    ready.complete = true;
    ready.ended = left_ == 0;
    return ready;
  }
  Status start(int units, const graph::SubmittedBatch& after) override {
    if (failures_ > 0) started_after_failure_++;
    if (fails_) return internal_error("It was asked to fail.");
    const std::lock_guard lock(mutex_);
    if (after.stream != nullptr) stream_->wait_for(*after.stream, after.end);
    last_ = {stream_.get(), stream_->mark(), {}};
    for (int i = 0; i < units; i++) stream_->fill(*buffer_, 0, kUnitBytes, std::byte(i));
    last_.end = stream_->mark();
    left_ -= units;
    running_.push_back({last_, units});
    return ok_status();
  }
  graph::SubmittedBatch last_batch() override { return last_; }
  StatusOr<Duration> wait() override {
    std::pair<graph::SubmittedBatch, int> batch;
    {
      const std::lock_guard lock(mutex_);
      batch = running_.front();
      running_.pop_front();
    }
    RETURN_IF_ERROR(stream_->wait(batch.first.end));
    const std::lock_guard lock(mutex_);
    done_ += batch.second;
    changed_.notify_all();
    if (const Duration each{each_ns_}; each > Duration(0)) return each * batch.second;
    return stream_->elapsed(batch.first.begin, batch.first.end);
  }
  void failed(const Status& error) override {
    const std::lock_guard lock(mutex_);
    error_ = error;
    failures_++;
    changed_.notify_all();
  }

  DeviceLoop& loop_;
  const int units_;
  SourceId id_ = 0;
  std::atomic<int> left_;
  std::atomic<int> done_{0};
  std::atomic<bool> fails_{false};
  std::atomic<Duration::rep> each_ns_{0};
  std::atomic<int> failures_{0};  // number of failures reported to the work
  std::atomic<int> started_after_failure_{0};
  Status error_;
  std::unique_ptr<device::Buffer> buffer_;
  std::unique_ptr<device::Stream> stream_;
  graph::SubmittedBatch last_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<graph::SubmittedBatch, int>> running_;
};

std::vector<schedule::Decision> decisions_of(const DeviceLoop& loop) {
  return loop.decisions_after(0, schedule::DecisionRing::kCapacity);
}

TEST(DeviceLoop, RunsEveryUnitOfEverySourceOnce) {
  DeviceLoop loop;
  Fills first(loop, 300), second(loop, 500);
  EXPECT_TRUE(first.wait_until([&] { return first.done() == 300; }));
  EXPECT_TRUE(second.wait_until([&] { return second.done() == 500; }));
  int units = 0;
  for (const schedule::Decision& decision : decisions_of(loop)) units += decision.units;
  EXPECT_EQ(units, 800);
  EXPECT_TRUE(loop.cost("fill").known());
  EXPECT_EQ(loop.totals().misses, 0);
}

TEST(DeviceLoop, AStopLetsOnlyWhatIsInFlightEnd) {
  DeviceLoop loop;
  Fills endless(loop, 1 << 30);
  endless.say_each_takes(milliseconds(1));
  ASSERT_TRUE(endless.wait_until([&] { return endless.done() > 200; }));
  loop.stop(endless.id());
  const std::vector<schedule::Decision> decisions = decisions_of(loop);
  const int started = endless.started();
  loop.close(endless.id());
  EXPECT_EQ(decisions_of(loop).back().serial, decisions.back().serial)
      << "something was started after the stop";
  EXPECT_EQ(endless.started(), started);
  EXPECT_EQ(endless.done(), started) << "what was on the device ended";
  // predicted time of the work on the device at the stop; at most the reaction time
  Duration in_flight{0};
  for (const schedule::Decision& decision : std::span(decisions).last(2)) in_flight += decision.predicted;
  EXPECT_LE(in_flight, kReaction);
}

TEST(DeviceLoop, APriorityThatRisesIsServedNext) {
  DeviceLoop loop;
  Fills low(loop, 1 << 30, SourceClass::kNormal, 5), lower(loop, 1 << 30, SourceClass::kNormal, 1);
  ASSERT_TRUE(low.wait_until([&] { return low.done() > 200; }));
  EXPECT_LE(lower.done(), 1);
  loop.change({lower.id(), SourceClass::kNormal, 9, 1, 1});
  const uint64_t changed = decisions_of(loop).back().serial;
  const int done = lower.done();
  ASSERT_TRUE(lower.wait_until([&] { return lower.done() > done + 100; }));
  for (const schedule::Decision& decision : loop.decisions_after(changed, 100))
    EXPECT_EQ(decision.source, lower.id());
}

TEST(DeviceLoop, SpareWaitsForNormal) {
  DeviceLoop loop;
  Fills spare(loop, 1 << 30, SourceClass::kSpare);
  ASSERT_TRUE(spare.wait_until([&] { return spare.done() > 200; }));
  Fills normal(loop, 1000);
  const uint64_t opened = decisions_of(loop).back().serial;
  ASSERT_TRUE(normal.wait_until([&] { return normal.done() == 1000; }));
  int spare_units = 0, normal_units = 0;
  for (const schedule::Decision& decision : loop.decisions_after(opened, schedule::DecisionRing::kCapacity)) {
    if (normal_units + (decision.source == normal.id() ? decision.units : 0) >= 1000) break;
    (decision.source == spare.id() ? spare_units : normal_units) += decision.units;
  }
  EXPECT_EQ(spare_units, 0);
}

TEST(DeviceLoop, AFailedStartStopsItsSourceAlone) {
  DeviceLoop loop;
  Fills good(loop, 1 << 30), bad(loop, 1 << 30);
  ASSERT_TRUE(bad.wait_until([&] { return bad.done() > 100; }));
  bad.fail_next();
  ASSERT_TRUE(bad.wait_until([&] { return bad.failures() > 0; }));
  EXPECT_THAT(bad.error(), StatusIs(StatusCode::kInternal));
  loop.close(bad.id());
  EXPECT_EQ(bad.failures(), 1);
  EXPECT_EQ(bad.started_after_failure(), 0);
  const int done = good.done();
  EXPECT_TRUE(good.wait_until([&] { return good.done() > done + 200; }));
}

TEST(DeviceLoop, AStreamThatDoesNotFitIsRefusedWithTheNumbers) {
  class Nothing final : public DeviceWork {
    Ready ready() override { return {}; }
    Status start(int, const graph::SubmittedBatch&) override { return internal_error("Nothing can start."); }
    graph::SubmittedBatch last_batch() override { return {}; }
    StatusOr<Duration> wait() override { return Duration(0); }
    void failed(const Status&) override {}
  } nothing;
  DeviceLoop loop;
  schedule::SourceSpec stream;
  stream.work_class = SourceClass::kRealtime;
  stream.cost_key = "frame";
  stream.period = milliseconds(10);
  EXPECT_THAT(loop.open(stream, nothing).status(), StatusIs(StatusCode::kFailedPrecondition));
  stream.declared_cost = milliseconds(9);
  EXPECT_THAT(loop.open(stream, nothing).status(), StatusIs(StatusCode::kResourceExhausted));
  stream.declared_cost = milliseconds(4);
  const StatusOr<SourceId> fits = loop.open(stream, nothing);
  ASSERT_THAT(fits, IsOk());
  EXPECT_NEAR(loop.predicted_load(), 0.4, 1e-6);
  loop.close(*fits);
  EXPECT_NEAR(loop.predicted_load(), 0, 1e-6);
}

TEST(DeviceLoop, WhoOpensAndClosesTakesTurns) {
  DeviceLoop loop;
  int inside = 0, most = 0, turns = 0;
  {
    std::vector<std::jthread> jobs;
    for (int i = 0; i < 4; i++)
      jobs.emplace_back([&] {
        for (int n = 0; n < 50; n++) {
          const auto driver_lock = loop.driver_lock();
          if (!driver_lock.is_held()) continue;
          most = std::max(most, ++inside);
          std::this_thread::yield();
          inside--;
          turns++;
        }
      });
  }
  EXPECT_EQ(most, 1);
  EXPECT_EQ(turns, 200);
}

// A batch of unknown cost runs alone on the device, so other work waits.
TEST(DeviceLoop, WhatWaitsForOthersDoesNotHang) {
  DeviceLoop loop;
  HeldWork running(loop, "runs"), waiting(loop, "waits"), second(loop, "runs");
  ASSERT_TRUE(running.has_started());
  ASSERT_FALSE(waiting.has_started());
  EXPECT_TRUE(loop.waits_for_turn(waiting.id()));
  EXPECT_TRUE(loop.waits_for_turn("waits"));
  EXPECT_FALSE(loop.waits_for_turn(running.id()));
  EXPECT_TRUE(loop.waits_for_turn(second.id()));
  EXPECT_FALSE(loop.waits_for_turn("runs")) << "it has a batch on the device that may hang";
  EXPECT_FALSE(loop.waits_for_turn("nobody"));
}

TEST(DeviceLoop, WhatWaitsForABatchThatHangsIsNotToldAlive) {
  DeviceLoop loop({}, {}, Duration(0));
  HeldWork running(loop, "runs"), waiting(loop, "waits");
  ASSERT_TRUE(running.has_started());
  EXPECT_FALSE(loop.waits_for_turn(waiting.id()));
  EXPECT_FALSE(loop.waits_for_turn("waits"));
}

// A large picture on a slow device: its batch takes long, but advances.
TEST(DeviceLoop, ABatchThatGoesOnDoesNotHangHoweverLongItTakes) {
  constexpr std::chrono::milliseconds kLongest{200};
  DeviceLoop loop({}, {}, kLongest);
  HeldWork running(loop, "runs"), waiting(loop, "waits");
  ASSERT_TRUE(running.has_started());
  const auto begin = std::chrono::steady_clock::now();
  uint64_t chunks = 0;
  bool is_alive = true;
  while (std::chrono::steady_clock::now() < begin + 2 * kLongest) {
    running.do_chunk();
    is_alive = loop.waits_for_turn("waits");
    EXPECT_EQ(loop.chunks_done("runs"), ++chunks);
    std::this_thread::yield();
  }
  EXPECT_TRUE(is_alive) << "after twice as long as a batch takes that does nothing";
  EXPECT_EQ(loop.chunks_done("waits"), 0u);
  EXPECT_EQ(loop.chunks_done("nobody"), 0u);
  // After this the batch does not advance any more.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (loop.waits_for_turn("waits") && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  EXPECT_FALSE(loop.waits_for_turn("waits"));
}

TEST(DeviceLoop, CostsWithoutAKeyAreNotTold) {
  DeviceLoop loop;
  ScheduleReport report(loop);
  {
    Fills look(loop, 40, SourceClass::kSpare, 0, "");
    ASSERT_TRUE(look.wait_until([&] { return look.done() == 40; }));
  }
  EXPECT_TRUE(loop.cost("").known());
  EXPECT_EQ(report.take().costs_size(), 0);
}

TEST(DeviceLoop, CostsOfPortionsAreToldOfFrames) {
  constexpr int kUnits = 50;
  DeviceLoop loop;
  Fills work(loop, 500, SourceClass::kNormal, 0, "frame", kUnits);
  ASSERT_TRUE(work.wait_until([&] { return work.done() == 500; }));
  EXPECT_FALSE(loop.cost("frame").known()) << "what a whole frame costs was not measured";
  const std::vector<KeyCost> costs = loop.learnt_costs();
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].key, "frame");
  const schedule::BatchCost unit = loop.cost(fmt::format("frame / {}", kUnits));
  ASSERT_TRUE(unit.known());
  const int largest = unit.largest_measured();
  EXPECT_EQ(costs[0].unit, unit.predict(largest) * kUnits / largest);
  EXPECT_EQ(costs[0].batch_units, std::max(largest / kUnits, 1));
}

// The busy time of a batch is reported while it runs, and not again after it has ended.
TEST(DeviceLoop, ABatchThatRunsIsReportedAsBusy) {
  DeviceLoop loop;
  ScheduleReport report(loop);
  Duration reported{0};
  const auto report_presence = [&] {
    reported +=
        Duration(google::protobuf::util::TimeUtil::DurationToNanoseconds(report.take().normal_busy()));
  };
  {
    HeldWork running(loop, "runs");  // Its reported device time is a millisecond.
    ASSERT_TRUE(running.has_started());
    while (reported < std::chrono::milliseconds(2)) report_presence();
  }
  report_presence();
  const Duration before = reported;
  report_presence();
  EXPECT_EQ(reported, before);
}

TEST(DeviceLoop, WhatItDidIsReportedOnce) {
  DeviceLoop loop;
  ScheduleReport report(loop);
  {
    Fills work(loop, 40);
    ASSERT_TRUE(work.wait_until([&] { return work.done() == 40; }));
  }
  const v1::ScheduleSample sample = report.take();
  EXPECT_GE(sample.batches(), 1);
  EXPECT_EQ(sample.batch_units().sum(), 40);
  const auto& counts = sample.batch_units().counts();
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), sample.batches());
  ASSERT_EQ(sample.costs_size(), 1);
  EXPECT_EQ(sample.costs(0).key(), "fill");
  EXPECT_GT(sample.costs(0).unit().nanos(), 0);
  EXPECT_EQ(sample.costs(0).batches(), sample.batches());
  ASSERT_GE(sample.decisions_size(), 1);
  EXPECT_EQ(sample.decisions(0).reason(), "probe") << "nothing was known of the cost";
  EXPECT_EQ(sample.decisions(0).units(), 1);
  EXPECT_EQ(sample.decisions(0).work_class(), v1::WORK_CLASS_NORMAL);
  EXPECT_FALSE(sample.decisions(0).has_predicted());
  EXPECT_TRUE(sample.decisions(0).has_real());
  for (int i = 1; i < sample.decisions_size(); i++)
    EXPECT_EQ(sample.decisions(i).serial(), sample.decisions(i - 1).serial() + 1);

  const v1::ScheduleSample again = report.take();
  EXPECT_EQ(again.batches(), 0);
  EXPECT_EQ(again.decisions_size(), 0);
  EXPECT_EQ(again.costs_size(), 0);
  EXPECT_EQ(again.batch_units().sum(), 0);
}

}  // namespace
}  // namespace weft::worker
