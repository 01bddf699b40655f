// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/timecode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::media {
namespace {

std::string moved(const std::string& text, Ratio from, Ratio to, int64_t frame = 0) {
  const auto timecode = timecode_at(text, from, frame, to);
  return timecode ? timecode->text + (timecode->exact ? "" : " about") : "none";
}

constexpr Ratio k24{24, 1}, k25{25, 1}, k50{50, 1}, k2997{30000, 1001}, k5994{60000, 1001},
    k23976{24000, 1001};

TEST(Timecode, TheInstantStaysAndTheFrameFollowsTheRate) {
  EXPECT_EQ(moved("10:00:00:20", k25, k25), "10:00:00:20");
  EXPECT_EQ(moved("10:00:00:20", k25, k50), "10:00:00:40");
  EXPECT_EQ(moved("10:00:00:40", k50, k25), "10:00:00:20");
  EXPECT_EQ(moved("10:00:00:41", k50, k25), "10:00:00:21 about");
  EXPECT_EQ(moved("10:00:00:24", k25, k50), "10:00:00:48");
  EXPECT_EQ(moved("10:00:00:49", k50, k25), "10:00:00:24 about") << "no frame of the next second";
  EXPECT_EQ(moved("01:00:00:10", k2997, k23976), "01:00:00:08");
  EXPECT_EQ(moved("01:00:00;10", k2997, k23976), "01:00:00:08") << "24 has no drop frame";
}

TEST(Timecode, APartsFirstFrameIsCounted) {
  EXPECT_EQ(moved("10:00:00:20", k25, k50, 4), "10:00:00:48");
  EXPECT_EQ(moved("10:00:00:20", k25, k50, 5), "10:00:01:00");
  EXPECT_EQ(moved("10:00:59;29", k2997, k5994, 1), "10:01:00;04");
}

TEST(Timecode, ThereIsNoneForOtherRates) {
  EXPECT_EQ(moved("10:00:00:20", k25, {25, 2}), "none");
  EXPECT_EQ(moved("10:00:00:20", k24, {96, 5}), "none");
  EXPECT_EQ(moved("10:00:00:20", k25, {}), "none");
  EXPECT_EQ(moved("10:00:00:20", k25, {300, 1}), "none");
  EXPECT_EQ(moved("ten past ten", k25, k50), "none");
}

// Returns the labels by SMPTE ST 12-1: in each minute except every tenth the first numbers are left
// out, 2 of 30 and 4 of 60.
std::vector<std::string> drop_frame_labels(int frames, int minutes) {
  std::vector<std::string> labels;
  for (int second = 0; second < 60 * minutes; second++)
    for (int frame = 0; frame < frames; frame++) {
      const bool drops = second % 60 == 0 && second / 60 % 10 != 0 && frame < frames / 15;
      if (!drops) labels.push_back(fmt::format("00:{:02}:{:02};{:02}", second / 60, second % 60, frame));
    }
  return labels;
}

TEST(Timecode, DropFrameOf2997IsDropFrameOf5994) {
  const auto at_30 = drop_frame_labels(30, 12), at_60 = drop_frame_labels(60, 12);
  ASSERT_EQ(2 * at_30.size(), at_60.size());
  for (size_t i = 0; i < at_30.size(); i++) {
    ASSERT_EQ(moved(at_30[i], k2997, k5994), at_60[2 * i]);
    ASSERT_EQ(moved(at_60[2 * i], k5994, k2997), at_30[i]);
    ASSERT_EQ(moved("00:00:00;00", k2997, k5994, int64_t(i)), at_60[2 * i]);
  }
}

TEST(Timecode, WhatIsLostIsNoted) {
  MediaInfo info;
  info.timecode = "10:00:00:20";
  info.video.frame_rate = k25;
  OutputVideo video{.frame_rate = k50};
  EXPECT_EQ(timecode_note("a.mov", "x264", info, video), "");
  EXPECT_EQ(timecode_note("a.ts", "x264", info, video),
            "The timecode (10:00:00:20) is left out: ts holds none, mkv, mp4, mov, webm, nut would.");
  video.frame_rate = {25, 2};
  EXPECT_EQ(timecode_note("a.mov", "x264", info, video),
            "The timecode (10:00:00:20) is left out: there is none for 12.5 pictures a second.");
  info.timecode = "10:00:00:21";
  info.video.frame_rate = {30, 1};
  video.frame_rate = k24;
  EXPECT_EQ(timecode_note("a.mov", "x264", info, video),
            "The timecode (10:00:00:21) lies between two pictures of 24 a second; it becomes that of the "
            "nearest (10:00:00:17).");
  info.timecode = "";
  EXPECT_EQ(timecode_note("a.ts", "x264", info, video), "");
}

}  // namespace
}  // namespace weft::media
