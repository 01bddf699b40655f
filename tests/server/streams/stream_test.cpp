// SPDX-License-Identifier: Apache-2.0
// Tests the protocol of one stream: in messages, through shared memory, and with clients and
// workers that violate it.
#include <functional>

#include "tests/server/streams/fixture.h"

namespace weft::streams {
namespace {

using ::testing::HasSubstr;
using StreamTest = StreamFixture;
using std::chrono::seconds;

TEST_F(StreamTest, FramesInPartsReachTheWorkerAndPicturesComeBackInParts) {
  make(false);
  EXPECT_FALSE(open(small_stream()));  // The next message waits for the worker.
  EXPECT_TRUE(worker_.started);
  EXPECT_FALSE(worker_.ring);
  worker_starts();
  ASSERT_TRUE(worker_.ring);
  EXPECT_EQ(worker_.ring->frame_slots(), kMaxFrameSlots);
  EXPECT_TRUE(welcome_);
  ASSERT_TRUE(next());
  EXPECT_FALSE(got_->opened().has_ring());
  EXPECT_EQ(got_->opened().frame_bytes(), kSmallFrameBytes);
  EXPECT_TRUE(part(0, 0, 20));
  EXPECT_TRUE(worker_.messages.empty());
  EXPECT_TRUE(part(0, 20, 12));
  ASSERT_EQ(worker_.messages.size(), 1u);
  const int slot = worker_.messages[0].stream_frame().slot();
  worker_takes(slot);
  worker_gives(3, 0);
  ASSERT_TRUE(next());
  EXPECT_EQ(got_->picture_part().samples().size(), size_t(kSmallFrameBytes));
  EXPECT_EQ(worker_.messages.size(), 1u);  // The slot is not free before the picture is taken.
  EXPECT_FALSE(next());
  ASSERT_EQ(worker_.messages.size(), 2u);
  EXPECT_EQ(worker_.messages[1].stream_picture_taken().slot(), 3);
  EXPECT_TRUE(end_of_frames());
  EXPECT_TRUE(worker_.messages[2].has_stream_input_ended());
  worker_ends();
  ASSERT_TRUE(got_.has_value());
  EXPECT_EQ(got_->ended().report().frames_in(), 7);
  EXPECT_THAT(end(), IsOk());
  EXPECT_TRUE(stream_->is_over());
}

TEST_F(StreamTest, PicturesMayBeOfAnotherSizeThanFrames) {
  make(false);
  open(small_stream());
  internal::v1::FromWorker message;
  *message.mutable_stream_started() = started(6, 2);
  worker_says(message);
  ASSERT_TRUE(next());
  EXPECT_EQ(got_->opened().frame_bytes(), kSmallFrameBytes);
  EXPECT_EQ(got_->opened().picture_bytes(), 12);
  EXPECT_EQ(got_->opened().format().width(), 6);
  EXPECT_TRUE(part(0, 0, kSmallFrameBytes));
  worker_gives(0, 0);
  ASSERT_TRUE(next());
  EXPECT_EQ(got_->picture_part().samples().size(), 12u);
}

TEST_F(StreamTest, AWorkerThatSaysNonsenseOfThePicturesEndsTheStream) {
  make();
  open(small_stream());
  internal::v1::FromWorker message;
  *message.mutable_stream_started() = started(0, 2);
  worker_says(message);
  EXPECT_THAT(end(), StatusIs(StatusCode::kInternal, "inconsistent"));
  EXPECT_FALSE(worker_.ring);
}

TEST_F(StreamTest, SlotsGoRoundThroughSharedMemory) {
  begin();
  EXPECT_EQ(got_->opened().ring().socket(), "/socket");
  EXPECT_TRUE(frame(0, 5));
  worker_takes(5);
  ASSERT_TRUE(next());
  EXPECT_EQ(got_->slot_free().slot(), 5);
  EXPECT_TRUE(frame(1, 5));
  worker_gives(9, 0);
  ASSERT_TRUE(next());
  EXPECT_EQ(got_->picture_ready().slot(), 9);
  EXPECT_TRUE(picture_taken(9));
  EXPECT_EQ(worker_.messages.back().stream_picture_taken().slot(), 9);
}

TEST_F(StreamTest, APartWaitsForASlotAndNothingElseIsRead) {
  begin();
  for (int i = 0; i < kMaxFrameSlots; i++) EXPECT_TRUE(part(i, 0, kSmallFrameBytes));
  EXPECT_FALSE(part(kMaxFrameSlots, 0, kSmallFrameBytes));
  EXPECT_EQ(worker_.messages.size(), size_t(kMaxFrameSlots));
  worker_takes(0);
  EXPECT_TRUE(welcome_);
  EXPECT_EQ(worker_.messages.size(), size_t(kMaxFrameSlots) + 1);
}

// --- Clients that do not keep to it
// -----------------------------------------------------------------------------

TEST_F(StreamTest, EverythingOutOfPlaceEndsTheStreamAndSaysWhy) {
  struct Case {
    const char* says;
    std::function<void(StreamTest_EverythingOutOfPlaceEndsTheStreamAndSaysWhy_Test&)> act;
  };
  using Self = StreamTest_EverythingOutOfPlaceEndsTheStreamAndSaysWhy_Test;
  const Case cases[] = {
      {"opens it", [](Self& t) { t.open(small_stream()); }},
      {"out of order (index 3, expected 0)", [](Self& t) { t.frame(3, 0); }},
      {"out of order (index -1", [](Self& t) { t.part(-1, 0, 32); }},
      {"no frame slot of that number (16", [](Self& t) { t.frame(0, 16); }},
      {"no frame slot of that number (-1", [](Self& t) { t.frame(0, -1); }},
      {"too large (33 bytes", [](Self& t) { t.part(0, 0, 33); }},
      {"too large (64 bytes", [](Self& t) { t.part(0, 0, 1), t.part(0, 1, 63); }},
      {"offset 1, expected 0", [](Self& t) { t.part(0, 1, 3); }},
      {"wrong size (0 bytes", [](Self& t) { t.part(0, 0, 0); }},
      {"wrong size (262145", [](Self& t) { t.part(0, 0, int(kPartBytes) + 1); }},
      {"not in the hands of the client", [](Self& t) { t.frame(0, 0), t.frame(1, 0); }},
      {"another way", [](Self& t) { t.frame(0, 0), t.part(1, 0, 32); }},
      {"only shared memory has slots", [](Self& t) { t.picture_taken(0); }},
      {"picture slot 0 is not in the hands of the client",
       [](Self& t) { t.frame(0, 0), t.picture_taken(0); }},
      {"no picture slot", [](Self& t) { t.frame(0, 0), t.picture_taken(1000); }},
      {"after the end", [](Self& t) { t.end_of_frames(), t.frame(0, 0); }},
      {"is cut (5 of 32", [](Self& t) { t.part(0, 0, 5), t.end_of_frames(); }},
      {"is cut (5 of 32", [](Self& t) { t.part(0, 0, 5), t.stream_->input_ended(); }},
      {"is empty", [](Self& t) { t.send({}); }},
  };
  for (const Case& each : cases) {
    worker_ = {};
    end_.reset();
    asked_ = false;
    begin();
    each.act(*this);
    EXPECT_THAT(end(), StatusIs(StatusCode::kInvalidArgument, each.says));
    EXPECT_TRUE(worker_.left) << each.says;
    EXPECT_TRUE(stream_->is_over()) << each.says;
    EXPECT_FALSE(frame(0, 1));  // Later messages are not requested.
  }
}

TEST_F(StreamTest, MoreFramesThanAnnouncedEndTheStream) {
  v1::OpenStream request = small_stream();
  request.set_frames(2);
  begin(request);
  EXPECT_TRUE(frame(0, 0));
  EXPECT_TRUE(frame(1, 1));
  frame(2, 2);
  EXPECT_THAT(end(), StatusIs(StatusCode::kInvalidArgument, "announced (2)"));
  EXPECT_EQ(worker_.messages.size(), 2u);
}

TEST_F(StreamTest, AnythingBeforeOpenEndsTheCall) {
  make();
  frame(0, 0);
  EXPECT_THAT(end(), StatusIs(StatusCode::kInvalidArgument, "send `open` once, in front"));
  end_.reset();
  make();
  stream_->input_ended();
  EXPECT_THAT(end(), StatusIs(StatusCode::kInvalidArgument, "before it was opened"));
}

TEST_F(StreamTest, TheOwnerIsWhoCalls) {
  v1::OpenStream request = small_stream();
  make(true, {.user = "anna"});
  open(request);
  EXPECT_EQ(worker_.owner, "anna");
  request.mutable_settings()->set_owner("anna");
  make(true, {.user = "anna"});
  open(request);
  EXPECT_EQ(worker_.owner, "anna");
  make(true, {.user = "root", .speaks_for_others = true});
  open(request);
  EXPECT_EQ(worker_.owner, "anna");
  make(false);  // over TCP the user is not known
  open(request);
  EXPECT_EQ(worker_.owner, "anna");
  make(false);
  open(small_stream());
  EXPECT_EQ(worker_.owner, "unknown");
  make(true, {.user = "ben"});
  open(request);
  EXPECT_THAT(end(),
              StatusIs(StatusCode::kPermissionDenied, "owner (anna) is somebody else than the caller (ben)"));
}

TEST_F(StreamTest, SharedMemoryAloneIsRefusedToWhoCannotHaveIt) {
  v1::OpenStream request = small_stream();
  request.mutable_settings()->set_transport(v1::STREAM_TRANSPORT_SHARED_MEMORY);
  make(false);
  open(request);
  EXPECT_THAT(end(), StatusIs(StatusCode::kFailedPrecondition, "ask for messages"));
  EXPECT_FALSE(worker_.started);
}

TEST_F(StreamTest, AClientThatNeverReadsKeepsABoundedNumberOfMessages) {
  begin();
  // The worker fills every picture slot and the client takes none. Frame slots are reused only
  // after the client has read that they are free.
  for (int i = 0; i < kMaxFrameSlots; i++) EXPECT_TRUE(frame(i, i));
  for (int i = 0; i < kMaxFrameSlots; i++) worker_takes(i);
  for (int i = 0; i < 2 * kMaxFrameSlots; i++) worker_gives(i, i);
  frame(kMaxFrameSlots, 0);  // The client has not read that the slot is free.
  EXPECT_THAT(end(), StatusIs(StatusCode::kInvalidArgument, "not in the hands of the client"));
}

TEST_F(StreamTest, AClientThatTakesNoPicturesIsEndedAfterAWhile) {
  begin();
  EXPECT_TRUE(frame(0, 0));
  for (int i = 0; i < 2 * kMaxFrameSlots; i++) worker_gives(i, i);
  clock_.advance(seconds(59));
  stream_->poll();
  EXPECT_FALSE(stream_->is_over());
  ASSERT_TRUE(next());  // The client reads and takes a picture, which resets the time limit.
  picture_taken(0);
  worker_gives(0, 99);
  clock_.advance(seconds(59));
  stream_->poll();
  EXPECT_FALSE(stream_->is_over());
  clock_.advance(seconds(2));
  stream_->poll();
  EXPECT_THAT(end(), StatusIs(StatusCode::kAborted, "takes no pictures (32 wait, for 60 s)"));
  EXPECT_TRUE(worker_.killed.empty());
}

TEST_F(StreamTest, AClientThatSendsNothingMayRest) {
  begin();
  clock_.advance(std::chrono::hours(1));
  stream_->poll();
  EXPECT_FALSE(stream_->is_over());
}

TEST_F(StreamTest, AClientThatVanishesFreesTheWorker) {
  begin();
  EXPECT_TRUE(part(0, 0, 5));
  stream_->cancel();
  EXPECT_TRUE(worker_.left);
  EXPECT_TRUE(stream_->is_over());
  EXPECT_THAT(stream_->share_ring(), StatusIs(StatusCode::kUnavailable));
}

// --- Workers
// -------------------------------------------------------------------------------------------------

TEST_F(StreamTest, AWorkerThatDiesEndsTheStreamAsUnavailable) {
  begin();
  EXPECT_TRUE(frame(0, 0));
  stream_->on_stream_lost("The worker of cpu (process 7) was ended by signal 9 (Killed).");
  EXPECT_THAT(end(), StatusIs(StatusCode::kUnavailable, "signal 9"));
}

TEST_F(StreamTest, AWorkerThatRefusesIsPassedOn) {
  make();
  open(small_stream());
  internal::v1::FromWorker message;
  message.mutable_stream_stopped()->mutable_error()->set_code(8);
  message.mutable_stream_stopped()->mutable_error()->set_message("The device's memory is short (1 of 2).");
  worker_says(message);
  EXPECT_THAT(end(), StatusIs(StatusCode::kResourceExhausted, "1 of 2"));
}

TEST_F(StreamTest, AWorkerThatStandsStillIsKilled) {
  begin();
  EXPECT_TRUE(frame(0, 0));
  clock_.advance(seconds(59));
  stream_->poll();
  EXPECT_EQ(worker_.killed, "");
  clock_.advance(seconds(2));
  stream_->poll();
  EXPECT_THAT(worker_.killed, HasSubstr("stands still"));
}

TEST_F(StreamTest, AWorkerThatTalksNonsenseEndsTheStream) {
  begin();
  EXPECT_TRUE(frame(0, 0));
  worker_gives(2000, 0);
  EXPECT_THAT(end(), StatusIs(StatusCode::kInternal, "invalid message"));
  EXPECT_TRUE(stream_->is_over());
}

}  // namespace
}  // namespace weft::streams
