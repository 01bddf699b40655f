// SPDX-License-Identifier: Apache-2.0
// Compares ivtc with the ffmpeg program's fieldmatch and decimate: the same pictures in every mode,
// for telecined film of both field orders, progressive and interlaced video, cuts, fields without a
// partner, and noise.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/ffmpeg_folder.h"
#include "tests/filter_suite/reference.h"
#include "weft/v1/ivtc.pb.h"

namespace weft::filters {
namespace {

constexpr VideoFormat kFormat{64, 48, Chroma::k420, 8};

// Draws a frame of a film: a moving pattern of high contrast with noise. A scene has its own
// brightness and speed.
Picture film_frame(const VideoFormat& format, int time, int scene, int noise, std::mt19937& random) {
  Picture picture(format);
  for (int plane = 0; plane < format.planes(); plane++) {
    const int across = plane > 0 ? columns_of_chroma(format.chroma) : 1;
    const int down = plane > 0 ? rows_of_chroma(format.chroma) : 1;
    for (int y = 0; y < format.plane_height(plane); y++)
      for (int x = 0; x < format.plane_width(plane); x++) {
        const int column = (x * across - (3 + 2 * scene) * time + 9000) / 9, row = y * down / 7;
        const int value = (40 + scene * 50) % 120 + ((column + row) % 2 == 0 ? 0 : 90) +
                          int(random() % uint32_t(2 * noise + 1)) - noise;
        picture.at(plane, x, y) = uint16_t(std::clamp(value, 0, 255) << (format.bit_depth - 8));
      }
  }
  return picture;
}

// Returns the top lines of one picture and the bottom lines of another one.
Picture of_fields(const Picture& top, const Picture& bottom) {
  Picture picture = top;
  for (int plane = 0; plane < top.format.planes(); plane++)
    for (int y = 1; y < top.format.plane_height(plane); y += 2)
      for (int x = 0; x < top.format.plane_width(plane); x++)
        picture.at(plane, x, y) = uint16_t(bottom.at(plane, x, y));
  return picture;
}

Clip clip_of(std::vector<Picture> pictures, bool top_first) {
  Clip clip{pictures[0].format, std::move(pictures), {}};
  for (size_t i = 0; i < clip.frames.size(); i++)
    clip.infos.push_back(
        {.pts = 4 * int64_t(i), .duration = 4, .interlaced = true, .top_field_first = top_first});
  return clip;
}

struct NamedClip {
  std::string name;
  bool top_first;
  Clip clip;
};

// Makes clips from the frames of a film with a cut, in each of which every field shows one of them.
std::vector<NamedClip> materials(const VideoFormat& format, int noise, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Picture> film;
  for (int time = 0; time < 18; time++)
    film.push_back(film_frame(format, time, time < 9 ? 0 : 1, noise, random));
  std::vector<NamedClip> made;
  const auto add = [&](const std::string& name, bool top_first, const std::vector<int>& shown) {
    std::vector<Picture> pictures;
    for (size_t i = 0; i + 1 < shown.size(); i += 2) {
      const Picture &first = film[size_t(shown[i])], &second = film[size_t(shown[i + 1])];
      pictures.push_back(top_first ? of_fields(first, second) : of_fields(second, first));
    }
    made.push_back(
        {fmt::format("{}, noise {}", name, noise), top_first, clip_of(std::move(pictures), top_first)});
  };
  std::vector<int> telecined, progressive, interlaced, orphaned, cuts;
  for (int time = 0; time < 14; time++) telecined.insert(telecined.end(), time % 2 == 0 ? 2u : 3u, time);
  for (int field = 0; field < 26; field++) progressive.push_back(field / 2);
  for (int field = 0; field < 18; field++) interlaced.push_back(field);
  for (int time = 0; time < 11; time++) {
    orphaned.push_back(time + (time % 3 == 1 ? 1 : 0));
    orphaned.push_back(time + (time % 4 == 2 ? 2 : 0));
  }
  for (int field = 0; field < 24; field++) cuts.push_back(field / 2 % 2 == 0 ? field / 2 : 17 - field / 2);
  add("telecined film", true, telecined);
  add("telecined film, bottom field first", false, telecined);
  telecined.erase(telecined.begin());
  telecined.erase(telecined.begin() + 22);  // an edit breaks the cadence
  add("edited telecined film", true, telecined);
  add("progressive", true, progressive);
  add("interlaced", false, interlaced);
  add("fields without a partner", true, orphaned);
  add("cuts", false, cuts);
  return made;
}

// Returns ffmpeg's filters for the options.
std::string ffmpeg_filters(const v1::Ivtc& options, bool top_first) {
  constexpr const char* kModes[] = {"", "pc", "pc_n", "pc_u", "pc_n_ub", "pcn", "pcn_ub"};
  constexpr const char* kChecks[] = {"", "none", "sc", "full"};
  const int order =
      options.order() == v1::PARITY_AUTO ? int(top_first) : int(options.order() == v1::PARITY_TOP);
  const int field = options.field() == v1::PARITY_AUTO ? -1 : int(options.field() == v1::PARITY_TOP);
  std::string filters = fmt::format(
      "fieldmatch=order={}:field={}:mode={}:combmatch={}:mchroma={}:y0={}:y1={}:scthresh={}:cthresh={}:"
      "chroma={}"
      ":blockx={}:blocky={}:combpel={}",
      order, field, kModes[options.mode()], kChecks[options.combmatch()], int(options.mchroma()),
      options.y0(), options.y1(), options.scthresh(), options.cthresh(), int(options.chroma()),
      options.blockx(), options.blocky(), options.combpel());
  if (options.cycle() > 0)
    filters += fmt::format(",decimate=cycle={}:dupthresh={}:scthresh={}:blockx={}:blocky={}:chroma={}",
                           options.cycle(), options.dupthresh(), options.dec_scthresh(), options.dec_blockx(),
                           options.dec_blocky(), int(options.dec_chroma()));
  return filters;
}

class IvtcFfmpegTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!FfmpegFolder::knows("fieldmatch"))
      GTEST_SKIP() << "there is no ffmpeg program with the filter fieldmatch";
  }

  // Expects the pictures of ffmpeg from the model and from the devices, at a constant rate.
  void expect_like_ffmpeg(const NamedClip& material, const std::string& text) const {
    const Options options = parse_options("ivtc", text);
    const auto& ivtc = dynamic_cast<const v1::Ivtc&>(*options);
    const std::string what = fmt::format("{}: {}", material.name, text);
    const std::vector<Picture> judged =
        folder_.filter(material.clip, ffmpeg_filters(ivtc, material.top_first));
    ASSERT_FALSE(judged.empty()) << what;
    ASSERT_NO_FATAL_FAILURE(expect_same(judged, reference(*options, material.clip).frames, "model, " + what));
    for (device::Device* device : quick_test_devices()) {
      const auto made = run_clip(*device, {options}, material.clip, {.plan = {.batch = 4}});
      ASSERT_THAT(made, IsOk()) << what;
      ASSERT_NO_FATAL_FAILURE(expect_same(judged, pictures_of(*made), what));
      const int64_t period = 4 * std::max(ivtc.cycle(), 1);  // in the divided unit of time
      for (size_t i = 0; i < made->size(); i++) {
        ASSERT_EQ((*made)[i].time.pts, period * int64_t(i)) << what;
        ASSERT_EQ((*made)[i].time.duration, period) << what;
      }
    }
  }

  FfmpegFolder folder_;
};

TEST_F(IvtcFfmpegTest, EveryModeOnEveryMaterial) {
  uint32_t number = 0;
  for (const int noise : {0, 3, 12})
    for (const NamedClip& material : materials(kFormat, noise, 7 + uint32_t(noise)))
      for (int mode = v1::IVTC_MODE_PC; mode <= v1::IVTC_MODE_PCN_UB; mode++) {
        const auto check = v1::IvtcCombMatch(v1::IVTC_COMB_MATCH_NONE + int(number++ % 3));
        ASSERT_NO_FATAL_FAILURE(expect_like_ffmpeg(
            material, fmt::format("mode: {} combmatch: {} cycle: {}", v1::IvtcMode_Name(v1::IvtcMode(mode)),
                                  v1::IvtcCombMatch_Name(check), number / 3 % 2 == 0 ? 0 : 5)));
      }
}

TEST_F(IvtcFfmpegTest, EveryOption) {
  constexpr const char* kFull = "combmatch: IVTC_COMB_MATCH_FULL mode: IVTC_MODE_PC_N_UB";
  uint32_t seed = 40;
  for (const char* options : {"",
                              "field: PARITY_BOTTOM",
                              "field: PARITY_TOP",
                              "order: PARITY_TOP",
                              "order: PARITY_BOTTOM",
                              "chroma: true",
                              "chroma: true cthresh: 2 combpel: 30",
                              "mchroma: false",
                              "cthresh: 4",
                              "cthresh: -1",
                              "cthresh: 40",
                              "combpel: 20",
                              "combpel: 0",
                              "y0: 10 y1: 21",
                              "y0: 3 y1: 44",
                              "blockx: 8 blocky: 32",
                              "blockx: 4 blocky: 4 combpel: 6",
                              "blockx: 128 blocky: 64 combpel: 500",
                              "scthresh: 2",
                              "scthresh: 0",
                              "cycle: 2",
                              "cycle: 3 dupthresh: 0.2",
                              "cycle: 4 dupthresh: 0",
                              "dupthresh: 30",
                              "dec_scthresh: 2",
                              "cycle: 3 dec_scthresh: 0 dupthresh: 0",
                              "dec_blockx: 8 dec_blocky: 16",
                              "dec_blockx: 4 dec_blocky: 4",
                              "dec_blockx: 64 dec_blocky: 64",
                              "dec_blockx: 256 dec_blocky: 128",
                              "dec_chroma: false",
                              "cycle: 25"}) {
    const std::vector<NamedClip> clips = materials(kFormat, seed % 2 == 0 ? 2 : 9, seed);
    const size_t other = 1 + seed++ % (clips.size() - 1);
    ASSERT_NO_FATAL_FAILURE(expect_like_ffmpeg(clips[0], fmt::format("{} {}", kFull, options)));
    ASSERT_NO_FATAL_FAILURE(expect_like_ffmpeg(clips[other], fmt::format("{} {}", kFull, options)));
    ASSERT_NO_FATAL_FAILURE(expect_like_ffmpeg(clips[other], options));
  }
}

// Combing of chroma is left out: ffmpeg's rule is written for 4:2:0.
TEST_F(IvtcFfmpegTest, OtherSizesAndChroma) {
  uint32_t seed = 90;
  for (const VideoFormat& format :
       {VideoFormat{130, 70, Chroma::k420, 8}, VideoFormat{50, 100, Chroma::k422, 8},
        VideoFormat{40, 30, Chroma::k444, 8}, VideoFormat{20, 16, Chroma::k420, 8},
        VideoFormat{31, 34, Chroma::k444, 8}})
    for (const NamedClip& material : materials(format, 4, seed++)) {
      ASSERT_NO_FATAL_FAILURE(expect_like_ffmpeg(material, "combmatch: IVTC_COMB_MATCH_FULL"));
      ASSERT_NO_FATAL_FAILURE(expect_like_ffmpeg(material, "mode: IVTC_MODE_PCN cycle: 0"));
    }
}

// The film of ffmpeg's telecine comes back, with each frame once.
TEST_F(IvtcFfmpegTest, FilmOfFfmpegsTelecineIsRestored) {
  std::mt19937 random(3);
  std::vector<Picture> film;
  for (int time = 0; time < 16; time++) film.push_back(film_frame(kFormat, time, 0, 1, random));
  const Clip original = clip_of(film, true);
  for (const bool top_first : {true, false}) {
    const std::string telecine = fmt::format("telecine=first_field={}", top_first ? "top" : "bottom");
    const Clip clip = clip_of(folder_.filter(original, telecine), top_first);
    ASSERT_EQ(clip.frames.size(), 20u);
    for (device::Device* device : quick_test_devices()) {
      const auto made = run_clip(*device, {parse_options("ivtc", "")}, clip);
      ASSERT_THAT(made, IsOk());
      expect_same(film, pictures_of(*made), telecine);
    }
  }
}

// Deeper samples have the decisions of the 8-bit clip.
TEST(Ivtc, DeepCopiesOfAClipHaveItsDecisions) {
  for (const int depth : {9, 10, 12, 16})
    for (const NamedClip& material : materials(kFormat, 6, 11)) {
      VideoFormat deep = kFormat;
      deep.bit_depth = depth;
      const auto deepened = [&](const std::vector<Picture>& pictures) {
        std::vector<Picture> copies;
        for (const Picture& picture : pictures) {
          Picture& copy = copies.emplace_back(deep);
          copy.planes = picture.planes;
          for (auto& plane : copy.planes)
            for (uint16_t& value : plane) value = uint16_t(value << (depth - 8));
        }
        return copies;
      };
      const Options options =
          parse_options("ivtc", "mode: IVTC_MODE_PCN_UB combmatch: IVTC_COMB_MATCH_FULL cycle: 0");
      const Clip copy = clip_of(deepened(material.clip.frames), material.top_first);
      for (device::Device* device : quick_test_devices()) {
        const auto narrow = run_clip(*device, {options}, material.clip),
                   made = run_clip(*device, {options}, copy);
        ASSERT_THAT(narrow, IsOk());
        ASSERT_THAT(made, IsOk());
        expect_same(deepened(pictures_of(*narrow)), pictures_of(*made),
                    fmt::format("{}, {} bits", material.name, depth));
      }
    }
}

}  // namespace
}  // namespace weft::filters
