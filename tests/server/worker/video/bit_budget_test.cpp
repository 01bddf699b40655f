// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/bit_budget.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::worker {
namespace {

using internal::v1::SegmentRecord;
using Records = std::map<int64_t, SegmentRecord>;

constexpr int kSegmentFrames = 50;

media::OutputVideo video() {
  media::OutputVideo video;
  video.time_base = {1, 1000};
  video.frame_rate = {25, 1};
  return video;
}

SegmentRecord record_of(int64_t texture, int64_t motion, int64_t other, int frames = kSegmentFrames) {
  SegmentRecord record;
  record.set_outputs(frames);
  internal::v1::FirstPassRecord& pass = *record.mutable_first_pass();
  pass.set_texture_bits(texture);
  pass.set_motion_bits(motion);
  pass.set_other_bits(other);
  pass.set_duration(frames * 40);
  return record;
}

double seconds_of(const SegmentRecord& record) { return double(record.outputs()) / 25; }
double bits_of(const std::vector<int64_t>& rates, const Records& records) {
  double bits = 0;
  for (const auto& [segment, record] : records) bits += double(rates[size_t(segment)]) * seconds_of(record);
  return bits;
}

TEST(BitBudget, TheSegmentsTogetherHaveTheRate) {
  Records records;
  double length = 0;
  for (int64_t segment = 0; segment < 99; segment++) {
    records[segment] = record_of(segment * segment * 1000, 20'000, 9'000, segment == 98 ? 7 : kSegmentFrames);
    length += seconds_of(records[segment]);
  }
  for (const int64_t rate : {30'000, 100'000, 5'000'000}) {
    const auto shares = divide_bits(records, video(), {.rate = rate});
    ASSERT_THAT(shares, IsOk());
    EXPECT_NEAR(bits_of(shares->rates, records), double(rate) * length, 1000 * seconds_of(records[0]));
    EXPECT_GT(shares->rates[90], shares->rates[10]) << "by their texture";
  }
}

// At the rate of the first pass itself nothing changes.
TEST(BitBudget, TheSizesOfTheFirstPassAreAFixedPoint) {
  const Records records = {{0, record_of(900'000, 80'000, 20'000)},
                           {1, record_of(2'700'000, 250'000, 50'000)}};
  const auto shares = divide_bits(records, video(), {.rate = 1'000'000});
  ASSERT_THAT(shares, IsOk());
  EXPECT_THAT(shares->rates, testing::ElementsAre(500'000, 1'500'000));
}

// The exponents are those of x264's ratecontrol.c.
TEST(BitBudget, AtDoubleTheScaleTextureShrinksMoreThanMotion) {
  const Records records = {{0, record_of(8'000'000, 0, 0)}, {1, record_of(0, 4'000'000, 0)}};
  const double texture = 8e6 * std::pow(2, -1.1), motion = 4e6 * std::pow(2, -0.5);
  const auto shares = divide_bits(records, video(), {.rate = int64_t((texture + motion) / 4)});
  ASSERT_THAT(shares, IsOk());
  EXPECT_NEAR(double(shares->rates[0]), texture / 2, 1000);
  EXPECT_NEAR(double(shares->rates[1]), motion / 2, 1000);
  EXPECT_NEAR(shares->scale, 2, 0.01);
}

TEST(BitBudget, OthersGetTheBitsThatALimitedSegmentMayNotHave) {
  const Records records = {{0, record_of(9'000'000, 0, 0)}, {1, record_of(1'000'000, 0, 0)}};
  const auto shares = divide_bits(records, video(), {.rate = 1'000'000, .most_rate = 1'200'000});
  ASSERT_THAT(shares, IsOk());
  EXPECT_THAT(shares->rates, testing::ElementsAre(1'200'000, 800'000));
  const auto all = divide_bits(records, video(), {.rate = 1'000'000, .most_rate = 900'000});
  ASSERT_THAT(all, IsOk());
  EXPECT_THAT(all->rates, testing::ElementsAre(900'000, 900'000));
}

// A stream may skip times: its rate refers to the durations of its pictures.
TEST(BitBudget, LongerPicturesHaveMoreBits) {
  Records records = {{0, record_of(1'000'000, 0, 0)}, {1, record_of(1'000'000, 0, 0)}};
  records[1].mutable_first_pass()->set_duration(3 * kSegmentFrames * 40);
  const auto shares = divide_bits(records, video(), {.rate = 400'000});
  ASSERT_THAT(shares, IsOk());
  EXPECT_EQ(shares->rates[0], 800'000);
}

// The rate of an encoder that counts time refers to the same time.
TEST(BitBudget, AnEncoderThatCountsTimeGetsRatesOfTheTime) {
  Records records = {{0, record_of(1'000'000, 0, 0)}, {1, record_of(1'000'000, 0, 0)}};
  records[1].mutable_first_pass()->set_duration(4 * kSegmentFrames * 40);
  const auto shares = divide_bits(records, video(), {.rate = 400'000, .counts_time = true});
  ASSERT_THAT(shares, IsOk());
  EXPECT_THAT(shares->rates, testing::ElementsAre(1'000'000, 250'000));
}

TEST(BitBudget, RefusesARateBelowThatOfTheHeaders) {
  const Records records = {{0, record_of(1'000'000, 0, 60'000)}};
  EXPECT_THAT(divide_bits(records, video(), {.rate = 30'000}),
              StatusIs(StatusCode::kInvalidArgument, "their headers alone take 30 kbit/s"));
}

}  // namespace
}  // namespace weft::worker
