// SPDX-License-Identifier: Apache-2.0
#include "options/media_position.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::options {
namespace {

using std::chrono::nanoseconds;

TEST(MediaPosition, TimesAreReadAsFFmpegDoes) {
  const std::pair<const char*, int64_t> cases[] = {
      {"0", 0},
      {"90", 90'000'000'000},
      {"90.5", 90'500'000'000},
      {"0.000000001", 1},
      {"1:30", 90'000'000'000},
      {"90:00", 5'400'000'000'000},
      {"01:02:03.25", 3'723'250'000'000},
      {"100:00:00", 360'000'000'000'000},
  };
  for (const auto& [text, time] : cases) {
    const auto place = parse_position(text);
    ASSERT_THAT(place.status(), IsOk()) << text;
    EXPECT_EQ(std::get<nanoseconds>(*place).count(), time) << text;
  }
}

TEST(MediaPosition, FramesHaveAnF) {
  EXPECT_EQ(std::get<FrameNumber>(*parse_position("2500f")).number, 2500);
  EXPECT_EQ(std::get<FrameNumber>(*parse_position("0f")).number, 0);
}

TEST(MediaPosition, AnythingElseIsRefused) {
  for (const char* text :
       {"",   "f",  "-1", "-1f",  "1.5f", "1:60",         "1:1:60",     "1:2:3:4",     ":30", "1:",
        "1.", ".5", "1s", "0x10", " 1",   "1.0000000001", "9999999999", "9999999999f", "1 f", "１"})
    EXPECT_THAT(parse_position(text).status(),
                StatusIs(StatusCode::kInvalidArgument, "is neither a time nor a frame"))
        << text;
}

TEST(MediaPosition, ThePartHasToEndBehindItsBeginning) {
  EXPECT_THAT(check_order("1:30", "91"), IsOk());
  EXPECT_THAT(check_order("10f", "11f"), IsOk());
  // only the video shows the order of a frame number and a time
  EXPECT_THAT(check_order("10f", "0.1"), IsOk());
  EXPECT_THAT(check_order("90", "1:30"),
              StatusIs(StatusCode::kInvalidArgument, "ends (1:30) before it has begun (90)"));
  EXPECT_THAT(check_order("11f", "10f"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(check_order("", "1f"), IsOk());
  EXPECT_THAT(check_order("", "0.001"), IsOk());
  for (const char* end : {"0f", "0", "0:00"})
    EXPECT_THAT(check_order("", end),
                StatusIs(StatusCode::kInvalidArgument, "before it has begun (at the start)"));
}

}  // namespace
}  // namespace weft::options
