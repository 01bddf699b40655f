// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/pictures/field_pairs.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::media {
namespace {

constexpr int kFieldWidth = 4, kFieldHeight = 2;

// Returns a picture with gray samples equal to its time.
FramePtr make_picture(int64_t pts, const std::string& captions = "") {
  FramePtr picture(av_frame_alloc());
  picture->format = AV_PIX_FMT_GRAY8;
  picture->width = kFieldWidth;
  picture->height = kFieldHeight;
  EXPECT_GE(av_frame_get_buffer(picture.get(), 0), 0);
  for (int row = 0; row < kFieldHeight; row++)
    std::memset(picture->data[0] + row * picture->linesize[0], int(pts), kFieldWidth);
  picture->pts = pts;
  picture->pkt_duration = 1;
  if (captions.empty()) return picture;
  AVFrameSideData* const data = av_frame_new_side_data(picture.get(), AV_FRAME_DATA_A53_CC, captions.size());
  std::memcpy(data->data, captions.data(), captions.size());
  return picture;
}

FramePtr make_field(bool top, int64_t pts, const std::string& captions = "") {
  FramePtr field = make_picture(pts, captions);
  field->interlaced_frame = 1;
  field->top_field_first = top;
  return field;
}

struct Given {
  int64_t pts = 0;
  int64_t duration = 0;
  std::vector<int> lines{};
  bool alone = false;
  bool operator==(const Given&) const = default;
};
void PrintTo(const Given& given, std::ostream* stream) {
  *stream << fmt::format("{} for {}, lines {}{}", given.pts, given.duration,
                         testing::PrintToString(given.lines), given.alone ? ", alone" : "");
}

std::vector<Given> pop_all(FieldPairs& pairs) {
  std::vector<Given> all;
  const FramePtr frame(av_frame_alloc());
  while (pairs.pop(*frame)) {
    all.push_back({frame->pts, frame->pkt_duration, {}, pairs.was_alone()});
    for (int row = 0; row < frame->height; row++)
      all.back().lines.push_back(frame->data[0][row * frame->linesize[0]]);
  }
  return all;
}

// Pushes fields at the time of their position: 't' top, 'b' bottom, '-' a lost field.
std::vector<Given> give(const std::string& fields, std::optional<bool> top_first = {}) {
  FieldPairs pairs(AV_CODEC_ID_HEVC);
  if (top_first) pairs.set_order(*top_first);
  for (size_t i = 0; i < fields.size(); i++)
    if (fields[i] != '-') {
      EXPECT_THAT(pairs.push(*make_field(fields[i] == 't', int64_t(i))), IsOk());
    }
  EXPECT_THAT(pairs.finish(), IsOk());
  return pop_all(pairs);
}

TEST(FieldPairs, WeavesTwoFields) {
  EXPECT_EQ(give("tbtb"), (std::vector<Given>{{0, 2, {0, 1, 0, 1}}, {2, 2, {2, 3, 2, 3}}}));
  EXPECT_EQ(give("btbt"), (std::vector<Given>{{0, 2, {1, 0, 1, 0}}, {2, 2, {3, 2, 3, 2}}}));
}

TEST(FieldPairs, DoublesAFieldThatIsAlone) {
  const Given first{0, 2, {0, 1, 0, 1}}, third{4, 2, {4, 5, 4, 5}};
  EXPECT_EQ(give("tb-btb"), (std::vector<Given>{first, {2, 2, {3, 3, 3, 3}, true}, third}));
  EXPECT_EQ(give("tbt-tb"), (std::vector<Given>{first, {2, 2, {2, 2, 2, 2}, true}, third}));
  EXPECT_EQ(give("tbt"), (std::vector<Given>{first, {2, 2, {2, 2, 2, 2}, true}}));
  EXPECT_EQ(give("-btb", true), (std::vector<Given>{{0, 2, {1, 1, 1, 1}, true}, {2, 2, {2, 3, 2, 3}}}));
  // The remaining fields are of different frames.
  EXPECT_EQ(give("tbt--btb"),
            (std::vector<Given>{
                first, {2, 2, {2, 2, 2, 2}, true}, {4, 2, {5, 5, 5, 5}, true}, {6, 2, {6, 7, 6, 7}}}));
}

TEST(FieldPairs, FlagsAFrame) {
  for (const bool top : {true, false}) {
    FieldPairs pairs(AV_CODEC_ID_HEVC);
    ASSERT_THAT(pairs.push(*make_field(top, 0, "one")), IsOk());
    const FramePtr frame(av_frame_alloc());
    EXPECT_FALSE(pairs.pop(*frame));
    ASSERT_THAT(pairs.push(*make_field(!top, 1, "two")), IsOk());
    ASSERT_TRUE(pairs.pop(*frame));
    EXPECT_EQ(frame->interlaced_frame, 1);
    EXPECT_EQ(frame->top_field_first, top);
    EXPECT_EQ(frame->height, 2 * kFieldHeight);
    const AVFrameSideData* const captions = av_frame_get_side_data(frame.get(), AV_FRAME_DATA_A53_CC);
    ASSERT_NE(captions, nullptr);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(captions->data), captions->size), "onetwo");
    EXPECT_EQ(frame->nb_side_data, 1);
  }
}

TEST(FieldPairs, PassesFrames) {
  FieldPairs pairs(AV_CODEC_ID_HEVC);
  ASSERT_THAT(pairs.push(*make_field(true, 0)), IsOk());
  ASSERT_THAT(pairs.push(*make_picture(2)), IsOk());
  EXPECT_EQ(pop_all(pairs), (std::vector<Given>{{0, 2, {0, 0, 0, 0}, true}, {2, 1, {2, 2}}}));
}

}  // namespace
}  // namespace weft::media
