// SPDX-License-Identifier: Apache-2.0
// Tests texture jobs with checks of the networks' results, with tables of exceptions, and with
// gloss.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/worker/texture/texture_jobs.h"

namespace weft::worker {
namespace {

// Returns a pattern that the small network for colours spoils: texels of red, green and blue in
// turn.
media::Texture spoiled_pattern(int width, int height) {
  media::Texture texture = noise_texture(width, height, 1);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 4; c++)
        texture.levels[0][size_t(y * width + x) * 4 + size_t(c)] =
            char(c == 3 || (x + y + c) % 3 == 0 ? 255 : 0);
  return texture;
}

// Returns a normal map of random bumps.
media::Texture bumpy_normals(int width, int height) {
  media::Texture texture = spoiled_pattern(width, height);
  std::mt19937 random(7);
  std::vector<double> heights(size_t(width * height));
  for (double& value : heights) value = double(random() % 256) / 255;
  const auto at = [&](int x, int y) {
    double sum = 0;  // mean of 3x3 heights
    for (int i = 0; i < 9; i++)
      sum += heights[size_t((y + i / 3 + height) % height * width + (x + i % 3 + width) % width)] / 9;
    return sum;
  };
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const double normal[] = {at(x - 1, y) - at(x + 1, y), at(x, y - 1) - at(x, y + 1), 1};
      const double length = std::hypot(normal[0], normal[1], normal[2]);
      for (size_t c = 0; c < 3; c++)
        texture.levels[0][size_t(y * width + x) * 4 + c] =
            char(std::lround((normal[c] / length + 1) * 127.5));
    }
  return texture;
}

class TextureCheckTest : public TextureSetTest {
 protected:
  v1::JobSpec small_job(v1::UpsampleCheck check, const std::string& input = "in.dds") {
    return spec(input, [check](auto& job) {
      job.set_model(v1::UPSAMPLE_MODEL_SMALL);
      job.set_format(v1::TEXTURE_ENCODING_BC7);
      job.set_check(check);
    });
  }
  JobEnd run(const v1::JobSpec& wanted) {
    TextureRunner runner(order(wanted), {cpu_device(), loop_, caches_}, events_);
    JobEnd end = runner.run();
    EXPECT_THAT(end.status, IsOk());
    EXPECT_EQ(runner.meter().units_done, runner.meter().units_total);
    return end;
  }
  std::string output_of(const v1::JobSpec& wanted) {
    std::filesystem::remove_all(folder_.path("work"));
    run(wanted);
    return media::read_file(folder_.path("work/finished"));
  }
};

// Loss by the formats BC1 and BC5 is not counted against a network.
TEST_F(TextureCheckTest, WhatAFormatDoesIsLetPass) {
  media::write_file(folder_.path("in.dds"), *media::encode_texture(bumpy_normals(64, 48), {}));
  for (const v1::TextureEncoding format :
       {v1::TEXTURE_ENCODING_BC7, v1::TEXTURE_ENCODING_BC1, v1::TEXTURE_ENCODING_BC5}) {
    std::filesystem::remove_all(folder_.path("work"));
    v1::JobSpec wanted = small_job(v1::UPSAMPLE_CHECK_REPLACE);
    wanted.mutable_texture()->set_kind(v1::TEXTURE_KIND_NORMAL);
    wanted.mutable_texture()->set_format(format);
    const JobEnd end = run(wanted);
    EXPECT_EQ(end.result.textures().exceptions_size(), 0)
        << format << " " << end.result.textures().ShortDebugString();
  }
}

TEST_F(TextureCheckTest, WhatANetworkSpoilsIsMadeWithoutOne) {
  media::write_file(folder_.path("in.dds"), *media::encode_texture(spoiled_pattern(64, 48), {}));
  v1::JobSpec plain = small_job(v1::UPSAMPLE_CHECK_OFF);
  plain.mutable_texture()->set_model(v1::UPSAMPLE_MODEL_NONE);
  const std::string by_filter = output_of(plain), by_network = output_of(small_job(v1::UPSAMPLE_CHECK_OFF));
  EXPECT_TRUE(output_of(small_job(v1::UPSAMPLE_CHECK_NOTE)) == by_network);
  EXPECT_TRUE(output_of(small_job(v1::UPSAMPLE_CHECK_REPLACE)) == by_filter);
  EXPECT_TRUE(output_of(small_job(v1::UPSAMPLE_CHECK_UNSPECIFIED)) == by_filter);
  EXPECT_FALSE(by_network == by_filter);
  for (const v1::UpsampleCheck check :
       {v1::UPSAMPLE_CHECK_OFF, v1::UPSAMPLE_CHECK_NOTE, v1::UPSAMPLE_CHECK_REPLACE}) {
    std::filesystem::remove_all(folder_.path("work"));
    const JobEnd end = run(small_job(check));
    const auto& exceptions = end.result.textures().exceptions();
    ASSERT_EQ(exceptions.size(), check == v1::UPSAMPLE_CHECK_OFF ? 0 : 1);
    EXPECT_EQ(end.result.has_textures(), check != v1::UPSAMPLE_CHECK_OFF);
    if (check == v1::UPSAMPLE_CHECK_OFF) continue;
    EXPECT_EQ(exceptions[0].name(), "in.dds");
    EXPECT_THAT(exceptions[0].reason(), testing::HasSubstr("colours shift"));
    const bool is_replaced = check == v1::UPSAMPLE_CHECK_REPLACE;
    EXPECT_THAT(end.result.notes(),
                testing::Contains(testing::StartsWith(
                    is_replaced ? "'in.dds' was spoiled by a network and made without. Its"
                                : "'in.dds' was spoiled by a network. Its")));
  }
}

TEST_F(TextureCheckTest, TheLargeNetworkKeepsColours) {
  media::write_file(folder_.path("in.dds"), *media::encode_texture(spoiled_pattern(32, 32), {}));
  const JobEnd end = run(spec("in.dds"));
  EXPECT_FALSE(end.result.has_textures());
}

// A texture's images are checked together: if the network spoils one, all are made again without
// it.
TEST_F(TextureCheckTest, ATextureIsReplacedAsAWhole) {
  media::Texture source = noise_texture(32, 32, 3);
  for (int layer = 0; layer < 3; layer++) {
    const media::Texture pattern = spoiled_pattern(32, 32);
    const std::span<char> place = source.writable_image(0, layer, 0);
    if (layer == 1)
      std::copy(pattern.levels[0].begin(), pattern.levels[0].end(), place.begin());
    else
      std::fill(place.begin(), place.end(), char(255));
  }
  media::write_file(folder_.path("in.dds"), *media::encode_texture(source, {}));
  v1::JobSpec plain = small_job(v1::UPSAMPLE_CHECK_OFF);
  plain.mutable_texture()->set_model(v1::UPSAMPLE_MODEL_NONE);
  EXPECT_TRUE(output_of(small_job(v1::UPSAMPLE_CHECK_REPLACE)) == output_of(plain));
}

// The result contains exceptions of an earlier attempt of the job, but not those of another job.
TEST_F(TextureCheckTest, TheNextAttemptKnowsWhatWasFound) {
  media::write_file(folder_.path("in.dds"), *media::encode_texture(spoiled_pattern(64, 48), {}));
  const v1::JobSpec wanted = small_job(v1::UPSAMPLE_CHECK_REPLACE);
  run(wanted);
  TextureRunner again(order(wanted), {cpu_device(), loop_, caches_}, events_);
  const JobEnd end = again.run();
  EXPECT_EQ(again.meter().filter.units, 0);
  ASSERT_EQ(end.result.textures().exceptions_size(), 1);
  EXPECT_EQ(end.result.textures().exceptions(0).name(), "in.dds");
  std::filesystem::remove(folder_.path("work/finished"));
  EXPECT_FALSE(run(small_job(v1::UPSAMPLE_CHECK_OFF)).result.has_textures());
}

TEST_F(TextureCheckTest, TheTableSaysWhatNoNetworkMakes) {
  for (const char* name : {"b.dds", "a_ui.dds", "c.dds"}) write(name, spoiled_pattern(32, 32));
  write("d.dds", noise_texture(32, 32, 1));
  media::write_file(folder_.path("table.txt"), "*_ui.dds\tletters\nc.dds seen\n");
  const auto wanted = [&](v1::UpsampleModel model, bool has_table) {
    return set([&](auto& job) {
      job.set_model(model);
      job.set_format(v1::TEXTURE_ENCODING_BC7);
      job.set_check(v1::UPSAMPLE_CHECK_NOTE);
      if (has_table) job.set_exceptions(folder_.path("table.txt"));
    });
  };
  const auto outputs = [&](const v1::JobSpec& job) {
    std::filesystem::remove_all(folder_.path("work"));
    const JobEnd end = run(job);
    std::map<std::string, std::string> files;
    for (const std::string& name : made("finished"))
      files[name] = media::read_file(folder_.path("work/finished/" + name));
    return std::pair(files, end.result);
  };
  const auto [all, result_of_all] = outputs(wanted(v1::UPSAMPLE_MODEL_SMALL, false));
  const auto [plain, result_of_plain] = outputs(wanted(v1::UPSAMPLE_MODEL_NONE, true));
  const auto [some, result] = outputs(wanted(v1::UPSAMPLE_MODEL_SMALL, true));
  EXPECT_TRUE(some.at("a_ui_2x.dds") == plain.at("a_ui_2x.dds"));
  EXPECT_TRUE(some.at("c_2x.dds") == plain.at("c_2x.dds"));
  EXPECT_TRUE(some.at("b_2x.dds") == all.at("b_2x.dds"));
  EXPECT_FALSE(some.at("b_2x.dds") == plain.at("b_2x.dds"));
  // The exceptions are in the order of names. Entries of the table are not repeated.
  ASSERT_EQ(result_of_all.textures().exceptions_size(), 3);
  EXPECT_EQ(result_of_all.textures().exceptions(0).name(), "a_ui.dds");
  EXPECT_EQ(result_of_all.textures().exceptions(2).name(), "c.dds");
  EXPECT_THAT(result_of_all.notes(),
              testing::Contains(testing::StartsWith("3 textures were spoiled by a network.")));
  ASSERT_EQ(result.textures().exceptions_size(), 1);
  EXPECT_EQ(result.textures().exceptions(0).name(), "b.dds");
  EXPECT_THAT(result.notes(),
              testing::Contains("What the table of exceptions names is made without a network."));
}

TEST_F(TextureCheckTest, ABadTableIsRefusedBeforeAnythingIsMade) {
  media::write_file(folder_.path("in.dds"), *media::encode_texture(noise_texture(8, 8, 1), {}));
  media::write_file(folder_.path("table.txt"), "in.dds\n");
  const v1::JobSpec wanted =
      spec("in.dds", [&](auto& job) { job.set_exceptions(folder_.path("table.txt")); });
  EXPECT_THAT(estimate_texture(wanted, order(wanted).inputs),
              StatusIs(StatusCode::kInvalidArgument, "Line 1 of the table of exceptions"));
  TextureRunner runner(order(wanted), {cpu_device(), loop_, caches_}, events_);
  const JobEnd end = runner.run();
  EXPECT_THAT(end.status, StatusIs(StatusCode::kInvalidArgument, "without a reason ('in.dds')"));
  EXPECT_FALSE(end.retriable);
}

// The first level has gloss, and the input's own smaller levels are not kept.
TEST_F(TextureCheckTest, GlossIsStoredInAlpha) {
  media::Texture source = noise_texture(32, 32, 1);
  for (int i = 0; i < 32 * 32; i++) {
    const double a = 0.8 * std::sin(i % 32 / 2.0), b = 0.8 * std::cos(i / 32 / 2.0),
                 length = std::hypot(a, b, 1);
    const std::array<double, 3> v = {a / length, b / length, 1 / length};
    for (size_t c = 0; c < 3; c++)
      source.levels[0][size_t(i) * 4 + c] = char(std::lround(127.5 * (1 + v[c])));
    source.levels[0][size_t(i) * 4 + 3] = char(255);
  }
  media::write_file(folder_.path("in.dds"), *media::encode_texture(source, {}));
  run(spec("in.dds", [](auto& job) {
    job.set_kind(v1::TEXTURE_KIND_NORMAL);
    job.set_gloss(true);
  }));
  const auto made = result();
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(made->info.alpha, media::TextureAlpha::kCustom);
  int most = 0;
  for (size_t level = 0; level < made->levels.size(); level++)
    for (size_t i = 0; i < made->levels[level].size(); i += 4) {
      const int alpha = uint8_t(made->levels[level][i + 3]);
      if (level == 0) most = std::max(most, alpha);
      if (level > 0) {
        ASSERT_EQ(alpha, 0);
      }
      if (level == 1) {
        ASSERT_EQ(made->levels[1].substr(i, 3), source.levels[0].substr(i, 3));
      }
    }
  EXPECT_GT(most, 20);
  EXPECT_LT(most, 255);
}

}  // namespace
}  // namespace weft::worker
