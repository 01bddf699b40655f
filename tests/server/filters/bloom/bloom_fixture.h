// SPDX-License-Identifier: Apache-2.0
// Fixture that runs the bloom filter as a whole on every device, with pictures and with references
// in float64.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include "options/values.h"
#include "server/filters/bloom/bloom.h"
#include "tests/server/filters/bloom/device_bench.h"

namespace weft::filters::bloom {

inline GlarePicture random_kernel(int width, int height, uint32_t seed) {
  std::mt19937 random(seed);
  // A plain convolution accepts any kernel, also one with negative values.
  std::uniform_real_distribution<double> value(-0.2, 1.0);
  GlarePicture picture{width, height, {}};
  picture.rgb.resize(size_t(width) * size_t(height) * 3);
  for (double& v : picture.rgb) v = double(float(value(random)));
  return picture;
}

inline GlarePicture delta(int width, int height, int x, int y) {
  GlarePicture picture{width, height, std::vector<double>(size_t(width) * size_t(height) * 3)};
  std::fill_n(&picture.rgb[(size_t(y) * size_t(width) + size_t(x)) * 3], 3, 1.0);
  return picture;
}

// Returns the convolution by direct summation. Pixels outside of the image are black; alpha is
// copied.
inline std::vector<double> direct(const Image& image, const GlarePicture& kernel, int centre_x,
                                  int centre_y) {
  std::vector<double> out(image.values.begin(), image.values.end());
  for (int y = 0; y < image.height; y++)
    for (int x = 0; x < image.width; x++)
      for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (int j = 0; j < kernel.height; j++)
          for (int i = 0; i < kernel.width; i++) {
            const int sx = x - (i - centre_x), sy = y - (j - centre_y);
            if (sx >= 0 && sy >= 0 && sx < image.width && sy < image.height)
              sum += kernel.rgb[(size_t(j) * size_t(kernel.width) + size_t(i)) * 3 + size_t(c)] *
                     double(image.at(sx, sy, c));
          }
        out[(size_t(y) * size_t(image.width) + size_t(x)) * 4 + size_t(c)] = sum;
      }
  return out;
}

// Returns the sum of all values of channel `c`; 1 is green.
inline double light_of(const std::vector<float>& values, size_t c = 1) {
  double sum = 0;
  for (size_t i = c; i < values.size(); i += 4) sum += values[i];
  return sum;
}

// Returns an image with lamps in its middle, far from the edges.
inline Image lamps(int side) {
  Image image(side, side);
  std::mt19937 random(3);
  for (int i = 0; i < 12; i++) {
    const auto index = [&] { return side / 2 - 6 + int(random() % 12); };
    const int x = index(), y = index();
    for (int c = 0; c < 3; c++) image.at(x, y, c) = float(random() % 1000) / 8;
  }
  for (size_t i = 3; i < image.values.size(); i += 4) image.values[i] = 0.5f;
  return image;
}

inline v1::BloomOptions options_of(const std::string& text) {
  v1::BloomOptions options;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &options)) << text;
  options::apply_defaults(options);
  return options;
}

class BloomBench : public DeviceBench {
 protected:
  void SetUp() override {
    DeviceBench::SetUp();
    cache_ = &caches_[GetParam()];
  }
  static void TearDownTestSuite() {
    caches_.clear();
    DeviceBench::TearDownTestSuite();
  }

  // Convert values to samples of `type` and back.
  static std::vector<std::byte> pack(const std::vector<float>& values, PixelType type) {
    std::vector<std::byte> bytes(values.size() * (type == PixelType::kHalf ? 2 : 4));
    for (size_t i = 0; i < values.size(); i++) {
      const auto half = static_cast<_Float16>(values[i]);
      if (type == PixelType::kHalf)
        std::memcpy(&bytes[i * 2], &half, 2);
      else
        std::memcpy(&bytes[i * 4], &values[i], 4);
    }
    return bytes;
  }
  static std::vector<float> unpack(const std::vector<std::byte>& bytes, PixelType type) {
    std::vector<float> values(bytes.size() / (type == PixelType::kHalf ? 2 : 4));
    for (size_t i = 0; i < values.size(); i++) {
      _Float16 half = 0;
      if (type == PixelType::kHalf) {
        std::memcpy(&half, &bytes[i * 2], 2);
        values[i] = static_cast<float>(half);
      } else {
        std::memcpy(&values[i], &bytes[i * 4], 4);
      }
    }
    return values;
  }

  // Returns the output frames one after the other. The scratch memory is filled with NaN first.
  StatusOr<std::vector<float>> bloom(const std::vector<Image>& images, const v1::BloomOptions& options,
                                     const BloomPictures& pictures = {}, PixelType type = PixelType::kFloat,
                                     int portions = 1) {
    const int width = images[0].width, height = images[0].height, frames = int(images.size());
    ASSIGN_OR_RETURN(const auto made,
                     Bloom::make(*device_, {width, height, type, type}, options, pictures, *cache_));
    std::vector<float> all;
    for (const Image& image : images) all.insert(all.end(), image.values.begin(), image.values.end());
    const std::vector<std::byte> bytes = pack(all, type);
    const auto source = upload(bytes.data(), bytes.size());
    const auto target = device_->allocate(MemoryKind::kDevice, bytes.size()).value();
    const auto scratch = device_->allocate(MemoryKind::kDevice, made->scratch_bytes(frames)).value();
    const std::vector<uint32_t> zeros(images.size() * 2);
    const auto counts = upload(zeros.data(), images.size() * kBloomCountsBytes);
    stream_->fill(*scratch, 0, scratch->size_bytes(), std::byte{0xff});
    const BloomWork work{.source = {source.get(), 0, type, width, width * height},
                         .target = {target.get(), 0, type, width, width * height},
                         .scratch = scratch.get(),
                         .counts = counts.get(),
                         .units = frames};
    for (int i = 0; i < portions; i++) made->enqueue(*stream_, work, portion_of(i, portions));
    const std::vector<std::byte> result = download(*target), counted = download(*counts);
    std::memcpy(counts_.data(), counted.data(), kBloomCountsBytes);
    return unpack(result, type);
  }
  std::vector<float> bloomed(const Image& image, const std::string& options,
                             const GlarePicture* kernel = nullptr) {
    const auto result = bloom({image}, options_of(options), {.kernel = kernel});
    EXPECT_THAT(result, IsOk()) << options;
    return result.ok() ? *result : std::vector<float>(image.values.size());
  }
  Status refusal(const std::string& options, const BloomPictures& pictures = {}) {
    return Bloom::make(*device_, {16, 16}, options_of(options), pictures, *cache_).status();
  }

  inline static const std::string kConvolve = "mode: BLOOM_MODE_CONVOLVE";
  inline static std::map<std::string, SpectrumCache> caches_;
  SpectrumCache* cache_ = nullptr;
  std::array<uint32_t, 2> counts_{};
};

}  // namespace weft::filters::bloom
