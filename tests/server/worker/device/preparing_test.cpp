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

// Batches that count on the device up to `units`. If `is_ready` is false, no unit ever becomes
// ready.
class Counting final : public graph::Batches {
 public:
  explicit Counting(int units, bool is_ready = true) : units_(units), is_ready_(is_ready) {}
  bool has_capacity() const override { return false; }
  void finish() override {}
  int ready() const override { return is_ready_ ? units_ - submitted_ : 0; }
  int submit(int most, const graph::SubmittedBatch&) override {
    const int units = std::min(ready(), most);
    const device::Mark begin = stream_->mark();
    last_ = {stream_.get(), begin, stream_->mark()};
    submitted_ += units;
    return units;
  }
  graph::SubmittedBatch last_batch() const override { return last_; }
  StatusOr<Duration> wait_for(const graph::SubmittedBatch& batch) override {
    if (fails) return unavailable("The device is lost.");
    RETURN_IF_ERROR(stream_->wait(batch.end));
    return stream_->elapsed(batch.begin, batch.end);
  }
  void end_early() { submitted_ = units_; }
  bool is_complete() const override { return true; }
  bool is_submitted() const override { return submitted_ == units_; }
  bool is_empty() const override { return submitted_ == units_; }
  std::vector<graph::BatchTime> take_costs() override { return {{0, milliseconds(3)}}; }

  bool fails = false;

 private:
  const std::unique_ptr<device::Stream> stream_ = cpu_device().make_stream().value();
  const int units_;
  const bool is_ready_;
  std::atomic<int> submitted_{0};
  graph::SubmittedBatch last_;
};

// Runs the work as a source with units of one frame.
Status run(Preparing& preparing, Counting& work, schedule::SourceSpec source = {},
           Duration longest = Duration::max()) {
  source.max_units = source.portions = std::max(work.ready(), 1);
  return preparing.run_all(work, std::move(source), longest, "The filter cannot be prepared");
}

// A node that copies its unit to the memory of a test, in `portions` portions.
class Keeping final : public graph::Node {
 public:
  Keeping(const device::Buffer& kept, int portions) : kept_(kept), portions_(portions) {
    descriptor_.name = "keeping";
    descriptor_.inputs = {graph::Window()};
  }
  const graph::NodeDescriptor& descriptor() const override { return descriptor_; }
  int portions() const override { return portions_; }
  void enqueue(device::Stream& stream, const graph::Step& step) override {
    if (graph::has_end(step.portion))
      stream.copy(kept_, 0, *step.arena, step.input_offset(0, 0), kept_.size_bytes());
  }

 private:
  const device::Buffer& kept_;
  const int portions_;
  graph::NodeDescriptor descriptor_;
};

TEST(Preparing, RunsWhatANetworkNeedsInOrder) {
  DeviceLoop loop;
  JobMeter meter;
  const auto kept = cpu_device().allocate(device::MemoryKind::kDownload, 64).value();
  graph::Network network;
  std::vector<int> done;
  for (const int number : {1, 2}) {
    graph::Preparation preparation;
    preparation.unit.assign(64, std::byte(number));
    preparation.network = std::make_unique<graph::Network>();
    const graph::Port source = preparation.network->set_source(graph::PortFormat::data("test", 64));
    ASSERT_THAT(preparation.network->add_node(std::make_unique<Keeping>(*kept, 5), {&source, 1}), IsOk());
    preparation.done = [&done, number, &kept] {
      done.push_back(number);
      EXPECT_EQ(int(kept->host()[63]), number);
    };
    network.add_preparation(std::move(preparation));
  }
  Preparing preparing(loop, &meter);
  ASSERT_THAT(preparing.run(cpu_device(), network, {}), IsOk());
  EXPECT_EQ(done, (std::vector{1, 2}));
  EXPECT_TRUE(network.preparations().empty());
  EXPECT_GT(meter.device_ns, 0);
  EXPECT_THAT(preparing.run(cpu_device(), network, {}), IsOk()) << "nothing is left to do";
}

TEST(Preparing, RunsEverythingAndTellsWhatItTook) {
  DeviceLoop loop;
  Counting work(5);
  JobMeter meter;
  Preparing preparing(loop, &meter);
  ASSERT_THAT(run(preparing, work), IsOk());
  EXPECT_EQ(Duration(meter.device_ns), milliseconds(3));
  EXPECT_GT(meter.heartbeat, 0u);
  EXPECT_TRUE(work.is_empty());
}

// A step may report the end of the input while no unit is ready.
TEST(Preparing, EndsWhereAStepLeavesNothing) {
  DeviceLoop loop;
  Counting work(1, false);
  Preparing preparing(loop);
  const auto step = [&]() -> StatusOr<bool> {
    work.end_early();
    return false;
  };
  EXPECT_THAT(preparing.run_all(work, {}, std::chrono::seconds(60), "Nothing is left", step), IsOk());
}

TEST(Preparing, AChangeThatCameBeforeHolds) {
  DeviceLoop loop;
  Counting work(1);
  Preparing preparing(loop);
  schedule::SourceChanged change;
  change.work_class = schedule::SourceClass::kSpare;
  preparing.change(change);
  schedule::SourceSpec source;
  source.work_class = schedule::SourceClass::kNormal;
  ASSERT_THAT(run(preparing, work, source), IsOk());
  const auto decisions = loop.decisions_after(0, 10);
  ASSERT_FALSE(decisions.empty());
  EXPECT_EQ(decisions.front().work_class, schedule::SourceClass::kSpare);
}

TEST(Preparing, EndsWhenItsJobDoes) {
  DeviceLoop loop;
  Counting work(5, false);
  Preparing preparing(loop);
  std::jthread stopping([&] { preparing.stop(); });
  EXPECT_THAT(run(preparing, work), StatusIs(StatusCode::kCancelled, "it was stopped"));
  Counting ready(5);
  EXPECT_THAT(run(preparing, ready), StatusIs(StatusCode::kCancelled)) << "and for good";
  EXPECT_EQ(ready.ready(), 5) << "nothing of it was begun";
}

TEST(Preparing, SaysThatItWaitsForItsTurn) {
  DeviceLoop loop;
  HeldWork running(loop, "runs");
  ASSERT_TRUE(running.has_started());
  Counting work(1);
  Preparing preparing(loop);
  EXPECT_FALSE(preparing.waits_for_turn());
  std::jthread prepares([&] { EXPECT_THAT(run(preparing, work), IsOk()); });
  while (!preparing.waits_for_turn()) std::this_thread::yield();
  running.release();
  prepares.join();
  EXPECT_FALSE(preparing.waits_for_turn());
  EXPECT_TRUE(work.is_empty());
}

TEST(Preparing, EndsWhenTheDeviceHasNoTimeForIt) {
  DeviceLoop loop;
  Counting work(5, false);
  Preparing preparing(loop);
  EXPECT_THAT(run(preparing, work, {}, milliseconds(20)),
              StatusIs(StatusCode::kDeadlineExceeded, "no time for it"));
}

TEST(Preparing, TellsTheDevicesError) {
  DeviceLoop loop;
  Counting work(1);
  work.fails = true;
  Preparing preparing(loop);
  EXPECT_THAT(run(preparing, work), StatusIs(StatusCode::kUnavailable, "is lost"));
}

}  // namespace
}  // namespace weft::worker
