// SPDX-License-Identifier: Apache-2.0
// Tests plans of a texture job's specification for an input.
#include <functional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/filters/texture/large_network.h"
#include "server/filters/texture/small_network.h"
#include "tests/server/worker/texture/texture_jobs.h"

namespace weft::worker {
namespace {

using media::TextureFormat;

TEST(TexturePlan, TheFormatIsTheInputsWhereItCanBe) {
  constexpr std::pair<TextureFormat, TextureFormat> kFormats[] = {
      {TextureFormat::kRgba8, TextureFormat::kRgba8}, {TextureFormat::kBc1, TextureFormat::kBc1},
      {TextureFormat::kBc2, TextureFormat::kBc3},     {TextureFormat::kBc3, TextureFormat::kBc3},
      {TextureFormat::kBc4, TextureFormat::kBc4},     {TextureFormat::kBc4Signed, TextureFormat::kBc4Signed},
      {TextureFormat::kBc5, TextureFormat::kBc5},     {TextureFormat::kBc5Signed, TextureFormat::kBc5Signed},
      {TextureFormat::kBc7, TextureFormat::kBc7}};
  for (const auto& [from, to] : kFormats) {
    const StatusOr<TexturePlan> plan = plan_texture(spec_of(), input_of(from), "out.dds");
    ASSERT_THAT(plan, IsOk());
    EXPECT_EQ(plan->target.format, to) << media::name_of(from);
    EXPECT_EQ(plan->target.width, 128);
    EXPECT_EQ(plan->target.height, 64);
    EXPECT_EQ(plan->target.levels, 8);
    EXPECT_EQ(plan->kept_levels, from == to ? 1 : 0) << media::name_of(from);
    EXPECT_EQ(plan->task.first_made, 1 + plan->kept_levels);
  }
  TextureInput image = input_of(TextureFormat::kRgba8);
  image.is_image = true;
  EXPECT_EQ(plan_texture(spec_of(), image, "out.dds")->target.format, TextureFormat::kBc7);
}

TEST(TexturePlan, SrgbStaysWhereTheFormatHasIt) {
  TextureInput input = input_of(TextureFormat::kBc7);
  input.info.is_srgb = true;
  EXPECT_TRUE(plan_texture(spec_of(), input, "out.dds")->target.is_srgb);
  const auto plan =
      plan_texture(spec_of([](auto& job) { job.set_format(v1::TEXTURE_ENCODING_BC5); }), input, "out.dds");
  EXPECT_FALSE(plan->target.is_srgb);
  EXPECT_THAT(plan->notes, testing::Contains(testing::HasSubstr("no form")));
}

TEST(TexturePlan, RefusesWhatCannotBe) {
  EXPECT_THAT(plan_texture(spec_of(), input_of(TextureFormat::kBc7, 32768, 4), "out.dds"),
              StatusIs(StatusCode::kInvalidArgument, "a side at most 32768"));
  EXPECT_THAT(plan_texture(spec_of(), input_of(TextureFormat::kRgba8, 16384, 16384), "out.dds"),
              StatusIs(StatusCode::kInvalidArgument, "at most 4294967296"));
  EXPECT_THAT(plan_texture(spec_of(), input_of(TextureFormat::kBc7), "out.tga"),
              StatusIs(StatusCode::kInvalidArgument, ".dds or .ktx2"));
}

TEST(TexturePlan, FacesAreClamped) {
  TextureInput input = input_of(TextureFormat::kBc7, 16, 16);
  EXPECT_EQ(plan_texture(spec_of(), input, "out.dds")->task.enlargement.border, BORDER_WRAP);
  input.info.faces = media::kCubeFaces;
  EXPECT_EQ(plan_texture(spec_of(), input, "out.dds")->task.enlargement.border, BORDER_CLAMP);
}

TEST(TexturePlan, OneImageTakesTheRoomOfOne) {
  const auto device_bytes = [](int64_t images) {
    const StatusOr<TexturePlan> plan =
        plan_texture(spec_of(), input_of(TextureFormat::kRgba8, 512, 512), "out.dds");
    graph::Network network = plan->network({}).value();
    return graph::Plan::compile(network, texture_plan_options(images)).value().device_bytes();
  };
  // The difference is at least an output of 1024x1024 texels.
  EXPECT_LE(device_bytes(1) + 4 * 1024 * 1024, device_bytes(6));
}

TEST(TexturePlan, TheNetworkIsTheKinds) {
  constexpr std::pair<v1::TextureKind, const char*> kNetworks[] = {
      {v1::TEXTURE_KIND_UNSPECIFIED, "texture_albedo"},
      {v1::TEXTURE_KIND_ALBEDO, "texture_albedo"},
      {v1::TEXTURE_KIND_NORMAL, "texture_normal"},
      {v1::TEXTURE_KIND_MASK, "texture_mask"}};
  for (const auto& [kind, name] : kNetworks) {
    const auto plan = plan_texture(spec_of([kind = kind](auto& job) { job.set_kind(kind); }),
                                   input_of(TextureFormat::kBc5), "out.dds");
    ASSERT_THAT(plan, IsOk());
    ASSERT_NE(plan->task.enlargement.network, nullptr);
    EXPECT_EQ(plan->task.enlargement.network->title.name, name);
    EXPECT_EQ(plan->task.enlargement.source, filters::texture::TexelSource::kBc5);
    EXPECT_THAT(plan->notes, testing::Contains(testing::HasSubstr(fmt::format(
                                 "'{}' of {}", name, plan->task.enlargement.network->title.date))));
  }
  const auto plain = plan_texture(spec_of([](auto& job) { job.set_model(v1::UPSAMPLE_MODEL_NONE); }),
                                  input_of(TextureFormat::kBc7), "out.dds");
  EXPECT_EQ(plain->task.enlargement.network, nullptr);
  EXPECT_THAT(plain->notes, testing::Not(testing::Contains(testing::HasSubstr("network"))));
  EXPECT_NE(plain->cost_key(), plan_texture(spec_of(), input_of(TextureFormat::kBc7), "out.dds")->cost_key());
}

TEST(TexturePlan, SmallMakesBlocksOfSomeFormats) {
  const auto spec = spec_of([](auto& job) {
    job.set_model(v1::UPSAMPLE_MODEL_SMALL);
    job.set_kind(v1::TEXTURE_KIND_NORMAL);
  });
  const auto plan = plan_texture(spec, input_of(TextureFormat::kBc7), "out.dds");
  ASSERT_THAT(plan, IsOk());
  ASSERT_NE(plan->task.small, nullptr);
  EXPECT_EQ(plan->task.small->title.name, "texture_small_normal");
  EXPECT_EQ(plan->task.enlargement.network, nullptr);
  EXPECT_THAT(plan->cost_key(), testing::EndsWith(" by small checked"));
  EXPECT_THAT(plan->notes, testing::Contains(testing::HasSubstr("'texture_small_normal' of ")));
  for (const TextureFormat format : {TextureFormat::kBc1, TextureFormat::kBc5, TextureFormat::kBc5Signed})
    EXPECT_THAT(plan_texture(spec, input_of(format), "out.dds"), IsOk());
  for (const TextureFormat format : {TextureFormat::kBc3, TextureFormat::kBc4, TextureFormat::kRgba8})
    EXPECT_THAT(plan_texture(spec, input_of(format), "out.dds"),
                StatusIs(StatusCode::kInvalidArgument, "for this format take 'large' or 'none'"));
}

TEST(TexturePlan, NetworksAloneAreChecked) {
  const auto is_checked = [](const std::function<void(v1::TextureJob&)>& change) {
    return plan_texture(spec_of(change), input_of(TextureFormat::kBc7), "out.dds")->task.is_checked;
  };
  EXPECT_TRUE(is_checked({}));
  EXPECT_TRUE(is_checked([](auto& job) { job.set_model(v1::UPSAMPLE_MODEL_SMALL); }));
  EXPECT_TRUE(is_checked([](auto& job) { job.set_check(v1::UPSAMPLE_CHECK_NOTE); }));
  EXPECT_FALSE(is_checked([](auto& job) { job.set_check(v1::UPSAMPLE_CHECK_OFF); }));
  EXPECT_FALSE(is_checked([](auto& job) { job.set_model(v1::UPSAMPLE_MODEL_NONE); }));
}

TEST(TexturePlan, AnExceptionHasNoNetwork) {
  for (const v1::UpsampleModel model : {v1::UPSAMPLE_MODEL_LARGE, v1::UPSAMPLE_MODEL_SMALL}) {
    const auto spec = spec_of([model](auto& job) { job.set_model(model); });
    const auto plan =
        plan_texture(spec, input_of(TextureFormat::kBc7), "out.dds", v1::TEXTURE_KIND_MASK, true);
    const auto none = plan_texture(spec_of([](auto& job) { job.set_model(v1::UPSAMPLE_MODEL_NONE); }),
                                   input_of(TextureFormat::kBc7), "out.dds");
    EXPECT_EQ(plan->cost_key(), none->cost_key());
    EXPECT_THAT(plan->notes, testing::Not(testing::Contains(testing::HasSubstr("network"))));
  }
}

TEST(TexturePlan, GlossIsOfNormalsWithAlpha) {
  const auto plan = [](v1::TextureKind kind, TextureFormat format,
                       const std::function<void(v1::TextureJob&)>& change = {}) {
    const auto spec = spec_of([&](auto& job) {
      job.set_kind(kind);
      job.set_gloss(true);
      if (change) change(job);
    });
    const auto of_item =
        kind == v1::TEXTURE_KIND_AUTO ? v1::TEXTURE_KIND_ALBEDO : v1::TEXTURE_KIND_UNSPECIFIED;
    return plan_texture(spec, input_of(format, 64, 32, 3), "out.dds", of_item);
  };
  for (const TextureFormat format : {TextureFormat::kBc7, TextureFormat::kBc3, TextureFormat::kRgba8}) {
    const auto made = plan(v1::TEXTURE_KIND_NORMAL, format);
    ASSERT_THAT(made, IsOk());
    EXPECT_TRUE(made->task.has_gloss);
    EXPECT_EQ(made->kept_levels, 0);  // Their alpha has another meaning.
    EXPECT_EQ(made->task.first_made, 1);
    EXPECT_EQ(made->target.alpha, media::TextureAlpha::kCustom);
    EXPECT_THAT(made->cost_key(), testing::HasSubstr(" with gloss"));
  }
  for (const v1::TextureKind kind : {v1::TEXTURE_KIND_ALBEDO, v1::TEXTURE_KIND_MASK})
    EXPECT_THAT(plan(kind, TextureFormat::kBc7),
                StatusIs(StatusCode::kInvalidArgument, "Only normals gain gloss; take --kind normal"));
  for (const TextureFormat format : {TextureFormat::kBc1, TextureFormat::kBc5, TextureFormat::kBc4})
    EXPECT_THAT(plan(v1::TEXTURE_KIND_NORMAL, format),
                StatusIs(StatusCode::kInvalidArgument, "take --format bc7, bc3 or rgba8"));
  // In a set, only normal maps have gloss.
  const auto colours = plan(v1::TEXTURE_KIND_AUTO, TextureFormat::kBc1, [](auto& job) {
    job.set_input("/in/*");
    job.set_output("/2x/*");
  });
  ASSERT_THAT(colours, IsOk());
  EXPECT_FALSE(colours->task.has_gloss);
  EXPECT_THAT(plan(v1::TEXTURE_KIND_AUTO, TextureFormat::kBc7),
              StatusIs(StatusCode::kInvalidArgument, "Only normals gain gloss; take --kind normal"));
  // Each block has alpha. The small networks do not support alpha, so the search makes the blocks.
  const auto small = plan(v1::TEXTURE_KIND_NORMAL, TextureFormat::kBc7,
                          [](auto& job) { job.set_model(v1::UPSAMPLE_MODEL_SMALL); });
  EXPECT_EQ(small->task.small, nullptr);
  EXPECT_THAT(small->notes, testing::Contains(testing::HasSubstr("which the networks 'small' do not make")));
}

}  // namespace
}  // namespace weft::worker
