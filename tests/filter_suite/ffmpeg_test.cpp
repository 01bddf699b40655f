// SPDX-License-Identifier: Apache-2.0
// The ffmpeg program as the judge: yadif and bwdif give its bytes and its times, in every mode, parity and format that
// it takes, for all frames and for flagged ones only.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "tests/filter_suite/reference.h"
#include "tests/filter_suite/run.h"

namespace weft::filters {
namespace {

namespace fs = std::filesystem;

struct Judged {
  std::vector<Picture> pictures;
  std::vector<int64_t> pts;  // in halves of a frame's unit
};

// Runs of frames with the same flags, as filters cut and flag them.
struct FlagRun {
  int frames;
  const char* field_mode;  // of ffmpeg's setfield: tff, bff, prog
};

std::string pixel_format(const VideoFormat& format) {
  constexpr const char* kNames[] = {"gray", "yuv420p", "yuv422p", "yuv444p"};
  std::string name = kNames[int(format.chroma)];
  if (format.bit_depth > 8) name += std::to_string(format.bit_depth) + "le";
  return name;
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

  void write(const Clip& clip) const {
    std::ofstream file(folder_ / "in.raw", std::ios::binary);
    for (const Picture& picture : clip.frames)
      for (const auto& plane : picture.planes)
        for (const uint16_t value : plane)
          file.write(reinterpret_cast<const char*>(&value), clip.format.sample_bytes());
  }

  Judged read(const VideoFormat& format) const {
    Judged judged;
    std::ifstream file(folder_ / "out.raw", std::ios::binary);
    while (file.peek() != EOF) {
      Picture picture(format);
      for (auto& plane : picture.planes)
        for (uint16_t& value : plane) file.read(reinterpret_cast<char*>(&value), format.sample_bytes());
      judged.pictures.push_back(std::move(picture));
    }
    std::ifstream times(folder_ / "out.times");  // "0, dts, pts, duration, size, checksum"
    for (std::string line; std::getline(times, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream fields(line);
      std::string field;
      for (int i = 0; i < 3; i++) std::getline(fields, field, ',');
      judged.pts.push_back(std::stoll(field));
    }
    return judged;
  }

  // The clip cut into runs, flagged, joined again, at times that are not evenly spread, through `filter`.
  Judged judge(const Clip& clip, const std::vector<FlagRun>& runs, const std::string& filter) const {
    write(clip);
    std::string graph = "[0:v]split=" + std::to_string(runs.size());
    for (size_t i = 0; i < runs.size(); i++) graph += "[i" + std::to_string(i) + "]";
    int begin = 0;
    for (size_t i = 0; i < runs.size(); i++) {
      const std::string number = std::to_string(i);
      graph += ";[i" + number + "]trim=start_frame=" + std::to_string(begin) +
               ":end_frame=" + std::to_string(begin + runs[i].frames) +
               ",setpts=PTS-STARTPTS,setfield=" + runs[i].field_mode + "[o" + number + "]";
      begin += runs[i].frames;
    }
    graph += ";";
    for (size_t i = 0; i < runs.size(); i++) graph += "[o" + std::to_string(i) + "]";
    graph += "concat=n=" + std::to_string(runs.size()) + ",settb=1/25,setpts='3*N+mod(N,2)'," + filter +
             ",split[a][b]";
    const std::string size = std::to_string(clip.format.width) + "x" + std::to_string(clip.format.height);
    const std::string format = pixel_format(clip.format);
    const std::string common = " -fps_mode passthrough -pix_fmt " + format;
    // With 14 bits the sums of yadif's vector code overflow, where edges are extreme; the plain code is what is meant.
    const std::string flags = clip.format.bit_depth == 14 ? " -cpuflags 0" : "";
    const std::string command = "cd '" + folder_.string() + "' && ffmpeg" + flags +
                                " -nostdin -y -v error -f rawvideo -pix_fmt " + format + " -s " + size +
                                " -r 25 -i in.raw -filter_complex \"" + graph + "\" -map '[a]'" + common +
                                " -f rawvideo out.raw -map '[b]'" + common +
                                " -enc_time_base 1/50 -c:v rawvideo -f framecrc out.times";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return read(clip.format);
  }

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

// What ffmpeg calls the same thing.
std::string ffmpeg_filter(const v1::DeinterlaceOptions& options) {
  const bool checks = !options.yadif().has_spatial_check() || options.yadif().spatial_check();
  const int mode = (options.rate() == v1::OUTPUT_RATE_FIELD ? 1 : 0) + (checks ? 0 : 2);
  const int parity = options.parity() == v1::PARITY_AUTO ? -1 : options.parity() == v1::PARITY_TOP ? 0 : 1;
  const int deint = options.frames() == v1::FRAME_SELECTION_FLAGGED ? 1 : 0;
  return filter_name(options.filter()) + "=mode=" + std::to_string(mode) +
         ":parity=" + std::to_string(parity) + ":deint=" + std::to_string(deint);
}

std::vector<v1::DeinterlaceOptions> judged_options() {
  std::vector<v1::DeinterlaceOptions> all;
  for (const char* filter : {"YADIF", "YADIF yadif { spatial_check: false }", "BWDIF"})
    for (const char* rate : {"FIELD", "FRAME"})
      for (const char* parity : {"AUTO", "TOP", "BOTTOM"})
        for (const char* frames : {"ALL", "FLAGGED"})
          all.push_back(parse_options(std::string("rate: OUTPUT_RATE_") + rate + " parity: PARITY_" + parity +
                                      " frames: FRAME_SELECTION_" + frames + " filter: DEINTERLACE_FILTER_" +
                                      filter));
  return all;
}

void expect_judged(const Judged& judged, const v1::DeinterlaceOptions& options, const Clip& clip) {
  const std::string what = options.ShortDebugString() + " " + to_text(clip.format);
  const std::vector<Picture> plain = reference(options, clip);
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
      ASSERT_EQ(judged.pts[i], (*actual)[i].time.pts) << what << ", picture " << i;
    }
  }
}

TEST_F(FfmpegJudge, AllModesParitiesAndSelections) {
  const std::vector<std::vector<FlagRun>> flags = {{{5, "tff"}},
                                                   {{5, "bff"}},
                                                   {{1, "prog"}, {2, "tff"}, {1, "prog"}, {2, "bff"}},
                                                   {{2, "tff"}, {2, "prog"}},
                                                   {{3, "prog"}}};
  uint32_t seed = 100;
  for (const v1::DeinterlaceOptions& options : judged_options())
    for (const auto& runs : flags) {
      const Material material = kMaterials[seed % 2];
      const Clip clip = flagged_clip({37, 22 + int(seed % 3), Chroma::k420, 8}, runs, material, seed);
      seed++;
      ASSERT_NO_FATAL_FAILURE(expect_judged(judge(clip, runs, ffmpeg_filter(options)), options, clip));
    }
}

TEST_F(FfmpegJudge, AllFormats) {
  uint32_t seed = 200;
  for (const char* filter : {"YADIF", "BWDIF"})
    for (const Chroma chroma : {Chroma::kGray, Chroma::k420, Chroma::k422, Chroma::k444})
      for (const int depth : {8, 9, 10, 12, 14, 16}) {
        if (chroma == Chroma::kGray && depth != 8 && depth != 16)
          continue;  // ffmpeg's filters do not take them
        for (const Material material : kMaterials) {
          const Clip clip = flagged_clip({66 + int(seed % 5), 38 + int(seed % 4), chroma, depth},
                                         {{4, "tff"}}, material, seed);
          seed++;
          const v1::DeinterlaceOptions options =
              parse_options(std::string("filter: DEINTERLACE_FILTER_") + filter);
          ASSERT_NO_FATAL_FAILURE(
              expect_judged(judge(clip, {{4, "tff"}}, ffmpeg_filter(options)), options, clip));
        }
      }
}

TEST_F(FfmpegJudge, SmallAndOddSizes) {
  uint32_t seed = 300;
  for (const char* filter : {"YADIF", "BWDIF"})
    for (const int depth : {8, 16})
      for (const int width : {3, 4, 5, 7, 17, 129})
        for (const int height : {7, 8, 9, 10, 11, 13}) {
          const Clip clip =
              flagged_clip({width, height, Chroma::kGray, depth}, {{3, "tff"}}, Material::kNoise, seed++);
          const v1::DeinterlaceOptions options =
              parse_options(std::string("filter: DEINTERLACE_FILTER_") + filter);
          ASSERT_NO_FATAL_FAILURE(
              expect_judged(judge(clip, {{3, "tff"}}, ffmpeg_filter(options)), options, clip));
        }
}

// A single frame is first and last at once: its first picture is not made from its own field alone.
TEST_F(FfmpegJudge, OneFrame) {
  for (const char* filter : {"YADIF", "BWDIF"})
    for (const char* rate : {"FIELD", "FRAME"}) {
      const Clip clip = flagged_clip({40, 30, Chroma::k420, 8}, {{1, "tff"}}, Material::kNoise, 7);
      const v1::DeinterlaceOptions options =
          parse_options(std::string("filter: DEINTERLACE_FILTER_") + filter + " rate: OUTPUT_RATE_" + rate);
      const Judged judged = judge(clip, {{1, "tff"}}, ffmpeg_filter(options));
      const std::vector<Picture> plain = reference(options, clip);
      ASSERT_EQ(judged.pictures.size(), plain.size());
      for (size_t i = 0; i < plain.size(); i++)
        EXPECT_TRUE(judged.pictures[i] == plain[i]) << difference(judged.pictures[i], plain[i]);
    }
}

}  // namespace
}  // namespace weft::filters
