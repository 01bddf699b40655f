// SPDX-License-Identifier: Apache-2.0
// QTGMC's presets and options against the plain model of the whole graph, on every device.
#include <random>

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>

#include "options/option.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/reference.h"
#include "tests/filter_suite/run.h"
#include "weft/v1/qtgmc.pb.h"

namespace weft::filters {
namespace {

class QtgmcTest : public DeviceTest {
 protected:
  void expect_the_models(const std::string& text, const Clip& clip) {
    const Options options = parse_options("qtgmc", text);
    const auto actual = run_clip(device(), {options}, clip, {.plan = {.batch = 3}, .facts = clip.facts});
    ASSERT_THAT(actual, IsOk()) << text;
    const std::vector<Picture> wanted = reference(*options, clip).frames, made = pictures_of(*actual);
    ASSERT_EQ(made.size(), wanted.size()) << text;
    for (size_t i = 0; i < made.size(); i++)
      ASSERT_TRUE(made[i] == wanted[i]) << text << ", " << to_text(clip.format) << ", picture " << i << ": "
                                        << difference(wanted[i], made[i]);
  }
};
WEFT_ON_EVERY_DEVICE(QtgmcTest);

// Without a network all numbers are integers.
constexpr std::string_view kExact =
    " edi_mode: QTGMC_EDI_BWDIF match_edi: QTGMC_EDI_BOB match_edi2: QTGMC_EDI_BOB";

TEST_P(QtgmcTest, EveryPresetGivesWhatTheModelGives) {
  constexpr VideoFormat kFormats[] = {{97, 65, Chroma::k420, 8},
                                      {64, 48, Chroma::k422, 10},
                                      {70, 40, Chroma::kGray, 8},
                                      {45, 33, Chroma::k444, 16}};
  const auto* presets = v1::QtgmcPreset_descriptor();
  for (int i = 1; i < presets->value_count(); i++) {
    const std::string text =
        "preset: " + presets->value(i)->name() + std::string(i < v1::QTGMC_PRESET_ULTRA_FAST ? kExact : "");
    const Clip clip =
        make_clip(kFormats[size_t(i) % std::size(kFormats)], 3, kMaterials[size_t(i) % 2], uint32_t(i));
    ASSERT_NO_FATAL_FAILURE(expect_the_models(text, clip));
  }
}

// Any options together, within their ranges.
std::string random_options(std::mt19937& random) {
  std::string text = "preset: " + v1::QtgmcPreset_Name(v1::QtgmcPreset(1 + random() % v1::QtgmcPreset_MAX));
  constexpr v1::QtgmcEdi kModes[] = {v1::QTGMC_EDI_BWDIF, v1::QTGMC_EDI_YADIF, v1::QTGMC_EDI_BOB};
  text += " edi_mode: " + v1::QtgmcEdi_Name(kModes[random() % 3]);
  text += " match_edi: " + v1::QtgmcEdi_Name(kModes[random() % 3]) + " match_edi2: QTGMC_EDI_BOB";
  const auto maybe = [&](std::string_view name, std::initializer_list<std::string_view> values) {
    if (random() % 3 == 0) text += fmt::format(" {}: {}", name, *(values.begin() + random() % values.size()));
  };
  maybe("parity", {"PARITY_TOP", "PARITY_BOTTOM"});
  maybe("input_type", {"QTGMC_INPUT_PROGRESSIVE", "QTGMC_INPUT_REPAIR", "QTGMC_INPUT_REPAIR_OTHER"});
  maybe("fps_divisor", {"2", "3"});
  maybe("tr0", {"0", "1", "2"});
  maybe("tr1", {"0", "1", "2"});
  maybe("tr2", {"0", "1", "2", "3"});
  for (const std::string_view rep : {"rep0", "rep1", "rep2"})
    maybe(rep, {"0", "1", "2", "3", "4", "5", "6", "7", "12", "21", "33", "51", "40"});
  maybe("rep_chroma", {"false"});
  maybe("s_mode", {"0", "1", "2"});
  maybe("sl_mode", {"0", "1", "2", "3", "4"});
  maybe("sl_rad", {"1", "2", "3"});
  maybe("s_ovs", {"0", "3"});
  maybe("sv_thin", {"0.3", "1"});
  maybe("sbb", {"0", "1", "2", "3"});
  maybe("srch_clip_pp", {"0", "1", "2", "3"});
  maybe("sharpness", {"0", "0.5", "3"});
  maybe("precise", {"true", "false"});
  maybe("sub_pel", {"1", "2", "4"});
  maybe("block_size", {"8", "16"});
  maybe("overlap", {"0", "2", "4"});
  maybe("search", {"0", "1", "2", "3", "4", "5"});
  maybe("search_param", {"1", "3"});
  maybe("chroma_motion", {"true", "false"});
  maybe("true_motion", {"true"});
  maybe("th_sad1", {"100", "3000"});
  maybe("th_sad2", {"100", "3000"});
  maybe("th_scd1", {"16000"});
  maybe("source_match", {"1", "2", "3"});
  maybe("match_tr2", {"0", "1", "2"});
  maybe("match_enhance", {"0", "1"});
  maybe("lossless", {"1", "2"});
  maybe("tuning", {"QTGMC_TUNING_DV_HD"});
  return text;
}

TEST_P(QtgmcTest, RandomOptionsGiveWhatTheModelGives) {
  std::mt19937 random(2026);
  const int count = std::getenv("WEFT_QTGMC_COMBINATIONS") != nullptr
                        ? std::atoi(std::getenv("WEFT_QTGMC_COMBINATIONS"))
                        : 24;
  for (int i = 0; i < count; i++) {
    const std::string text = random_options(random);
    const VideoFormat format{16 + int(random() % 40), 8 + int(random() % 40), Chroma(random() % 4),
                             8 + int(random() % 9)};
    Clip clip = make_clip(format, 1 + int(random() % 3), kMaterials[random() % 3], uint32_t(random()));
    for (FrameInfo& info : clip.infos) info.top_field_first = random() % 2 == 0;
    if (clip.infos.size() > 1) clip.infos.back().discontinuity = random() % 3 == 0;
    const auto taken = expand(nullptr, {parse_options("qtgmc", text)}, format);
    if (absl::IsInvalidArgument(taken.status())) continue;
    ASSERT_NO_FATAL_FAILURE(expect_the_models(text, clip));
  }
}

}  // namespace
}  // namespace weft::filters
