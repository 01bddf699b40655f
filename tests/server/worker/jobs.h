// SPDX-License-Identifier: Apache-2.0
// For the tests of this folder: video jobs with a work folder of their own, run in this process on the CPU device.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/worker/video/video_runner.h"
#include "tests/server/media/clips.h"

namespace weft::worker {

// A clip of `frames` interlaced frames whose fields truly differ in time. `codec`: ffmpeg's encoder with its options.
std::string make_interlaced(const media::TestFolder& folder, const std::string& name, int frames,
                            const std::string& codec = "-c:v mpeg2video -flags +ildct+ilme -b:v 3M",
                            const std::string& size = "176x144");

// One job: its specification and its folders. A video is deinterlaced by bwdif until another chain is set.
struct TestJob {
  TestJob(const media::TestFolder& folder, const std::string& name, const std::string& input,
          const std::string& output_name = "out.mkv");

  v1::VideoJob& video() { return *spec.mutable_video(); }
  JobOrder start(int attempt = 1) const;
  // The same as the daemon says it; the descriptors of input and work folder go with it.
  internal::v1::ToWorker order(int attempt = 1) const;
  std::string finished_path() const { return work_folder + "/finished"; }
  std::vector<std::string> segments() const;  // file names, sorted

  std::string name, input, work_folder;
  v1::JobSpec spec;
};

// The CPU device of this process, opened once, and what it keeps.
device::Device& cpu_device();
filters::DeviceCaches& caches();

struct Ran {
  JobEnd end;
  std::vector<std::string> log;
  int segments = 0;  // that were told of
  uint64_t heartbeat = 0;
};
// Runs an attempt. `on_segment` is called after each durable segment and may stop the runner.
Ran run_attempt(const TestJob& job, const std::function<void(VideoRunner&, int index)>& on_segment = {},
                device::Device* device = nullptr);

// MD5 of each picture of a file's first video stream, as the ffmpeg program decodes it; `filter`: its -vf.
std::vector<std::string> picture_hashes(const std::string& path, const std::string& filter = "");
std::vector<std::string> picture_times(const std::string& path);

// Files are large: says where they differ, not how.
testing::AssertionResult same_bytes(std::string_view got, std::string_view expected);

}  // namespace weft::worker
