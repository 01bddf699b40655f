// SPDX-License-Identifier: Apache-2.0
// The transfer function of textures: what a job says of it, and what the smaller levels are made of by it.
#include <filesystem>
#include <string>
#include <tuple>

#include <gmock/gmock.h>

#include "tests/server/media/texture/textures.h"
#include "tests/server/worker/texture/texture_jobs.h"

namespace weft::worker {
namespace {

constexpr int kLightSide = 8;  // texels of a source

class TextureLightTest : public TextureJobTest {};

// What no file says, the job says.
TEST_F(TextureLightTest, TheTransferOfAnOldHeaderIsTheJobs) {
  media::TextureFacts facts;
  facts.format = media::TextureFormat::kBc1;
  facts.width = facts.height = kLightSide;
  facts.is_transfer_known = false;
  media::write_file(folder_.path("in.dds"), *media::encode_texture(media::noise_texture(facts), {}));
  for (const auto& [transfer, is_known, is_srgb] :
       {std::tuple{v1::TEXTURE_TRANSFER_UNSPECIFIED, false, false},
        {v1::TEXTURE_TRANSFER_SRGB, true, true},
        {v1::TEXTURE_TRANSFER_LINEAR, true, false}}) {
    std::filesystem::remove_all(folder_.path("work"));
    const v1::JobSpec wanted = spec("in.dds", [&](v1::TextureJob& job) {
      job.set_kind(v1::TEXTURE_KIND_ALBEDO);
      job.set_model(v1::UPSAMPLE_MODEL_NONE);
      job.set_transfer(transfer);
    });
    ASSERT_THAT(TextureRunner(order(wanted), {cpu_device(), loop_, caches_}, events_).run().status, IsOk());
    EXPECT_EQ(result()->facts.is_transfer_known, is_known) << int(transfer);
    EXPECT_EQ(result()->facts.is_srgb, is_srgb) << int(transfer);
  }
}

// Two colours in a checkerboard: 188 is the mean of the light of 0 and 255, 128 that of the codes.
TEST_F(TextureLightTest, LevelsOfSrgbAreMeansOfLight) {
  media::TextureFacts facts;
  facts.width = facts.height = kLightSide;
  media::Texture board = media::noise_texture(facts);
  for (size_t i = 0; i < board.levels[0].size(); i++) {
    const size_t texel = i / 4;
    board.levels[0][i] = char((texel / kLightSide + texel) % 2 == 0 ? 0 : 255);
  }
  const auto third_level = [&](bool is_srgb, v1::MipLight light, v1::TextureKind kind) {
    std::filesystem::remove_all(folder_.path("work"));
    board.facts.is_srgb = is_srgb;
    media::write_file(folder_.path("in.dds"), *media::encode_texture(board, {}));
    const v1::JobSpec wanted = spec("in.dds", [&](v1::TextureJob& job) {
      job.set_kind(kind);
      job.set_model(v1::UPSAMPLE_MODEL_NONE);
      job.set_mip_light(light);
    });
    EXPECT_THAT(TextureRunner(order(wanted), {cpu_device(), loop_, caches_}, events_).run().status, IsOk());
    return result()->levels[2].substr(0, 4);
  };
  const std::string linear = {char(188), char(188), char(188), char(128)}, stored(4, char(128));
  EXPECT_EQ(third_level(true, v1::MIP_LIGHT_UNSPECIFIED, v1::TEXTURE_KIND_ALBEDO), linear);
  EXPECT_EQ(third_level(true, v1::MIP_LIGHT_LINEAR, v1::TEXTURE_KIND_MASK), linear);
  EXPECT_EQ(third_level(true, v1::MIP_LIGHT_STORED, v1::TEXTURE_KIND_ALBEDO), stored);
  EXPECT_EQ(third_level(false, v1::MIP_LIGHT_LINEAR, v1::TEXTURE_KIND_ALBEDO), stored);
  EXPECT_EQ(third_level(true, v1::MIP_LIGHT_LINEAR, v1::TEXTURE_KIND_NORMAL), stored);
}

}  // namespace
}  // namespace weft::worker
