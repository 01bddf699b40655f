// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/spectrum_node.h"

#include <algorithm>
#include <utility>

#include "server/filters/bloom/long_lines.h"
#include "server/filters/bloom/short_lines.h"
#include "server/graph/pipeline.h"
#include "tests/server/filters/bloom/bloom_fixture.h"

namespace weft::filters::bloom {
namespace {

class SpectrumNodeTest : public BloomBench {
 protected:
  static BloomKernel kernel_of(int width, int height) {
    const GlarePicture picture = random_kernel(width, height, 5);
    BloomKernel kernel{.width = width, .height = height, .centre_x = width / 2, .centre_y = height / 2};
    for (size_t i = 0; i < picture.rgb.size(); i++) {
      kernel.rgba.push_back(float(picture.rgb[i]));
      if (i % 3 == 2) kernel.rgba.push_back(0);
    }
    return kernel;
  }

  // Returns a plan for 26 columns. GPUs store two columns of blue in one point. If the second
  // column is missing, no kernel writes its part of the point.
  StatusOr<std::unique_ptr<Convolution>> in_one_part(const ConvolutionShape& shape) {
    const device::DeviceInfo& info = device_->info();
    ASSIGN_OR_RETURN(const auto plan, plan_convolution(shape, {50, 36}, layout_of(info), info));
    return ShortLines::make(*device_, shape, plan);
  }
  // Returns a plan with rows in parts.
  StatusOr<std::unique_ptr<Convolution>> in_parts(const ConvolutionShape& shape, int parts) {
    const RadixSet set = radices_of(device_->info());
    ASSIGN_OR_RETURN(const LineSplit x, split_line(needed_points(shape, LineAxis::kRows), parts, set));
    ASSIGN_OR_RETURN(const LineSplit y, split_line(needed_points(shape, LineAxis::kColumns), 1, set));
    return LongLines::make(*device_, shape, x, y);
  }

  // Returns the spectrum, with `most` portions submitted at a time.
  std::vector<std::byte> made(const Convolution& convolution, const BloomKernel& kernel, int portions,
                              int most) {
    const auto spectrum = device_->allocate(MemoryKind::kDevice, convolution.spectrum_bytes()).value();
    stream_->fill(*spectrum, 0, spectrum->size_bytes(), std::byte{0});
    EXPECT_THAT(stream_->wait_all(), IsOk());
    Preparation preparation = spectrum_preparation(convolution, kernel, *spectrum, portions).value();
    const auto pipeline =
        Pipeline::make(*device_, std::move(*preparation.network), {.plan = kOneUnit}).value();
    EXPECT_THAT(push_only_unit(*pipeline, preparation.unit), IsOk());
    for (int left = portions; left > 0;) {
      EXPECT_EQ(pipeline->ready(), left);
      EXPECT_FALSE(pipeline->is_empty());
      const int taken = pipeline->submit(most, {});
      EXPECT_EQ(taken, std::min(most, left));
      left -= taken;
      EXPECT_THAT(pipeline->wait_for(pipeline->last_batch()), IsOk());
    }
    EXPECT_EQ(pipeline->submit(1, {}), 0);
    EXPECT_TRUE(pipeline->is_submitted());
    EXPECT_THAT(pipeline->pop(), IsOk());
    EXPECT_TRUE(pipeline->is_empty());
    return download(*spectrum);
  }
};

TEST_P(SpectrumNodeTest, PortionsGiveTheSameBytes) {
  const BloomKernel kernel = kernel_of(9, 7);
  for (const bool has_channel_kernels : {false, true})
    for (const int parts : {1, 2}) {
      ConvolutionShape shape{.width = 40, .height = 30, .reach_x = 4, .reach_y = 3};
      shape.has_channel_kernels = has_channel_kernels;
      const auto convolution = parts == 1 ? in_one_part(shape) : in_parts(shape, parts);
      ASSERT_THAT(convolution, IsOk());
      const std::vector<std::byte> whole = made(**convolution, kernel, 1, 1);
      EXPECT_NE(std::ranges::count(whole, std::byte{0}), std::ptrdiff_t(whole.size()));
      for (const auto& [portions, most] : {std::pair{5, 1}, std::pair{64, 7}})
        EXPECT_EQ(made(**convolution, kernel, portions, most), whole) << portions << " portions";
    }
}

TEST_P(SpectrumNodeTest, ABloomWhoseSpectrumOthersMakeIsTheSame) {
  const Image image = random_image(40, 30, 6, 20);
  const v1::BloomOptions options = options_of("size: 0.3");
  const auto expected = bloom({image}, options);
  ASSERT_THAT(expected, IsOk());

  SpectrumCache fresh;
  const auto later = Bloom::make(*device_, {40, 30, PixelType::kFloat, PixelType::kFloat}, options, {}, fresh,
                                 SpectrumIsMade::kByCaller);
  ASSERT_THAT(later, IsOk());
  std::optional<Preparation> preparation = (*later)->take_preparation();
  ASSERT_TRUE(preparation.has_value());
  EXPECT_EQ(fresh.entries(), 0u) << "it is not there yet";
  ASSERT_THAT(run_preparation(*device_, *std::move(preparation)), IsOk());
  EXPECT_FALSE((*later)->take_preparation().has_value());
  EXPECT_EQ(fresh.entries(), 1u);

  SpectrumCache* const shared = std::exchange(cache_, &fresh);
  const auto result = bloom({image}, options);
  cache_ = shared;
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(*result, *expected);
  EXPECT_EQ(fresh.entries(), 1u) << "and is found by the next";
}

TEST_P(SpectrumNodeTest, AKernelThatDoesNotFitIsRefused) {
  const auto convolution =
      Convolution::make(*device_, {.width = 40, .height = 30, .reach_x = 2, .reach_y = 3});
  ASSERT_THAT(convolution, IsOk());
  const auto spectrum = device_->allocate(MemoryKind::kDevice, (*convolution)->spectrum_bytes()).value();
  EXPECT_THAT(spectrum_preparation(**convolution, kernel_of(9, 7), *spectrum, 1).status(),
              StatusIs(StatusCode::kInvalidArgument, "further from its centre"));
}

WEFT_ON_EVERY_DEVICE(SpectrumNodeTest);

}  // namespace
}  // namespace weft::filters::bloom
