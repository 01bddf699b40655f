// SPDX-License-Identifier: Apache-2.0
// A live stream on the CPU device whose kernel drifts: its shapes are tried in the gaps between the frames, and no frame waits for a try.
#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include "server/worker/tuning/shape_adapter.h"
#include "tests/server/worker/stream/stream_runner_fixture.h"
#include "tests/server/worker/tuning/drifting_table.h"

namespace weft::worker {
namespace {

using schedule::Decision;
using schedule::Reason;
using schedule::SourceClass;

constexpr int kStreamRate = 50, kMostFrames = 120 * kStreamRate;  // no try takes that long

class TriesBesideAStream : public StreamRunnerTest {
 protected:
  TriesBesideAStream() { std::filesystem::remove_all(folder_); }
  ~TriesBesideAStream() override { std::filesystem::remove_all(folder_); }

  // Frames as they are due, until a try has ended; then a few more.
  void feed_until_tried(ShapeAdapter& adapter) {
    int left = kMostFrames;
    for (int i = 0; left > 0; i++, left--) {
      if (adapter.wait_for_tries(1, Duration(0))) left = std::min(left, kStreamRate / 5);
      internal::v1::StreamFrame frame;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !free_frames_.empty(); });
        frame.set_slot(free_frames_.front());
        free_frames_.erase(free_frames_.begin());
      }
      std::memset(ring_ + frame.slot() * kFrameBytes, i % 200, kFrameBytes);
      frame.set_arrival_ns(std::chrono::steady_clock::now().time_since_epoch().count());
      runner_->add_frame(frame);
    }
    runner_->end_input();
  }

  const std::string folder_ =
      fmt::format("{}weft_tries_beside_a_stream_test.{}", testing::TempDir(), ::getpid());
};

// From the stream's first frame to its last.
std::vector<Decision> while_it_lived(const std::vector<Decision>& decisions) {
  const auto is_frame = [](const Decision& decision) { return decision.reason == Reason::kFrame; };
  const auto first = std::ranges::find_if(decisions, is_frame);
  const auto last = std::find_if(decisions.rbegin(), decisions.rend(), is_frame);
  return {first, last.base()};
}

TEST_F(TriesBesideAStream, NoFrameWaitsForATry) {
  write_drifting_table(folder_, *device_, "video/bob.uint8_t", "32x1");
  DeviceTuning tuning(*device_, {.learnt = folder_, .mode = TuningMode::kAdapt});
  AdapterRules rules;
  rules.between_samples = Duration(0);
  rules.drift.window = 3;
  ShapeAdapter adapter({*device_, loop_, caches_, true, &tuning}, rules);
  tuning_ = &tuning;
  watch_ = &adapter;
  internal::v1::StartStream order = order_of(v1::STREAM_CLASS_REALTIME, kStreamRate);
  set_filters(*order.mutable_open(), "bob");
  order.mutable_open()->mutable_settings()->set_deadline(30'000);  // a busy machine makes none late
  options::apply_defaults(*order.mutable_open());
  auto opened = open(order);
  ASSERT_THAT(opened, IsOk());
  runner_ = *std::move(opened);
  const std::jthread feeding([&] { feed_until_tried(adapter); });
  EXPECT_THAT(runner_->run().status, IsOk());
  EXPECT_TRUE(adapter.wait_for_tries(1, Duration(0))) << "nothing was tried while the stream lived";
  EXPECT_EQ(adapted(tuning.learnt()), 1);
  EXPECT_EQ(runner_->report().missed(), 0);

  // A frame starts at once, and a try only where its end is before the next frame; where nothing is known of its cost, one unit.
  TimePoint frame_until{};
  int tries = 0;
  for (const Decision& decision :
       while_it_lived(loop_.decisions_after(0, schedule::DecisionRing::kCapacity))) {
    if (decision.reason == Reason::kFrame) frame_until = decision.time + decision.real;
    if (!schedule::is_start(decision.reason) || decision.reason == Reason::kFrame) continue;
    tries++;
    EXPECT_EQ(decision.work_class, SourceClass::kSpare);
    EXPECT_NE(decision.reason, Reason::kQuantum) << "the stream is not protected";
    EXPECT_GE(decision.time, frame_until) << "a frame was in work";
    if (decision.reason == Reason::kGap) {
      EXPECT_LE(decision.predicted, decision.gap);
    }
    if (decision.reason == Reason::kProbe) {
      EXPECT_EQ(decision.units, 1);
    }
  }
  EXPECT_GT(tries, 10) << "every shape is run several times";
}

}  // namespace
}  // namespace weft::worker
