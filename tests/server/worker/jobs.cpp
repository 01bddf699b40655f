// SPDX-License-Identifier: Apache-2.0
#include "tests/server/worker/jobs.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/job_files.h"
#include "tests/set_filters.h"

namespace weft::worker {

std::string make_interlaced(const media::TestFolder& folder, const std::string& name, int frames,
                            const std::string& codec, const std::string& size) {
  return media::make_clip(
      folder, name,
      fmt::format(
          "-f lavfi -i testsrc2=size={}:rate=60000/1001 -vf tinterlace=mode=interleave_top,setfield=tff "
          "-frames:v {} {}",
          size, frames, codec));
}

std::string make_mixed_cadence(const media::TestFolder& folder, const std::string& name, int frames,
                               const std::string& codec, const std::string& size) {
  const auto source = [&](const char* rate) {
    return fmt::format("-f lavfi -i testsrc2=size={}:rate={} ", size, rate);
  };
  const int part = frames / 3;
  return media::make_clip(
      folder, name,
      source("24000/1001") + source("60000/1001") + source("30000/1001") +
          fmt::format("-filter_complex '[0]telecine,trim=end_frame={0}[film];"
                      "[1]tinterlace=mode=interleave_top,trim=end_frame={0}[video];"
                      "[2]gblur=2[frames];"  // KFM takes sharp edges of small pictures for combs
                      "[film][video][frames]concat=n=3,settb=1001/30000,setpts=N,setfield=tff' "
                      "-r 30000/1001 -frames:v {1} {2}",
                      part, frames, codec));
}

TestJob::TestJob(const media::TestFolder& folder, const std::string& job_name, const std::string& input_path,
                 const std::string& output)
    : name(job_name), input(input_path), work_folder(folder.path(job_name)) {
  std::filesystem::create_directory(work_folder);
  set_filters(video(), "bwdif");
  video().set_input(input);
  video().set_output(folder.path(output));
  video().mutable_encoding()->set_encoder(v1::ENCODER_FFV1);
  video().mutable_encoding()->set_encoder_threads(2);
}

JobOrder TestJob::start(int attempt) const {
  std::vector<channel::FileDescriptor> descriptors;
  const internal::v1::ToWorker message = order(attempt);
  for (const options::JobFile& read : options::files_of_job(spec).inputs) {
    descriptors.emplace_back(::open(read.path.c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_TRUE(descriptors.back().is_open()) << read.path;
  }
  descriptors.emplace_back(::open(work_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_TRUE(descriptors.back().is_open()) << work_folder;
  auto taken = take_order(message.start_job(), std::move(descriptors));
  EXPECT_THAT(taken, IsOk());
  return *std::move(taken);
}

internal::v1::ToWorker TestJob::order(int attempt) const {
  internal::v1::ToWorker message;
  internal::v1::StartJob& order = *message.mutable_start_job();
  order.set_job_id(name);
  order.set_attempt(attempt);
  *order.mutable_spec() = spec;
  order.set_batch_halvings(batch_halvings);
  return message;
}

std::vector<std::string> TestJob::segments() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(work_folder))
    if (entry.path().filename().string().starts_with("segment-")) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

device::Device& cpu_device() {
  static const std::unique_ptr<device::Device> device = [] {
    device::OpenOptions options;
    options.cpu_threads = 2;
    auto opened = device::open_device(std::string_view("cpu"), options);
    EXPECT_THAT(opened, IsOk());
    return *std::move(opened);
  }();
  return *device;
}

filters::DeviceCaches& caches() {
  static filters::DeviceCaches cache;
  cpu_device();  // The device is open before the caches are used.
  return cache;
}

const std::string& scratch_folder() {
  static const media::TestFolder folder;
  static const std::string path = folder.path("");
  return path;
}

namespace {

class Recorder final : public JobEvents {
 public:
  explicit Recorder(const std::function<void(VideoRunner&, int)>& on_segment) : on_segment_(on_segment) {}
  void on_segment_finished(int index, int64_t) override {
    {
      const std::lock_guard lock(mutex_);
      segments++;
    }
    if (on_segment_) on_segment_(*runner, index);
  }
  void on_log(std::string_view level, std::string_view text) override {
    const std::lock_guard lock(mutex_);
    log.push_back(fmt::format("{}: {}", level, text));
  }

  VideoRunner* runner = nullptr;
  int segments = 0;
  std::vector<std::string> log;

 private:
  const std::function<void(VideoRunner&, int)>& on_segment_;
  std::mutex mutex_;
};

std::vector<std::string> column(const std::string& command, size_t from_the_end) {
  std::istringstream lines(media::run(command));
  std::vector<std::string> result;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> words;
    std::istringstream split(line);
    for (std::string word; std::getline(split, word, ',');) words.push_back(word);
    if (words.size() > from_the_end) result.push_back(words[words.size() - 1 - from_the_end]);
  }
  return result;
}

std::string framemd5(const std::string& path, const std::string& filter) {
  const std::string graph = filter.empty() ? "" : " -vf " + filter;
  return "ffmpeg -nostdin -v error -i '" + path + "' -map 0:v:0" + graph +
         " -vsync passthrough -f framemd5 -";
}

}  // namespace

Ran run_attempt(const TestJob& job, const std::function<void(VideoRunner&, int)>& on_segment,
                device::Device* device, int lanes) {
  return run_order(job.start(), on_segment, device == nullptr ? cpu_device() : *device, caches(), lanes);
}

Ran run_order(JobOrder order, const std::function<void(VideoRunner&, int)>& on_segment,
              device::Device& device, filters::DeviceCaches& device_caches, int lanes) {
  Recorder recorder(on_segment);
  DeviceLoop loop;
  DeviceShare share{device, loop, device_caches};
  share.lanes = lanes;
  share.scratch_folder = scratch_folder();
  VideoRunner runner(std::move(order), share, recorder);
  recorder.runner = &runner;
  Ran ran;
  ran.end = runner.run();
  ran.log = std::move(recorder.log);
  ran.segments = recorder.segments;
  ran.heartbeat = runner.meter().heartbeat;
  return ran;
}

std::vector<std::string> picture_hashes(const std::string& path, const std::string& filter) {
  return column(framemd5(path, filter), 0);
}
std::vector<std::string> picture_times(const std::string& path) { return column(framemd5(path, ""), 4); }

std::string sha256sum(const std::string& path) {
  const bool is_folder = std::filesystem::is_directory(path);
  return media::run(is_folder ? fmt::format("cd '{}' && export LC_ALL=C && sha256sum -- * | sha256sum", path)
                              : fmt::format("sha256sum < '{}'", path))
      .substr(0, 64);
}

testing::AssertionResult same_bytes(std::string_view got, std::string_view expected) {
  if (got == expected) return testing::AssertionSuccess();
  const auto [here, there] = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  return testing::AssertionFailure() << got.size() << " bytes instead of " << expected.size()
                                     << "; the first difference is at byte " << here - got.begin();
}

}  // namespace weft::worker
