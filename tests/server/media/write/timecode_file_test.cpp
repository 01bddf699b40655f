// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/timecode_file.h"

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::media {
namespace {

TEST(TimecodeFileTest, HasALineForEachPicture) {
  // 60000/1001 pictures a second: 16.683333... ms each
  const std::vector<int64_t> times = {7007, 9009, 11011, 16016};
  EXPECT_EQ(timecode_text(times, {1, 120000}, TimecodeForm::kDecimals),
            "# timecode format v2\n0.000000\n16.683333\n33.366667\n75.075000\n");
  EXPECT_EQ(timecode_text(times, {1, 120000}, TimecodeForm::kMilliseconds),
            "# timecode format v2\n0\n17\n33\n75\n");
}

TEST(TimecodeFileTest, AnyTimesAndUnitsFit) {
  constexpr int64_t kMost = int64_t{1} << 61;
  EXPECT_EQ(timecode_text(std::vector<int64_t>{}, {1, 25}, TimecodeForm::kDecimals),
            "# timecode format v2\n");
  EXPECT_EQ(timecode_text(std::vector<int64_t>{-kMost, -kMost + 1}, {1, 2147483647}, TimecodeForm::kDecimals),
            "# timecode format v2\n0.000000\n0.000000\n");
  EXPECT_EQ(timecode_text(std::vector<int64_t>{0, 3}, {1001, 30000}, TimecodeForm::kDecimals),
            "# timecode format v2\n0.000000\n100.100000\n");
}

// Two hours of pictures with durations of 1 to 5 units of 1/120 of a second times 1.001: each line
// is the exact time, rounded once. No error adds up.
TEST(TimecodeFileTest, TwoHoursDoNotDrift) {
  std::mt19937 random(3);
  std::vector<int64_t> times = {0};
  constexpr int64_t kUnits = 2 * 3600 * 120;
  while (times.back() < kUnits) times.push_back(times.back() + 1 + int64_t(random() % 5));
  std::istringstream lines(timecode_text(times, {1001, 120000}, TimecodeForm::kDecimals));
  std::string line;
  std::getline(lines, line);
  for (const int64_t time : times) {
    ASSERT_TRUE(std::getline(lines, line));
    const size_t point = line.find('.');
    ASSERT_EQ(line.size(), point + 7) << line;
    const int64_t parts = std::stoll(line.substr(0, point)) * 1'000'000 + std::stoll(line.substr(point + 1));
    // |parts / 10^9 - time * 1001 / 120000| is at most half of 10^-9
    const int64_t error = parts * 120 - time * 1'001'000'000;
    ASSERT_LE(std::abs(error), 60) << line;
  }
  EXPECT_FALSE(std::getline(lines, line));
}

}  // namespace
}  // namespace weft::media
