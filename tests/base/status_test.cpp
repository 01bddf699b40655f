// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <gmock/gmock.h>

namespace weft {
namespace {

using ::testing::Not;

StatusOr<int> half(int value) {
  if (value % 2 != 0) return invalid_argument("The value ({}) is odd; give an even one.", value);
  return value / 2;
}

StatusOr<int> quarter(int value) {
  ASSIGN_OR_RETURN(const int first, half(value));
  ASSIGN_OR_RETURN(const int second, half(first));
  return second;
}

Status check(int value) {
  RETURN_IF_ERROR(half(value).status());
  return ok_status();
}

TEST(Status, MacrosPassValuesAndErrorsOn) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_THAT(quarter(6), StatusIs(StatusCode::kInvalidArgument, "(3)"));
  EXPECT_THAT(check(2), IsOk());
  EXPECT_THAT(check(3), Not(IsOk()));
}

TEST(Status, ContextKeepsCodeAndPayload) {
  Status status = data_loss("The file ends early.");
  status.SetPayload("type", absl::Cord("payload"));
  const Status wrapped = with_context(status, "While reading a.ts");
  EXPECT_THAT(wrapped, StatusIs(StatusCode::kDataLoss, "While reading a.ts: The file ends early."));
  EXPECT_EQ(wrapped.GetPayload("type"), absl::Cord("payload"));
}

}  // namespace
}  // namespace weft
