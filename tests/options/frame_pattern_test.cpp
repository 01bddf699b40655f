// SPDX-License-Identifier: Apache-2.0
#include "options/frame_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::options {
namespace {

using testing::ElementsAre;
using testing::Pair;

FramePattern parsed(std::string_view path) {
  const StatusOr<FramePattern> pattern = FramePattern::parse(path);
  EXPECT_THAT(pattern, IsOk());
  return pattern.value_or(FramePattern{});
}

TEST(FramePattern, NamesFrames) {
  EXPECT_EQ(parsed("shot/frame.%04d.exr").name(7), "frame.0007.exr");
  EXPECT_EQ(parsed("shot/frame.%04d.exr").folder(), "shot/");
  EXPECT_EQ(parsed("frame.###.exr").name(7), "frame.007.exr");
  EXPECT_EQ(parsed("frame.%04d.exr").name(123456), "frame.123456.exr");
  EXPECT_EQ(parsed("%d.exr").name(0), "0.exr");
  EXPECT_EQ(parsed("100%%/50%%_%d.exr").name(3), "50%_3.exr");
  EXPECT_EQ(parsed("100%%/50%%_%d.exr").folder(), "100%/");
}

TEST(FramePattern, NamesFramesLikeAnotherPattern) {
  const FramePattern any = parsed("frame.*.exr");
  EXPECT_EQ(parsed("out_*.png").name_like(any, "frame.0012.exr"), "out_0012.png");
  EXPECT_EQ(parsed("out_%03d.png").name_like(any, "frame.0012.exr"), "out_012.png");
  EXPECT_EQ(parsed("out_*.png").name_like(parsed("f%04d.exr"), "f0012.exr"), "out_0012.png");
}

TEST(FramePattern, KnowsItsFrames) {
  const FramePattern padded = parsed("frame.%04d.exr");
  EXPECT_EQ(padded.frame_of("frame.0012.exr"), 12);
  EXPECT_EQ(padded.frame_of("frame.12345.exr"), 12345);
  for (const char* other :
       {"frame.12.exr", "frame.012345.exr", "frame..exr", "frame.00a1.exr", "frame.0012.exr.part",
        "xframe.0012.exr", "frame.-001.exr", "frame.1234567890.exr"})
    EXPECT_EQ(padded.frame_of(other), std::nullopt) << other;
  EXPECT_EQ(parsed("frame.*.exr").frame_of("frame.0012.exr"), 12);
  EXPECT_EQ(parsed("frame.*.exr").frame_of("frame.12.exr"), 12);
  EXPECT_EQ(parsed("a*a").frame_of("a"), std::nullopt);
}

TEST(FramePattern, FieldsAreSeen) {
  EXPECT_TRUE(has_frame_field("a/b.%d.exr"));
  EXPECT_TRUE(has_frame_field("b#.exr"));
  EXPECT_FALSE(has_frame_field("a.%d/b.exr"));
  EXPECT_FALSE(has_frame_field("100%%d.exr"));
  EXPECT_FALSE(has_frame_field("b%x.exr"));
}

TEST(FramePattern, MarksBehindABackslashAreLetters) {
  EXPECT_FALSE(has_frame_field("a\\#b\\*c\\%d.exr"));
  EXPECT_EQ(name_of_one_file("x\\y/a\\#b\\*c\\%d.exr"), "x\\y/a#b*c%d.exr");
  EXPECT_TRUE(has_frame_field("take\\#2.####.exr"));
  EXPECT_EQ(parsed("take\\#2.####.exr").name(7), "take#2.0007.exr");
  EXPECT_EQ(parsed("100\\%.%d.exr").name(7), "100%.7.exr");
  EXPECT_EQ(parsed("100%%.%d.exr").name(7), "100%.7.exr");
  EXPECT_EQ(parsed("\\*\\#.*.exr").frame_of("*#.12.exr"), 12);
}

TEST(FramePattern, WhatIsNoPatternIsRefused) {
  for (const char* bad : {"frame.exr", "%d.%d.exr", "##_#.exr", "*_*.exr", "s%d/frame.%d.exr", "%010d.exr",
                          "%99999999999999999999d.exr", ""})
    EXPECT_THAT(FramePattern::parse(bad), StatusIs(StatusCode::kInvalidArgument)) << bad;
}

TEST(FrameRange, IsRead) {
  EXPECT_EQ(parse_frame_range("3-9x2")->step, 2);
  EXPECT_EQ(parse_frame_range("3-9")->last, 9);
  EXPECT_EQ(parse_frame_range("5")->first, 5);
  EXPECT_EQ(parse_frame_range("5")->last, 5);
  for (const char* bad : {"", "-", "9-3", "1-", "1-2x0", "a-b", "1-2-3", "1x2-3", "1-99999999999"})
    EXPECT_THAT(parse_frame_range(bad), StatusIs(StatusCode::kInvalidArgument)) << bad;
}

const std::vector<std::string> kFolder = {"f.0003.exr", "f.0001.exr", "f.0007.exr",
                                          "f.0004.exr", "notes.txt",  "f.5.exr"};

TEST(FrameList, NamesWhatIsMissing) {
  const FramePattern pattern = parsed("s/f.%04d.exr");
  const auto list = list_frames(pattern, kFolder, std::nullopt);
  ASSERT_THAT(list, IsOk());
  EXPECT_THAT(list->files, ElementsAre(Pair(1, "f.0001.exr"), Pair(3, "f.0003.exr"), Pair(4, "f.0004.exr"),
                                       Pair(7, "f.0007.exr")));
  EXPECT_THAT(list->missing, ElementsAre(2, 5, 6));
  EXPECT_THAT(check_complete(pattern, *list),
              StatusIs(StatusCode::kNotFound, "lacks 3 of 7 frames (2, 5-6; the first is s/f.0002.exr)"));
}

TEST(FrameList, TakesARange) {
  const FramePattern pattern = parsed("f.####.exr");
  const auto odd = list_frames(pattern, kFolder, FrameRange{1, 8, 2});
  ASSERT_THAT(odd, IsOk());
  EXPECT_THAT(odd->missing, ElementsAre(5));
  const auto complete = list_frames(pattern, kFolder, FrameRange{3, 4, 1});
  ASSERT_THAT(complete, IsOk());
  EXPECT_THAT(check_complete(pattern, *complete), IsOk());
  EXPECT_THAT(list_frames(pattern, kFolder, FrameRange{20, 30, 1}),
              StatusIs(StatusCode::kNotFound, "f.0020.exr"));
  EXPECT_THAT(list_frames(pattern, kFolder, FrameRange{2, 8, 3}), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(list_frames(pattern, kFolder, FrameRange{0, 99999999, 1}),
              StatusIs(StatusCode::kInvalidArgument, "at most"));
}

TEST(FrameList, AFrameIsOneFile) {
  const std::vector<std::string> names = {"f.7.exr", "f.07.exr"};
  EXPECT_THAT(list_frames(parsed("f.*.exr"), names, std::nullopt),
              StatusIs(StatusCode::kInvalidArgument, "Two files are frame 7"));
}

TEST(FrameList, ManyMissingFramesAreCounted) {
  std::vector<int64_t> frames;
  for (int64_t i = 0; i < 40; i++) frames.push_back(i * 2);
  EXPECT_EQ(describe_frames(frames, 3), "0, 2, 4 and 37 more");
  EXPECT_EQ(describe_frames({}), "");
}

TEST(JoinFrames, FilesThatDifferInANumberAreASequence) {
  using Paths = std::vector<std::string>;
  EXPECT_EQ(join_frames({"/s/a.0001.exr", "/s/b7.png", "/s/a.0002.exr", "/s/c.mp4", "/t/a.0001.exr"}),
            (Paths{"/s/a.####.exr", "/s/b7.png", "/s/c.mp4", "/t/a.0001.exr"}));
  EXPECT_EQ(join_frames({"/s/v2_9.hdr", "/s/v2_10.hdr"}), (Paths{"/s/v2_%d.hdr"}))
      << "without zeros in front";
  EXPECT_EQ(join_frames({"/9/a.mp4", "/8/a.mp4"}), (Paths{"/9/a.mp4", "/8/a.mp4"})) << "the folder's number";
  EXPECT_EQ(join_frames({"/s/1", "/s/2"}), (Paths{"/s/#"}));
  EXPECT_EQ(join_frames({"/s/a#1.exr", "/s/a#2.exr"}), (Paths{"/s/a#1.exr", "/s/a#2.exr"}));
  EXPECT_EQ(join_frames({"/s/.1", "/s/.2"}), (Paths{"/s/.#"}));
  EXPECT_TRUE(join_frames({}).empty());
  // A job accepts the result as its input.
  const FramePattern pattern = FramePattern::parse(join_frames({"/s/x08.png", "/s/x10.png"})[0]).value();
  EXPECT_EQ(pattern.frame_of("x10.png"), 10);
}

}  // namespace
}  // namespace weft::options
