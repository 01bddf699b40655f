// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/period_meter.h"

#include <gtest/gtest.h>

namespace weft::schedule {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(PeriodMeter, TheBudgetAddsUpToTheShareOfTheSpareTime) {
  PeriodMeter meter;
  meter.set_length(milliseconds(10));
  meter.set_share(0.5);
  TimePoint now{seconds(1)};
  const auto nothing = [](TimePoint) {};
  meter.move_to(now, nothing);
  for (int period = 0; period < 3; period++) {
    meter.add_busy(SourceClass::kRealtime, milliseconds(4));
    now += milliseconds(10);
    meter.move_to(now, nothing);
  }
  EXPECT_EQ(meter.totals().periods, 3);
  EXPECT_EQ(meter.totals().spare, milliseconds(18));
  EXPECT_EQ(meter.totals().budget, milliseconds(9));
  now += seconds(10);  // Most of these periods are skipped in one step.
  meter.move_to(now, nothing);
  EXPECT_EQ(meter.totals().budget, milliseconds(9) + seconds(5));
}

}  // namespace
}  // namespace weft::schedule
