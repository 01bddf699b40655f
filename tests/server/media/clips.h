// SPDX-License-Identifier: Apache-2.0
// For the tests of this folder: a folder of their own, clips made by the ffmpeg program, and what that program
// says of a file.
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

// A folder that goes away with the object.
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

// Runs a program in the shell; what it prints on standard output. A failure fails the test.
std::string run(const std::string& command);
// `arguments` between "ffmpeg -v error -y" and the file; returns the file's path.
std::string make_clip(const TestFolder& folder, const std::string& name, const std::string& arguments);
// Lines of `ffprobe -of csv=p=0 -show_entries ...`.
std::vector<std::string> ffprobe(const std::string& path, const std::string& arguments);

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

// Hashes of the frames as the ffmpeg program decodes them; `filter`: its -vf.
std::vector<uint64_t> hashes_by_ffmpeg(const std::string& path, const VideoFormat& format,
                                       const std::string& pixel_format, const std::string& filter = "");

struct Decoded {
  std::vector<uint64_t> hashes;     // of the packed samples
  std::vector<SourceFrame> frames;  // without their samples
};
// All frames that `source` still gives. Ends the test on an error.
Decoded decode_all(VideoSource& source);
uint64_t hash_packed(const PictureView& picture);

StatusOr<std::unique_ptr<VideoSource>> open_source(const std::string& path, SourceOptions options = {});

// Of progressive pictures.
OutputVideo output_like(const MediaFacts& facts);

// Encodes the frames of `input` in segments of `segment_frames` (0: one segment); returns their places. `captions`: of the
// frame of that index, in place of its own. `order`: of the pictures' fields.
StatusOr<std::vector<FilePlace>> encode_segments(const std::string& input, const EncoderSettings& settings,
                                                 int segment_frames, const std::string& name_start,
                                                 const std::function<std::string(int64_t)>& captions = {},
                                                 ScanOrder order = ScanOrder::kProgressive);
// Puts segments of `frames` pictures of `input` together.
StatusOr<FinishResult> finish_file(const std::string& input, const std::vector<FilePlace>& segments,
                                   const std::string& output, int64_t frames);

}  // namespace weft::media
