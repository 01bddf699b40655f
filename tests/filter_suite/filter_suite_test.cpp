// SPDX-License-Identifier: Apache-2.0
// Tests the requirements of every filter, on every device, alone and in random chains: equality
// with the model, correct windows, the same result for all batches and segments, independence
// across cuts, no allocation while running, checked options.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/random_chain.h"
#include "tests/filter_suite/reference.h"
#include "tests/filter_suite/run.h"

namespace weft::filters {
namespace {

class FilterSuite : public DeviceTest {};
WEFT_ON_EVERY_DEVICE(FilterSuite);

// Sets flags as in clips with progressive parts, with another field order, with soft telecine, and
// with a cut.
void mix_flags(Clip& clip, uint32_t seed) {
  std::mt19937 random(seed);
  int64_t pts = 0;
  for (FrameInfo& info : clip.infos) {
    info.interlaced = random() % 3 != 0;
    info.top_field_first = random() % 4 != 0;
    info.discontinuity = random() % 6 == 0;
    info.repeats_field = random() % 4 == 0;
    info.repeated_frames = info.repeats_field && random() % 4 == 0 ? 1 + int(random() % 2) : 0;
    info.pts = pts += 1 + random() % 4;
  }
}

// Returns true if the filter declares that it accepts the format.
bool takes(const Setting& setting, const VideoFormat& format) {
  return expand(nullptr, {setting.options}, format).ok();
}

// Returns the settings of filters with a model.
std::vector<Setting> judged_settings() {
  std::vector<Setting> judged = every_setting();
  std::erase_if(judged, [](const Setting& setting) { return !has_reference(setting.filter->name()); });
  return judged;
}
// Returns the settings of byte-exact filters among them, so that the result of a further filter can
// be compared, too.
std::vector<Setting> exact_settings() {
  std::vector<Setting> exact = judged_settings();
  std::erase_if(exact, [](const Setting& setting) { return setting.filter->tolerance != 0; });
  return exact;
}

Clip reference_of(const std::vector<Options>& chain, Clip clip) {
  for (const Options& options : chain) clip = reference(*options, clip);
  return clip;
}

// Returns the model's output for a clip. It is cached for the next device, since the model of a
// network is slower than any device.
const std::vector<Picture>& model_of(const Setting& setting, const Clip& clip, const std::string& clip_name) {
  static std::map<std::string, std::vector<Picture>> known;
  const std::string key =
      fmt::format("{} {} {}", setting.filter->name(), setting.options->SerializeAsString(), clip_name);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known.emplace(key, reference(*setting.options, clip).frames).first->second;
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
  for (const Setting& setting : every_setting()) {
    if (!has_reference(setting.filter->name())) continue;
    for (const VideoFormat& format : kFormats) {
      if (!takes(setting, format)) continue;
      const uint32_t own = seed++;
      // Half of the formats are tested, and other ones for each setting.
      if (is_slow(device()) && own / 2 % 2 == 0) continue;
      Clip clip = make_clip(format, 4, kMaterials[own % 3], own);
      if (own % 2 == 0) mix_flags(clip, own);
      const auto actual = run_clip(device(), {setting.options}, clip, {.plan = {.batch = 3}});
      ASSERT_THAT(actual, IsOk());
      ASSERT_NO_FATAL_FAILURE(expect_like_model(
          *setting.filter, model_of(setting, clip, fmt::format("{} {}", to_text(format), own)),
          pictures_of(*actual), describe(setting, format)));
    }
  }
}

TEST_P(FilterSuite, RandomSizesGiveWhatTheReferenceGives) {
  std::mt19937 random(2026);
  const std::vector<Setting> every = judged_settings();
  for (int i = 0; i < 150; i++) {
    const VideoFormat format{1 + int(random() % 150), 1 + int(random() % 70), Chroma(random() % 7),
                             8 + int(random() % 9)};
    const Setting& setting = every[random() % every.size()];
    Clip clip = make_clip(format, 1 + int(random() % 5), kMaterials[random() % 2], uint32_t(random()));
    mix_flags(clip, uint32_t(random()));
    if (!takes(setting, format)) continue;
    const auto actual = run_clip(device(), {setting.options}, clip);
    ASSERT_THAT(actual, IsOk());
    ASSERT_NO_FATAL_FAILURE(expect_like_model(*setting.filter, reference(*setting.options, clip).frames,
                                              pictures_of(*actual), describe(setting, format)));
  }
}

// These are the cases that benchmarks and the tuner run as well.
TEST_P(FilterSuite, CasesGiveWhatTheReferenceGives) {
  for (const Registration* registration : all_filters())
    for (const Case& test_case : registration->cases) {
      const Setting setting{registration, parse_options(registration->name(), test_case.options)};
      ASSERT_TRUE(has_reference(registration->name())) << registration->name();
      for (const Material material : {Material::kNoise, Material::kMotion}) {
        Clip clip = make_clip(test_case.format, 5, material, 1);
        clip.infos[1].interlaced = false;
        const auto actual = run_clip(device(), {setting.options}, clip);
        ASSERT_THAT(actual, IsOk());
        const std::string name = fmt::format("{} case {}", to_text(test_case.format), int(material));
        ASSERT_NO_FATAL_FAILURE(expect_like_model(*registration, model_of(setting, clip, name),
                                                  pictures_of(*actual), describe(setting, test_case.format)));
      }
    }
}

bool same(const TimedPicture& a, const TimedPicture& b) {
  return a.picture == b.picture && a.time.pts == b.time.pts && a.time.duration == b.time.duration &&
         a.ends_source == b.ends_source;
}

// Expects the same result with any batch size.
void expect_batches_are_invisible(device::Device& device, const std::vector<Options>& chain, const Clip& clip,
                                  uint32_t seed, const std::string& what) {
  const int frames = int(clip.frames.size());
  const auto whole = run_clip(device, chain, clip, {.plan = {.batch = frames, .in_flight = 1}});
  ASSERT_THAT(whole, IsOk());
  std::mt19937 random(seed);
  for (const int batch : {1, 3, 5}) {
    const PlanOptions plan{.batch = batch, .in_flight = 1 + int(random() % 3), .held = int(random() % 3)};
    const auto parts =
        run_clip(device, chain, clip, {.plan = plan, .submit_size = [&] { return int(random() % 4); }});
    ASSERT_THAT(parts, IsOk());
    ASSERT_TRUE(std::ranges::equal(*whole, *parts, same)) << what << " batch " << batch;
  }
}

// Returns the frames [begin, end) of the clip, with the window around them as context.
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

Window window_of(device::Device& device, const std::vector<Options>& chain, const VideoFormat& format,
                 const Decisions& decisions) {
  Network network = expand(&device, chain, format, {}, -1, decisions).value();
  return Plan::compile(network, {}).value().window;
}

// Expects the same result for the clip in segments of random lengths. Each segment has only the
// context of the plan's window.
void expect_segments_are_invisible(device::Device& device, const std::vector<Options>& chain,
                                   const Clip& clip, uint32_t seed, const std::string& what) {
  const int frames = int(clip.frames.size());
  const Decisions decisions = decide(device, chain, clip).value();
  const Window window = window_of(device, chain, clip.format, decisions);
  const auto whole = run_clip(device, chain, clip);
  ASSERT_THAT(whole, IsOk());
  std::mt19937 random(seed);
  std::vector<TimedPicture> joined;
  std::string state;
  for (int begin = 0; begin < frames;) {
    const int end = std::min(frames, begin + 1 + int(random() % 4));
    const int first = std::max(0, begin - window.before);
    const int next_first = std::max(0, end - window.before);
    std::string after;
    const auto part = run_clip(device, chain, segment_of(clip, begin, end, window),
                               {.plan = {.batch = 1 + int(random() % 3)},
                                .submit_size = [&] { return int(random() % 4); },
                                .state = state,
                                .state_at = std::min(next_first, end - 1) - first,
                                .state_after = &after,
                                .decisions = &decisions});
    ASSERT_THAT(part, IsOk()) << what;
    joined.insert(joined.end(), part->begin(), part->end());
    state = after;
    begin = end;
  }
  ASSERT_EQ(whole->size(), joined.size()) << what;
  for (size_t i = 0; i < joined.size(); i++)
    ASSERT_TRUE(same((*whole)[i], joined[i]))
        << what << ", picture " << i << ": " << difference((*whole)[i].picture, joined[i].picture);
}

// Expects that samples outside the window of a frame do not change its pictures.
void expect_window_is_honest(device::Device& device, const std::vector<Options>& chain, const Clip& clip,
                             int frame, const std::string& what) {
  const Decisions decisions = decide(device, chain, clip).value();
  const Window window = window_of(device, chain, clip.format, decisions);
  const auto whole = run_clip(device, chain, clip);
  ASSERT_THAT(whole, IsOk());
  Clip other = clip;
  const Clip noise = make_clip(clip.format, int(clip.frames.size()), Material::kNoise, 4711);
  for (int i = 0; i < int(clip.frames.size()); i++)
    if (i < frame - window.before || i > frame + window.after)
      other.frames[size_t(i)] = noise.frames[size_t(i)];
  const auto changed = run_clip(device, chain, other, {.decisions = &decisions});
  ASSERT_THAT(changed, IsOk());
  ASSERT_EQ(whole->size(), changed->size()) << what;
  for (size_t i = 0; i < whole->size(); i++)
    if ((*whole)[i].source_index == frame) {
      ASSERT_TRUE((*whole)[i].picture == (*changed)[i].picture) << what << ", frame " << frame;
    }
}

// Expects that frames after a cut do not change those before it, and vice versa.
void expect_cut_leaks_nothing(device::Device& device, const std::vector<Options>& chain, Clip clip, int cut,
                              const std::string& what) {
  // A decision depends on the whole clip.
  if (expand(&device, chain, clip.format).value().analysis()) return;
  clip.infos[size_t(cut)].discontinuity = true;
  const auto whole = run_clip(device, chain, clip);
  ASSERT_THAT(whole, IsOk());
  Clip before{clip.format,
              {clip.frames.begin(), clip.frames.begin() + cut},
              {clip.infos.begin(), clip.infos.begin() + cut}};
  Clip after{clip.format,
             {clip.frames.begin() + cut, clip.frames.end()},
             {clip.infos.begin() + cut, clip.infos.end()}};
  const auto first = run_clip(device, chain, before), second = run_clip(device, chain, after);
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(second, IsOk());
  std::vector<Picture> joined = pictures_of(*first);
  std::ranges::move(pictures_of(*second), std::back_inserter(joined));
  expect_same(joined, pictures_of(*whole), what);
}

void expect_all(device::Device& device, const std::vector<Options>& chain, Clip clip, uint32_t seed,
                const std::string& what) {
  const int frames = int(clip.frames.size());
  mix_flags(clip, seed);
  ASSERT_NO_FATAL_FAILURE(expect_batches_are_invisible(device, chain, clip, seed, what));
  ASSERT_NO_FATAL_FAILURE(expect_segments_are_invisible(device, chain, clip, seed, what));
  ASSERT_NO_FATAL_FAILURE(expect_window_is_honest(device, chain, clip, int(seed % uint32_t(frames)), what));
  ASSERT_NO_FATAL_FAILURE(
      expect_cut_leaks_nothing(device, chain, clip, 1 + int(seed % uint32_t(frames - 1)), what));
}

TEST_P(FilterSuite, EveryFilterKeepsBatchesSegmentsWindowsAndCuts) {
  const VideoFormat format{40, 30, Chroma::k420, 8};
  uint32_t seed = 500;
  for (const Setting& setting : settings_for(device())) {
    if (!takes(setting, format)) continue;
    ASSERT_NO_FATAL_FAILURE(expect_all(device(), {setting.options},
                                       make_clip(format, 11, Material::kNoise, seed), seed,
                                       describe(setting, format)));
    seed++;
  }
}

// Chains of random filters, some of them with random chains inside, have the bytes of the models in
// sequence.
TEST_P(FilterSuite, RandomChains) {
  std::mt19937 random(28);
  const std::vector<Setting> every = exact_settings();
  int chains = device().info().kind == device::BackendKind::kCpu ? 100 : 20;
  if (const char* asked = std::getenv("WEFT_RANDOM_CHAINS")) chains = std::atoi(asked);
  for (int i = 0; i < chains; i++) {
    const VideoFormat format{16 + int(random() % 40), 16 + int(random() % 30), Chroma(random() % 4),
                             random() % 2 == 0 ? 8 : 8 + int(random() % 9)};
    const std::vector<Options> chain = random_chain(random, every, 1 + i % 4u, format);
    const std::string what = describe(fmt::format("chain {}", i), chain, format);
    Clip clip = make_clip(format, 9, Material::kNoise, uint32_t(random()));
    ASSERT_NO_FATAL_FAILURE(expect_all(device(), chain, clip, uint32_t(random()), what));
    mix_flags(clip, uint32_t(random()));
    const auto actual = run_clip(device(), chain, clip, {.plan = {.batch = 1 + int(random() % 9)}});
    ASSERT_THAT(actual, IsOk());
    ASSERT_NO_FATAL_FAILURE(expect_same(reference_of(chain, clip).frames, pictures_of(*actual), what));
  }
}

// Jobs on devices of different kinds are refused for networks that are not exact. The tolerance of
// an exact filter is that of its model.
TEST(Exactness, AFilterWithAToleranceIsNotExact) {
  for (const Registration* filter : all_filters())
    for (const Case& each : filter->cases) {
      const auto network = expand(nullptr, {parse_options(filter->name(), each.options)}, each.format);
      ASSERT_THAT(network, IsOk()) << filter->name();
      if (filter->tolerance > 0) {
        EXPECT_EQ(network->is_exact(), filter->is_exact) << filter->name();
      }
    }
  for (const char* chain : {"bwdif", "yadif", "resize", "temporal_nr", "decimate"}) {
    SCOPED_TRACE(chain);
    // The program of a filter under development links that filter alone.
    if (find_filter(chain) == nullptr) continue;
    const auto network =
        expand(nullptr, {parse_options(chain, std::string_view(chain) == "resize" ? "size: '64x48'" : "")},
               {96, 64, Chroma::k420, 8});
    ASSERT_THAT(network, IsOk());
    EXPECT_TRUE(network->is_exact());
  }
}

TEST_P(FilterSuite, NothingIsAllocatedWhileRunning) {
  for (const Registration* registration : all_filters()) {
    if (registration->cases.empty()) continue;
    const Case& test_case = registration->cases[0];
    auto network =
        expand(&device(), {parse_options(registration->name(), test_case.options)}, test_case.format);
    ASSERT_THAT(network, IsOk());
    const auto on_device = [&] { return device().memory_use(device::MemoryKind::kDevice).bytes; };
    const auto pinned = [&] {
      return device().memory_use(device::MemoryKind::kUpload).bytes +
             device().memory_use(device::MemoryKind::kDownload).bytes;
    };
    const size_t before = on_device(), pinned_before = pinned();
    auto made = Pipeline::make(device(), *std::move(network), {.plan = {.batch = 4}});
    ASSERT_THAT(made, IsOk());
    Pipeline& pipeline = **made;
    const size_t used = on_device(), pinned_used = pinned();
    EXPECT_EQ(used - before, pipeline.plan().device_bytes()) << registration->name();
    EXPECT_EQ(pinned_used - pinned_before, pipeline.plan().host_bytes()) << registration->name();
    const int frames = is_slow(device()) ? 16 : 40;
    for (int i = 0; i < frames; i++) {
      while (!pipeline.has_capacity()) {
        if (pipeline.submit(4) == 0) {
          ASSERT_THAT(pipeline.pop(), IsOk());
        }
      }
      ASSERT_THAT(pipeline.stage(), IsOk());
      pipeline.push({.pts = i});
      ASSERT_EQ(on_device(), used);
      ASSERT_EQ(pinned(), pinned_used);
    }
  }
}

// Chains of many bobs at one picture per frame need no other frames, and times keep their unit.
TEST_P(FilterSuite, LongChainsNeedNoMoreThanTheirFilters) {
  const VideoFormat format{64, 48, Chroma::k420, 8};
  size_t of_two = 0;
  for (const size_t count : {2u, 8u, 32u}) {
    const std::vector<Options> chain(count, parse_options("bob", "rate: OUTPUT_RATE_FRAME"));
    auto network = expand(&device(), chain, format);
    ASSERT_THAT(network, IsOk());
    const auto pipeline =
        Pipeline::make(device(), *std::move(network), {.plan = {.batch = 4, .exact_durations = true}});
    ASSERT_THAT(pipeline, IsOk());
    EXPECT_EQ((*pipeline)->plan().window, (Window{0, 0}));
    EXPECT_EQ((*pipeline)->time_divisor(), 1);
    if (count == 2) of_two = (*pipeline)->plan().arena_bytes;
    // Two slots are used in turn, for a chain of any length.
    EXPECT_LE((*pipeline)->plan().arena_bytes, of_two + 5 * (*pipeline)->plan().ports[0].layout.unit_bytes);
  }
  const std::vector<Options> doubling(5, parse_options("bob", "rate: OUTPUT_RATE_FIELD"));
  EXPECT_THAT(expand(&device(), doubling, format).status(),
              StatusIs(StatusCode::kInvalidArgument, "16 are the most"));
}

TEST_P(FilterSuite, OptionsAreChecked) {
  const VideoFormat format{64, 48, Chroma::k420, 8};
  for (const char* name : {"rate", "parity", "frames"}) {
    for (const int value : {0, -1, 99}) {
      const Options options = parse_options("bwdif", "");
      options->GetReflection()->SetEnumValue(options.get(), options->GetDescriptor()->FindFieldByName(name),
                                             value);
      EXPECT_THAT(expand(&device(), {options}, format).status(), StatusIs(StatusCode::kInvalidArgument))
          << name << " " << value;
    }
  }
  for (const Setting& setting : every_setting()) {
    const auto made = [&](const VideoFormat& f) { return expand(&device(), {setting.options}, f).status(); };
    EXPECT_THAT(made({0, 48, Chroma::k420, 8}), StatusIs(StatusCode::kInvalidArgument, "(0x48)"));
    EXPECT_THAT(made({64, kMaxPictureSide + 1, Chroma::k420, 8}),
                StatusIs(StatusCode::kInvalidArgument, "16384"));
    EXPECT_THAT(made({64, 48, Chroma::k420, 7}), StatusIs(StatusCode::kInvalidArgument, "7 bits"));
    EXPECT_THAT(made({64, 48, Chroma::k420, 17}), StatusIs(StatusCode::kInvalidArgument, "17 bits"));
  }
}

}  // namespace
}  // namespace weft::filters
