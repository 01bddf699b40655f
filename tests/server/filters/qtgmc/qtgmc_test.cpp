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
      ASSERT_TRUE(made[i] == wanted[i])
          << text << ", " << to_text(clip.format) << ", picture " << i << ": " << difference(wanted[i], made[i]);
  }
};
WEFT_ON_EVERY_DEVICE(QtgmcTest);

TEST_P(QtgmcTest, EveryPresetGivesWhatTheModelGives) {
  constexpr VideoFormat kFormats[] = {{97, 65, Chroma::k420, 8}, {64, 48, Chroma::k422, 10}, {70, 40, Chroma::kGray, 8},
                                      {45, 33, Chroma::k444, 16}};
  const auto* presets = v1::QtgmcPreset_descriptor();
  for (int i = 1; i < presets->value_count(); i++) {
    const std::string text = "preset: " + presets->value(i)->name();
    const Clip clip = make_clip(kFormats[size_t(i) % std::size(kFormats)], 3, kMaterials[size_t(i) % 2], uint32_t(i));
    ASSERT_NO_FATAL_FAILURE(expect_the_models(text, clip));
  }
}

}  // namespace
}  // namespace weft::filters
