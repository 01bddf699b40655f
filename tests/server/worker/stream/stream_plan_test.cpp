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

TEST(StreamPlan, LevelsOfSrgbTexturesAreMeansOfLight) {
  const auto has_light = [](v1::TextureTransfer transfer, v1::MipLight light, v1::BlockFormat source) {
    v1::OpenStream open;
    v1::TextureStream& texture = *open.mutable_texture();
    texture.set_source(source);
    texture.set_width(16);
    texture.set_height(16);
    texture.set_model(v1::UPSAMPLE_MODEL_NONE);
    texture.set_transfer(transfer);
    texture.set_mip_light(light);
    options::apply_defaults(open);
    const StatusOr<StreamTask> task = work_of(open, {});
    EXPECT_THAT(task, IsOk());
    return task.ok() && task->texture->task.has_light;
  };
  constexpr auto kNone = v1::MIP_LIGHT_UNSPECIFIED;
  EXPECT_TRUE(has_light(v1::TEXTURE_TRANSFER_SRGB, kNone, v1::BLOCK_FORMAT_BC7));
  EXPECT_FALSE(has_light(v1::TEXTURE_TRANSFER_SRGB, v1::MIP_LIGHT_STORED, v1::BLOCK_FORMAT_BC7));
  EXPECT_FALSE(has_light(v1::TEXTURE_TRANSFER_UNSPECIFIED, kNone, v1::BLOCK_FORMAT_BC7));
  EXPECT_FALSE(has_light(v1::TEXTURE_TRANSFER_SRGB, kNone, v1::BLOCK_FORMAT_BC5));
}

TEST(StreamPlan, TheOptionIsNamedThatABloomCannotHave) {
  const auto blamed = [](const std::function<void(v1::OpenStream&)>& change) {
    v1::OpenStream open = order_of(v1::STREAM_CLASS_NORMAL).open();
    set_filters(open, "bloom=intensity=0.5");
    options::apply_defaults(open);
    change(open);
    const Status status = work_of(open, {}).status();
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

TEST(StreamPlan, PicturesMayBeUnlikeFrames) {
  v1::OpenStream open = order_of(v1::STREAM_CLASS_NORMAL).open();
  set_filters(open, "crop=16x16,convert=bits=10");
  options::apply_defaults(open);
  const StatusOr<StreamTask> work = work_of(open, {});
  ASSERT_THAT(work, IsOk());
  EXPECT_EQ(work->chain.target.video.width, 16);
  EXPECT_EQ(work->chain.target.video.bit_depth, 10);
}

TEST(StreamPlan, WhatIsSaidOfFramesHoldsForPicturesButForWhatFiltersChange) {
  v1::OpenStream open = order_of(v1::STREAM_CLASS_NORMAL).open();
  open.mutable_sample_aspect()->set_numerator(16);
  open.mutable_sample_aspect()->set_denominator(11);
  open.set_chroma_position(v1::CHROMA_POSITION_TOP_LEFT);
  open.mutable_colour()->set_matrix(v1::MATRIX_COEFFICIENTS_BT2020NC);
  const auto lookbehind = [&](const std::string& filters) {
    set_filters(open, filters);
    options::apply_defaults(open);
    const StreamTask work = work_of(open, {}).value();
    internal::v1::StreamStarted started;
    report_textures(open, work.chain.properties, started);
    return started;
  };
  const internal::v1::StreamStarted cropped = lookbehind("crop=16x16");
  EXPECT_EQ(cropped.field_order(), v1::FIELD_ORDER_TOP_FIRST);
  EXPECT_EQ(cropped.sample_aspect().numerator(), 16);
  EXPECT_EQ(cropped.chroma_position(), v1::CHROMA_POSITION_TOP_LEFT);
  EXPECT_EQ(cropped.colour().matrix(), v1::MATRIX_COEFFICIENTS_BT2020NC);
  const internal::v1::StreamStarted resized = lookbehind("bwdif,resize=128x48:kernel=bilinear");
  EXPECT_EQ(resized.field_order(), v1::FIELD_ORDER_PROGRESSIVE);
  EXPECT_EQ(resized.sample_aspect().numerator() * 11, resized.sample_aspect().denominator() * 8);
}

// ivtc decides on the device, from the frames of a cycle.
TEST(StreamPlan, InverseTelecineIsAFilterOfAStream) {
  v1::OpenStream open = order_of(v1::STREAM_CLASS_NORMAL).open();
  set_filters(open, "ivtc");
  options::apply_defaults(open);
  const StatusOr<StreamTask> work = work_of(open, {});
  ASSERT_THAT(work, IsOk());
  EXPECT_EQ(work->chain.rate, (graph::Rate{4, 5}));
  EXPECT_EQ(work->chain.time_divisor, 4);
}

TEST(StreamPlan, WhatHasToSeeTheWholeInputIsNoFilterOfAStream) {
  v1::OpenStream open = order_of(v1::STREAM_CLASS_NORMAL).open();
  set_filters(open, "decimate");
  options::apply_defaults(open);
  EXPECT_THAT(work_of(open, {}).status(), StatusIs(StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace weft::worker
