// SPDX-License-Identifier: Apache-2.0
// Tests filters of images: moved pixels are equal to the last bit, and resized ones are within a
// float's rounding of sums in double precision.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <Imath/half.h>

#include "server/graph/pipeline.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/models/resize_reference.h"
#include "weft/v1/enhance.pb.h"

namespace weft::filters {
namespace {

class ImageFilters : public DeviceTest {};
WEFT_ON_EVERY_DEVICE(ImageFilters);

// An image of rows of pixels with four samples.
struct Image {
  int width = 0, height = 0;
  std::vector<float> samples;
  float at(int x, int y, int channel) const {
    return samples[(size_t(y) * size_t(width) + size_t(x)) * 4 + size_t(channel)];
  }
};

Image random_image(int width, int height) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> light(-1, 4);
  Image image{width, height, std::vector<float>(size_t(width) * size_t(height) * 4)};
  for (float& sample : image.samples) sample = float(Imath::half(light(random)));
  return image;
}

std::vector<std::byte> bytes_of(const Image& image, PixelType type) {
  std::vector<std::byte> bytes(image.samples.size() * bytes_of_pixel(type) / 4);
  for (size_t i = 0; i < image.samples.size(); i++) {
    const uint16_t bits = Imath::half(image.samples[i]).bits();
    if (type == PixelType::kHalf)
      std::memcpy(&bytes[2 * i], &bits, 2);
    else
      std::memcpy(&bytes[4 * i], &image.samples[i], 4);
  }
  return bytes;
}

Image image_of(const PortFormat& format, const std::byte* bytes) {
  Image image{format.width, format.height,
              std::vector<float>(size_t(format.width) * size_t(format.height) * 4)};
  for (size_t i = 0; i < image.samples.size(); i++) {
    Imath::half sample;
    uint16_t bits = 0;
    if (format.pixels == PixelType::kHalf)
      std::memcpy(&bits, bytes + 2 * i, 2);
    else
      std::memcpy(&image.samples[i], bytes + 4 * i, 4);
    sample.setBits(bits);
    if (format.pixels == PixelType::kHalf) image.samples[i] = float(sample);
  }
  return image;
}

StatusOr<Image> run(device::Device& device, const Options& options, const Image& image, PixelType from,
                    PixelType to) {
  Network network;
  const Port source = network.set_source(PortFormat::image(image.width, image.height, from));
  FilterContext context;
  context.device = &device;
  context.caches = &caches_of(device);
  context.path = "filters";
  context.result_pixels = to;
  const google::protobuf::Message* filters[] = {options.get()};
  RETURN_IF_ERROR(expand_network(context, filters, network, source).status());
  PipelineOptions how;
  how.plan = kOneUnit;
  ASSIGN_OR_RETURN(const auto pipeline, Pipeline::make(device, std::move(network), how));
  RETURN_IF_ERROR(push_only_unit(*pipeline, bytes_of(image, from)));
  pipeline->submit(pipeline->max_units());
  ASSIGN_OR_RETURN(const auto unit, pipeline->pop());
  if (!unit) return internal_error("Nothing came out.");
  EXPECT_EQ(pipeline->target_format().pixels, to);
  return image_of(pipeline->target_format(), unit->data[0]);
}

constexpr std::pair<PixelType, PixelType> kTypes[] = {{PixelType::kHalf, PixelType::kHalf},
                                                      {PixelType::kFloat, PixelType::kFloat},
                                                      {PixelType::kHalf, PixelType::kFloat},
                                                      {PixelType::kFloat, PixelType::kHalf}};

TEST_P(ImageFilters, CropAndPadMovePixels) {
  const Image image = random_image(37, 29);
  for (const auto& [from, to] : kTypes) {
    const auto part = run(device(), parse_options("crop", "size: '20x11' x: 7 y: 18"), image, from, to);
    ASSERT_THAT(part, IsOk());
    const auto padded =
        run(device(), parse_options("pad", "size: '50x40' x: 5 y: 6 colour: 'ff8000'"), image, from, to);
    ASSERT_THAT(padded, IsOk());
    for (int c = 0; c < 4; c++) {
      for (int y = 0; y < 11; y++)
        for (int x = 0; x < 20; x++) ASSERT_EQ(part->at(x, y, c), image.at(x + 7, y + 18, c));
      for (int y = 0; y < 29; y++)
        for (int x = 0; x < 37; x++) ASSERT_EQ(padded->at(x + 5, y + 6, c), image.at(x, y, c));
      const float fill[] = {1, 0.2158605f, 0, 1};
      ASSERT_NEAR(padded->at(4, 6, c), fill[c], 2e-4);
      ASSERT_NEAR(padded->at(49, 39, c), fill[c], 2e-4);
    }
  }
}

TEST_P(ImageFilters, TransposeMovesPixels) {
  const Image image = random_image(70, 41);
  for (const auto& [from, to] : kTypes) {
    const auto turned = run(device(), parse_options("transpose", ""), image, from, to);
    ASSERT_THAT(turned, IsOk());
    ASSERT_EQ(turned->width, 41);
    for (int c = 0; c < 4; c++)
      for (int y = 0; y < 70; y++)
        for (int x = 0; x < 41; x++) ASSERT_EQ(turned->at(x, y, c), image.at(y, 40 - x, c));
  }
}

TEST_P(ImageFilters, ResizeIsTheSumInDoubles) {
  const Image image = random_image(40, 33);
  for (const auto& [from, to] : kTypes)
    for (const char* text : {"size: '61x20'", "size: '13x50' kernel: RESIZE_KERNEL_BICUBIC",
                             "size: '40x66' kernel: RESIZE_KERNEL_POINT"}) {
      const Options options = parse_options("resize", text);
      const auto actual = run(device(), options, image, from, to);
      ASSERT_THAT(actual, IsOk());
      const auto& resize = dynamic_cast<const v1::Resize&>(*options);
      const plain::ResizeModel model(resize, {image.width, image.height, Chroma::kGray, 8},
                                     ChromaSiting::kUnknown);
      const auto rows = plain::all_weights(resize, model.rows(0)),
                 columns = plain::all_weights(resize, model.columns(0));
      for (size_t y = 0; y < columns.size(); y++)
        for (size_t x = 0; x < rows.size(); x++)
          for (int c = 0; c < 4; c++) {
            double sum = 0;
            for (size_t v = 0; v < columns[y].size(); v++)
              for (size_t u = 0; u < rows[x].size(); u++)
                sum += columns[y][v] * rows[x][u] * double(image.at(int(u), int(v), c));
            ASSERT_NEAR(actual->at(int(x), int(y), c), sum, to == PixelType::kHalf ? 3e-3 : 1e-5) << text;
          }
    }
}

// The image has noise around two colours, also above white, and a pixel that is infinite.
TEST_P(ImageFilters, BilateralIsTheMeanInDoubles) {
  Image image = random_image(31, 22);
  for (int y = 0; y < image.height; y++)
    for (int x = 0; x < image.width; x++)
      for (int c = 0; c < 4; c++) {
        float& sample = image.samples[size_t((y * image.width + x) * 4 + c)];
        sample = c == 3 ? 1 : float(Imath::half((x < 15 ? 0.25f : 2.0f) + 0.05f * sample));
      }
  const float infinite = std::numeric_limits<float>::infinity();
  image.samples[size_t((5 * image.width + 6) * 4)] = infinite;
  for (const auto& [from, to] : kTypes)
    for (const char* text : {"sigma: 2 range: 0.1", "sigma: 1.5 range: 1 method: BILATERAL_METHOD_DIRECT"}) {
      const Options options = parse_options("bilateral", text);
      const auto actual = run(device(), options, image, from, to);
      ASSERT_THAT(actual, IsOk());
      const auto& bilateral = dynamic_cast<const v1::Bilateral&>(*options);
      const int radius = int(std::ceil(3 * bilateral.sigma()));
      for (int y = 0; y < image.height; y++)
        for (int x = 0; x < image.width; x++) {
          if (x == 6 && y == 5) {
            ASSERT_EQ(actual->at(x, y, 0), infinite);
            continue;
          }
          double sums[4] = {}, all = 0;
          for (int j = std::max(y - radius, 0); j <= std::min(y + radius, image.height - 1); j++)
            for (int i = std::max(x - radius, 0); i <= std::min(x + radius, image.width - 1); i++) {
              if (i == 6 && j == 5) continue;
              double square = 0;
              for (int c = 0; c < 4; c++)
                square += std::pow(double(image.at(i, j, c)) - double(image.at(x, y, c)), 2);
              const double distance = (i - x) * (i - x) + (j - y) * (j - y);
              const double weight = std::exp(-0.5 * distance / std::pow(bilateral.sigma(), 2) -
                                             0.5 * square / std::pow(bilateral.range(), 2));
              all += weight;
              for (int c = 0; c < 4; c++) sums[c] += weight * double(image.at(i, j, c));
            }
          for (int c = 0; c < 3; c++)
            ASSERT_NEAR(actual->at(x, y, c), sums[c] / all, to == PixelType::kHalf ? 2e-3 : 2e-5) << text;
          ASSERT_EQ(actual->at(x, y, 3), 1);
        }
    }
}

TEST_P(ImageFilters, BilateralLeavesFlatPicturesAsTheyAre) {
  Image image{20, 9, {}};
  for (int i = 0; i < 20 * 9; i++) image.samples.insert(image.samples.end(), {0.1f, 3.7f, -0.5f, 0.3f});
  const auto actual =
      run(device(), parse_options("bilateral", "sigma: 3"), image, PixelType::kFloat, PixelType::kFloat);
  ASSERT_THAT(actual, IsOk());
  EXPECT_EQ(actual->samples, image.samples);
}

}  // namespace
}  // namespace weft::filters
