// SPDX-License-Identifier: Apache-2.0
// Tests the built-in profiles with the real programs, each on a clip of the kind of source that it
// is for: codec, frames, times, and sound in time with the pictures.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "client/built_in_profiles.h"
#include "tests/scenarios/scenario.h"
#include "tests/server/media/soft_telecine.h"

namespace weft::scenarios {
namespace {

constexpr double kField = 1001.0 / 60000;  // seconds
constexpr double kTick = 0.001;            // unit of times in Matroska
constexpr int kFrames = 50;                // length of an interlaced clip
constexpr const char* kMpeg2 = "-c:v mpeg2video -flags +ildct+ilme -b:v 2M -c:a mp2";
constexpr const char* kH264 = "-c:v libx264 -flags +ildct+ilme -preset veryfast -qp 18 -c:a ac3";

struct Profile {
  const char* name;
  const char* profile;
  const char* rate;       // source pictures a second
  const char* interlace;  // ffmpeg's filters; null: soft telecine
  const char* encoding;
  const char* codec;
  int frames;                  // output frames
  std::vector<int> durations;  // durations of pictures in quarters of a field's
};

class ProfilesTest : public ScenarioTest, public testing::WithParamInterface<Profile> {
 protected:
  static std::string shell(const std::string& command) {
    std::string said;
    EXPECT_EQ(run({"sh", "-c", command}, &said), 0) << command << "\n" << said;
    return said;
  }
  // Makes a clip with a picture and a tone that begin after half a second.
  std::string make_clip() const {
    const auto& [name, profile, rate, interlace, encoding, codec, frames, durations] = GetParam();
    const std::string video = fmt::format(
        "-f lavfi -i \"testsrc2=size=160x120:rate={},gblur=2,drawbox=t=fill:enable='lt(t,0.5)'\"", rate);
    const std::string sound = "-f lavfi -i \"sine=r=48000,volume=0:enable='lt(t,0.5)'\"";
    const std::string start = "cd '" + folder() + "' && ffmpeg -v error -nostdin -y ";
    if (interlace != nullptr) {
      shell(fmt::format("{} {} {} -vf {} -frames:v {} -shortest {} clip.ts", start, video, sound, interlace,
                        kFrames, encoding));
      return path("clip.ts");
    }
    // ffmpeg gives the last picture of an elementary stream a wrong time, so it is left out.
    shell(fmt::format("{} {} -frames:v {} -flags +cgop -sc_threshold 1000000000 -bf 0 {} -an clip.m2v", start,
                      video, kFrames, encoding));
    std::string stream = read_file(path("clip.m2v"));
    media::flag_pictures(stream, [](int picture) { return media::kFilmCadence[picture % 4]; });
    write_file(path("clip.m2v"), stream);
    shell(fmt::format("{} -fflags +genpts -i clip.m2v {} -frames:v 40 -shortest -c:v copy -c:a mp2 clip.nut",
                      start, sound));
    return path("clip.nut");
  }
  static std::vector<std::string> probe(const std::string& file, const std::string& entries) {
    std::istringstream text(
        shell("ffprobe -v error -of csv=p=0 -show_entries " + entries + " '" + file + "'"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
      while (line.ends_with(',')) line.pop_back();  // fields of side data
      if (!line.empty()) lines.push_back(line);
    }
    return lines;
  }
  // Returns the time from the begin of the picture to that of the tone, in seconds.
  static double delay_of_sound(const std::string& file) {
    const std::string said =
        shell("ffmpeg -nostdin -i '" + file +
              "' -vf blackdetect=d=0.1:pix_th=0.2 -af silencedetect=d=0.1 -f null - 2>&1");
    const auto value = [&](const std::string& name) {
      const size_t at = said.find(name);
      EXPECT_NE(at, std::string::npos) << name << "\n" << said;
      return at == std::string::npos ? NAN : std::atof(said.c_str() + at + name.size());
    };
    return value("silence_end: ") - value("black_end:");
  }
};

TEST_P(ProfilesTest, GiveTheFramesOfTheirKindWithSoundInTime) {
  ::setenv("XDG_CONFIG_HOME", path("config").c_str(), 1);  // without stored profiles
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  const std::string input = make_clip(), output = path("out.mkv");
  std::string said;
  ASSERT_EQ(run({WEFT, "--server", daemon.address(), "submit", "video", input, "-o", output, "--profile",
                 GetParam().profile, "--wait"},
                &said),
            0)
      << said;
  EXPECT_EQ(daemon.list().jobs(0).state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_THAT(probe(output, "stream=codec_name,width,height -select_streams v"),
              testing::ElementsAre(fmt::format("{},160,120", GetParam().codec)));

  std::vector<double> times;
  for (const std::string& line : probe(output, "packet=pts_time -select_streams v"))
    times.push_back(std::stod(line));
  std::ranges::sort(times);
  EXPECT_EQ(int(times.size()), GetParam().frames);
  for (size_t i = 1; i < times.size(); i++) {
    const double duration = times[i] - times[i - 1];
    const bool is_known = std::ranges::any_of(GetParam().durations, [&](int quarters) {
      return std::abs(duration - quarters * kField / 4) <= kTick;
    });
    EXPECT_TRUE(is_known) << "frame " << i - 1 << " lasts " << duration << " s";
  }
  const auto sound = [](const std::string& file) { return probe(file, "packet=size -select_streams a"); };
  EXPECT_EQ(sound(output), sound(input));
  EXPECT_NEAR(delay_of_sound(output), delay_of_sound(input), kField);
}

constexpr const char* kFilmRate = "24000/1001";
constexpr const char* kFieldRate = "60000/1001";
constexpr const char* kTelecine = "telecine,setfield=tff";
const Profile kProfiles[] = {
    {"Animation", "anime-tv", kFilmRate, kTelecine, kMpeg2, "hevc", 40, {8, 12}},
    {"HardTelecine", "film-dvd", kFilmRate, kTelecine, kMpeg2, "h264", 40, {10}},
    {"SoftTelecine", "film-dvd", "30000/1001", nullptr, "-c:v mpeg2video -b:v 2M", "h264", 40, {10}},
    {"Sport", "sport-1080i", kFieldRate, "tinterlace=interleave_top,setfield=tff", kH264, "h264", 100, {4}},
    {"Tape", "vhs", kFieldRate, "tinterlace=interleave_bottom,setfield=bff", kMpeg2, "h264", 100, {4}},
};
INSTANTIATE_TEST_SUITE_P(BuiltIn, ProfilesTest, testing::ValuesIn(kProfiles),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(BuiltInProfiles, CoverAllBuiltInOnes) {
  for (const client::BuiltInProfile& built_in : client::built_in_profiles())
    EXPECT_TRUE(std::ranges::any_of(kProfiles, [&](const Profile& each) {
      return each.profile == built_in.name;
    })) << built_in.name;
}

}  // namespace
}  // namespace weft::scenarios
