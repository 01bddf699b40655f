// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/source/seek_history.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::media {
namespace {

using testing::ElementsAre, testing::IsEmpty;

// Returns a gray frame of 16x16 pixels of this value.
SourceFrame frame_of(uint8_t value) {
  const auto samples = std::make_shared<std::array<uint8_t, 256>>();
  samples->fill(value);
  SourceFrame frame;
  frame.picture.format = {.width = 16, .height = 16, .chroma = Chroma::kGray, .bit_depth = 8};
  frame.picture.plane[0] = samples->data();
  frame.picture.stride_bytes[0] = 16;
  frame.owner = samples;
  return frame;
}

SourceCheckpoint::Anchor anchor_of(int64_t pts) { return {.position = 100 * pts, .pts = pts, .dts = pts}; }

// Adds frames at these times. Their samples and file positions follow from the times.
void add_frames(SeekHistory& history, int64_t first, int64_t last) {
  for (int64_t pts = first; pts <= last; pts++) history.add(frame_of(uint8_t(pts)), pts, 100 * pts);
}

std::vector<int64_t> anchors_of(const SeekHistory& history) {
  SourceCheckpoint checkpoint;
  history.fill(checkpoint);
  std::vector<int64_t> times;
  for (const SourceCheckpoint::Anchor& anchor : checkpoint.anchors) times.push_back(anchor.pts);
  return times;
}

TEST(SeekHistory, NamesTheTwoNewestAnchorsBeforeTheFramesSeen) {
  SeekHistory history(nullptr);
  for (const int64_t pts : {0, 10, 20, 30}) history.add(anchor_of(pts));
  EXPECT_THAT(anchors_of(history), IsEmpty()) << "no frame was given";
  add_frames(history, 0, 9);  // 6 to 9 remain
  EXPECT_THAT(anchors_of(history), ElementsAre(0));
  add_frames(history, 10, 25);
  EXPECT_THAT(anchors_of(history), ElementsAre(10, 20));
  add_frames(history, 26, 32);
  EXPECT_THAT(anchors_of(history), ElementsAre(10, 20)) << "frame 29 is shown before the anchor at 30";
  add_frames(history, 33, 33);
  EXPECT_THAT(anchors_of(history), ElementsAre(20, 30));
}

TEST(SeekHistory, NamesNoAnchorThatWasDropped) {
  SeekHistory history(nullptr);
  for (const int64_t pts : {0, 10, 20}) history.add(anchor_of(pts));
  history.drop_anchor();
  add_frames(history, 0, 40);
  EXPECT_THAT(anchors_of(history), ElementsAre(0, 10));
}

TEST(SeekHistory, MatchesTheSameFramesOnly) {
  SeekHistory history(nullptr);
  add_frames(history, 1, 5);
  SourceCheckpoint checkpoint;
  history.fill(checkpoint);
  ASSERT_EQ(checkpoint.seen.size(), kSeenFrames);
  EXPECT_TRUE(history.matches(checkpoint));
  for (const int field : {0, 1, 2}) {
    SourceCheckpoint other = checkpoint;
    SourceCheckpoint::Seen& seen = other.seen[2];
    if (field == 0) seen.pts++;
    if (field == 1) seen.position++;
    if (field == 2) seen.hash++;
    EXPECT_FALSE(history.matches(other)) << field;
  }
  add_frames(history, 6, 6);
  EXPECT_FALSE(history.matches(checkpoint)) << "a frame further on";
}

TEST(SeekHistory, CarefulDecodingBeginsAtTheSecondNewestAnchor) {
  SeekHistory history(nullptr);
  history.add(anchor_of(0));
  add_frames(history, 0, 9);
  EXPECT_FALSE(history.phase_anchor()) << "a single anchor may be the start of the file";
  history.add(anchor_of(10));
  ASSERT_TRUE(history.phase_anchor());
  EXPECT_EQ(history.phase_anchor()->pts, 0);
  history.add(anchor_of(20));
  EXPECT_FALSE(history.phase_anchor()) << "the anchor at 10 is not before the frames seen";
  history.clear();
  EXPECT_FALSE(history.phase_anchor());
}

}  // namespace
}  // namespace weft::media
