// SPDX-License-Identifier: Apache-2.0
// Tests texture jobs in this process, with one texture and with several.
#include <atomic>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/worker/texture/signed_blocks.h"
#include "tests/server/filters/texture/reference_blocks.h"
#include "tests/server/worker/texture/texture_jobs.h"

namespace weft::worker {
namespace {

TEST_F(TextureJobTest, LayersAreEnlargedEachByItself) {
  const media::Texture source = noise_texture(20, 12, 3);
  media::write_file(folder_.path("in.dds"), *media::encode_texture(source, {}));
  TextureRunner runner(order(spec("in.dds", [](auto& job) { job.set_kind(v1::TEXTURE_KIND_MASK); })),
                       {cpu_device(), loop_, caches_}, events_);
  const JobEnd end = runner.run();
  ASSERT_THAT(end.status, IsOk());
  EXPECT_EQ(runner.meter().units_done, 3 * 10 * 6);  // number of blocks of 4x4 texels
  const StatusOr<media::Texture> made = result();
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(media::summary_of(made->info), "RGBA8 40x24, 6 levels, 3 layers");
  EXPECT_TRUE(made->levels[1] == source.levels[0]);  // The level is kept.
  for (int layer = 0; layer < 3; layer++) {
    const auto code = [&](int level, int x, int y) {
      return int(uint8_t(made->image(level, layer, 0)[size_t(y * (40 >> level) + x) * 4]));
    };
    for (int level = 0; level < 2; level++)
      for (int y = 0; y < 12 >> level; y++)
        for (int x = 0; x < 20 >> level; x++) {
          const int sum = code(level, 2 * x, 2 * y) + code(level, 2 * x + 1, 2 * y) +
                          code(level, 2 * x, 2 * y + 1) + code(level, 2 * x + 1, 2 * y + 1);
          ASSERT_EQ((sum + 2) / 4, code(level + 1, x, y)) << "layer " << layer << ", level " << level;
        }
  }
}

// Each level down to the smallest is made from the one above it, for each of several images.
TEST_F(TextureJobTest, EachLevelIsMadeOfTheOneAbove) {
  for (const int layers : {1, 2, 5}) {
    std::filesystem::remove_all(folder_.path("work"));
    media::write_file(folder_.path("in.dds"), *media::encode_texture(noise_texture(64, 64, layers), {}));
    TextureRunner runner(order(spec("in.dds", [](auto& job) { job.set_kind(v1::TEXTURE_KIND_MASK); })),
                         {cpu_device(), loop_, caches_}, events_);
    ASSERT_THAT(runner.run().status, IsOk());
    const StatusOr<media::Texture> made = result();
    ASSERT_THAT(made, IsOk());
    for (int layer = 0; layer < layers; layer++) {
      const auto code = [&](int level, int x, int y) {
        return int(uint8_t(made->image(level, layer, 0)[size_t(y * (128 >> level) + x) * 4]));
      };
      for (int level = 0; level < 7; level++)
        for (int y = 0; y < 64 >> level; y++)
          for (int x = 0; x < 64 >> level; x++) {
            const int sum = code(level, 2 * x, 2 * y) + code(level, 2 * x + 1, 2 * y) +
                            code(level, 2 * x, 2 * y + 1) + code(level, 2 * x + 1, 2 * y + 1);
            ASSERT_EQ((sum + 2) / 4, code(level + 1, x, y))
                << layers << " layers: " << layer << ", level " << level;
          }
    }
  }
}

// The first image has the same blocks as in a texture of its own, on all levels.
TEST_F(TextureJobTest, BlocksOfAnImageDoNotDependOnOthers) {
  const auto made = [&](int layers) {
    std::filesystem::remove_all(folder_.path("work"));
    media::write_file(folder_.path("in.dds"), *media::encode_texture(noise_texture(512, 512, layers), {}));
    TextureRunner runner(order(spec("in.dds", [](auto& job) { job.set_format(v1::TEXTURE_ENCODING_BC5); })),
                         {cpu_device(), loop_, caches_}, events_);
    EXPECT_THAT(runner.run().status, IsOk());
    return result().value();
  };
  const media::Texture alone = made(1), of_several = made(3);
  for (int level = 0; level < alone.info.levels; level++)
    EXPECT_EQ(alone.image(level, 0, 0), of_several.image(level, 0, 0)) << "level " << level;
}

// The code values of an 8-bit file become those of the texture with any alpha: noise, with holes in
// it.
TEST_F(TextureJobTest, CodesOfAnImageComeThrough) {
  media::Texture source = noise_texture(16, 16, 1);
  for (size_t i = 3; i < source.levels[0].size(); i += 12) source.levels[0][i] = 0;
  media::write_file(folder_.path("codes"), source.levels[0]);
  for (const char* name : {"in.png", "in.tiff", "in.tga"}) {
    media::run(fmt::format("ffmpeg -v error -y -f rawvideo -pix_fmt rgba -s 16x16 -i {} {}",
                           folder_.path("codes"), folder_.path(name)));
    std::filesystem::remove_all(folder_.path("work"));
    TextureRunner runner(order(spec(name, [](auto& job) { job.set_format(v1::TEXTURE_ENCODING_RGBA8); })),
                         {cpu_device(), loop_, caches_}, events_);
    ASSERT_THAT(runner.run().status, IsOk());
    const StatusOr<media::Texture> made = result();
    ASSERT_THAT(made, IsOk());
    EXPECT_TRUE(made->info.is_srgb);
    EXPECT_EQ(made->info.alpha, media::TextureAlpha::kStraight);
    EXPECT_TRUE(made->levels[1] == source.levels[0]) << name;
  }
}

TEST_F(TextureJobTest, FloatsAreNoTexture) {
  media::write_file(folder_.path("in.exr"), media::make_exr({}));
  TextureRunner runner(order(spec("in.exr")), {cpu_device(), loop_, caches_}, events_);
  EXPECT_THAT(runner.run().status, StatusIs(StatusCode::kInvalidArgument, "holds floats"));
}

TEST_F(TextureJobTest, AFinishedTextureIsTakenUp) {
  media::write_file(folder_.path("in.dds"), *media::encode_texture(noise_texture(16, 16, 1), {}));
  const v1::JobSpec wanted = spec("in.dds");
  ASSERT_THAT(TextureRunner(order(wanted), {cpu_device(), loop_, caches_}, events_).run().status, IsOk());
  const std::string first = media::read_file(folder_.path("work/finished"));
  TextureRunner again(order(wanted), {cpu_device(), loop_, caches_}, events_);
  ASSERT_THAT(again.run().status, IsOk());
  EXPECT_EQ(again.meter().filter.units, 0);
  EXPECT_TRUE(media::read_file(folder_.path("work/finished")) == first);
}

TEST_F(TextureJobTest, AStoppedJobLeavesNothing) {
  media::write_file(folder_.path("in.dds"), *media::encode_texture(noise_texture(256, 256, 40), {}));
  TextureRunner runner(order(spec("in.dds",
                                  [](auto& job) {
                                    job.set_format(v1::TEXTURE_ENCODING_BC7);
                                    job.set_quality(v1::BLOCK_QUALITY_BEST);
                                  })),
                       {cpu_device(), loop_, caches_}, events_);
  std::jthread stopper([&] {
    while (runner.meter().filter.units < 1) std::this_thread::yield();
    runner.stop(internal::v1::STOP_KIND_CANCEL);
  });
  const JobEnd end = runner.run();
  EXPECT_THAT(end.status, StatusIs(StatusCode::kCancelled));
  EXPECT_LT(runner.meter().units_done, 40 * 128 * 128);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("work/finished")));
}

// A texture of one image reports the progress of its portions.
TEST_F(TextureJobTest, ProgressIsSeenWithinATexture) {
  media::write_file(folder_.path("in.dds"), *media::encode_texture(noise_texture(256, 256, 1), {}));
  TextureRunner runner(order(spec("in.dds",
                                  [](auto& job) {
                                    job.set_format(v1::TEXTURE_ENCODING_BC7);
                                    job.set_quality(v1::BLOCK_QUALITY_BEST);
                                  })),
                       {cpu_device(), loop_, caches_}, events_);
  std::atomic<bool> ended = false;
  std::set<int64_t> seen;
  std::jthread watcher([&] {
    while (!ended) {
      seen.insert(runner.meter().units_done);
      std::this_thread::yield();
    }
  });
  ASSERT_THAT(runner.run().status, IsOk());
  ended = true;
  watcher.join();
  EXPECT_GE(seen.size(), 4u);
  EXPECT_EQ(runner.meter().units_done, 128 * 128);
  EXPECT_LE(*seen.rbegin(), 128 * 128);
}

TEST_F(TextureJobTest, DamageFailsTheJobAndItsInputIsToBlame) {
  std::string bytes = *media::encode_texture(noise_texture(16, 16, 1), {});
  media::write_file(folder_.path("in.dds"), bytes.substr(0, bytes.size() - 5));
  TextureRunner runner(order(spec("in.dds")), {cpu_device(), loop_, caches_}, events_);
  const JobEnd end = runner.run();
  EXPECT_THAT(end.status, StatusIs(StatusCode::kDataLoss, "is damaged"));
  EXPECT_FALSE(end.retriable);
}

TEST_F(TextureSetTest, EachFileIsDoubledByItself) {
  write("a.dds", noise_texture(16, 8, 1));
  write("b.dds", noise_texture(8, 8, 2));
  TextureRunner runner(order(set()), {cpu_device(), loop_, caches_}, events_);
  const JobEnd end = runner.run();
  ASSERT_THAT(end.status, IsOk());
  EXPECT_THAT(made("finished"), testing::ElementsAre("a_2x.dds", "b_2x.dds"));
  EXPECT_THAT(events_.finished, testing::ElementsAre(8 * 4, 8 * 4 + 2 * 4 * 4));
  EXPECT_EQ(end.result.units_in(), 8 * 4 + 2 * 4 * 4);
  EXPECT_EQ(end.result.failed_inputs_size(), 0);
  ASSERT_EQ(end.result.output_hashes_size(), 1);
  EXPECT_EQ(end.result.output_hashes(0).files(), 2);
  EXPECT_EQ(end.result.output_hashes(0).sha256(), sha256sum(folder_.path("work/finished")));
  const auto b = media::read_texture(media::read_file(folder_.path("work/finished/b_2x.dds")), "b");
  EXPECT_EQ(media::summary_of(b->info), "RGBA8 16x16, 5 levels, 2 layers");
  // The output equals that of a job with that file alone.
  std::filesystem::remove_all(folder_.path("work"));
  TextureRunner alone(order(spec("in/a.dds")), {cpu_device(), loop_, caches_}, events_);
  const JobEnd one = alone.run();
  ASSERT_THAT(one.status, IsOk());
  EXPECT_EQ(one.result.output_hashes(0).sha256(), sha256sum(folder_.path("work/finished")));
}

TEST_F(TextureSetTest, ABrokenFileDoesNotSinkTheOthers) {
  write("a.dds", noise_texture(16, 8, 1));
  const std::string whole = *media::encode_texture(noise_texture(8, 8, 1), {});
  media::write_file(folder_.path("in/b.dds"), whole.substr(0, whole.size() - 5));
  media::write_file(folder_.path("in/c.png"), "no picture at all");
  write("d.dds", noise_texture(8, 8, 1));
  TextureRunner runner(order(set()), {cpu_device(), loop_, caches_}, events_);
  const JobEnd end = runner.run();
  ASSERT_THAT(end.status, IsOk());
  EXPECT_THAT(made("finished"), testing::ElementsAre("a_2x.dds", "d_2x.dds"));
  ASSERT_EQ(end.result.failed_inputs_size(), 2);
  EXPECT_EQ(end.result.failed_inputs(0).name(), "b.dds");
  EXPECT_THAT(end.result.failed_inputs(0).reason(), testing::HasSubstr("is damaged"));
  EXPECT_EQ(end.result.failed_inputs(1).name(), "c.png");
  EXPECT_THAT(end.result.failed_inputs(1).reason(), testing::HasSubstr("no texture that is known"));
  EXPECT_EQ(runner.meter().units_total, 8 * 4 + 4 * 4);
  EXPECT_EQ(runner.meter().units_done, 8 * 4 + 4 * 4);
}

// The header is enough to refuse a file of 2 GB that cannot be made at twice its size. Its texels
// are not decoded.
TEST_F(TextureSetTest, WhatIsTooLargeIsNotDecoded) {
  constexpr int kSide = 23000, kRun = 128;
  write("a.dds", noise_texture(64, 64, 1));
  std::string tga(18, '\0');
  tga[2] = 10;  // colour image, RLE
  tga[12] = tga[14] = char(kSide & 255);
  tga[13] = tga[15] = char(kSide >> 8);
  tga[16] = 24;
  for (int64_t i = 0; i < int64_t{kSide} * kSide / kRun + 1; i++) tga += "\xFF...";
  media::write_file(folder_.path("in/b.tga"), tga);
  const auto most_resident = [] {
    const std::string status = media::read_file("/proc/self/status");
    return std::stoll(status.substr(status.find("VmHWM:") + 6)) << 10;
  };
  media::write_file("/proc/self/clear_refs", "5");  // resets the peak of the process's memory
  const int64_t before = most_resident();
  TextureRunner runner(order(set()), {cpu_device(), loop_, caches_}, events_);
  const JobEnd end = runner.run();
  ASSERT_EQ(end.result.failed_inputs_size(), 1);
  EXPECT_EQ(end.result.failed_inputs(0).name(), "b.tga");
  EXPECT_THAT(end.result.failed_inputs(0).reason(), testing::HasSubstr("too large"));
  EXPECT_LT(most_resident(), before + (int64_t{1} << 30));
}

TEST_F(TextureSetTest, OfNothingButBrokenFilesTheJobFails) {
  media::write_file(folder_.path("in/a.dds"), "DDS and no more");
  TextureRunner runner(order(set()), {cpu_device(), loop_, caches_}, events_);
  const JobEnd end = runner.run();
  EXPECT_THAT(end.status, StatusIs(StatusCode::kDataLoss, "is damaged"));
  EXPECT_FALSE(end.retriable);
}

TEST_F(TextureSetTest, TheNextAttemptMakesWhatWasNotFinished) {
  for (const char* name : {"a.dds", "b.dds", "c.dds", "d.dds", "e.dds", "f.dds"})
    write(name, noise_texture(64, 64, 1));
  const v1::JobSpec wanted = set([](auto& job) { job.set_format(v1::TEXTURE_ENCODING_BC7); });
  std::optional<TextureRunner> first(std::in_place, order(wanted), DeviceShare{cpu_device(), loop_, caches_},
                                     events_);
  events_.then = [&] { first->stop(internal::v1::STOP_KIND_PAUSE); };
  EXPECT_THAT(first->run().status, StatusIs(StatusCode::kCancelled));
  events_.then = nullptr;
  const size_t finished = events_.finished.size();
  ASSERT_GE(finished, 1u);
  ASSERT_LT(finished, 6u);
  first.reset();
  TextureRunner second(order(wanted), {cpu_device(), loop_, caches_}, events_);
  const JobEnd end = second.run();
  ASSERT_THAT(end.status, IsOk());
  EXPECT_EQ(size_t(end.result.segments_resumed()), finished);
  EXPECT_EQ(second.meter().filter.units, int64_t(6 - finished) * 32 * 32);
  EXPECT_EQ(second.meter().units_done, 6 * 32 * 32);
  EXPECT_EQ(events_.finished.back(), 6 * 32 * 32);
  EXPECT_THAT(made("finished"), testing::SizeIs(6));
}

// Files change during an attempt or between two attempts, and one is removed. The output is that of
// the files at the end.
TEST_F(TextureSetTest, WhatChangesIsMadeAnew) {
  for (const char* name : {"a.dds", "b.dds", "c.dds"}) write(name, noise_texture(64, 64, 1));
  const v1::JobSpec wanted = set();
  TextureRunner first(order(wanted), {cpu_device(), loop_, caches_}, events_);
  events_.then = [&] {
    events_.then = nullptr;
    write("a.dds", noise_texture(32, 32, 1));
  };
  JobEnd end = first.run();
  ASSERT_THAT(end.status, IsOk());
  EXPECT_THAT(end.result.notes(), testing::Contains(testing::HasSubstr("1 texture made anew (a.dds)")));
  const auto width_of = [&](const std::string& name) {
    return media::read_texture(media::read_file(folder_.path("work/finished/" + name)), name)->info.width;
  };
  EXPECT_EQ(width_of("a_2x.dds"), 64);
  EXPECT_EQ(width_of("b_2x.dds"), 128);
  write("b.dds", noise_texture(16, 16, 1));
  std::filesystem::remove(folder_.path("in/c.dds"));
  TextureRunner second(order(wanted), {cpu_device(), loop_, caches_}, events_);
  end = second.run();
  ASSERT_THAT(end.status, IsOk());
  EXPECT_EQ(end.result.segments_resumed(), 1);
  EXPECT_EQ(end.result.segments(), 2);
  EXPECT_THAT(end.result.notes(), testing::Contains(testing::HasSubstr("1 texture made anew (b.dds)")));
  EXPECT_THAT(end.result.notes(),
              testing::Contains(testing::HasSubstr("1 texture of files that are no longer")));
  EXPECT_THAT(made("finished"), testing::ElementsAre("a_2x.dds", "b_2x.dds"));
  EXPECT_EQ(width_of("b_2x.dds"), 32);
}

TEST_F(TextureSetTest, TheEstimateIsOfAllFiles) {
  write("a.dds", noise_texture(64, 64, 1));
  write("b.dds", noise_texture(16, 16, 1));
  media::write_file(folder_.path("in/c.dds"), "DDS and no more");
  const v1::JobSpec wanted = set();
  const StatusOr<v1::JobEstimate> all = estimate_texture(wanted, order(wanted).inputs);
  ASSERT_THAT(all, IsOk());
  EXPECT_EQ(all->units_in(), 32 * 32 + 8 * 8);
  EXPECT_THAT(all->input_summary(), testing::HasSubstr("2 textures, the largest RGBA8 64x64"));
  EXPECT_THAT(all->input_summary(), testing::HasSubstr("1 that cannot be read"));
  EXPECT_DOUBLE_EQ(all->cost_units(), 1.0 / (32 * 32));
  const v1::JobSpec one = spec("in/a.dds");
  const StatusOr<v1::JobEstimate> alone = estimate_texture(one, order(one).inputs);
  ASSERT_THAT(alone, IsOk());
  EXPECT_GT(all->output_bytes(), alone->output_bytes());
  EXPECT_GT(all->host_bytes(), alone->host_bytes());
  EXPECT_EQ(all->cost_key(), alone->cost_key());
}

TEST(TextureItems, ANameSaysTheKind) {
  constexpr std::pair<const char*, v1::TextureKind> kNames[] = {
      {"rock_normal.dds", v1::TEXTURE_KIND_NORMAL},  {"rock_n.dds", v1::TEXTURE_KIND_NORMAL},
      {"Rock-NRM_2K.png", v1::TEXTURE_KIND_NORMAL},  {"Rock023_1K_NormalGL.jpg", v1::TEXTURE_KIND_NORMAL},
      {"a/n/wall_rough.dds", v1::TEXTURE_KIND_MASK}, {"wall_orm_v2.ktx2", v1::TEXTURE_KIND_MASK},
      {"wall_mask_map.dds", v1::TEXTURE_KIND_MASK},  {"metal_plate.dds", v1::TEXTURE_KIND_ALBEDO},
      {"normal.dds", v1::TEXTURE_KIND_NORMAL},       {"rock_normal_albedo.dds", v1::TEXTURE_KIND_ALBEDO},
      {"height16.png", v1::TEXTURE_KIND_MASK},       {"ORM_2k.png", v1::TEXTURE_KIND_MASK},
      {"rock_height16.png", v1::TEXTURE_KIND_MASK},  {"rock_n2.png", v1::TEXTURE_KIND_ALBEDO},
      {"metal.png", v1::TEXTURE_KIND_ALBEDO},        {"n.png", v1::TEXTURE_KIND_ALBEDO},
      {"rock.dds", v1::TEXTURE_KIND_ALBEDO},         {"", v1::TEXTURE_KIND_ALBEDO},
      {"_n.dds", v1::TEXTURE_KIND_NORMAL},           {"rock_2k.dds", v1::TEXTURE_KIND_ALBEDO}};
  for (const auto& [name, kind] : kNames) EXPECT_EQ(kind_of_name(name), kind) << name;
}

// The texels of signed blocks differ from those of unsigned blocks by at most one code value.
TEST_F(TextureJobTest, SignedBlocksHaveTheTexelsOfUnsignedOnes) {
  media::write_file(folder_.path("in.dds"), *media::encode_texture(noise_texture(64, 64, 1), {}));
  const auto made = [&](v1::TextureEncoding format) {
    std::filesystem::remove_all(folder_.path("work"));
    TextureRunner runner(
        order(spec("in.dds",
                   [&](auto& job) { job.set_format(format), job.set_levels(v1::LEVEL_SOURCE_MAKE); })),
        {cpu_device(), loop_, caches_}, events_);
    EXPECT_THAT(runner.run().status, IsOk());
    return result().value();
  };
  const media::Texture plain = made(v1::TEXTURE_ENCODING_BC5), with_sign = made(v1::TEXTURE_ENCODING_BC5S);
  EXPECT_EQ(with_sign.info.format, media::TextureFormat::kBc5Signed);
  for (int level = 0; level < plain.info.levels; level++) {
    const int width = media::level_side(128, level), height = media::level_side(128, level);
    namespace reference = filters::texture::plain;
    const std::string a = reference::decode_image(BLOCKS_BC5, width, height, plain.image(level, 0, 0));
    const std::string b =
        reference::decode_image(BLOCKS_BC5 | BLOCKS_SIGNED, width, height, with_sign.image(level, 0, 0));
    ASSERT_EQ(a.size(), b.size());
    for (size_t k = 0; k < a.size(); k++)
      ASSERT_NEAR(int(uint8_t(a[k])), int(uint8_t(b[k])), 2) << "level " << level << ", byte " << k;
  }
}

TEST(SignedBlocks, EndsThatBecomeEqualHaveOneValue) {
  for (int first = 0; first < 256; first++)
    for (int second = 0; second < 256; second++) {
      std::string block = {char(first), char(second), char(0x88), char(0xc6),
                           char(0xfa),  char(0x88),   char(0xc6), char(0xfa)};
      const std::string before = filters::texture::plain::decode_image(BLOCKS_BC4, 4, 4, block);
      to_signed_blocks(std::as_writable_bytes(std::span(block)));
      const std::string after =
          filters::texture::plain::decode_image(BLOCKS_BC4 | BLOCKS_SIGNED, 4, 4, block);
      for (size_t k = 0; k < before.size(); k += 4)
        ASSERT_NEAR(int(uint8_t(before[k])), int(uint8_t(after[k])), 2)
            << first << " " << second << " " << k / 4;
    }
}

}  // namespace
}  // namespace weft::worker
