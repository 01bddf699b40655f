// SPDX-License-Identifier: Apache-2.0
// Tests that frames of a stream, which arrive one by one, have the bytes and times of the whole
// clip: with every filter and every preset, and with random orders of arrivals, batches and taken
// pictures.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/filter_suite/devices.h"
#include "weft/v1/qtgmc.pb.h"

namespace weft::filters {
namespace {

class FilterStream : public DeviceTest {};
WEFT_ON_EVERY_DEVICE(FilterStream);

// Returns frames of one period each, some of them progressive or after a cut.
Clip streamed_clip(const VideoFormat& format, int frames, uint32_t seed) {
  Clip clip = make_clip(format, frames, seed % 2 == 0 ? Material::kNoise : Material::kMotion, seed);
  std::mt19937 random(seed);
  for (size_t i = 0; i < clip.infos.size(); i++) {
    FrameInfo& info = clip.infos[i];
    info.pts = int64_t(i);
    info.duration = 1;
    info.interlaced = seed % 3 != 0 || random() % 3 != 0;
    info.top_field_first = true;
    info.discontinuity = i > 0 && seed % 3 == 1 && random() % 6 == 0;
  }
  return clip;
}

Status take(Pipeline& pipeline, std::vector<TimedPicture>& pictures) {
  ASSIGN_OR_RETURN(const std::optional<OutputUnit> unit, pipeline.pop());
  if (!unit) return ok_status();
  pictures.push_back({read_planes(pipeline.target_format().video, unit->data, unit->stride_bytes), unit->time,
                      unit->source_index, unit->ends_source});
  return ok_status();
}

// Starts ready work at once, in batches of the frames that have arrived, as a stream's runner does.
StatusOr<std::vector<TimedPicture>> run_streamed(device::Device& device, Network network, const Clip& clip,
                                                 const PlanOptions& plan, std::mt19937& random) {
  ASSIGN_OR_RETURN(const auto pipeline, Pipeline::make(device, std::move(network), {.plan = plan}));
  std::vector<TimedPicture> pictures;
  const bool is_one_by_one = random() % 2 == 0;
  for (size_t next = 0; !pipeline->is_empty();) {
    const int coming = is_one_by_one ? 1 : int(random() % 4);
    for (int i = 0; i < coming && next < clip.frames.size() && pipeline->has_capacity(); i++) {
      ASSIGN_OR_RETURN(const StagedUnit staged, pipeline->stage());
      write_planes(clip.frames[next], staged.data, staged.stride_bytes);
      pipeline->push(clip.infos[next++]);
    }
    if (next == clip.frames.size() && !pipeline->is_submitted()) pipeline->finish();
    pipeline->submit(is_one_by_one ? 1 : 1 + int(random() % uint32_t(plan.batch)));
    const int taken = is_one_by_one ? 1 : int(random() % 3);
    for (int i = 0; i < taken; i++)
      while (true) {
        RETURN_IF_ERROR(take(*pipeline, pictures));
        if (!pipeline->can_pop()) break;
      }
  }
  return pictures;
}

bool same(const TimedPicture& a, const TimedPicture& b) {
  return a.picture == b.picture && a.time.pts == b.time.pts && a.time.duration == b.time.duration &&
         a.source_index == b.source_index && a.ends_source == b.ends_source;
}

void expect_streams_like_the_clip(device::Device& device, const Setting& setting, const VideoFormat& format,
                                  uint32_t seed) {
  const std::string what = fmt::format("{}, seed {}", describe(setting, format), seed);
  const std::vector<Options> chain = {setting.options};
  const Clip clip = streamed_clip(format, is_slow(device) ? 6 : 9, seed);
  const auto decided = decide(device, chain, clip);
  ASSERT_THAT(decided, IsOk()) << what;
  const auto whole = run_clip(device, chain, clip, {.plan = {.batch = 16}, .decisions = &*decided});
  ASSERT_THAT(whole, IsOk()) << what;
  std::mt19937 random(seed);
  for (const int batch : {1, 3, 16}) {
    if (is_slow(device) && batch != 3) continue;
    const PlanOptions plan{.batch = batch,
                           .in_flight = 1 + int(random() % 3),
                           .held = 1,
                           .exact_durations = true,
                           .whole_units = true};
    auto network = expand(&device, chain, format, {}, -1, *decided);
    ASSERT_THAT(network, IsOk()) << what;
    const auto streamed = run_streamed(device, *std::move(network), clip, plan, random);
    ASSERT_THAT(streamed, IsOk()) << what;
    ASSERT_EQ(whole->size(), streamed->size()) << what << ", batches of " << batch;
    for (size_t i = 0; i < streamed->size(); i++)
      ASSERT_TRUE(same((*whole)[i], (*streamed)[i]))
          << what << ", batches of " << batch << ", picture " << i << ": "
          << difference((*whole)[i].picture, (*streamed)[i].picture);
  }
}

TEST_P(FilterStream, EveryFilterGivesTheBytesOfTheWholeClip) {
  uint32_t seed = 900;
  for (const Setting& setting : settings_for(device())) {
    const VideoFormat format{40, 30, Chroma::k420, 8};
    if (!expand(nullptr, {setting.options}, format).ok()) continue;
    ASSERT_NO_FATAL_FAILURE(expect_streams_like_the_clip(device(), setting, format, seed++));
  }
}

// The options shorten or lengthen the lookahead of the preset.
TEST_P(FilterStream, EveryPresetOfQtgmcGivesTheBytesOfTheWholeClip) {
  const VideoFormat format{40, 32, Chroma::k420, 8};
  uint32_t seed = 700;
  for (int preset = v1::QTGMC_PRESET_DRAFT; preset >= v1::QTGMC_PRESET_PLACEBO; preset--) {
    if (is_slow(device()) && preset % 4 != 3) continue;  // only slower, faster and draft
    for (const char* changed :
         {"", "edi_mode: QTGMC_EDI_BOB tr2: 0", "edi_mode: QTGMC_EDI_BWDIF", "tr0: 1 tr1: 1 tr2: 1",
          "source_match: 1 match_edi: QTGMC_EDI_BOB edi_mode: QTGMC_EDI_BOB",
          "fps_divisor: 2 shutter_blur: 1", "input_type: QTGMC_INPUT_REPAIR edi_mode: QTGMC_EDI_BOB"}) {
      if (*changed != 0 && is_slow(device())) continue;
      const auto name = v1::QtgmcPreset_Name(v1::QtgmcPreset(preset));
      const Setting setting{find_filter("qtgmc"),
                            parse_options("qtgmc", fmt::format("preset: {} {}", name, changed))};
      ASSERT_NO_FATAL_FAILURE(expect_streams_like_the_clip(device(), setting, format, seed++));
    }
  }
}

}  // namespace
}  // namespace weft::filters
