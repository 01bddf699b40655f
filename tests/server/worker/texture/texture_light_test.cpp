// SPDX-License-Identifier: Apache-2.0
// Tests the transfer function of textures: the job's option, and its use for smaller levels.
#include <filesystem>
#include <string>
#include <tuple>

#include <gmock/gmock.h>

#include "tests/server/media/texture/textures.h"
#include "tests/server/worker/texture/texture_jobs.h"

namespace weft::worker {
namespace {

constexpr int kLightSide = 8;  // side of a source in texels

class TextureLightTest : public TextureJobTest {};

// The job's option applies if the file declares no transfer function.
TEST_F(TextureLightTest, TheTransferOfAnOldHeaderIsTheJobs) {
  media::TextureInfo info;
  info.format = media::TextureFormat::kBc1;
  info.width = info.height = kLightSide;
  info.is_transfer_known = false;
  media::write_file(folder_.path("in.dds"), *media::encode_texture(media::noise_texture(info), {}));
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
    EXPECT_EQ(result()->info.is_transfer_known, is_known) << int(transfer);
    EXPECT_EQ(result()->info.is_srgb, is_srgb) << int(transfer);
  }
}

// The texture is a checkerboard of codes 0 and 255. The mean of their light has code 188, the mean
// of the codes is 128.
TEST_F(TextureLightTest, LevelsOfSrgbAreMeansOfLight) {
  media::TextureInfo info;
  info.width = info.height = kLightSide;
  media::Texture board = media::noise_texture(info);
  for (size_t i = 0; i < board.levels[0].size(); i++) {
    const size_t texel = i / 4;
    board.levels[0][i] = char((texel / kLightSide + texel) % 2 == 0 ? 0 : 255);
  }
  const auto third_level = [&](bool is_srgb, v1::MipLight light, v1::TextureKind kind) {
    std::filesystem::remove_all(folder_.path("work"));
    board.info.is_srgb = is_srgb;
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
