// SPDX-License-Identifier: Apache-2.0
// Compares the transforms of bloom_bench and of the benchmark of transforms with sums in float64,
// on every device.
#include "server/benchmarks/line_transform.h"

#include "tests/server/filters/bloom/device_bench.h"

namespace weft::benchmarks {
namespace {

using LineTransformTest = filters::bloom::DeviceBench;

// The layouts are used in turn, in place and out of place. Each sequence and each layout is used at
// least once.
TEST_P(LineTransformTest, GiveTheTransform) {
  size_t turn = 0;
  for (const std::vector<int>& radices : kSequences)
    for (const bool is_in_place : {true, false}) {
      const LineStrategy strategy{radices, kLayouts[turn++ % kLayouts.size()], is_in_place};
      auto transform = LineTransform::make(*device_, strategy, 3);
      if (transform.status().code() == StatusCode::kInvalidArgument ||
          transform.status().code() == StatusCode::kFailedPrecondition)
        continue;  // The device has no pass of a radix, or too little shared memory.
      ASSERT_THAT(transform, IsOk());
      const auto error = worst_error(*device_, **transform);
      ASSERT_THAT(error, IsOk());
      EXPECT_LT(*error, 1e-6) << (*transform)->points() << " points, " << strategy.layout.name;
    }
}

TEST_P(LineTransformTest, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(LineTransform::make(*device_, {{8, 4, 11}}, 1).status(),
              StatusIs(StatusCode::kInvalidArgument, "no pass of radix 11"));
}

using filters::bloom::device_ids;
WEFT_ON_EVERY_DEVICE(LineTransformTest);

}  // namespace
}  // namespace weft::benchmarks
