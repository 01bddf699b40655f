// SPDX-License-Identifier: Apache-2.0
// Tests bloom's cache, batches, sample types, sizes, presets and refusals.
#include "tests/server/filters/bloom/bloom_fixture.h"

namespace weft::filters::bloom {
namespace {

class BloomTest : public BloomBench {};

TEST_P(BloomTest, ASpectrumOfTheCacheGivesTheSameBytes) {
  const Image image = random_image(61, 45, 6, 50);
  const auto options = options_of("glare: BLOOM_GLARE_GAUSSIAN gaussian_sigma: 0.317");
  const size_t before = cache_->entries();
  const auto fresh = bloom({image}, options);
  EXPECT_EQ(cache_->entries(), before + 1);
  const auto cached = bloom({image}, options);
  EXPECT_EQ(cache_->entries(), before + 1);
  EXPECT_EQ(*fresh, *cached);
  // Another intensity has the same kernel, another sigma has another kernel.
  EXPECT_THAT(bloom({image}, options_of("glare: BLOOM_GLARE_GAUSSIAN gaussian_sigma: 0.317 intensity: 0.5")),
              IsOk());
  EXPECT_EQ(cache_->entries(), before + 1);
  EXPECT_NE(*bloom({image}, options_of("glare: BLOOM_GLARE_GAUSSIAN gaussian_sigma: 0.316")), *fresh);
  EXPECT_EQ(cache_->entries(), before + 2);
  // A picture with one different value is another kernel.
  GlarePicture kernel = delta(5, 5, 2, 2);
  EXPECT_THAT(bloom({image}, options, {.kernel = &kernel}), IsOk());
  kernel.rgb[4] = 1e-9;
  EXPECT_THAT(bloom({image}, options, {.kernel = &kernel}), IsOk());
  EXPECT_EQ(cache_->entries(), before + 4);
}

TEST_P(BloomTest, PortionsGiveTheSameBytes) {
  const std::vector<Image> images = {random_image(61, 45, 6, 50), random_image(61, 45, 7, 50)};
  for (const char* method : {"", "method: BLOOM_METHOD_DUAL"})
    for (const PixelType type : {PixelType::kHalf, PixelType::kFloat}) {
      const auto options = options_of(fmt::format("threshold: 0.5 {}", method));
      const auto whole = bloom(images, options, {}, type);
      ASSERT_THAT(whole, IsOk());
      const std::array<uint32_t, 2> counted = counts_;
      for (const int portions : {2, 5, 64}) {
        const auto result = bloom(images, options, {}, type, portions);
        ASSERT_THAT(result, IsOk());
        EXPECT_EQ(*result, *whole) << portions << " portions, " << method;
        EXPECT_EQ(counts_, counted);
      }
    }
}

// A small frame is one portion. A portion of a large frame takes at most a quantum of the schedule.
TEST_P(BloomTest, LargeFramesAreDoneInPortions) {
  const auto portions = [&](int side, const char* options) {
    return Bloom::make(*device_, {side, side}, options_of(options), {}, *cache_).value()->portions();
  };
  EXPECT_EQ(portions(24, "size: 0.1"), 1);
  EXPECT_EQ(portions(24, "method: BLOOM_METHOD_DUAL"), 1);
  if (device_->info().kind != device::BackendKind::kCpu || device_->info().compute_units > 8) return;
  const int large = portions(1200, "size: 0.1");
  EXPECT_GT(large, 1);
  EXPECT_LE(large, Bloom::kMostPortions);
}

TEST_P(BloomTest, IntermediatesOfFp16AreNearAndShareTheSpectrum) {
  const Image image = random_image(61, 45, 6, 50);
  const GlarePicture kernel = random_kernel(9, 7, 3);
  for (const bool is_convolve : {false, true}) {
    const std::string options = is_convolve ? kConvolve + " clamp: 1000 " : "intensity: 1 size: 0.4 ";
    const BloomPictures pictures{.kernel = is_convolve ? &kernel : nullptr};
    const auto exact = bloom({image}, options_of(options), pictures);
    const size_t entries = cache_->entries();
    const auto half =
        bloom({image}, options_of(options + "intermediates: BLOOM_INTERMEDIATES_FP16"), pictures);
    ASSERT_THAT(exact, IsOk());
    ASSERT_THAT(half, IsOk());
    EXPECT_EQ(cache_->entries(), entries);
    // the CPU supports fp32 only
    const bool is_kept = device_->info().kind == device::BackendKind::kCpu;
    EXPECT_EQ(*exact == *half, is_kept);
    EXPECT_LT(relative_error(*half, doubles(*exact)), 0x1p-9) << options;
  }
}

TEST_P(BloomTest, TheCacheForgetsWhatWasNotAskedForTheLongest) {
  const auto spectrum = [&](size_t bytes) {
    auto made = std::make_shared<KernelSpectrum>();
    made->buffer = device_->allocate(MemoryKind::kDevice, bytes).value();
    return made;
  };
  SpectrumCache cache(1000);
  cache.insert("a", spectrum(400));
  cache.insert("b", spectrum(400));
  EXPECT_NE(cache.find("a"), nullptr);
  const auto held = cache.find("b");
  EXPECT_NE(cache.find("a"), nullptr);
  cache.insert("c", spectrum(600));
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_EQ(held->buffer->size_bytes(), 400u);
  EXPECT_NE(cache.find("a"), nullptr);
  EXPECT_NE(cache.find("c"), nullptr);
  EXPECT_EQ(cache.bytes(), 1000u);
  cache.insert("a", spectrum(100));
  EXPECT_EQ(cache.bytes(), 700u);
  cache.insert("d", spectrum(1001));
  EXPECT_EQ(cache.find("d"), nullptr);
  EXPECT_EQ(cache.entries(), 2u);
}

TEST_P(BloomTest, FramesOfABatchAreAsAlone) {
  std::vector<Image> images;
  for (uint32_t i = 0; i < 3; i++) images.push_back(random_image(37, 30, 22 + i, 10));
  for (const char* method : {"FFT", "DUAL"})
    for (const PixelType type : {PixelType::kHalf, PixelType::kFloat}) {
      const auto options = options_of(fmt::format("intensity: 0.5 method: BLOOM_METHOD_{}", method));
      const auto together = bloom(images, options, {}, type);
      ASSERT_THAT(together, IsOk());
      for (size_t i = 0; i < images.size(); i++) {
        const auto alone = bloom({images[i]}, options, {}, type);
        ASSERT_THAT(alone, IsOk());
        EXPECT_TRUE(
            std::equal(alone->begin(), alone->end(), together->begin() + ptrdiff_t(i * alone->size())));
      }
    }
}

TEST_P(BloomTest, HalvesGiveWhatFloatsGive) {
  Image image = random_image(45, 33, 7, 20);
  for (float& value : image.values) value = static_cast<float>(static_cast<_Float16>(value));
  for (const char* options :
       {"intensity: 0.5", "intensity: 0.5 threshold: 3", "intensity: 0.5 method: BLOOM_METHOD_DUAL"}) {
    const auto halves = bloom({image}, options_of(options), {}, PixelType::kHalf);
    const auto floats = bloom({image}, options_of(options));
    ASSERT_THAT(halves, IsOk());
    ASSERT_THAT(floats, IsOk());
    for (size_t i = 0; i < floats->size(); i++)
      ASSERT_NEAR((*halves)[i], (*floats)[i], std::abs((*floats)[i]) * 0x1p-11 + 1e-4) << options;
  }
}

// At twice the resolution the picture is the same: the glow of a lamp covers the same part of the
// frame.
TEST_P(BloomTest, TheLookIsTheSameAtEveryResolution) {
  // Returns the means of 12 by 16 squares of a picture of 48 by 64 units with a lamp in its middle.
  const auto glow = [&](int unit, const char* options) {
    Image image(64 * unit, 48 * unit);
    for (int y = 22 * unit; y < 26 * unit; y++)
      for (int x = 30 * unit; x < 34 * unit; x++) image.set(x, y, 100);
    const std::vector<float> result = bloomed(image, options);
    std::vector<double> means(12 * 16);
    for (int y = 0; y < image.height; y++)
      for (int x = 0; x < image.width; x++)
        means[size_t(y / (4 * unit) * 16 + x / (4 * unit))] +=
            double(result[(size_t(y) * size_t(image.width) + size_t(x)) * 4]) / (16 * unit * unit);
    return means;
  };
  for (const auto& [unit, options] : {std::pair{1, "intensity: 1 glare: BLOOM_GLARE_GAUSSIAN size: 0.8"},
                                      {1, "intensity: 1 glare: BLOOM_GLARE_POWER power_core: 0.1 size: 0.8"},
                                      {8, "intensity: 1 method: BLOOM_METHOD_DUAL size: 0.8"}}) {
    const std::vector<double> small = glow(unit, options), large = glow(2 * unit, options);
    double most = 0, worst = 0;
    for (size_t i = 0; i < small.size(); i++) {
      most = std::max(most, small[i]);
      worst = std::max(worst, std::abs(small[i] - large[i]));
    }
    EXPECT_LT(worst, 0.05 * most) << options;
  }
}

TEST_P(BloomTest, ASmallerRadiusIsASmallerTransform) {
  const Image image = lamps(96);
  const auto whole = options_of("intensity: 1 size: 0.8"),
             cut = options_of("intensity: 1 size: 0.8 radius_cut: 0.25");
  EXPECT_LT(make_bloom_kernel(cut, {}, 96, 96)->reach_x(), 11);
  EXPECT_GT(make_bloom_kernel(whole, {}, 96, 96)->reach_x(), 30);
  const auto result = bloom({image}, cut);
  ASSERT_THAT(result, IsOk());
  EXPECT_NEAR(light_of(*result) / light_of(image.values), 1, 1e-5);
  // The black rows of a streak's kernel are not transformed.
  EXPECT_LT(make_bloom_kernel(options_of("glare: BLOOM_GLARE_STREAK"), {}, 200, 200)->reach_y(), 20);
}

TEST_P(BloomTest, DirtOnTheApertureChangesTheStar) {
  Image image(64, 64);
  image.set(32, 32, 100);
  GlarePicture dirt{2, 2, std::vector<double>(12, 1.0)};
  for (size_t c = 0; c < 3; c++) dirt.rgb[c] = 0;  // a quarter of the picture is black
  const auto options = options_of("preset: BLOOM_PRESET_STARBURST dark_ring: 0.1");
  const auto clean = bloom({image}, options), dirty = bloom({image}, options, {.dirt = &dirt});
  ASSERT_THAT(dirty, IsOk());
  EXPECT_NE(*clean, *dirty);
  EXPECT_NEAR(light_of(*dirty) / light_of(*clean), 1, 1e-3);
}

TEST_P(BloomTest, EveryPresetRuns) {
  const Image image = lamps(64);
  const google::protobuf::EnumDescriptor& presets = *v1::BloomPreset_descriptor();
  for (int i = 1; i < presets.value_count(); i++) {
    v1::BloomOptions options;
    options.set_preset(v1::BloomPreset(presets.value(i)->number()));
    options::apply_defaults(options);
    const auto result = bloom({image}, options);
    ASSERT_THAT(result, IsOk()) << presets.value(i)->name();
    EXPECT_NE(*result, image.values) << presets.value(i)->name();
    const double ratio = light_of(*result) / light_of(image.values);
    EXPECT_NEAR(ratio, options.energy() == v1::BLOOM_ENERGY_CONSERVING ? 1 : 1 + options.intensity(), 0.15)
        << presets.value(i)->name();
  }
}

// Even light stays even if the edges are continued, also in a picture that is one pixel wide.
TEST_P(BloomTest, EveryPresetTakesEverySize) {
  const google::protobuf::EnumDescriptor& presets = *v1::BloomPreset_descriptor();
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 40}, {37, 1}, {31, 13}}) {
    Image image(width, height);
    for (float& value : image.values) value = 3;
    for (int i = 1; i < presets.value_count(); i++)
      for (const auto padding : {v1::BLOOM_PADDING_CLAMP, v1::BLOOM_PADDING_MIRROR}) {
        v1::BloomOptions options;
        options.set_preset(v1::BloomPreset(presets.value(i)->number()));
        options.set_padding(padding);
        options::apply_defaults(options);
        const std::string what = fmt::format("{} {}x{}", presets.value(i)->name(), width, height);
        const auto result = bloom({image}, options);
        ASSERT_THAT(result, IsOk()) << what;
        for (size_t k = 0; k < result->size(); k++) {
          const bool is_same = options.energy() == v1::BLOOM_ENERGY_CONSERVING || k % 4 == 3;
          ASSERT_NEAR((*result)[k], is_same ? 3.0f : (*result)[k % 4], 3e-5) << what;
          ASSERT_TRUE(is_same || (*result)[k] > 3.01f) << what;
        }
      }
  }
}

TEST_P(BloomTest, WhatCannotBeIsRefused) {
  const GlarePicture kernel = delta(3, 3, 1, 1);
  EXPECT_THAT(refusal("intensity: 1.5"), StatusIs(StatusCode::kInvalidArgument, "more than all of it"));
  EXPECT_THAT(refusal("scatter: 0 spike: 0"), StatusIs(StatusCode::kInvalidArgument, "Neither the kernel's"));
  EXPECT_THAT(refusal("size: 0"), StatusIs(StatusCode::kInvalidArgument, "needs a size"));
  EXPECT_THAT(refusal("size: 0 method: BLOOM_METHOD_DUAL"),
              StatusIs(StatusCode::kInvalidArgument, "size above 0"));
  EXPECT_THAT(refusal("suppress_fireflies: true"), StatusIs(StatusCode::kInvalidArgument, "Only the dual"));
  const std::string half = "intermediates: BLOOM_INTERMEDIATES_FP16 ";
  EXPECT_THAT(refusal(half + "method: BLOOM_METHOD_DUAL"),
              StatusIs(StatusCode::kInvalidArgument, "has no transforms"));
  EXPECT_THAT(refusal(half + "clamp: 65505"),
              StatusIs(StatusCode::kInvalidArgument, "too bright for intermediates of fp16"));
  EXPECT_THAT(refusal("centre_x: 1", {.kernel = &kernel}),
              StatusIs(StatusCode::kInvalidArgument, "give both or neither"));
  EXPECT_THAT(refusal("method: BLOOM_METHOD_DUAL", {.kernel = &kernel}),
              StatusIs(StatusCode::kInvalidArgument, "convolves with no kernel"));
  GlarePicture broken = kernel;
  broken.rgb[0] = NAN;
  EXPECT_THAT(refusal("", {.kernel = &broken}), StatusIs(StatusCode::kInvalidArgument, "nan"));
  EXPECT_THAT(refusal(kConvolve, {.kernel = &broken}), StatusIs(StatusCode::kInvalidArgument, "nan"));
  EXPECT_THAT(Bloom::make(*device_, {0, 5}, options_of(""), {}, *cache_).status(),
              StatusIs(StatusCode::kInvalidArgument, "0x5"));
  EXPECT_THAT(Bloom::make(*device_, {5, 5}, v1::BloomOptions(), {}, *cache_).status(),
              StatusIs(StatusCode::kInvalidArgument, "fill in the defaults"));
}

WEFT_ON_EVERY_DEVICE(BloomTest);

}  // namespace
}  // namespace weft::filters::bloom
