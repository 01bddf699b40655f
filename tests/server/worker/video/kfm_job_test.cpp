// SPDX-License-Identifier: Apache-2.0
// Tests KFM in whole jobs on the CPU device, on film that the ffmpeg program telecines: the kind of
// each cycle after MPEG-2 coding, and the frames of the film from a lossless file.
#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/worker/video/decision_file.h"
#include "server/worker/video/video_runner.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

struct KnownCycle {
  int pattern = 0;
  bool is_60p = false;
};

// Returns the lines of the cycles in a file of decisions.
std::vector<KnownCycle> cycles_of(const std::string& decisions) {
  const auto file = parse_decisions(std::as_bytes(std::span(decisions)));
  EXPECT_THAT(file, IsOk());
  std::vector<KnownCycle> cycles;
  for (const v1::FilterDecision& decision : file->decisions())
    for (const std::string& line : decision.lines()) {
      std::istringstream words(line);
      int frame = 0, pattern = 0;
      std::string kind;
      if (words >> frame >> pattern >> kind) cycles.push_back({pattern, kind == "60p"});
    }
  return cycles;
}

// Patterns have the numbers of docs/guide/kfm.md.
struct KnownCadence {
  const char* name;
  const char* rate;
  const char* filters;  // ffmpeg's filters
  int first_pattern, last_pattern;
  bool is_60p = false;
};

class KfmJobTest : public testing::Test {
 protected:
  TestJob job_of(const std::string& name, const std::string& clip, const std::string& filters,
                 const std::string& output) {
    TestJob job(folder_, name, clip, output);
    set_filters(job.video(), filters);
    job.video().mutable_encoding()->set_segment_frames(23);
    return job;
  }
  // Makes a film of 48 frames and its telecined copy of 60, both without loss.
  void make_film(const std::string& source) {
    film_ = media::make_clip(folder_, "film.nut",
                             fmt::format("-f lavfi -i {} -frames:v 48 -c:v ffv1 -pix_fmt yuv420p", source));
    telecined_ =
        media::make_clip(folder_, "telecined.nut",
                         fmt::format("-i {} -vf telecine,setfield=tff -c:v ffv1 -flags +ildct+ilme", film_));
  }
  // Renders the telecined film and expects the times of the frames, in 60ths of 1.001 seconds.
  std::string render(const std::string& filters, const std::function<double(int frame)>& time_of) {
    const TestJob job = job_of(filters.substr(0, filters.find(':')), telecined_, filters, "out.nut");
    const Ran ran = run_attempt(job);
    EXPECT_THAT(ran.end.status, IsOk());
    EXPECT_EQ(ran.end.result.units_in(), 60);
    std::vector<double> times;
    for (const std::string& line :
         media::ffprobe(job.finished_path(), "-select_streams v:0 -show_entries frame=pts_time"))
      if (!line.empty()) times.push_back(std::stod(line));
    EXPECT_EQ(times.size(), 48u);
    for (size_t i = 0; i < times.size(); i++)
      EXPECT_NEAR(times[i] - times[0], time_of(int(i)) * 1.001 / 60, 2e-6) << filters << ", frame " << i;
    return job.finished_path();
  }
  // Returns the PSNR of each frame as ffmpeg computes it.
  std::vector<double> psnr(const std::string& path) const {
    std::istringstream words(
        media::run(fmt::format("ffmpeg -nostdin -v error -i {} -i {} -lavfi '[0]settb=1/24,setpts=N[a];"
                               "[1]settb=1/24,setpts=N[b];[a][b]psnr=stats_file=-' -f null -",
                               path, film_)));
    constexpr std::string_view kName = "psnr_avg:";
    std::vector<double> values;
    for (std::string word; words >> word;)
      if (word.starts_with(kName)) values.push_back(std::stod(word.substr(kName.size())));
    return values;
  }

  media::TestFolder folder_;
  std::string film_, telecined_;
};

// All cycles but two at each end.
TEST_F(KfmJobTest, KnownCadencesAreFoundBehindMpeg2) {
  constexpr const char* kFilm = "24000/1001";
  for (const KnownCadence& known :
       {KnownCadence{"2-3", kFilm, "telecine=pattern=23,setfield=tff", 0, 4},
        KnownCadence{"3-2", kFilm, "telecine=pattern=32:first_field=bottom,setfield=bff", 0, 4},
        KnownCadence{"2-3-3-2", kFilm, "telecine=pattern=2332,setfield=tff", 5, 14},
        KnownCadence{"2-2-3-3", kFilm, "telecine=pattern=2233:first_field=bottom,setfield=bff", 5, 14},
        KnownCadence{"4-2-2-2", kFilm, "telecine=pattern=4222,setfield=tff", 15, 19},
        KnownCadence{"30p", "30000/1001", "setfield=tff", 20, 20},
        KnownCadence{"60i", "60000/1001", "tinterlace=mode=interleave_top,setfield=tff", 0, 20, true}}) {
    SCOPED_TRACE(known.name);
    const std::string clip =
        media::make_clip(folder_, std::string(known.name) + ".ts",
                         fmt::format("-f lavfi -i testsrc2=size=320x240:rate={} -vf {} -frames:v 100 "
                                     "-c:v mpeg2video -flags +ildct+ilme -b:v 4M",
                                     known.rate, known.filters));
    const TestJob job = job_of(known.name, clip, "kfm", "decisions.json");
    ASSERT_THAT(run_attempt(job).end.status, IsOk());
    const std::vector<KnownCycle> cycles = cycles_of(media::read_file(job.finished_path()));
    ASSERT_EQ(cycles.size(), 20u);
    for (size_t i = 2; i + 2 < cycles.size(); i++) {
      EXPECT_EQ(cycles[i].is_60p, known.is_60p) << "cycle " << i;
      EXPECT_GE(cycles[i].pattern, known.first_pattern) << "cycle " << i;
      EXPECT_LE(cycles[i].pattern, known.last_pattern) << "cycle " << i;
    }
  }
}

// Five cycles of film, six of video, six of 30p, and those with a change of the cadence.
TEST_F(KfmJobTest, SectionsOfAMixedCadenceAreFound) {
  const TestJob job = job_of("mixed", make_mixed_cadence(folder_, "mixed.ts", 90), "kfm", "decisions.json");
  ASSERT_THAT(run_attempt(job).end.status, IsOk());
  const std::vector<KnownCycle> cycles = cycles_of(media::read_file(job.finished_path()));
  ASSERT_EQ(cycles.size(), 18u);
  for (size_t i = 0; i < cycles.size(); i++) {
    if (i == 5 || i == 11) continue;
    EXPECT_EQ(cycles[i].is_60p, i > 5 && i < 11) << "cycle " << i;
    EXPECT_EQ(cycles[i].pattern == 20, i > 11) << "cycle " << i;
  }
}

// Smooth pictures have no cells that look combed, so that frames are woven and nothing else.
TEST_F(KfmJobTest, TheFilmOfALosslessFileIsRestored) {
  make_film("testsrc2=size=160x120:rate=24000/1001,gblur=2");
  const std::vector<std::string> film = picture_hashes(film_);
  ASSERT_EQ(film.size(), 48u);
  ASSERT_EQ(picture_hashes(telecined_, "fieldmatch,decimate"), film);
  const auto even = [](int frame) { return frame * 2.5; };
  const auto uneven = [](int frame) { return frame / 2 * 5 + frame % 2 * 2; };
  EXPECT_EQ(picture_hashes(render("kfm=24p", even)), film);
  EXPECT_EQ(picture_hashes(render("kfm=vfr:timing=60", uneven)), film);
  EXPECT_EQ(picture_hashes(render("kfm=vfr30:timing=120", even)), film);
}

// Sharp edges look combed: KFM blurs their lines, and replaces some by the deinterlaced frame. ivtc
// has no such steps.
TEST_F(KfmJobTest, SharpFilmIsRestoredUpToItsEdges) {
  make_film("testsrc2=size=320x240:rate=24000/1001");
  ASSERT_EQ(picture_hashes(telecined_, "fieldmatch,decimate"), picture_hashes(film_));
  const auto even = [](int frame) { return frame * 2.5; };
  EXPECT_EQ(picture_hashes(render("ivtc", even)), picture_hashes(film_));
  const std::vector<double> values = psnr(render("kfm=24p", even));
  ASSERT_EQ(values.size(), 48u);
  for (size_t i = 0; i < values.size(); i++) EXPECT_GT(values[i], 42) << "frame " << i;
}

}  // namespace
}  // namespace weft::worker
