// SPDX-License-Identifier: Apache-2.0
#include "options/canonical_bytes.h"

#include <string>

#include <gtest/gtest.h>

#include "weft/v1/job.pb.h"

namespace weft::options {
namespace {

// With 100 entries the order of a hash map depends on the order of their insertion.
v1::JobSettings settings_with_labels(bool is_backwards) {
  constexpr int kLabels = 100;
  v1::JobSettings settings;
  for (int i = 0; i < kLabels; i++) {
    const int n = is_backwards ? kLabels - 1 - i : i;
    (*settings.mutable_labels())["label" + std::to_string(n)] = std::to_string(n * n);
  }
  return settings;
}

TEST(CanonicalBytes, EqualMessagesHaveTheSameHoweverTheirMapsWereFilled) {
  const std::string bytes = canonical_bytes(settings_with_labels(false));
  EXPECT_EQ(canonical_bytes(settings_with_labels(true)), bytes);
  v1::JobSettings parsed;
  ASSERT_TRUE(parsed.ParseFromString(bytes));
  EXPECT_EQ(canonical_bytes(parsed), bytes);
}

TEST(CanonicalBytes, OtherMessagesHaveOthers) {
  v1::JobSettings other = settings_with_labels(false);
  (*other.mutable_labels())["label7"] = "50";
  EXPECT_NE(canonical_bytes(other), canonical_bytes(settings_with_labels(false)));
  EXPECT_EQ(canonical_bytes(v1::JobSettings()), "");
}

}  // namespace
}  // namespace weft::options
