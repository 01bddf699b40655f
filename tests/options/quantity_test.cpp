// SPDX-License-Identifier: Apache-2.0
#include "options/quantity.h"

#include <gtest/gtest.h>

namespace weft::options {
namespace {

TEST(Quantity, SuffixesOfAUnit) {
  EXPECT_EQ(quantity_in("bytes", "1GiB"), 1073741824);
  EXPECT_EQ(quantity_in("bytes", "1.5 KiB"), 1536);
  EXPECT_EQ(quantity_in("bytes", "2G"), 2147483648);
  EXPECT_EQ(quantity_in("bytes", "2GB"), 2e9);
  EXPECT_EQ(quantity_in("s", "5m"), 300);
  EXPECT_EQ(quantity_in("s", "1h30m"), 5400);
  EXPECT_EQ(quantity_in("s", "90s"), 90);
  EXPECT_EQ(quantity_in("ms", "2s"), 2000);
  EXPECT_EQ(quantity_in("kbit/s", "8M"), 8000);
  EXPECT_EQ(quantity_in("kbit/s", "5000k"), 5000);
}

TEST(Quantity, NothingElse) {
  for (const char* text : {"", "90", "GiB", "5 m x", "1h30", "1G1x", "five m", "-"})
    EXPECT_FALSE(quantity_in("s", text).has_value()) << text;
  EXPECT_FALSE(quantity_in("frames", "5m").has_value());
  EXPECT_FALSE(quantity_in("bytes", "5m").has_value());
}

}  // namespace
}  // namespace weft::options
