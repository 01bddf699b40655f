// SPDX-License-Identifier: Apache-2.0
#include "client_cli/output/json.h"

#include <gmock/gmock.h>

#include "client/errors.h"
#include "options/validate.h"

namespace weft::cli {
namespace {

TEST(Json, LinesBeginWithTheSchema) {
  EXPECT_EQ(json_line({{"file", "\"a\""}, {"events", "3"}}),
            "{\"schema\": 1, \"file\": \"a\", \"events\": 3}\n");
}

TEST(Json, ErrorsHaveTheFormOfTheApi) {
  const Status error = client::mark_unreachable(options::to_status({{"spec.a", "A is wrong."}}));
  EXPECT_EQ(error_line(error),
            "{\"schema\": 1, \"error\": {\"code\": \"invalid-argument\", \"message\": \"A is wrong.\", "
            "\"details\": [{\"@type\": \"google.rpc.BadRequest\", \"field_violations\": [{\"field\": "
            "\"spec.a\", \"description\": \"A is wrong.\"}]}]}}\n");
}

}  // namespace
}  // namespace weft::cli
