// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream/stream_plan.h"

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "options/validate.h"
#include "options/values.h"
#include "tests/server/worker/stream/stream_orders.h"

namespace weft::worker {
namespace {

using testing::ElementsAre;

TEST(StreamPlan, TheOptionIsNamedThatABloomCannotHave) {
  const auto blamed = [](const std::function<void(v1::OpenStream&)>& change) {
    v1::OpenStream open = order_of(v1::STREAM_CLASS_NORMAL).open();
    set_filters(open, "bloom=intensity=0.5");
    options::apply_defaults(open);
    change(open);
    const Status status = chain_of(open, {}).status();
    EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument));
    std::vector<std::string> fields;
    for (const options::Violation& violation : options::violations_of(status))
      fields.push_back(violation.field);
    return fields;
  };
  EXPECT_THAT(blamed([](auto& open) { open.mutable_filters(0)->mutable_bloom()->set_size(0); }),
              ElementsAre("open.filters[0].bloom.size"));
  EXPECT_THAT(
      blamed([](auto& open) { open.mutable_filters(0)->mutable_bloom()->set_mode(v1::BLOOM_MODE_CONVOLVE); }),
      ElementsAre("open.filters[0].bloom.kernel"));
  EXPECT_THAT(blamed([](auto& open) { open.mutable_format()->set_width(17000); }),
              ElementsAre("open.filters[0].bloom"));
}

TEST(StreamPlan, PicturesAreLikeFrames) {
  v1::OpenStream open = order_of(v1::STREAM_CLASS_NORMAL).open();
  set_filters(open, "crop=16x16");
  options::apply_defaults(open);
  EXPECT_THAT(chain_of(open, {}).status(), StatusIs(StatusCode::kInvalidArgument, "change them to 16x16"));
}

}  // namespace
}  // namespace weft::worker
