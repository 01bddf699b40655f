// SPDX-License-Identifier: Apache-2.0
#include "server/streams/plan.h"

#include <functional>
#include <utility>
#include <vector>

#include "base/video_format.h"
#include "tests/server/streams/fixture.h"

namespace weft::streams {
namespace {

using ::testing::HasSubstr;

TEST(PlanTest, FillsDefaultsAndLaysSlotsOutBehindEachOther) {
  const auto plan = plan_stream(small_stream());
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->frame_bytes, kSmallFrameBytes);
  EXPECT_EQ(plan->open.filters(0).bwdif().rate(), v1::OUTPUT_RATE_FIELD);
  EXPECT_EQ(plan->open.settings().stream_class(), v1::STREAM_CLASS_NORMAL);
  EXPECT_EQ(plan->ring.frame_slots(), kMaxFrameSlots);
  // The size of the pictures is not known yet.
  EXPECT_EQ(plan->ring_bytes(), plan->frame_offset(kMaxFrameSlots));
}

TEST(PlanTest, PicturesLieBehindTheFramesAsTheWorkerPlansThem) {
  StreamPlan plan = plan_stream(small_stream()).value();
  ASSERT_THAT(plan_pictures(plan, started(8, 4)), IsOk());
  EXPECT_EQ(plan.picture_bytes, kSmallFrameBytes);
  EXPECT_EQ(plan.ring.picture_slots(), 2 * kMaxFrameSlots);  // two pictures per frame
  EXPECT_EQ(plan.picture_offset(0), plan.frame_offset(kMaxFrameSlots));
  EXPECT_EQ(plan.ring_bytes(), plan.picture_offset(2 * kMaxFrameSlots));

  ASSERT_THAT(plan_pictures(plan, started(7680, 4320)), IsOk());  // large pictures have few slots
  EXPECT_EQ(plan.picture_bytes, int64_t{7680} * 4320);
  EXPECT_EQ(plan.ring.picture_slots(), 2 * kMinSlots);
  EXPECT_GE(plan.ring.picture_slot_bytes(), plan.picture_bytes);
}

TEST(PlanTest, FourPicturesOfFiveFramesTakeASlotAFrame) {
  StreamPlan plan = plan_stream(small_stream()).value();
  internal::v1::StreamStarted slower = started(8, 4);
  slower.mutable_picture_rate()->set_numerator(20);
  ASSERT_THAT(plan_pictures(plan, slower), IsOk());
  EXPECT_EQ(plan.ring.picture_slots(), kMaxFrameSlots);
}

TEST(PlanTest, PicturesThatAreTooLargeTooManyOrNonsenseAreRefused) {
  StreamPlan plan = plan_stream(small_stream()).value();
  internal::v1::StreamStarted deep = started(kMaxPictureSide, kMaxPictureSide);
  EXPECT_THAT(plan_pictures(plan, deep), IsOk());
  deep.mutable_format()->set_bit_depth(9);
  EXPECT_THAT(plan_pictures(plan, deep), StatusIs(StatusCode::kResourceExhausted, "too large"));
  internal::v1::StreamStarted fast = started(8, 4);
  fast.mutable_picture_rate()->set_numerator(25 * kMaxPicturesPerFrame);
  EXPECT_THAT(plan_pictures(plan, fast), IsOk());
  fast.mutable_picture_rate()->set_numerator(25 * kMaxPicturesPerFrame + 1);
  EXPECT_THAT(plan_pictures(plan, fast), StatusIs(StatusCode::kResourceExhausted, "(33, at most 32)"));
  EXPECT_THAT(plan_pictures(plan, started(0, 4)), StatusIs(StatusCode::kInternal, "inconsistent"));
  internal::v1::StreamStarted holding = started(8, 4);
  holding.set_held_bytes(1000);
  EXPECT_THAT(plan_pictures(plan, holding), IsOk());
  EXPECT_EQ(plan.memory_bytes(), plan.ring_bytes() + 1000);
  holding.set_held_bytes(-1);
  EXPECT_THAT(plan_pictures(plan, holding), StatusIs(StatusCode::kInternal, "inconsistent"));
  internal::v1::StreamStarted still = started(8, 4);
  still.mutable_picture_rate()->set_denominator(0);
  EXPECT_THAT(plan_pictures(plan, still), StatusIs(StatusCode::kInternal, "inconsistent"));
}

TEST(PlanTest, PathsOfFiltersAreAbsolute) {
  v1::OpenStream open = small_stream();
  set_filters(open, "bloom=kernel=/star.exr");
  const auto plan = plan_stream(open);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->open.filters(0).bloom().method(), v1::BLOOM_METHOD_FFT);
  set_filters(open, "bloom=kernel=star.exr");
  EXPECT_THAT(plan_stream(open), StatusIs(StatusCode::kInvalidArgument, "(star.exr) is relative"));
}

TEST(PlanTest, AColourThatIsNotSaidIsNotKnown) {
  v1::OpenStream open = small_stream();
  set_filters(open, "bloom");
  open.mutable_colour()->set_matrix(v1::MATRIX_COEFFICIENTS_BT2020NC);
  const auto plan = plan_stream(open);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->open.colour().transfer(), v1::TRANSFER_CHARACTERISTICS_UNKNOWN);
  EXPECT_EQ(plan->open.colour().matrix(), v1::MATRIX_COEFFICIENTS_BT2020NC);
}

TEST(PlanTest, LargeFramesGetFewSlots) {
  v1::OpenStream open = small_stream();
  open.mutable_format()->set_width(7680);
  open.mutable_format()->set_height(4320);
  open.mutable_format()->set_bit_depth(16);
  const auto plan = plan_stream(open);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->frame_bytes, int64_t{7680} * 4320 * 2);
  EXPECT_EQ(plan->ring.frame_slots(), kMinSlots);
}

TEST(PlanTest, RefusesWhatMakesNoSenseAndNamesTheField) {
  struct Case {
    std::function<void(v1::OpenStream&)> spoil;
    const char* says;
  };
  const Case cases[] = {
      {[](auto& open) { open.add_filters(); }, "Nothing is chosen"},
      {[](auto& open) { open.mutable_format()->set_width(0); }, "width"},
      {[](auto& open) { open.mutable_format()->set_height(kMaxPictureSide + 1); }, "16385"},
      {[](auto& open) { open.mutable_format()->set_chroma(v1::CHROMA_FORMAT_UNSPECIFIED); }, "chroma"},
      {[](auto& open) { open.mutable_format()->set_chroma(v1::ChromaFormat(9)); }, "chroma"},
      {[](auto& open) { open.mutable_format()->set_bit_depth(7); }, "7 bits"},
      {[](auto& open) { open.mutable_format()->set_bit_depth(17); }, "17 bits"},
      {[](auto& open) { open.mutable_frame_rate()->set_numerator(-25); }, "-25/1"},
      {[](auto& open) { open.mutable_frame_rate()->set_numerator(2'000'000'000); }, "not plausible"},
      {[](auto& open) { open.set_frames(-1); }, "negative"},
      {[](auto& open) { open.mutable_sample_aspect()->set_numerator(-4); }, "aspect is not plausible (-4/0)"},
      {[](auto& open) { open.set_chroma_position(v1::ChromaPosition(99)); }, "position of chroma samples"},
      {[](auto& open) { open.mutable_settings()->set_weight(0); }, "weight"},
      {[](auto& open) { open.mutable_settings()->set_owner(std::string(1000, 'x')); }, "owner"},
      {[](auto& open) { open.mutable_filters(0)->mutable_bwdif()->set_rate(v1::OutputRate(77)); },
       "'rate' (77) is not one of the choices"},
      {[](auto& open) { open.mutable_colour()->set_transfer(v1::TransferCharacteristics(11)); }, "transfer"},
      {[](auto& open) { open.mutable_colour()->set_matrix(v1::MatrixCoefficients(14)); }, "matrix"},
      {[](auto& open) {
         open.mutable_format()->set_width(kMaxPictureSide);
         open.mutable_format()->set_height(kMaxPictureSide);
       },
       ""},
  };
  for (const Case& each : cases) {
    v1::OpenStream open = small_stream();
    each.spoil(open);
    const auto plan = plan_stream(open);
    if (*each.says == '\0') {  // 256 MiB is the largest permitted size
      EXPECT_THAT(plan, IsOk());
      open.mutable_format()->set_bit_depth(9);
      EXPECT_THAT(plan_stream(open), StatusIs(StatusCode::kInvalidArgument, "too large"));
      continue;
    }
    EXPECT_THAT(plan, StatusIs(StatusCode::kInvalidArgument, each.says)) << plan.status();
  }
}

TEST(PlanTest, OnlyARealtimeStreamNeedsARate) {
  v1::OpenStream open = small_stream();
  open.clear_frame_rate();
  const auto plan = plan_stream(open);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->open.frame_rate().numerator(), 25);
  open.mutable_settings()->set_stream_class(v1::STREAM_CLASS_REALTIME);
  EXPECT_THAT(plan_stream(open), StatusIs(StatusCode::kInvalidArgument, "needs its frame rate"));
}

v1::OpenStream textures() {
  v1::OpenStream open;
  open.mutable_texture()->set_source(v1::BLOCK_FORMAT_BC7);
  open.mutable_texture()->set_width(10);
  open.mutable_texture()->set_height(6);
  return open;
}

// Returns the worker's message for a texture of 20x12 and the levels below it.
internal::v1::StreamStarted textures_started(const std::vector<std::pair<int, int>>& sides) {
  internal::v1::StreamStarted started;
  started.mutable_texture()->set_format(v1::BLOCK_FORMAT_BC1);
  int64_t offset = 0;
  for (const auto& [width, height] : sides) {
    v1::TextureLevel& level = *started.mutable_texture()->add_levels();
    level.set_width(width);
    level.set_height(height);
    level.set_offset(offset);
    level.set_bytes(int64_t((width + 3) / 4) * ((height + 3) / 4) * 8);
    offset += level.bytes();
  }
  started.mutable_picture_rate()->set_numerator(25);
  started.mutable_picture_rate()->set_denominator(1);
  return started;
}

TEST(PlanTest, TexturesAreFrames) {
  StatusOr<StreamPlan> plan = plan_stream(textures());
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->frame_bytes, 3 * 2 * 16);
  EXPECT_EQ(plan->open.texture().quality(), v1::BLOCK_QUALITY_MEDIUM);
  EXPECT_FALSE(plan_stream(small_stream())->open.has_texture());
  ASSERT_THAT(plan_pictures(*plan, textures_started({{20, 12}, {10, 6}})), IsOk());
  EXPECT_EQ(plan->picture_bytes, (5 * 3 + 3 * 2) * 8);
  EXPECT_EQ(plan->ring.picture_slots(), plan->ring.frame_slots());
  internal::v1::StreamStarted gap = textures_started({{20, 12}, {10, 6}});
  gap.mutable_texture()->mutable_levels(1)->set_offset(1);
  EXPECT_THAT(plan_pictures(*plan, gap), StatusIs(StatusCode::kInternal, "inconsistent"));
  EXPECT_THAT(plan_pictures(*plan, textures_started({})), StatusIs(StatusCode::kInternal, "inconsistent"));
  EXPECT_THAT(plan_pictures(*plan, started(8, 4)), StatusIs(StatusCode::kInternal, "inconsistent"));
  EXPECT_THAT(plan_pictures(*plan, textures_started({{32768, 32768}})),
              StatusIs(StatusCode::kResourceExhausted, "too large"));
}

TEST(PlanTest, TexturesThatMakeNoSenseAreRefusedByField) {
  struct Case {
    std::function<void(v1::OpenStream&)> spoil;
    const char* says;
  };
  const Case cases[] = {
      {[](auto& open) { open.mutable_texture()->clear_source(); }, "format is not known (0)"},
      {[](auto& open) { open.mutable_texture()->set_source(v1::BlockFormat(77)); },
       "format is not known (77)"},
      {[](auto& open) { open.mutable_texture()->set_width(0); }, "width is out of range (0"},
      {[](auto& open) { open.mutable_texture()->set_height(16385); }, "height is out of range (16385"},
      {[](auto& open) { open.mutable_texture()->set_kind(v1::TEXTURE_KIND_AUTO); },
       "cannot be derived from a name"},
      {[](auto& open) { open.mutable_texture()->set_kind(v1::TextureKind(9)); }, "not one of the choices"},
      {[](auto& open) { open.mutable_settings()->set_stream_class(v1::STREAM_CLASS_REALTIME); },
       "no deadline"},
      {[](auto& open) { open.add_filters()->mutable_bwdif(); }, "Leave them out"},
      {[](auto& open) { open.mutable_format()->set_width(8); }, "leave it out"},
      {[](auto& open) {
         open.mutable_texture()->set_source(v1::BLOCK_FORMAT_RGBA8);
         open.mutable_texture()->set_width(16384);
         open.mutable_texture()->set_height(16384);
       },
       "too large (1073741824 bytes, at most 268435456)"},
  };
  for (const Case& each : cases) {
    v1::OpenStream open = textures();
    each.spoil(open);
    EXPECT_THAT(plan_stream(open), StatusIs(StatusCode::kInvalidArgument, each.says));
  }
}

}  // namespace
}  // namespace weft::streams
