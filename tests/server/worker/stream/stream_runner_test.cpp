// SPDX-License-Identifier: Apache-2.0
// Tests a stream on the CPU device without daemon and client: the ring, order, deadlines and
// admission.
#include <algorithm>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/util/time_util.h>
#include <unistd.h>

#include "options/values.h"
#include "server/filters/bloom/spectrum_cache.h"
#include "server/worker/device/schedule_report.h"
#include "server/worker/stream/stream_plan.h"
#include "tests/server/worker/device/held_work.h"
#include "tests/server/worker/stream/stream_runner_fixture.h"

namespace weft::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(StreamRunnerTest, PicturesComeInOrderWithTheirTimes) {
  for (const auto stream_class : {v1::STREAM_CLASS_NORMAL, v1::STREAM_CLASS_REALTIME}) {
    auto opened = open(order_of(stream_class));
    ASSERT_THAT(opened, IsOk());
    runner_ = *std::move(opened);
    EXPECT_EQ(runner_->started_message().picture_rate().numerator(), 50);
    EXPECT_EQ(runner_->started_message().frames_ahead(), 1);
    facts_.clear();
    shades_.clear();
    EXPECT_THAT(run(40).status, IsOk());
    ASSERT_EQ(facts_.size(), 80u);
    for (int i = 0; i < 80; i++) {
      EXPECT_EQ(facts_[size_t(i)].index(), i);
      EXPECT_EQ(facts_[size_t(i)].source_index(), i / 2);
      EXPECT_EQ(facts_[size_t(i)].pts(), i);
      if (i % 2 == 0) {
        EXPECT_EQ(shades_[size_t(i)], i / 2 + 1);  // The sample is on a kept line of its own frame.
      }
    }
    EXPECT_EQ(runner_->report().frames_in(), 40);
    EXPECT_EQ(runner_->report().pictures_out(), 80);
    EXPECT_GT(runner_->device_time(), Duration(0));
  }
}

// Each frame differs a little from the previous one. A cycle drops the first of its least changes;
// the first frame of the stream has no change.
TEST_F(StreamRunnerTest, InverseTelecineDropsAFrameOfEachCycleAtAConstantRate) {
  for (const auto stream_class : {v1::STREAM_CLASS_NORMAL, v1::STREAM_CLASS_REALTIME}) {
    internal::v1::StartStream order = order_of(stream_class, 50);
    set_filters(*order.mutable_open(), "ivtc");
    options::apply_defaults(*order.mutable_open());
    auto opened = open(order);
    ASSERT_THAT(opened, IsOk());
    runner_ = *std::move(opened);
    EXPECT_EQ(runner_->started_message().picture_rate().numerator(), 40);
    EXPECT_EQ(runner_->started_message().frames_ahead(), 5) << "the rest of a cycle, and a field";
    facts_.clear();
    shades_.clear();
    EXPECT_THAT(run(23).status, IsOk());
    EXPECT_THAT(shades_,
                testing::ElementsAre(1, 3, 4, 5, 7, 8, 9, 10, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23));
    for (size_t i = 0; i < facts_.size(); i++) {
      EXPECT_EQ(facts_[i].index(), i);
      EXPECT_EQ(facts_[i].pts(), 5 * i) << "in quarters of a period";
      EXPECT_EQ(facts_[i].duration(), 5);
    }
    EXPECT_EQ(runner_->report().frames_in(), 23);
    EXPECT_EQ(runner_->report().pictures_out(), 19);
  }
}

TEST_F(StreamRunnerTest, EachLatencyIsToldOnce) {
  auto opened = open(order_of(v1::STREAM_CLASS_NORMAL));
  ASSERT_THAT(opened, IsOk());
  runner_ = *std::move(opened);
  EXPECT_THAT(run(5, std::chrono::steady_clock::now() - seconds(10)).status, IsOk());
  const v1::Histogram reported = runner_->take_latencies();
  ASSERT_EQ(reported.counts_size(), reported.bounds_size() + 1);
  EXPECT_TRUE(std::is_sorted(reported.bounds().begin(), reported.bounds().end()));
  // The latencies of the last frame's two pictures count from the end of the input. Those of the
  // others count from 10 s ago and are above the last bound.
  EXPECT_EQ(std::accumulate(reported.counts().begin(), reported.counts().end(), int64_t(0)), 10);
  EXPECT_EQ(reported.counts(reported.bounds_size()), 8);
  EXPECT_GE(reported.sum(), 80);
  const v1::Histogram again = runner_->take_latencies();
  EXPECT_EQ(again.bounds_size(), reported.bounds_size());
  EXPECT_EQ(std::accumulate(again.counts().begin(), again.counts().end(), int64_t(0)), 0);
  EXPECT_EQ(again.sum(), 0);
}

TEST_F(StreamRunnerTest, FramesThatArrivedLongAgoMissTheirDeadlines) {
  auto opened = open(order_of(v1::STREAM_CLASS_REALTIME));
  ASSERT_THAT(opened, IsOk());
  runner_ = *std::move(opened);
  EXPECT_EQ(runner_->started_message().deadline_ns(), 40'000'000);
  EXPECT_THAT(run(5, std::chrono::steady_clock::now() - seconds(10)).status, IsOk());
  // The latency of the last frame's pictures counts from the end of the input, which is recent.
  EXPECT_GE(runner_->report().missed(), 8);
  EXPECT_GE(runner_->report().late_frames(), 4) << "a frame that has two late pictures is one";
  EXPECT_LE(runner_->report().late_frames(), 5);
  EXPECT_GE(runner_->report().latency_max().seconds(), 10);
}

TEST_F(StreamRunnerTest, FramesOfAFileAreDueAtTheirRateNotAtOnce) {
  constexpr int kRate = 20, kFrames = 12;
  internal::v1::StartStream order = order_of(v1::STREAM_CLASS_REALTIME, kRate);
  order.mutable_open()->mutable_settings()->set_deadline(30'000);
  auto opened = open(order);
  ASSERT_THAT(opened, IsOk());
  runner_ = *std::move(opened);
  EXPECT_THAT(run(kFrames, std::chrono::steady_clock::now()).status, IsOk());
  const v1::StreamReport report = runner_->report();
  EXPECT_EQ(report.missed(), 0);
  // Two frames may arrive before their time, and each frame may be a hundredth of a period early.
  EXPECT_GE(google::protobuf::util::TimeUtil::DurationToMilliseconds(report.wall_time()),
            ((kFrames - 1) * 990 - 2000) / kRate);
  const StreamMeter::Work work = runner_->take_work();
  EXPECT_EQ(work.frames, kFrames);
  EXPECT_EQ(work.device_time, runner_->device_time());
  EXPECT_EQ(runner_->take_work().frames, 0);
  EXPECT_EQ(runner_->take_frames().done, kFrames);
  EXPECT_EQ(runner_->take_frames().done, 0);
}

TEST_F(StreamRunnerTest, WaitsUntilAFrameThatCameTooEarlyIsDue) {
  internal::v1::StartStream order = order_of(v1::STREAM_CLASS_REALTIME);
  order.mutable_open()->mutable_frame_rate()->set_numerator(1);
  order.mutable_open()->mutable_frame_rate()->set_denominator(3600);
  auto opened = open(order);
  ASSERT_THAT(opened, IsOk());
  runner_ = *std::move(opened);
  EXPECT_FALSE(runner_->waits());
  for (int i = 0; i < 2; i++) {
    internal::v1::StreamFrame frame;
    frame.set_slot(i);
    frame.set_arrival_ns(std::chrono::steady_clock::now().time_since_epoch().count());
    runner_->add_frame(frame);
  }
  std::jthread stopping([this] {
    while (!runner_->waits()) std::this_thread::yield();
    runner_->stop();
  });
  EXPECT_THAT(runner_->run().status, StatusIs(StatusCode::kCancelled, "stopped"));
}

TEST_F(StreamRunnerTest, WhatDoesNotFitIsRefusedWithTheNumbers) {
  EXPECT_THAT(open(order_of(v1::STREAM_CLASS_REALTIME, 100'000'000)),
              StatusIs(StatusCode::kResourceExhausted, "does not fit"));
  internal::v1::StartStream soon = order_of(v1::STREAM_CLASS_REALTIME);
  soon.mutable_open()->mutable_settings()->set_deadline(0.00001);
  EXPECT_THAT(open(soon), StatusIs(StatusCode::kResourceExhausted, "shortest deadline"));
  EXPECT_THAT(open(order_of(v1::STREAM_CLASS_NORMAL, 100'000'000)), IsOk());
}

// Work of one unit with `time` as its reported device time.
class SlowWork final : public DeviceWork {
 public:
  explicit SlowWork(Duration time) : time_(time) {}
  Ready ready() override { return {.units = started_ ? 0 : 1, .complete = started_, .ended = started_}; }
  Status start(int, const graph::SubmittedBatch&) override {
    started_ = true;
    return ok_status();
  }
  graph::SubmittedBatch last_batch() override { return {}; }
  StatusOr<Duration> wait() override { return time_; }
  void failed(const Status& error) override { ADD_FAILURE() << error; }

 private:
  const Duration time_;
  bool started_ = false;
};

void teach(DeviceLoop& loop, const std::string& key, Duration time) {
  schedule::SourceSpec spec;
  spec.cost_key = key;
  SlowWork work(time);
  const schedule::SourceId id = *loop.open(spec, work);
  loop.ready(id);
  while (!loop.cost(key).known()) std::this_thread::yield();
  loop.close(id);
}

TEST_F(StreamRunnerTest, ACostThatIsMeasuredAgainIsToldAgain) {
  ScheduleReport report(loop_);
  for (const Duration time : {Duration(seconds(1)), Duration(milliseconds(1))}) {
    const std::string apart = std::string(DeviceLoop::kMeasured) + "a frame";
    teach(loop_, apart, time);
    loop_.take_measured_cost(apart, "a frame");
    const v1::ScheduleSample reported = report.take();
    ASSERT_EQ(reported.costs_size(), 1);
    EXPECT_EQ(reported.costs(0).key(), "a frame");
    EXPECT_EQ(Duration(google::protobuf::util::TimeUtil::DurationToNanoseconds(reported.costs(0).unit())),
              time);
    EXPECT_EQ(report.take().costs_size(), 0);
  }
}

// Batches become smaller, down to one frame. Then the stream is refused with the figures.
TEST_F(StreamRunnerTest, AStreamTakesNoMoreMemoryThanIsFree) {
  internal::v1::StartStream order = order_of(v1::STREAM_CLASS_NORMAL, 25);
  const int64_t usual = open(order).value()->device_bytes();
  order.set_most_device_bytes(usual);
  EXPECT_EQ(open(order).value()->device_bytes(), usual);
  order.set_most_device_bytes(usual - 1);
  const int64_t smaller = open(order).value()->device_bytes();
  EXPECT_LT(smaller, usual);
  order.set_most_device_bytes(100);
  const Status refused = open(order).status();
  EXPECT_THAT(refused, StatusIs(StatusCode::kResourceExhausted, "bytes for one frame at a time"));
  EXPECT_THAT(message_of(refused), testing::HasSubstr("leave (100 bytes)"));
  EXPECT_EQ(device_->memory_used_bytes(), 0u);
}

TEST_F(StreamRunnerTest, WhatWasLearntOfABusyDeviceKeepsNoStreamOut) {
  const internal::v1::StartStream order = order_of(v1::STREAM_CLASS_REALTIME, 1);
  const StreamTask work = work_of(order.open(), {}).value();
  const StreamPipelines made =
      make_stream_pipelines({*device_, loop_, caches_}, preparing_, order, work).value();
  const std::string key = source_of(order.open(), work, *made.pictures).cost_key;
  teach(loop_, key, seconds(100));
  EXPECT_EQ(loop_.cost(key).predict(1), seconds(100));

  const auto runner = open(order);
  ASSERT_THAT(runner, IsOk());
  EXPECT_LT(loop_.cost(key).predict(1), seconds(1)) << "a frame a second was admitted";
  EXPECT_EQ(loop_.learnt_costs().size(), 1u) << "nobody is told of a measurement's own";
}

TEST_F(StreamRunnerTest, IsStoppedWhileWhatAFrameCostsIsMeasured) {
  HeldWork running(loop_, "runs");
  ASSERT_TRUE(running.has_started());
  std::jthread stopping([this] {
    while (!preparing_.waits_for_turn()) std::this_thread::yield();
    preparing_.stop();
  });
  EXPECT_THAT(open(order_of(v1::STREAM_CLASS_REALTIME)), StatusIs(StatusCode::kCancelled, "stopped"));
  EXPECT_EQ(loop_.decisions_after(0, 10).size(), 1u) << "nothing of the stream was begun";
}

internal::v1::StartStream bloom_of(v1::StreamClass stream_class, int rate = 25) {
  internal::v1::StartStream order = order_of(stream_class, rate);
  set_filters(*order.mutable_open(), "bloom=intensity=0.5");
  options::apply_defaults(*order.mutable_open());
  return order;
}

TEST_F(StreamRunnerTest, ABloomGivesAPictureAFrame) {
  for (const auto stream_class : {v1::STREAM_CLASS_NORMAL, v1::STREAM_CLASS_REALTIME}) {
    auto opened = open(bloom_of(stream_class));
    ASSERT_THAT(opened, IsOk());
    runner_ = *std::move(opened);
    EXPECT_EQ(runner_->filter_name(), "bloom");
    EXPECT_EQ(runner_->started_message().picture_rate().numerator(), 25);
    EXPECT_EQ(runner_->started_message().time_base().numerator(), 25);
    facts_.clear();
    EXPECT_THAT(run(20).status, IsOk());
    ASSERT_EQ(facts_.size(), 20u);
    for (int i = 0; i < 20; i++) {
      EXPECT_EQ(facts_[size_t(i)].source_index(), i);
      EXPECT_EQ(facts_[size_t(i)].pts(), i);
      EXPECT_EQ(facts_[size_t(i)].duration(), 1);
    }
  }
  EXPECT_EQ(caches_.get<filters::bloom::SpectrumCache>().entries(), 1u)
      << "the second stream takes the first one's";
}

// Filters without lookahead do not wait for the next frame: each picture is finished before that
// frame arrives.
TEST_F(StreamRunnerTest, ABloomsPictureNeedsNoSecondFrame) {
  for (const auto stream_class : {v1::STREAM_CLASS_NORMAL, v1::STREAM_CLASS_REALTIME}) {
    auto opened = open(bloom_of(stream_class));
    ASSERT_THAT(opened, IsOk());
    runner_ = *std::move(opened);
    EXPECT_EQ(runner_->started_message().frames_ahead(), 0);
    facts_.clear();
    std::thread feeding([this] {
      for (int i = 0; i < 3; i++) {
        internal::v1::StreamFrame frame;
        frame.set_slot(i);
        frame.set_arrival_ns(std::chrono::steady_clock::now().time_since_epoch().count());
        runner_->add_frame(frame);
        std::unique_lock lock(mutex_);
        EXPECT_TRUE(changed_.wait_for(lock, seconds(30), [&] { return facts_.size() == size_t(i) + 1; }))
            << i;
      }
      runner_->end_input();
    });
    EXPECT_THAT(runner_->run().status, IsOk());
    feeding.join();
    EXPECT_EQ(facts_.size(), 3u);
    free_frames_ = {0, 1, 2, 3};
  }
}

TEST_F(StreamRunnerTest, ABloomThatDoesNotFitIsRefusedWithTheNumbers) {
  EXPECT_THAT(open(bloom_of(v1::STREAM_CLASS_REALTIME, 100'000'000)),
              StatusIs(StatusCode::kResourceExhausted, "does not fit"));
}

TEST_F(StreamRunnerTest, WhatIsWrongWithABloomIsSaid) {
  internal::v1::StartStream order = bloom_of(v1::STREAM_CLASS_NORMAL);
  order.mutable_open()->mutable_colour()->set_transfer(v1::TransferCharacteristics(11));
  EXPECT_THAT(open(order), StatusIs(StatusCode::kInvalidArgument, "transfer characteristics (11"));
  order = bloom_of(v1::STREAM_CLASS_NORMAL);
  order.mutable_open()->mutable_filters(0)->mutable_bloom()->set_kernel("/dev/null");
  EXPECT_THAT(open(order), StatusIs(StatusCode::kInvalidArgument, "/dev/null"));
}

TEST_F(StreamRunnerTest, ABloomTakesTheColoursThatAreDeclaredAndNoOthers) {
  const auto taken = [](int transfer, int matrix) {
    internal::v1::StartStream order = bloom_of(v1::STREAM_CLASS_NORMAL);
    order.mutable_open()->mutable_colour()->set_transfer(v1::TransferCharacteristics(transfer));
    order.mutable_open()->mutable_colour()->set_matrix(v1::MatrixCoefficients(matrix));
    return work_of(order.open(), {}).status();
  };
  constexpr int kCodePoints = 256;  // of ITU-T H.273
  for (int number = 1; number < kCodePoints; number++) {
    const StatusCode with_transfer =
        v1::TransferCharacteristics_IsValid(number) ? StatusCode::kOk : StatusCode::kInvalidArgument;
    EXPECT_THAT(taken(number, v1::MATRIX_COEFFICIENTS_UNKNOWN), StatusIs(with_transfer)) << number;
    const StatusCode with_matrix =
        v1::MatrixCoefficients_IsValid(number) ? StatusCode::kOk : StatusCode::kInvalidArgument;
    EXPECT_THAT(taken(v1::TRANSFER_CHARACTERISTICS_UNKNOWN, number), StatusIs(with_matrix)) << number;
  }
}

TEST_F(StreamRunnerTest, StopsWhileNobodyTakesPictures) {
  auto opened = open(order_of(v1::STREAM_CLASS_NORMAL));
  ASSERT_THAT(opened, IsOk());
  runner_ = *std::move(opened);
  holds_pictures_ = true;
  std::thread feeding([this] {
    for (int slot = 0; slot < kFrameSlots; slot++) {
      internal::v1::StreamFrame frame;
      frame.set_slot(slot);
      runner_->add_frame(frame);
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return held_.size() == size_t(kPictureSlots); });
    lock.unlock();
    runner_->stop();
  });
  EXPECT_THAT(runner_->run().status, StatusIs(StatusCode::kCancelled));
  feeding.join();
}

}  // namespace
}  // namespace weft::worker
