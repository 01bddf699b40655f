// SPDX-License-Identifier: Apache-2.0
// Filters clips with the ffmpeg program, as raw video in a temporary folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/filter_suite/clip.h"

namespace weft::filters {

class FfmpegFolder {
 public:
  FfmpegFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "weft-ffmpeg-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~FfmpegFolder() {
    if (!path_.empty()) std::filesystem::remove_all(path_);
  }
  FfmpegFolder(const FfmpegFolder&) = delete;
  FfmpegFolder& operator=(const FfmpegFolder&) = delete;

  // Returns true if an ffmpeg program with that filter exists.
  static bool knows(const std::string& filter) {
    return std::system(
               fmt::format("ffmpeg -hide_banner -h filter={} 2>&1 | grep -q '^Filter {}'", filter, filter)
                   .c_str()) == 0;
  }

  void write(const std::string& name, std::span<const std::byte> bytes) const {
    std::ofstream(path_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
  }

  // Returns the output pictures of ffmpeg's `filters`. The chain may name files of this folder.
  std::vector<Picture> filter(const Clip& clip, const std::string& filters) const {
    const VideoFormat& format = clip.format;
    std::ofstream in(path_ / "in.raw", std::ios::binary);
    for (const Picture& picture : clip.frames)
      for (const auto& plane : picture.planes)
        for (const uint16_t value : plane)
          in.write(reinterpret_cast<const char*>(&value), format.sample_bytes());
    in.close();
    const std::string command = fmt::format(
        "cd '{}' && ffmpeg -nostdin -y -v error -f rawvideo -pix_fmt {} -s {}x{} -r 25 -i in.raw -vf '{}' "
        "-fps_mode passthrough -pix_fmt {} -f rawvideo out.raw",
        path_.string(), pixel_format(format), format.width, format.height, filters, pixel_format(format));
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::ifstream out(path_ / "out.raw", std::ios::binary);
    std::vector<Picture> pictures;
    while (out.peek() != EOF) {
      Picture& picture = pictures.emplace_back(format);
      for (auto& plane : picture.planes)
        for (uint16_t& value : plane) out.read(reinterpret_cast<char*>(&value), format.sample_bytes());
    }
    return pictures;
  }

 private:
  static std::string pixel_format(const VideoFormat& format) {
    constexpr const char* kNames[] = {"gray", "yuv420p", "yuv422p", "yuv444p"};
    const std::string name = kNames[int(format.chroma)];
    return format.bit_depth == 8 ? name : fmt::format("{}{}le", name, format.bit_depth);
  }

  std::filesystem::path path_;
};

}  // namespace weft::filters
