// SPDX-License-Identifier: Apache-2.0
// Helpers of this folder's tests: video jobs with their own work folder, run in this process on the
// CPU device.
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

// Makes a clip of `frames` interlaced frames with fields of different times. `codec` is ffmpeg's
// encoder with its options.
std::string make_interlaced(const media::TestFolder& folder, const std::string& name, int frames,
                            const std::string& codec = "-c:v mpeg2video -flags +ildct+ilme -b:v 3M",
                            const std::string& size = "176x144");
// Makes a clip of mixed cadence: a third of the frames are telecined film (2:3), a third are as
// make_interlaced() makes them, and a third are 30p.
std::string make_mixed_cadence(const media::TestFolder& folder, const std::string& name, int frames,
                               const std::string& codec = "-c:v mpeg2video -flags +ildct+ilme -b:v 3M",
                               const std::string& size = "176x144");

// The specification and the folders of one job. A video is deinterlaced by bwdif unless another
// chain is set.
struct TestJob {
  TestJob(const media::TestFolder& folder, const std::string& name, const std::string& input,
          const std::string& output_name = "out.mkv");

  v1::VideoJob& video() { return *spec.mutable_video(); }
  JobOrder start(int attempt = 1) const;
  // Returns the daemon's message for the job. The descriptors of input and work folder are sent
  // with the message.
  internal::v1::ToWorker order(int attempt = 1) const;
  std::string finished_path() const { return work_folder + "/finished"; }
  std::vector<std::string> segments() const;  // file names, sorted

  std::string name, input, work_folder;
  v1::JobSpec spec;
  int batch_halvings = 0;  // as in v1.JobAttempt
};

// Return the CPU device of this process, opened once, and its caches.
device::Device& cpu_device();
filters::DeviceCaches& caches();

// Returns the folder for files of libraries (DeviceShare::scratch_folder), of this process.
const std::string& scratch_folder();

struct Ran {
  JobEnd end;
  std::vector<std::string> log;
  int segments = 0;  // number of reported segments
  uint64_t heartbeat = 0;
};
// Runs an attempt. `on_segment` is called after each durable segment and may stop the runner.
// `lanes` is DeviceShare::lanes.
Ran run_attempt(const TestJob& job, const std::function<void(VideoRunner&, int index)>& on_segment = {},
                device::Device* device = nullptr, int lanes = 0);
// The same for an order, with a device and its caches.
Ran run_order(JobOrder order, const std::function<void(VideoRunner&, int index)>& on_segment,
              device::Device& device, filters::DeviceCaches& device_caches, int lanes);

// Returns the MD5 of each picture of a file's first video stream, as the ffmpeg program decodes it.
// `filter` is its option -vf.
std::vector<std::string> picture_hashes(const std::string& path, const std::string& filter = "");
std::vector<std::string> picture_times(const std::string& path);

// Returns the SHA-256 of a file, or of the list of a folder's files, as the program sha256sum
// prints it.
std::string sha256sum(const std::string& path);

// Compares files. Since they are large, the message contains only the position of the difference.
testing::AssertionResult same_bytes(std::string_view got, std::string_view expected);

}  // namespace weft::worker
