// SPDX-License-Identifier: Apache-2.0
// Helpers of this folder's tests: a temporary folder, clips made by the ffmpeg program, and its
// description of a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/video_format.h"
#include "server/media/read/source/video_source.h"
#include "server/media/write/muxer.h"
#include "server/media/write/video_encoder.h"

namespace weft::media {

// A temporary folder, removed by the destructor.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

// Runs a command in the shell and returns its standard output. An error of the command fails the
// test.
std::string run(const std::string& command);
// Runs "ffmpeg -v error -y `arguments` FILE" and returns the path of the file.
std::string make_clip(const TestFolder& folder, const std::string& name, const std::string& arguments);
// Returns the lines of `ffprobe -of csv=p=0 -show_entries ...`.
std::vector<std::string> ffprobe(const std::string& path, const std::string& arguments);

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

// Returns hashes of the frames as the ffmpeg program decodes them. `filter` is its option -vf.
std::vector<uint64_t> hashes_by_ffmpeg(const std::string& path, const VideoFormat& format,
                                       const std::string& pixel_format, const std::string& filter = "");

struct Decoded {
  std::vector<uint64_t> hashes;     // hashes of the packed samples
  std::vector<SourceFrame> frames;  // frames without their samples
};
// Decodes all remaining frames of `source`. An error ends the test.
Decoded decode_all(VideoSource& source);
uint64_t hash_packed(const PictureView& picture);

StatusOr<std::unique_ptr<VideoSource>> open_source(const std::string& path, SourceOptions options = {});

// Returns an output of progressive pictures.
OutputVideo output_like(const MediaInfo& info);

// Encodes the frames of `input` in segments of `segment_frames` (0: one segment) and returns the
// locations of the segments. `captions` returns the captions of a frame by its index, in place of
// those of the input. `order` is the field order of the pictures.
StatusOr<std::vector<FileLocation>> encode_segments(const std::string& input, const EncoderSettings& settings,
                                                    int segment_frames, const std::string& name_start,
                                                    const std::function<std::string(int64_t)>& captions = {},
                                                    ScanOrder order = ScanOrder::kProgressive);
// Joins segments of `frames` pictures of `input`.
StatusOr<FinishResult> finish_file(const std::string& input, const std::vector<FileLocation>& segments,
                                   const std::string& output, int64_t frames);

}  // namespace weft::media
