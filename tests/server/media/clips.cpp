// SPDX-License-Identifier: Apache-2.0
#include "tests/server/media/clips.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

namespace weft::media {

TestFolder::TestFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "weft-media-XXXXXX").string();
  EXPECT_NE(::mkdtemp(name.data()), nullptr);
  folder_ = name;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string run(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr) << command;
  std::string output;
  char buffer[65536];
  while (const size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, count);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return output;
}

std::string make_clip(const TestFolder& folder, const std::string& name, const std::string& arguments) {
  const std::string path = folder.path(name);
  run("ffmpeg -nostdin -v error -y " + arguments + " '" + path + "'");
  return path;
}

std::vector<std::string> ffprobe(const std::string& path, const std::string& arguments) {
  std::istringstream output(run("ffprobe -v error -of csv=p=0 " + arguments + " '" + path + "'"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(output, line);) {
    while (line.ends_with(',')) line.pop_back();  // trailing comma of a row with side data
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<uint64_t> hashes_by_ffmpeg(const std::string& path, const VideoFormat& format,
                                       const std::string& pixel_format, const std::string& filter) {
  const std::string graph = filter.empty() ? "" : " -vf " + filter;
  const std::string samples = run("ffmpeg -nostdin -v fatal -i '" + path + "' -map 0:v:0" + graph +
                                  " -vsync passthrough -f rawvideo -pix_fmt " + pixel_format + " -");
  const size_t frame_bytes = format.packed_bytes();
  EXPECT_EQ(samples.size() % frame_bytes, 0u) << path;
  std::vector<uint64_t> hashes;
  for (size_t at = 0; at + frame_bytes <= samples.size(); at += frame_bytes)
    hashes.push_back(hash_bytes({reinterpret_cast<const uint8_t*>(samples.data()) + at, frame_bytes}));
  return hashes;
}

uint64_t hash_packed(const PictureView& picture) {
  Hasher hasher;
  const VideoFormat& format = picture.format;
  for (int plane = 0; plane < format.planes(); plane++)
    for (int row = 0; row < format.plane_height(plane); row++)
      hasher.add({picture.plane[size_t(plane)] + row * picture.stride_bytes[size_t(plane)],
                  size_t(format.plane_width(plane)) * size_t(format.sample_bytes())});
  return hasher.value();
}

Decoded decode_all(VideoSource& source) {
  Decoded decoded;
  while (true) {
    auto frame = source.next();
    EXPECT_THAT(frame, IsOk());
    if (!frame.ok() || !*frame) return decoded;
    decoded.hashes.push_back(hash_packed((*frame)->picture));
    (*frame)->owner.reset();
    decoded.frames.push_back(**frame);
  }
}

StatusOr<std::unique_ptr<VideoSource>> open_source(const std::string& path, SourceOptions options) {
  ASSIGN_OR_RETURN(InputFilePtr file, InputFile::open(path));
  return VideoSource::open(std::move(file), options);
}

OutputVideo output_like(const MediaInfo& info) {
  return {.format = info.video.format,
          .time_base = info.video.time_base,
          .frame_rate = info.video.frame_rate,
          .sample_aspect_ratio = info.video.sample_aspect_ratio,
          .colour = info.video.colour,
          .hdr10 = info.video.hdr10};
}

StatusOr<std::vector<FileLocation>> encode_segments(const std::string& input, const EncoderSettings& settings,
                                                    int segment_frames, const std::string& name_start,
                                                    const std::function<std::string(int64_t)>& captions,
                                                    ScanOrder order) {
  ASSIGN_OR_RETURN(const auto source, open_source(input));
  OutputVideo video = output_like(source->info());
  video.field_order = order;
  std::vector<FileLocation> locations;
  std::unique_ptr<VideoEncoder> encoder;
  std::unique_ptr<SegmentWriter> writer;
  const auto finish = [&]() -> Status {
    if (!writer) return ok_status();
    RETURN_IF_ERROR(encoder->flush(*writer));
    RETURN_IF_ERROR(writer->finish("end"));
    writer.reset();
    return ok_status();
  };
  while (true) {
    ASSIGN_OR_RETURN(const auto frame, source->next());
    if (!frame) break;
    if (!writer || (segment_frames > 0 && frame->index % segment_frames == 0)) {
      RETURN_IF_ERROR(finish());
      locations.push_back({.name = name_start + std::to_string(locations.size())});
      ASSIGN_OR_RETURN(encoder, VideoEncoder::open(settings, video));
      ASSIGN_OR_RETURN(writer,
                       SegmentWriter::create(locations.back(),
                                             encoder->header(int64_t(locations.size()) - 1, frame->index)));
    }
    encoder->set_captions(captions ? captions(frame->index) : frame->captions);
    RETURN_IF_ERROR(encoder->send(frame->picture, frame->pts, frame->duration, *writer));
  }
  RETURN_IF_ERROR(finish());
  return locations;
}

StatusOr<FinishResult> finish_file(const std::string& input, const std::vector<FileLocation>& segments,
                                   const std::string& output, int64_t frames) {
  FinishRequest request;
  request.segments = segments;
  ASSIGN_OR_RETURN(request.source, InputFile::open(input));
  request.name = output;
  request.output = {.name = output};
  request.expected_frames = frames;
  return finish(request);
}

}  // namespace weft::media
