// SPDX-License-Identifier: Apache-2.0
// Tests the memory that a stream shares with the daemon: its size, and pictures of another size
// than the frames.
#include "options/values.h"
#include "tests/server/worker/stream/stream_runner_fixture.h"

namespace weft::worker {
namespace {

using StreamRingTest = StreamRunnerTest;

TEST_F(StreamRingTest, ARingThatIsTooSmallIsRefused) {
  const auto end_with = [this](const internal::v1::StartStream& order,
                               const internal::v1::RingLayout& layout) {
    runner_ = *open_without_ring(order);
    runner_->share(layout, *channel::duplicate(memory_.get()));
    return runner_->run().status;
  };
  const internal::v1::StartStream order = order_of(v1::STREAM_CLASS_NORMAL);
  internal::v1::RingLayout layout = ring_layout();
  layout.set_picture_slots(kPictureSlots + 1);
  EXPECT_THAT(end_with(order, layout), StatusIs(StatusCode::kInternal, "memory"));
  internal::v1::StartStream wide = order;
  wide.mutable_open()->mutable_format()->set_width(kWidth * 2);
  EXPECT_THAT(end_with(wide, ring_layout()), StatusIs(StatusCode::kInternal, "memory"));
  internal::v1::StartStream large = order;  // Only the pictures are larger.
  set_filters(*large.mutable_open(), "pad=128x64");
  options::apply_defaults(*large.mutable_open());
  EXPECT_THAT(end_with(large, ring_layout()), StatusIs(StatusCode::kInternal, "memory"));
}

TEST_F(StreamRingTest, ARingIsSharedOnce) {
  runner_ = *open(order_of(v1::STREAM_CLASS_NORMAL));
  runner_->share(ring_layout(), *channel::duplicate(memory_.get()));
  EXPECT_THAT(runner_->run().status, StatusIs(StatusCode::kInternal, "twice"));
}

TEST_F(StreamRingTest, PicturesMayBeSmallerThanFrames) {
  internal::v1::StartStream order = order_of(v1::STREAM_CLASS_NORMAL);
  set_filters(*order.mutable_open(), "crop=16x16");
  options::apply_defaults(*order.mutable_open());
  runner_ = *open(order);
  EXPECT_EQ(runner_->started_message().format().width(), 16);
  EXPECT_THAT(run(8).status, IsOk());
  ASSERT_EQ(shades_.size(), 8u);
  for (int i = 0; i < 8; i++) EXPECT_EQ(shades_[size_t(i)], i + 1);
}

}  // namespace
}  // namespace weft::worker
