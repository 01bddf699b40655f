// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/presence_clock.h"

#include <gtest/gtest.h>

namespace weft::queue {
namespace {

using std::chrono::milliseconds;

TEST(PresenceClockTest, GoesOnWithItsLoopAndStandsStillWithoutIt) {
  VirtualClock clock;
  PresenceClock presence(clock);
  const TimePoint start = presence.now();
  for (int i = 1; i <= 10; i++) {
    clock.advance(milliseconds(100));
    EXPECT_EQ(presence.now() - start, milliseconds(100) * i);
    presence.here();
    EXPECT_EQ(presence.now() - start, milliseconds(100) * i);
  }
  clock.advance(std::chrono::hours(1));
  const TimePoint absent = start + std::chrono::seconds(1) + PresenceClock::kLongestAbsence;
  EXPECT_EQ(presence.now(), absent);
  presence.here();
  EXPECT_EQ(presence.now(), absent) << "and does not go back";
  clock.advance(milliseconds(100));
  EXPECT_EQ(presence.now(), absent + milliseconds(100));
  EXPECT_EQ(presence.wall_now(), clock.wall_now());
}

}  // namespace
}  // namespace weft::queue
