// SPDX-License-Identifier: Apache-2.0
// Tests a user's NNEDI3 weights on every device against the model. The test makes a file of the
// right size with random weights.
#include <cmath>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>

#include "server/filters/nnedi/nnedi.h"
#include "server/filters/nnedi/nnedi3_weights.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/models/reference_nnedi3.h"
#include "tests/server/filters/nnedi/made_weights.h"

namespace weft::filters {
namespace {

using nnedi::Nnedi3Choice;
using nnedi::parse_nnedi3;

class Nnedi3Test : public DeviceTest {
 protected:
  std::vector<Picture> made_by(const Nnedi3Choice& choice, const Clip& clip) {
    Network network;
    const Port source = network.set_source(PortFormat::picture(clip.format));
    FilterContext context;
    context.device = &device();
    context.caches = &caches_of(device());
    const auto user = std::make_shared<const nnedi::Nnedi3Network>(parse_nnedi3(made_file(), choice).value());
    const Port pictures =
        nnedi::add_nnedi_deinterlacer(context, network, source, {.per_field = true, .parity = v1::PARITY_TOP},
                                      {.user = user})
            .value();
    EXPECT_THAT(network.set_outputs({pictures}), IsOk());
    return pictures_of(run_network(device(), std::move(network), clip, {}).value());
  }

  // Expects the samples of the model within one code value, except for samples with a prescreener's
  // sum near its threshold.
  void expect_model(const Nnedi3Choice& choice, const Clip& clip) {
    const plain::Nnedi3Model model{made_floats(), choice};
    const std::vector<Picture> made = made_by(choice, clip);
    const int allowed = std::max(1, 1 << (clip.format.bit_depth - 8) >> 4);
    ASSERT_EQ(made.size(), clip.frames.size() * 2);
    for (size_t i = 0; i < made.size(); i++) {
      const Picture expected = plain::with_nnedi3_rows(model, clip.frames[i / 2], int(i % 2));
      for (size_t plane = 0; plane < expected.planes.size(); plane++)
        for (size_t at = 0; at < expected.planes[plane].size(); at++)
          ASSERT_NEAR(made[i].planes[plane][at], expected.planes[plane][at], allowed)
              << to_text(clip.format) << " nsize " << choice.nsize << " nns " << choice.nns << " pscrn "
              << choice.pscrn << ", picture " << i << ", plane " << plane << ", sample " << at;
    }
  }
};
WEFT_ON_EVERY_DEVICE(Nnedi3Test);

TEST_P(Nnedi3Test, EveryWindowGivesWhatTheModelGives) {
  for (int nsize = 0; nsize < 7; nsize++)
    expect_model({.nsize = nsize, .nns = 0, .pscrn = 0},
                 make_clip({41, 12, Chroma::kGray, 8}, 1, Material::kMotion, uint32_t(nsize)));
}

TEST_P(Nnedi3Test, NeuronsQualityAndErrorsAreChosen) {
  const Clip clip = make_clip({18, 10, Chroma::kGray, 8}, 1, Material::kNoise, 3);
  for (int nns = 0; nns < 5; nns++) expect_model({.nsize = 4, .nns = nns, .pscrn = 0}, clip);
  expect_model({.nsize = 4, .nns = 0, .qual = 2, .etype = 1, .pscrn = 0}, clip);
  expect_model({.nsize = 3, .nns = 4, .qual = 2, .etype = 1, .pscrn = 0},
               make_clip({9, 6, Chroma::kGray, 8}, 1, Material::kNoise, 3));
  EXPECT_FALSE(made_by({.nsize = 4, .nns = 0, .pscrn = 0}, clip)[0] ==
               made_by({.nsize = 4, .nns = 0, .etype = 1, .pscrn = 0}, clip)[0]);
}

TEST_P(Nnedi3Test, EveryPrescreenerGivesWhatTheModelGives) {
  for (int pscrn = 0; pscrn <= 4; pscrn++)
    for (const VideoFormat& format :
         {VideoFormat{70, 38, Chroma::k420, 8}, VideoFormat{33, 21, Chroma::k422, 10}}) {
      const Clip clip = make_clip(format, 1, Material::kNoise, uint32_t(pscrn));
      expect_model({.nsize = 4, .nns = 0, .pscrn = pscrn}, clip);
    }
}

TEST_P(Nnedi3Test, SmallAndDeepPicturesGiveWhatTheModelGives) {
  for (const int width : {1, 2, 5, 9})
    for (int height = 1; height <= 5; height++)
      expect_model({.nsize = 0, .nns = 0, .pscrn = 2},
                   make_clip({width, height, Chroma::kGray, 8}, 1, Material::kNoise, 7));
  expect_model({.nsize = 0, .nns = 0, .pscrn = 0},
               make_clip({24, 12, Chroma::k444, 16}, 1, Material::kMotion, 8));
}

// The pictures contain samples that the prescreeners leave to the cubic and samples that they pass
// to the network.
TEST(Nnedi3ModelTest, PrescreenersDecide) {
  const Clip clip = make_clip({40, 20, Chroma::kGray, 8}, 1, Material::kNoise, 5);
  for (int pscrn = 1; pscrn <= 4; pscrn++) {
    const plain::Nnedi3Model model{made_floats(), {.nsize = 4, .nns = 0, .pscrn = pscrn}};
    const plain::FieldAt field = [&](int row, int column) {
      return double(clip.frames[0].at(0, std::clamp(column, 0, 39), std::clamp(2 * row, 0, 18)));
    };
    int hard = 0;
    for (int y = 1; y < 10; y++)
      for (int x = 0; x < 40; x++) hard += plain::is_hard(model, field, y, x, 127.5);
    EXPECT_GT(hard, 10) << pscrn;
    EXPECT_LT(hard, 350) << pscrn;
  }
}

TEST(Nnedi3WeightsTest, RefusesOtherFiles) {
  EXPECT_THAT(parse_nnedi3({}, {}).status(), StatusIs(StatusCode::kInvalidArgument, "has 0 bytes"));
  std::vector<std::byte> file = made_file();
  file.push_back(std::byte{0});
  EXPECT_THAT(parse_nnedi3(file, {}).status(),
              StatusIs(StatusCode::kInvalidArgument, "has 13574929 bytes, and NNEDI3's weights"));
  file = made_file();
  const float infinite = std::numeric_limits<float>::infinity();
  std::memcpy(&file[4000], &infinite, sizeof(infinite));
  EXPECT_THAT(parse_nnedi3(file, {}).status(),
              StatusIs(StatusCode::kInvalidArgument, "Number 1000 of the weights is no number"));
  for (const Nnedi3Choice& choice :
       {Nnedi3Choice{.nsize = 7}, Nnedi3Choice{.nns = 5}, Nnedi3Choice{.qual = 0}, Nnedi3Choice{.etype = 2},
        Nnedi3Choice{.pscrn = -1}})
    EXPECT_THAT(parse_nnedi3(made_file(), choice).status(),
                StatusIs(StatusCode::kInvalidArgument, "no such network"));
}

}  // namespace
}  // namespace weft::filters
