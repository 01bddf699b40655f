// SPDX-License-Identifier: Apache-2.0
#include "client/text.h"

#include <gtest/gtest.h>

namespace weft::client {
namespace {

TEST(Text, TimesAndSizes) {
  EXPECT_EQ(format_clock(0), "0:00:00");
  EXPECT_EQ(format_clock(89.4), "0:01:29");
  EXPECT_EQ(format_clock(100000), "27:46:40");
  EXPECT_EQ(format_clock(-1), "?");
  EXPECT_EQ(format_duration(0), "0.00 s");
  EXPECT_EQ(format_duration(0.084), "0.08 s");
  EXPECT_EQ(format_duration(9.994), "9.99 s");
  EXPECT_EQ(format_duration(9.996), "10.0 s");
  EXPECT_EQ(format_duration(59.94), "59.9 s");
  EXPECT_EQ(format_duration(59.96), "0:01:00");
  EXPECT_EQ(format_duration(-1), "?");
  EXPECT_EQ(format_age(59), "59 s");
  EXPECT_EQ(format_age(3599), "59 min");
  EXPECT_EQ(format_age(47 * 3600), "47 h");
  EXPECT_EQ(format_age(48 * 3600), "2 d");
  EXPECT_EQ(format_age(-5), "0 s") << "clocks differ";
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(int64_t(5) << 40), "5.0 TiB");
}

}  // namespace
}  // namespace weft::client
