// SPDX-License-Identifier: Apache-2.0
// Compares the interpretation of a user's NNEDI3 weights with the ffmpeg program: its filter nnedi
// reads the same file, in the published layout. Both programs add 32-bit floats in their own order
// and approximate exponentials differently, so samples may differ by one code value. If a
// prescreener's sum is near 0, one program may use the cubic and the other the network. Outside the
// picture ffmpeg mirrors and Weft repeats the edge, so only samples with windows inside are
// compared.
//
// The old prescreener is tested within the abilities of ffmpeg 5.1. It reads the first four kernels
// of 48 weights at a distance of 64 weights. It uses the last unit of the second layer directly,
// without the function x / (1 + |x|). So kernels repeat every 16 weights in this test, and units
// that differ have weight zero.
#include <cstdlib>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "server/filters/nnedi/nnedi.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/ffmpeg_folder.h"
#include "tests/server/filters/nnedi/made_weights.h"

namespace weft::filters {
namespace {

using nnedi::Nnedi3Choice;

constexpr VideoFormat kFormat{150, 60, Chroma::kGray, 8};
constexpr int kMarginX = 32, kMarginY = 8;  // more than half a window of 48x6 samples of a field
// fraction of the compared samples that may differ with a prescreener
constexpr double kPartOnTheBorder = 0.002;

// Returns a file for pscrn 1: 4 kernels of 48 weights, 4 biases; 4 of 4, 4; 4 of 8, 4.
std::vector<std::byte> file_of_old_screen() {
  std::vector<float> floats = made_floats();
  for (size_t i = 16; i < 192; i++) floats[i] = floats[i - 16];
  for (size_t unit = 0; unit < 4; unit++) {
    floats[196 + unit * 4 + 3] = 0;
    floats[216 + unit * 8 + 3] = floats[216 + unit * 8 + 7] = 0;
  }
  std::vector<std::byte> bytes(nnedi::kNnedi3Bytes);
  std::memcpy(bytes.data(), floats.data(), bytes.size());
  return bytes;
}

class Nnedi3FfmpegTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!FfmpegFolder::knows("nnedi")) GTEST_SKIP() << "there is no ffmpeg program with the filter nnedi";
    folder_.write("weights.bin", made_file());
    folder_.write("old.bin", file_of_old_screen());
  }

  // Returns ffmpeg's two pictures of the frame, that of its top field first.
  std::vector<Picture> judged(const Nnedi3Choice& choice) const {
    return folder_.filter(clip_,
                          fmt::format("nnedi=weights={}:field=tf:nsize={}:nns={}:qual={}:etype={}:pscrn={}",
                                      choice.pscrn == 1 ? "old.bin" : "weights.bin", choice.nsize, choice.nns,
                                      choice.qual, choice.etype, choice.pscrn));
  }

  std::vector<Picture> made(device::Device& device, const Nnedi3Choice& choice) const {
    Network network;
    const Port source = network.set_source(PortFormat::picture(kFormat));
    FilterContext context;
    context.device = &device;
    context.caches = &caches_of(device);
    const auto user = std::make_shared<const nnedi::Nnedi3Network>(
        nnedi::parse_nnedi3(choice.pscrn == 1 ? file_of_old_screen() : made_file(), choice).value());
    const Port pictures =
        nnedi::add_nnedi_deinterlacer(context, network, source, {.per_field = true, .parity = v1::PARITY_TOP},
                                      {.user = user})
            .value();
    EXPECT_THAT(network.set_outputs({pictures}), IsOk());
    return pictures_of(run_network(device, std::move(network), clip_, {}).value());
  }

  void expect_easy_and_hard(const std::vector<Picture>& pictures, Nnedi3Choice choice) const;

  const Clip clip_ = make_clip(kFormat, 1, Material::kMotion, 11);
  const FfmpegFolder folder_;
};

std::string name_of(const Nnedi3Choice& choice) {
  return fmt::format("nsize {}, nns {}, qual {}, etype {}, pscrn {}", choice.nsize, choice.nns, choice.qual,
                     choice.etype, choice.pscrn);
}

// Numbers of compared samples in missing lines, and of samples that differ by more than one code
// value.
struct Comparison {
  int samples = 0, other = 0, in_between = 0;  // in_between: samples that are neither 0 nor 255
};
Comparison compare(const std::vector<Picture>& made, const std::vector<Picture>& judged) {
  Comparison found;
  for (int field = 0; field < 2; field++)
    for (int y = kMarginY; y < kFormat.height - kMarginY; y++)
      for (int x = kMarginX; y % 2 != field && x < kFormat.width - kMarginX; x++) {
        const int sample = made[size_t(field)].at(0, x, y), judge = judged[size_t(field)].at(0, x, y);
        found.samples++;
        found.other += std::abs(sample - judge) > 1 ? 1 : 0;
        found.in_between += judge > 0 && judge < 255 ? 1 : 0;
      }
  return found;
}

// Expects that the network made some of the samples and the cubic made others. Without a
// prescreener the network makes all.
void Nnedi3FfmpegTest::expect_easy_and_hard(const std::vector<Picture>& pictures, Nnedi3Choice choice) const {
  choice.pscrn = 0;
  const Comparison with_none = compare(pictures, judged(choice));
  EXPECT_GT(with_none.other, with_none.samples / 20) << name_of(choice);
  EXPECT_LT(with_none.other, with_none.samples * 19 / 20) << name_of(choice);
}

TEST_F(Nnedi3FfmpegTest, AWeightsFileMeansWhatItMeansToFfmpeg) {
  std::vector<Nnedi3Choice> choices;
  for (int nsize = 0; nsize < 7; nsize++)
    choices.push_back(
        {.nsize = nsize, .nns = nsize % 5, .qual = 1 + nsize / 4, .etype = nsize % 2, .pscrn = 0});
  for (int pscrn = 1; pscrn <= 4; pscrn++)
    choices.push_back({.nsize = pscrn, .nns = 0, .qual = 1 + pscrn % 2, .etype = pscrn % 2, .pscrn = pscrn});
  std::vector<Picture> before;
  for (const Nnedi3Choice& choice : choices) {
    const std::vector<Picture> judge = judged(choice);
    if (choice.pscrn > 0) expect_easy_and_hard(judge, choice);
    ASSERT_EQ(judge.size(), 2u) << name_of(choice);
    EXPECT_NE(judge, before) << name_of(choice) << ": the choice counts";
    before = judge;
    for (device::Device* device : quick_test_devices()) {
      const Comparison found = compare(made(*device, choice), judge);
      EXPECT_LE(found.other, choice.pscrn == 0 ? 0 : int(found.samples * kPartOnTheBorder))
          << name_of(choice);
      EXPECT_GT(found.in_between, found.samples / 2) << name_of(choice) << ": few samples are cut off";
    }
  }
}

}  // namespace
}  // namespace weft::filters
