// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/wake_lead.h"

#include <gtest/gtest.h>

namespace weft::worker {
namespace {

using std::chrono::microseconds;

TEST(WakeLeadTest, IsTwiceTheLongestLatenessWithinItsLimits) {
  WakeLead lead;
  EXPECT_EQ(lead.lead(), WakeLead::kLeast);
  lead.slept(microseconds(70));
  EXPECT_EQ(lead.lead(), WakeLead::kLeast);
  lead.slept(microseconds(250));
  EXPECT_EQ(lead.lead(), microseconds(500));
  lead.slept(microseconds(70));
  EXPECT_GT(lead.lead(), microseconds(490));
  lead.slept(std::chrono::seconds(1));
  EXPECT_EQ(lead.lead(), WakeLead::kMost);
}

TEST(WakeLeadTest, ForgetsWhatDoesNotComeBack) {
  WakeLead lead;
  lead.slept(microseconds(400));
  for (int i = 0; i < 600; i++) lead.slept(microseconds(50));
  EXPECT_EQ(lead.lead(), WakeLead::kLeast);
  lead.slept(std::chrono::minutes(5));
  for (int i = 0; i < 600; i++) lead.slept(microseconds(50));
  EXPECT_EQ(lead.lead(), WakeLead::kLeast) << "however late it was";
}

TEST(WakeLeadTest, OneLateSleepInAHundredAndFiftyIsAlwaysCovered) {
  WakeLead lead;
  lead.slept(microseconds(300));
  for (int i = 0; i < 1000; i++) {
    const microseconds late(i % 150 == 149 ? 300 : 60);
    EXPECT_GT(lead.lead(), late);
    lead.slept(late);
  }
}

}  // namespace
}  // namespace weft::worker
