// SPDX-License-Identifier: Apache-2.0
// Tests KFM on telecined film and on video at field rate, for which the right frames are known, and
// against the model of the whole graph, on every device.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include <gmock/gmock.h>

#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/reference.h"
#include "tests/filter_suite/run.h"
#include "weft/v1/kfm.pb.h"

namespace weft::filters {
namespace {

constexpr const char* kQuick = " preset: QTGMC_PRESET_ULTRA_FAST";

// A picture of smooth shapes at a time: two of them move.
Picture scene(const VideoFormat& format, double time) {
  Picture picture(format);
  const double full = (1 << format.bit_depth) - 1;
  for (int plane = 0; plane < format.planes(); plane++)
    for (int y = 0; y < format.plane_height(plane); y++)
      for (int x = 0; x < format.plane_width(plane); x++) {
        const double u = double(x) * format.width / format.plane_width(plane);
        const double v = double(y) * format.height / format.plane_height(plane);
        const double value =
            0.5 + 0.2 * std::sin((u + 9 * time) / 11 + plane) + 0.2 * std::sin((v - 5 * time) / 14);
        picture.at(plane, x, y) = uint16_t(std::lround(full * value));
      }
  return picture;
}

// Returns a clip of fields: `time_of` returns the time of the scene that a field shows.
template <class TimeOf>
Clip clip_of_fields(const VideoFormat& format, int frames, bool bottom_first, TimeOf time_of) {
  Clip clip{format, {}, {}};
  for (int n = 0; n < frames; n++) {
    Picture frame = scene(format, time_of(2 * n));
    const Picture second = scene(format, time_of(2 * n + 1));
    for (int plane = 0; plane < format.planes(); plane++)
      for (int y = bottom_first ? 0 : 1; y < format.plane_height(plane); y += 2)
        for (int x = 0; x < format.plane_width(plane); x++)
          frame.at(plane, x, y) = uint16_t(second.at(plane, x, y));
    clip.frames.push_back(std::move(frame));
    clip.infos.push_back({.pts = 2 * n, .duration = 2, .interlaced = true, .top_field_first = !bottom_first});
  }
  return clip;
}

// The film frame of a field under 2:3 pulldown.
int film_of(int field) { return field / 5 * 2 + (field % 5 >= 2 ? 1 : 0); }

class KfmTest : public DeviceTest {
 protected:
  std::vector<TimedPicture> run(const std::string& options, const Clip& clip) {
    auto result = run_clip(device(), {parse_options("kfm", options + kQuick)}, clip, {.plan = {.batch = 4}});
    EXPECT_THAT(result, IsOk());
    return result.ok() ? *std::move(result) : std::vector<TimedPicture>();
  }
};
WEFT_ON_EVERY_DEVICE(KfmTest);

TEST_P(KfmTest, TelecinedFilmIsRestoredExactly) {
  for (const int shift : {0, 1, 2, 3, 4})
    for (const bool bottom_first : {false, true}) {
      if (is_slow(device()) && shift % 2 != 0) continue;
      const VideoFormat format{96, 64, shift % 2 == 0 ? Chroma::k420 : Chroma::k422, shift == 4 ? 10 : 8};
      const Clip clip = clip_of_fields(format, 40, bottom_first, [&](int k) { return film_of(k + shift); });
      const auto frames = run("mode: KFM_MODE_24P", clip);
      ASSERT_EQ(frames.size(), 32u);
      // The combs of the first cycle include fields before the clip.
      const int first = film_of(10 + shift) + (film_of(10 + shift) == film_of(9 + shift) ? 1 : 0);
      int next = -1;
      for (size_t i = 4; i < 31; i++) {
        if (next < 0)
          for (int film = first - 1; film <= first + 1; film++)
            if (frames[i].picture == scene(format, film)) next = film;
        ASSERT_GE(next, 0) << "shift " << shift << ": "
                           << difference(frames[i].picture, scene(format, first));
        ASSERT_TRUE(frames[i].picture == scene(format, next))
            << "shift " << shift << ", frame " << i << ": "
            << difference(scene(format, next), frames[i].picture);
        ASSERT_EQ(frames[i].time.duration, 2 * 5) << "in quarters of the time unit";
        next++;
      }
    }
}

TEST_P(KfmTest, OutputsAreNotDeinterlacedAgain) {
  const Clip clip = clip_of_fields({96, 64, Chroma::k420, 8}, 20, false, [](int k) { return film_of(k); });
  const Options flagged = parse_options("bwdif", "rate: OUTPUT_RATE_FRAME frames: FRAME_SELECTION_FLAGGED");
  for (const char* mode : {"KFM_MODE_24P", "KFM_MODE_VFR"}) {
    const Options kfm = parse_options("kfm", fmt::format("mode: {} {}", mode, kQuick));
    const auto alone = run_clip(device(), {kfm}, clip), chain = run_clip(device(), {kfm, flagged}, clip);
    ASSERT_THAT(alone, IsOk());
    ASSERT_THAT(chain, IsOk());
    ASSERT_FALSE(alone->empty());
    EXPECT_TRUE(pictures_of(*alone) == pictures_of(*chain)) << mode;
  }
}

// The lines of the decision determine the film frames; its map only has their times.
TEST_P(KfmTest, EditedPatternsAreFollowed) {
  constexpr const char* kCadence = "filters[0].kfm/cadence";
  const Options options = parse_options("kfm", fmt::format("mode: KFM_MODE_24P {}", kQuick));
  const auto clip_of_film = [](int shift) {
    return clip_of_fields({96, 64, Chroma::k420, 8}, 20, false, [&](int k) { return film_of(k + shift); });
  };
  const Clip clip = clip_of_film(2);
  const auto right = decide(device(), {options}, clip), other = decide(device(), {options}, clip_of_film(0));
  ASSERT_THAT(right, IsOk());
  ASSERT_THAT(other, IsOk());
  AnalysisDecision decision = *other->at(kCadence);
  ASSERT_NE(decision.bytes, right->at(kCadence)->bytes);
  decision.bytes = right->at(kCadence)->bytes;
  Decisions edited = *right;
  edited[kCadence] = std::make_shared<AnalysisDecision>(decision);
  const auto expected = run_clip(device(), {options}, clip, {.decisions = &*right});
  const auto actual = run_clip(device(), {options}, clip, {.decisions = &edited});
  ASSERT_THAT(expected, IsOk());
  ASSERT_THAT(actual, IsOk());
  expect_same(pictures_of(*expected), pictures_of(*actual), "edited patterns");
}

TEST_P(KfmTest, FilmAndVideoHaveTheirRates) {
  // 8 cycles of film, 8 of video, 8 of 30p.
  const VideoFormat format{96, 64, Chroma::k420, 8};
  const auto time_of = [](int k) {
    return k < 80 ? film_of(k) : k < 160 ? 32 + (k - 80) * 0.4 : 64 + (k - 160) / 2 * 0.8;
  };
  const Clip clip = clip_of_fields(format, 120, false, time_of);
  const auto frames = run("mode: KFM_MODE_VFR timing: KFM_TIMING_120", clip);
  int64_t at = 0;
  std::vector<int> right(3), wrong(3);
  for (const TimedPicture& frame : frames) {
    ASSERT_EQ(frame.time.pts, at);
    at += frame.time.duration;
    // 120ths of a second: 2 units of time for 4 of them.
    const auto ticks = int(frame.time.duration / 2), field = int(frame.time.pts / 4);
    const size_t section = field < 80 ? 0 : field < 160 ? 1 : 2;
    const bool is_right = ticks == (section == 0 ? 5 : section == 1 ? 2 : 4);
    (is_right ? right : wrong)[section]++;
  }
  EXPECT_EQ(at, 120 * 2 * 4) << "the duration of the clip";
  // The kind of one cycle may be wrong where it changes.
  for (size_t section = 0; section < 3; section++)
    EXPECT_LE(wrong[section], 10) << "section " << section << ": " << right[section] << " right";
  const auto slow = run("mode: KFM_MODE_VFR30", clip);
  for (const TimedPicture& frame : slow) EXPECT_GE(frame.time.duration, 2 * 4 / 2) << "no frame per field";
}

TEST_P(KfmTest, EveryModeGivesWhatTheModelGives) {
  const VideoFormat formats[] = {{97, 65, Chroma::k420, 8},
                                 {64, 48, Chroma::k422, 10},
                                 {70, 40, Chroma::kGray, 8},
                                 {48, 40, Chroma::k444, 16}};
  const char* modes[] = {"KFM_MODE_VFR", "KFM_MODE_VFR30", "KFM_MODE_24P", "KFM_MODE_30P", "KFM_MODE_60P"};
  for (uint32_t i = 0; i < 10; i++) {
    const VideoFormat& format = formats[i % 4];
    // Film, video, or a mix of both.
    Clip clip = clip_of_fields(format, 23, i % 3 == 0, [&](int k) {
      return i < 4 ? double(film_of(k)) : k < 20 ? film_of(k) : 8 + (k - 20) * 0.5;
    });
    std::mt19937 random(i);
    for (FrameInfo& info : clip.infos) info.discontinuity = i >= 5 && random() % 6 == 0;
    const Options options = parse_options(
        "kfm", fmt::format("mode: {} nr: {} {}", modes[i % 5], i % 2 == 0 ? "false" : "true", kQuick));
    if (is_slow(device()) && i % 3 != 0) continue;
    const auto actual = run_clip(device(), {options}, clip, {.plan = {.batch = 3}});
    ASSERT_THAT(actual, IsOk());
    ASSERT_NO_FATAL_FAILURE(
        expect_same(reference(*options, clip).frames, pictures_of(*actual), fmt::format("case {}", i)));
  }
}

// Noise in some of the fields, and limits that replace many frames.
TEST_P(KfmTest, FramesWithANoisyFieldAreThoseOfTheModel) {
  const char* modes[] = {"KFM_MODE_VFR", "KFM_MODE_60P", "KFM_MODE_24P", "KFM_MODE_30P"};
  for (uint32_t i = 0; i < 8; i++) {
    const VideoFormat format{64 + 8 * int(i % 2), 48, i % 3 == 0 ? Chroma::k420 : Chroma::k444,
                             i % 4 == 1 ? 10 : 8};
    Clip clip =
        clip_of_fields(format, 15, i % 2 == 0, [&](int k) { return i < 4 ? double(film_of(k)) : k * 0.4; });
    std::mt19937 random(i);
    for (size_t n = 0; n < clip.frames.size(); n++)
      for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < format.plane_height(plane); y++)
          for (int x = 0; x < format.plane_width(plane); x++)
            if ((n * 2 + size_t(y) % 2) % 3 == 0) {
              uint16_t& sample = clip.frames[n].at(plane, x, y);
              sample = uint16_t(sample + random() % (16u << (format.bit_depth - 8)));
            }
    const Options options = parse_options(
        "kfm", fmt::format("mode: {} ucf: true ucf_chroma: {} fd_thresh: 20 sc_thresh: 20 dup_factor: 0.8 {}",
                           modes[i % 4], i % 3, kQuick));
    if (is_slow(device()) && i % 3 != 0) continue;
    const auto actual = run_clip(device(), {options}, clip, {.plan = {.batch = 3}});
    ASSERT_THAT(actual, IsOk());
    ASSERT_NO_FATAL_FAILURE(
        expect_same(reference(*options, clip).frames, pictures_of(*actual), fmt::format("case {}", i)));
    const auto usual =
        run_clip(device(), {parse_options("kfm", fmt::format("mode: {} {}", modes[i % 4], kQuick))}, clip);
    ASSERT_THAT(usual, IsOk());
    EXPECT_FALSE(pictures_of(*usual) == pictures_of(*actual)) << "case " << i << " replaces no frame";
  }
}

// A picture with flags makes up to three frames. Distances and memory after them are a few times
// as large, however many maps follow each other.
TEST(KfmPlan, SoftTelecineDoesNotMultiplyAlongMaps) {
  const VideoFormat format{720, 480, Chroma::k420, 8};
  const auto plan_of = [&](const std::string& options, bool is_soft) {
    std::vector<Options> chain = {parse_options("kfm", options)};
    if (is_soft) chain.insert(chain.begin(), parse_options("repeat_fields", ""));
    auto network = expand(nullptr, chain, format);
    EXPECT_THAT(network, IsOk());
    auto plan = Plan::compile(*network, {.batch = 24});
    EXPECT_THAT(plan, IsOk());
    return plan.ok() ? *std::move(plan) : Plan();
  };
  for (const char* options : {"mode: KFM_MODE_24P", "ucf: true nr: true", "mode: KFM_MODE_60P ucf: true"}) {
    const Plan hard = plan_of(options, false), soft = plan_of(options, true);
    EXPECT_GT(soft.arena_bytes, hard.arena_bytes) << options;
    EXPECT_LT(soft.arena_bytes, 4 * hard.arena_bytes) << options;
    EXPECT_LT(soft.window.before, 5 * hard.window.before) << options;
    EXPECT_LT(soft.window.after, 5 * hard.window.after) << options;
  }
}

}  // namespace
}  // namespace weft::filters
