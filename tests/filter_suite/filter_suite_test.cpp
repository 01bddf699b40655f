// SPDX-License-Identifier: Apache-2.0
// What every filter must keep, on every device: equality with the plain reference and the golden hash, invisible
// batches and segments, no allocation while running, options checked.
#include <algorithm>

#include <gmock/gmock.h>

#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/reference.h"
#include "tests/filter_suite/run.h"

namespace weft::filters {
namespace {

class FilterSuite : public DeviceTest {};
WEFT_ON_EVERY_DEVICE(FilterSuite);

// What is flagged, as in clips with progressive parts, another field order, and a cut.
void mix_flags(Clip& clip, uint32_t seed) {
  std::mt19937 random(seed);
  int64_t pts = 0;
  for (FrameInfo& info : clip.infos) {
    info.interlaced = random() % 3 != 0;
    info.top_field_first = random() % 4 != 0;
    info.discontinuity = random() % 6 == 0;
    info.pts = pts += 1 + random() % 4;
  }
}

TEST_P(FilterSuite, GivesWhatTheReferenceGives) {
  constexpr VideoFormat kFormats[] = {
      {64, 48, Chroma::k420, 8},  {65, 49, Chroma::k420, 8},   {70, 33, Chroma::k422, 8},
      {31, 22, Chroma::k444, 8},  {37, 23, Chroma::kGray, 8},  {65, 49, Chroma::k420, 9},
      {33, 40, Chroma::k422, 12}, {130, 31, Chroma::k444, 16}, {1, 1, Chroma::kGray, 8},
      {1, 1, Chroma::k420, 16},   {2, 2, Chroma::k420, 8},     {3, 5, Chroma::k422, 10},
      {257, 4, Chroma::k420, 8},  {4, 67, Chroma::k444, 8},    {75, 33, Chroma::k411, 8},
      {61, 39, Chroma::k410, 8},  {34, 27, Chroma::k440, 12}};
  uint32_t seed = 1;
  for (const v1::DeinterlaceOptions& options : every_option())
    for (const VideoFormat& format : kFormats) {
      Clip clip = make_clip(format, 4, kMaterials[seed % 3], seed);
      if (seed % 2 == 0) mix_flags(clip, seed);
      seed++;
      const auto actual = run_clip(device(), {options}, clip, {.graph = {.batch = 3}, .submit_size = {}});
      ASSERT_THAT(actual, IsOk());
      ASSERT_NO_FATAL_FAILURE(
          expect_same(reference(options, clip), pictures_of(*actual), describe(options, format)));
    }
}

TEST_P(FilterSuite, RandomSizesGiveWhatTheReferenceGives) {
  std::mt19937 random(2026);
  const std::vector<v1::DeinterlaceOptions> every = every_option();
  for (int i = 0; i < 150; i++) {
    const VideoFormat format{1 + int(random() % 150), 1 + int(random() % 70), Chroma(random() % 7),
                             8 + int(random() % 9)};
    const v1::DeinterlaceOptions& options = every[random() % every.size()];
    Clip clip = make_clip(format, 1 + int(random() % 5), kMaterials[random() % 2], uint32_t(random()));
    mix_flags(clip, uint32_t(random()));
    const auto actual = run_clip(device(), {options}, clip);
    ASSERT_THAT(actual, IsOk());
    ASSERT_NO_FATAL_FAILURE(
        expect_same(reference(options, clip), pictures_of(*actual), describe(options, format)));
  }
}

TEST_P(FilterSuite, CasesHaveTheirGoldenHash) {
  for (const Registration* registration : all_filters())
    for (const Case& test_case : registration->cases) {
      const v1::DeinterlaceOptions options = parse_options(registration->descriptor.name, test_case.options);
      std::vector<Picture> pictures;
      for (const Material material : {Material::kNoise, Material::kMotion}) {
        Clip clip = make_clip(test_case.format, 5, material, 1);
        clip.infos[1].interlaced = false;
        const auto actual = run_clip(device(), {options}, clip);
        ASSERT_THAT(actual, IsOk());
        ASSERT_NO_FATAL_FAILURE(
            expect_same(reference(options, clip), pictures_of(*actual), describe(options, test_case.format)));
        std::ranges::move(pictures_of(*actual), std::back_inserter(pictures));
      }
      EXPECT_EQ(hash_of(pictures), test_case.golden_hash) << fmt::format(
          "{} {}: 0x{:016x}", describe(options, test_case.format), test_case.options, hash_of(pictures));
    }
}

bool same(const TimedPicture& a, const TimedPicture& b) {
  return a.picture == b.picture && a.time.pts == b.time.pts && a.time.duration == b.time.duration &&
         a.ends_source == b.ends_source && a.state == b.state;
}

TEST_P(FilterSuite, BatchingIsInvisible) {
  const VideoFormat format{48, 34, Chroma::k420, 8};
  uint32_t seed = 400;
  for (const v1::DeinterlaceOptions& options : every_option()) {
    Clip clip = make_clip(format, 14, Material::kNoise, seed);
    mix_flags(clip, seed++);
    const auto whole =
        run_clip(device(), {options}, clip, {.graph = {.batch = 14, .in_flight = 1}, .submit_size = {}});
    ASSERT_THAT(whole, IsOk());
    std::mt19937 random(seed);
    for (const int batch : {1, 3, 5}) {
      const GraphOptions graph{.batch = batch, .in_flight = 1 + int(random() % 3), .held = int(random() % 3)};
      const auto parts = run_clip(device(), {options}, clip,
                                  {.graph = graph, .submit_size = [&] { return int(random() % 4); }});
      ASSERT_THAT(parts, IsOk());
      ASSERT_TRUE(std::ranges::equal(*whole, *parts, same))
          << describe(options, format) << " batch " << batch;
    }
  }
}

// Frames [begin, end) of the clip, with the window around them as context.
Clip segment_of(const Clip& clip, int begin, int end, Window window) {
  Clip segment;
  segment.format = clip.format;
  const int first = std::max(0, begin - window.before);
  const int last = std::min(int(clip.frames.size()), end + window.after);
  for (int i = first; i < last; i++) {
    segment.frames.push_back(clip.frames[size_t(i)]);
    segment.infos.push_back(clip.infos[size_t(i)]);
    segment.infos.back().context = i < begin || i >= end;
  }
  return segment;
}

TEST_P(FilterSuite, SegmentsAreInvisible) {
  const VideoFormat format{40, 30, Chroma::k420, 8};
  uint32_t seed = 500;
  for (const v1::DeinterlaceOptions& options : every_option()) {
    Clip clip = make_clip(format, 11, Material::kNoise, seed);
    mix_flags(clip, seed++);
    const auto whole = run_clip(device(), {options}, clip);
    ASSERT_THAT(whole, IsOk());
    std::mt19937 random(seed);
    std::vector<TimedPicture> joined;
    PlannerState state;
    for (int begin = 0; begin < 11;) {
      const int end = std::min(11, begin + 1 + int(random() % 4));
      const auto part = run_clip(device(), {options}, segment_of(clip, begin, end, {1, 1}),
                                 {.graph = {.batch = 2, .state = state}, .submit_size = {}});
      ASSERT_THAT(part, IsOk());
      joined.insert(joined.end(), part->begin(), part->end());
      state = joined.back().state;
      begin = end;
    }
    ASSERT_TRUE(std::ranges::equal(*whole, joined, same)) << describe(options, format);
  }
}

// A second filter sees what the first one made; its context is that of the chain.
TEST_P(FilterSuite, ChainsGiveWhatTheirFiltersGive) {
  const VideoFormat format{40, 30, Chroma::k422, 10};
  const v1::DeinterlaceOptions first = parse_options("yadif", "");
  const v1::DeinterlaceOptions second = parse_options("bwdif", "parity: PARITY_BOTTOM");
  const Clip clip = make_clip(format, 9, Material::kMotion, 3);
  Clip middle{format, reference(first, clip), {}};
  for (size_t i = 0; i < middle.frames.size(); i++)
    middle.infos.push_back({.pts = int64_t(2 * i), .duration = 2});
  const std::vector<Picture> expected = reference(second, middle);
  std::mt19937 random(9);
  for (const int batch : {1, 2, 4, 9}) {
    const auto actual =
        run_clip(device(), {first, second}, clip,
                 {.graph = {.batch = batch}, .submit_size = [&] { return int(random() % 5); }});
    ASSERT_THAT(actual, IsOk());
    ASSERT_NO_FATAL_FAILURE(expect_same(expected, pictures_of(*actual), "batch " + std::to_string(batch)));
    for (size_t i = 0; i < actual->size(); i++) EXPECT_EQ((*actual)[i].time.pts, int64_t(2 * i));
  }
  std::vector<TimedPicture> joined;
  for (int begin = 0; begin < 9; begin += 3) {
    const auto part = run_clip(device(), {first, second}, segment_of(clip, begin, begin + 3, {2, 2}),
                               {.graph = {.batch = 2, .state = {.started = begin > 0}}, .submit_size = {}});
    ASSERT_THAT(part, IsOk());
    joined.insert(joined.end(), part->begin(), part->end());
  }
  ASSERT_EQ(joined.size(), expected.size());
}

TEST_P(FilterSuite, NothingIsAllocatedWhileRunning) {
  for (const Registration* registration : all_filters()) {
    const VideoFormat format{64, 48, Chroma::k420, 8};
    std::vector<std::unique_ptr<Filter>> filters;
    auto filter = make_deinterlacer(device(), format, parse_options(registration->descriptor.name, ""));
    ASSERT_THAT(filter, IsOk());
    filters.push_back(*std::move(filter));
    const size_t before = device().memory_used_bytes();
    auto made = Graph::make(device(), std::move(filters), {.batch = 4});
    ASSERT_THAT(made, IsOk());
    Graph& graph = **made;
    const size_t used = device().memory_used_bytes();
    EXPECT_EQ(used - before, graph.device_bytes() + graph.host_bytes());
    for (int i = 0; i < 40; i++) {
      while (!graph.has_room()) {
        if (graph.submit(4) == 0) {
          ASSERT_THAT(graph.pop(), IsOk());
        }
      }
      ASSERT_THAT(graph.stage(), IsOk());
      graph.push({.pts = i});
      ASSERT_EQ(device().memory_used_bytes(), used);
    }
  }
}

TEST_P(FilterSuite, OptionsAreChecked) {
  const VideoFormat format{64, 48, Chroma::k420, 8};
  const auto made = [&](const VideoFormat& f, const v1::DeinterlaceOptions& o) {
    return make_deinterlacer(device(), f, o);
  };
  for (const char* name : {"filter", "rate", "parity", "frames"}) {
    const auto* descriptor = v1::DeinterlaceOptions::descriptor()->FindFieldByName(name);
    for (const int value : {0, -1, 99}) {
      v1::DeinterlaceOptions options = parse_options("bwdif", "");
      options.GetReflection()->SetEnumValue(&options, descriptor, value);
      EXPECT_THAT(made(format, options), StatusIs(StatusCode::kInvalidArgument)) << name << " " << value;
    }
  }
  for (const Registration* registration : all_filters()) {
    const v1::DeinterlaceOptions options = parse_options(registration->descriptor.name, "");
    EXPECT_THAT(made({0, 48, Chroma::k420, 8}, options), StatusIs(StatusCode::kInvalidArgument, "(0x48)"));
    EXPECT_THAT(made({64, kMaxPictureSide + 1, Chroma::k420, 8}, options),
                StatusIs(StatusCode::kInvalidArgument, "16384"));
    EXPECT_THAT(made({64, 48, Chroma::k420, 7}, options), StatusIs(StatusCode::kInvalidArgument, "7 bits"));
    EXPECT_THAT(made({64, 48, Chroma::k420, 17}, options), StatusIs(StatusCode::kInvalidArgument, "17 bits"));
    EXPECT_THAT(made({kMaxPictureSide, 1, Chroma::k444, 16}, options), IsOk());
  }
}

}  // namespace
}  // namespace weft::filters
