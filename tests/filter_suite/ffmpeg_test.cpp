// SPDX-License-Identifier: Apache-2.0
// Compares yadif and bwdif with the ffmpeg program: they have the same bytes and times in every
// mode, parity and supported format, for all frames and for flagged frames only.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/filter_suite/reference.h"
#include "tests/filter_suite/run.h"

namespace weft::filters {
namespace {

namespace fs = std::filesystem;

// Runs of frames with the same flags. The filter graph cuts the clip into these runs.
struct FlagRun {
  int frames;
  const char* field_mode;  // mode of ffmpeg's setfield: tff, bff, prog
};

struct Case {
  Clip clip;
  std::vector<FlagRun> runs;
  Options options;
};

struct Judged {
  std::vector<Picture> pictures;
  std::vector<int64_t> pts;  // in half units of the input's times
};

// Number of cases per run of ffmpeg, since most of a run's time is its start.
constexpr size_t kCasesARun = 40;

std::string pixel_format(const VideoFormat& format) {
  constexpr const char* kNames[] = {"gray", "yuv420p", "yuv422p", "yuv444p", "yuv411p", "yuv410p", "yuv440p"};
  std::string name = kNames[int(format.chroma)];
  if (format.bit_depth > 8) name += std::to_string(format.bit_depth) + "le";
  return name;
}

// Returns ffmpeg's filter for the options.
std::string ffmpeg_filter(const Options& options) {
  const auto value = [&](const char* name) {
    return options->GetReflection()->GetEnumValue(*options, options->GetDescriptor()->FindFieldByName(name));
  };
  const auto* yadif = dynamic_cast<const v1::Yadif*>(options.get());
  const bool checks = yadif == nullptr || yadif->spatial_check();
  const int mode = (value("rate") == v1::OUTPUT_RATE_FIELD ? 1 : 0) + (checks ? 0 : 2);
  const int parity = value("parity") == v1::PARITY_AUTO ? -1 : value("parity") == v1::PARITY_TOP ? 0 : 1;
  const int deint = value("frames") == v1::FRAME_SELECTION_FLAGGED ? 1 : 0;
  return fmt::format("{}=mode={}:parity={}:deint={}", find_filter(options->GetDescriptor())->name(), mode,
                     parity, deint);
}
int divisor_of(const Options& options) {
  const auto* rate = options->GetDescriptor()->FindFieldByName("rate");
  return options->GetReflection()->GetEnumValue(*options, rate) == v1::OUTPUT_RATE_FIELD ? 2 : 1;
}

// Returns a filter graph for input `number`. It cuts the clip into runs, sets their flags, and
// joins them with uneven times in front of the filter.
std::string filter_graph(const Case& each, size_t number) {
  const auto label = [&](const char* kind, size_t run) {
    return fmt::format("[{}{}_{}]", kind, number, run);
  };
  std::string cut = fmt::format("[{}:v]split={}", number, each.runs.size());
  std::string flagged;
  std::string joined;
  int begin = 0;
  for (size_t i = 0; i < each.runs.size(); i++) {
    const int end = begin + each.runs[i].frames;
    cut += label("i", i);
    flagged += fmt::format(";{}trim=start_frame={}:end_frame={},setpts=PTS-STARTPTS,setfield={}{}",
                           label("i", i), begin, end, each.runs[i].field_mode, label("o", i));
    joined += label("o", i);
    begin = end;
  }
  return fmt::format("{}{};{}concat=n={},settb=1/25,setpts='3*N+mod(N,2)',{},split[a{}][b{}]", cut, flagged,
                     joined, each.runs.size(), ffmpeg_filter(each.options), number, number);
}

class FfmpegJudge : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("ffmpeg -version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no ffmpeg program";
    std::string name = (fs::temp_directory_path() / "weft-judge-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  void write(const Clip& clip, size_t number) const {
    std::ofstream file(folder_ / fmt::format("{}.raw", number), std::ios::binary);
    for (const Picture& picture : clip.frames)
      for (const auto& plane : picture.planes)
        for (const uint16_t value : plane)
          file.write(reinterpret_cast<const char*>(&value), clip.format.sample_bytes());
  }

  Judged read(const VideoFormat& format, size_t number) const {
    Judged judged;
    std::ifstream file(folder_ / fmt::format("{}.out", number), std::ios::binary);
    while (file.peek() != EOF) {
      Picture picture(format);
      for (auto& plane : picture.planes)
        for (uint16_t& value : plane) file.read(reinterpret_cast<char*>(&value), format.sample_bytes());
      judged.pictures.push_back(std::move(picture));
    }
    std::ifstream times(folder_ / fmt::format("{}.times", number));
    for (std::string line; std::getline(times, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream fields(line);
      std::string field;
      for (int i = 0; i < 3; i++) std::getline(fields, field, ',');
      judged.pts.push_back(std::stoll(field));
    }
    return judged;
  }

  // Returns ffmpeg's output for each case, all in one run. `flags` are its options.
  std::vector<Judged> judge(std::span<const Case> cases, const std::string& flags = "") const {
    std::string inputs;
    std::string graphs;
    std::string outputs;
    for (size_t i = 0; i < cases.size(); i++) {
      const VideoFormat& format = cases[i].clip.format;
      write(cases[i].clip, i);
      inputs += fmt::format(" -f rawvideo -pix_fmt {} -s {}x{} -r 25 -i {}.raw", pixel_format(format),
                            format.width, format.height, i);
      graphs += fmt::format(" -filter_complex \"{}\"", filter_graph(cases[i], i));
      const std::string common = " -fps_mode passthrough -pix_fmt " + pixel_format(format);
      outputs += fmt::format(" -map '[a{}]'{} -f rawvideo {}.out", i, common, i);
      outputs +=
          fmt::format(" -map '[b{}]'{} -enc_time_base 1/50 -c:v rawvideo -f framecrc {}.times", i, common, i);
    }
    const std::string command =
        fmt::format("cd '{}' && rm -f *.out *.times && ffmpeg {} -nostdin -y -v error{}{}{}",
                    folder_.string(), flags, inputs, graphs, outputs);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::vector<Judged> judged;
    for (size_t i = 0; i < cases.size(); i++) judged.push_back(read(cases[i].clip.format, i));
    return judged;
  }

  void expect_all_judged(std::vector<Case> cases);

  fs::path folder_;
};

Clip flagged_clip(const VideoFormat& format, const std::vector<FlagRun>& runs, Material material,
                  uint32_t seed) {
  int frames = 0;
  for (const FlagRun& run : runs) frames += run.frames;
  Clip clip = make_clip(format, frames, material, seed);
  size_t i = 0;
  for (const FlagRun& run : runs)
    for (int n = 0; n < run.frames; n++, i++) {
      clip.infos[i].interlaced = std::string(run.field_mode) != "prog";
      clip.infos[i].top_field_first = std::string(run.field_mode) == "tff";
      clip.infos[i].pts = int64_t(3 * i + i % 2);
    }
  return clip;
}

std::vector<Options> judged_options() {
  std::vector<Options> all;
  for (const auto& [filter, more] :
       {std::pair("yadif", ""), std::pair("yadif", "spatial_check: false"), std::pair("bwdif", "")})
    for (const char* rate : {"FIELD", "FRAME"})
      for (const char* parity : {"AUTO", "TOP", "BOTTOM"})
        for (const char* frames : {"ALL", "FLAGGED"})
          all.push_back(parse_options(
              filter, fmt::format("rate: OUTPUT_RATE_{} parity: PARITY_{} frames: FRAME_SELECTION_{} {}",
                                  rate, parity, frames, more)));
  return all;
}

void expect_judged(const Judged& judged, const Case& each) {
  const auto& [clip, runs, options] = each;
  const std::string what = options->ShortDebugString() + " " + to_text(clip.format);
  const std::vector<Picture> plain = reference(*options, clip).frames;
  ASSERT_EQ(judged.pictures.size(), plain.size()) << what;
  for (size_t i = 0; i < plain.size(); i++)
    ASSERT_TRUE(judged.pictures[i] == plain[i])
        << what << ", the reference's picture " << i << ": " << difference(judged.pictures[i], plain[i]);
  for (device::Device* device : test_devices()) {
    const auto actual = run_clip(*device, {options}, clip);
    ASSERT_THAT(actual, IsOk());
    ASSERT_EQ(judged.pts.size(), actual->size()) << what;
    for (size_t i = 0; i < actual->size(); i++) {
      ASSERT_TRUE(judged.pictures[i] == (*actual)[i].picture)
          << what << " on " << device->info().id << ", picture " << i << ": "
          << difference(judged.pictures[i], (*actual)[i].picture);
      ASSERT_EQ(judged.pts[i], (*actual)[i].time.pts * 2 / divisor_of(options)) << what << ", picture " << i;
    }
  }
}

void FfmpegJudge::expect_all_judged(std::vector<Case> cases) {
  // With 14 bits the sums of yadif's vector code overflow at extreme edges, so its plain code is
  // the reference.
  const auto plain =
      std::ranges::stable_partition(cases, [](const Case& each) { return each.clip.format.bit_depth != 14; });
  const auto expect_in_runs = [&](std::span<const Case> all, const std::string& flags) {
    for (size_t begin = 0; begin < all.size(); begin += kCasesARun) {
      const auto run = all.subspan(begin, std::min(kCasesARun, all.size() - begin));
      const std::vector<Judged> judged = judge(run, flags);
      for (size_t i = 0; i < run.size(); i++) ASSERT_NO_FATAL_FAILURE(expect_judged(judged[i], run[i]));
    }
  };
  ASSERT_NO_FATAL_FAILURE(expect_in_runs({cases.begin(), plain.begin()}, ""));
  ASSERT_NO_FATAL_FAILURE(expect_in_runs(plain, "-cpuflags 0"));
}

TEST_F(FfmpegJudge, AllModesParitiesAndSelections) {
  const std::vector<std::vector<FlagRun>> flags = {{{5, "tff"}},
                                                   {{5, "bff"}},
                                                   {{1, "prog"}, {2, "tff"}, {1, "prog"}, {2, "bff"}},
                                                   {{2, "tff"}, {2, "prog"}},
                                                   {{3, "prog"}}};
  uint32_t seed = 100;
  std::vector<Case> cases;
  for (const Options& options : judged_options())
    for (const auto& runs : flags) {
      const Material material = kMaterials[seed % 2];
      const Clip clip = flagged_clip({37, 22 + int(seed % 3), Chroma::k420, 8}, runs, material, seed);
      seed++;
      cases.push_back({clip, runs, options});
    }
  expect_all_judged(std::move(cases));
}

TEST_F(FfmpegJudge, AllFormats) {
  uint32_t seed = 200;
  std::vector<Case> cases;
  for (const char* filter : {"yadif", "bwdif"})
    for (const Chroma chroma : {Chroma::kGray, Chroma::k420, Chroma::k422, Chroma::k444})
      for (const int depth : {8, 9, 10, 12, 14, 16}) {
        if (chroma == Chroma::kGray && depth != 8 && depth != 16)
          continue;  // ffmpeg's filters do not support them
        for (const Material material : kMaterials) {
          const Clip clip = flagged_clip({66 + int(seed % 5), 38 + int(seed % 4), chroma, depth},
                                         {{4, "tff"}}, material, seed);
          seed++;
          const Options options = parse_options(filter, "");
          cases.push_back({clip, {{4, "tff"}}, options});
        }
      }
  expect_all_judged(std::move(cases));
}

TEST_F(FfmpegJudge, RareLayoutsOfChroma) {
  uint32_t seed = 250;
  std::vector<Case> cases;
  for (const char* filter : {"yadif", "bwdif"})
    for (const VideoFormat& format :
         {VideoFormat{90, 48, Chroma::k411, 8}, VideoFormat{66, 62, Chroma::k410, 8},
          VideoFormat{66, 39, Chroma::k440, 8}})
      for (const Material material : kMaterials) {
        const Clip clip = flagged_clip(format, {{4, "bff"}}, material, seed++);
        cases.push_back({clip, {{4, "bff"}}, parse_options(filter, "")});
      }
  expect_all_judged(std::move(cases));
}

TEST_F(FfmpegJudge, SmallAndOddSizes) {
  uint32_t seed = 300;
  std::vector<Case> cases;
  for (const char* filter : {"yadif", "bwdif"})
    for (const int depth : {8, 16})
      for (const int width : {3, 4, 5, 7, 17, 129})
        for (const int height : {7, 8, 9, 10, 11, 13}) {
          const Clip clip =
              flagged_clip({width, height, Chroma::kGray, depth}, {{3, "tff"}}, Material::kNoise, seed++);
          const Options options = parse_options(filter, "");
          cases.push_back({clip, {{3, "tff"}}, options});
        }
  expect_all_judged(std::move(cases));
}

// A single frame is both the first and the last one. Its first picture is not made from its own
// field alone.
TEST_F(FfmpegJudge, OneFrame) {
  for (const char* filter : {"yadif", "bwdif"})
    for (const char* rate : {"FIELD", "FRAME"}) {
      const Clip clip = flagged_clip({40, 30, Chroma::k420, 8}, {{1, "tff"}}, Material::kNoise, 7);
      const Options options = parse_options(filter, std::string("rate: OUTPUT_RATE_") + rate);
      const Judged judged = judge(std::vector<Case>{{clip, {{1, "tff"}}, options}}).front();
      const std::vector<Picture> plain = reference(*options, clip).frames;
      ASSERT_EQ(judged.pictures.size(), plain.size());
      for (size_t i = 0; i < plain.size(); i++)
        EXPECT_TRUE(judged.pictures[i] == plain[i]) << difference(judged.pictures[i], plain[i]);
    }
}

}  // namespace
}  // namespace weft::filters
