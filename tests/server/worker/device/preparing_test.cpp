// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/preparing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/device/device.h"
#include "tests/server/worker/device/held_work.h"

namespace weft::worker {
namespace {

using std::chrono::milliseconds;

device::Device& cpu_device() {
  static const auto device = device::open_device(std::string_view("cpu"), {.cpu_threads = 1}).value();
  return *device;
}

// Counts, on the device, in so many units; or is never ready.
class Counting final : public filters::Batches {
 public:
  explicit Counting(int units, bool is_ready = true) : units_(units), is_ready_(is_ready) {}
  bool has_room() const override { return false; }
  void finish() override {}
  int ready() const override { return is_ready_ ? units_ - submitted_ : 0; }
  int submit(int most, const filters::SubmittedBatch&) override {
    const int units = std::min(ready(), most);
    const device::Mark begin = stream_->mark();
    last_ = {stream_.get(), begin, stream_->mark()};
    submitted_ += units;
    return units;
  }
  filters::SubmittedBatch last_batch() const override { return last_; }
  StatusOr<Duration> wait_for(const filters::SubmittedBatch& batch) override {
    if (fails) return unavailable("The device is lost.");
    RETURN_IF_ERROR(stream_->wait(batch.end));
    return stream_->elapsed(batch.begin, batch.end);
  }
  bool is_complete() const override { return true; }
  bool is_submitted() const override { return submitted_ == units_; }
  bool is_empty() const override { return submitted_ == units_; }
  std::vector<filters::BatchCost> take_costs() override { return {{0, milliseconds(3)}}; }

  bool fails = false;

 private:
  const std::unique_ptr<device::Stream> stream_ = cpu_device().make_stream().value();
  const int units_;
  const bool is_ready_;
  std::atomic<int> submitted_{0};
  filters::SubmittedBatch last_;
};

struct PreparedFilter {
  Counting* work;
  int prepared_calls = 0;
  filters::Batches* preparation() { return work; }
  void prepared() { prepared_calls++; }
};

TEST(Preparing, RunsEverythingAndTellsWhatItTook) {
  DeviceLoop loop;
  Counting work(5);
  PreparedFilter filter{&work};
  JobMeter meter;
  ASSERT_THAT(Preparing(loop, &meter).run(filter, {}), IsOk());
  EXPECT_EQ(Duration(meter.device_ns), milliseconds(3));
  EXPECT_GT(meter.heartbeat, 0u);
  EXPECT_TRUE(work.is_empty());
  EXPECT_EQ(filter.prepared_calls, 1);
}

TEST(Preparing, AFilterThatNeedsNothingIsReady) {
  DeviceLoop loop;
  PreparedFilter filter{nullptr};
  EXPECT_THAT(Preparing(loop).run(filter, {}), IsOk());
  EXPECT_EQ(filter.prepared_calls, 0);
}

TEST(Preparing, AChangeThatCameBeforeHolds) {
  DeviceLoop loop;
  Counting work(1);
  PreparedFilter filter{&work};
  Preparing preparing(loop);
  schedule::SourceChanged change;
  change.work_class = schedule::WorkClass::kSpare;
  preparing.change(change);
  schedule::SourceSpec source;
  source.work_class = schedule::WorkClass::kNormal;
  ASSERT_THAT(preparing.run(filter, source), IsOk());
  const auto decisions = loop.decisions_after(0, 10);
  ASSERT_FALSE(decisions.empty());
  EXPECT_EQ(decisions.front().work_class, schedule::WorkClass::kSpare);
}

TEST(Preparing, EndsWhenItsJobDoes) {
  DeviceLoop loop;
  Counting work(5, false);
  PreparedFilter filter{&work};
  Preparing preparing(loop);
  std::jthread stopping([&] { preparing.stop(); });
  EXPECT_THAT(preparing.run(filter, {}), StatusIs(StatusCode::kCancelled, "it was stopped"));
  EXPECT_EQ(filter.prepared_calls, 0);
  Counting ready(5);
  PreparedFilter other{&ready};
  EXPECT_THAT(preparing.run(other, {}), StatusIs(StatusCode::kCancelled)) << "and for good";
  EXPECT_EQ(ready.ready(), 5) << "nothing of it was begun";
}

TEST(Preparing, SaysThatItWaitsForItsTurn) {
  DeviceLoop loop;
  HeldWork running(loop, "runs");
  ASSERT_TRUE(running.has_started());
  Counting work(1);
  PreparedFilter filter{&work};
  Preparing preparing(loop);
  EXPECT_FALSE(preparing.waits_for_turn());
  std::jthread prepares([&] { EXPECT_THAT(preparing.run(filter, {}), IsOk()); });
  while (!preparing.waits_for_turn()) std::this_thread::yield();
  running.release();
  prepares.join();
  EXPECT_FALSE(preparing.waits_for_turn());
  EXPECT_TRUE(work.is_empty());
}

TEST(Preparing, EndsWhenTheDeviceHasNoTimeForIt) {
  DeviceLoop loop;
  Counting work(5, false);
  PreparedFilter filter{&work};
  EXPECT_THAT(Preparing(loop).run(filter, {}, milliseconds(20)),
              StatusIs(StatusCode::kDeadlineExceeded, "no time for it"));
}

TEST(Preparing, TellsTheDevicesError) {
  DeviceLoop loop;
  Counting work(1);
  work.fails = true;
  PreparedFilter filter{&work};
  EXPECT_THAT(Preparing(loop).run(filter, {}), StatusIs(StatusCode::kUnavailable, "is lost"));
  EXPECT_EQ(filter.prepared_calls, 0);
}

}  // namespace
}  // namespace weft::worker
