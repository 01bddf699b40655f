// SPDX-License-Identifier: Apache-2.0
// usage: resize_quality INPUT FROM TO [FRAMES]
// Measures the accuracy of resizing against the same sums in doubles, next to swscale and zscale of
// the ffmpeg program. The output is a table of PSNR in Markdown. INPUT is the input options of
// ffmpeg, such as "-i clip.mkv" or "-f lavfi -i testsrc2=size=1920x1080". FROM is the size to which
// the input is cropped around its middle, TO the new size.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/filter_suite/models/resize_reference.h"
#include "tests/filter_suite/run.h"

namespace weft::filters {
namespace {

struct Task {
  std::string input, from, to;
  int frames = 10;
};

// Returns the output of a command as frames.
std::vector<Picture> pictures_from(const std::string& command, const VideoFormat& format) {
  std::vector<Picture> pictures;
  FILE* pipe = popen(command.c_str(), "r");
  std::vector<unsigned char> bytes(format.packed_bytes());
  while (pipe != nullptr && std::fread(bytes.data(), 1, bytes.size(), pipe) == bytes.size()) {
    Picture picture(format);
    size_t at = 0;
    for (auto& plane : picture.planes)
      for (uint16_t& sample : plane) sample = bytes[at++];
    pictures.push_back(std::move(picture));
  }
  if (pipe == nullptr || pclose(pipe) != 0)
    std::fprintf(stderr, "resize_quality: this failed: %s\n", command.c_str());
  return pictures;
}

std::string ffmpeg(const Task& task, const std::string& filter) {
  std::string crop = task.from;
  crop.replace(crop.find('x'), 1, ":");
  return fmt::format(
      "ffmpeg -nostdin -v error {} -frames:v {} -vf 'crop={},format=yuv420p{}' -pix_fmt yuv420p -f rawvideo "
      "-",
      task.input, task.frames, crop, filter);
}

// Resizes one plane in doubles, rows and then columns.
std::vector<double> in_doubles(const v1::Resize& options, const plain::ResizeModel& model,
                               const Picture& frame, int plane) {
  using Sparse = std::vector<std::vector<std::pair<size_t, double>>>;
  const auto sparse = [&](const plain::ResizeSide& side) {
    Sparse all;
    for (int i = 0; i < side.to; i++) {
      const auto weights = plain::weights_of_sample(options, side, i);
      all.emplace_back();
      for (size_t j = 0; j < weights.size(); j++)
        if (weights[j] != 0) all.back().emplace_back(j, weights[j]);
    }
    return all;
  };
  const Sparse rows = sparse(model.rows(plane)), columns = sparse(model.columns(plane));
  const size_t height = size_t(model.columns(plane).from);
  std::vector<double> middle, result;
  for (size_t y = 0; y < height; y++)
    for (const auto& weights : rows) {
      double sum = 0;
      for (const auto& [j, weight] : weights) sum += weight * frame.at(plane, int(j), int(y));
      middle.push_back(sum);
    }
  for (const auto& weights : columns)
    for (size_t x = 0; x < rows.size(); x++) {
      double sum = 0;
      for (const auto& [j, weight] : weights) sum += weight * middle[j * rows.size() + x];
      result.push_back(std::clamp(sum, 0.0, 255.0));
    }
  return result;
}

struct Score {
  double squares = 0, samples = 0;
  void add(const std::vector<double>& expected, const std::vector<uint16_t>& actual) {
    for (size_t i = 0; i < expected.size(); i++)
      squares += (expected[i] - actual[i]) * (expected[i] - actual[i]);
    samples += double(expected.size());
  }
  std::string text() const {
    return samples == 0 ? "-" : fmt::format("{:.2f}", 10 * std::log10(255 * 255 * samples / squares));
  }
};

struct Kernel {
  const char* name;
  const char* options;
  const char* swscale;  // null if swscale lacks the kernel
  const char* zscale;
};
constexpr Kernel kKernels[] = {{"lanczos3", "kernel: RESIZE_KERNEL_LANCZOS3",
                                "flags=lanczos+accurate_rnd+full_chroma_int:in_h_chr_pos=0:in_v_chr_pos=128:"
                                "out_h_chr_pos=0:out_v_chr_pos=128",
                                "f=lanczos:param_a=3"},
                               {"bicubic (0, 0.6)", "kernel: RESIZE_KERNEL_BICUBIC b: 0 c: 0.6",
                                "flags=bicubic+accurate_rnd+full_chroma_int:in_h_chr_pos=0:in_v_chr_pos=128:"
                                "out_h_chr_pos=0:out_v_chr_pos=128",
                                "f=bicubic:param_a=0:param_b=0.6"},
                               {"spline36", "kernel: RESIZE_KERNEL_SPLINE36", nullptr, "f=spline36"}};

void print_row(const Task& task, const Kernel& kernel, const Clip& clip) {
  const Options options = parse_options("resize", fmt::format("size: '{}' {}", task.to, kernel.options));
  const auto& resize = dynamic_cast<const v1::Resize&>(*options);
  const plain::ResizeModel model(resize, clip.format, ChromaSiting::kUnknown);
  std::string colon = task.to;
  colon.replace(colon.find('x'), 1, ":");
  const auto ours = run_clip(*test_devices().front(), {options}, clip).value();
  std::vector<Picture> swscale;
  if (kernel.swscale != nullptr)
    swscale = pictures_from(ffmpeg(task, fmt::format(",scale={}:{}", colon, kernel.swscale)), model.to);
  const auto zscale = pictures_from(
      ffmpeg(task, fmt::format(",zscale={}:{}:cin=left:c=left", colon, kernel.zscale)), model.to);
  Score scores[3][2];
  for (size_t i = 0; i < clip.frames.size(); i++)
    for (int plane = 0; plane < 3; plane++) {
      const std::vector<double> expected = in_doubles(resize, model, clip.frames[i], plane);
      const size_t kind = plane > 0 ? 1 : 0, at = size_t(plane);
      scores[0][kind].add(expected, ours[i].picture.planes[at]);
      if (i < swscale.size()) scores[1][kind].add(expected, swscale[i].planes[at]);
      if (i < zscale.size()) scores[2][kind].add(expected, zscale[i].planes[at]);
    }
  fmt::print("| {} to {} | {} |", task.from, task.to, kernel.name);
  for (const auto& [luma, chroma] : scores) fmt::print(" {} / {} |", luma.text(), chroma.text());
  fmt::print("\n");
}

int run(int argc, char** argv) {
  if (argc < 4) return std::fprintf(stderr, "usage: resize_quality INPUT FROM TO [FRAMES]\n"), 64;
  Task task{argv[1], argv[2], argv[3], argc > 4 ? std::atoi(argv[4]) : 10};
  Clip clip;
  clip.format.chroma = Chroma::k420;
  if (std::sscanf(argv[2], "%dx%d", &clip.format.width, &clip.format.height) != 2) return 64;
  clip.frames = pictures_from(ffmpeg(task, ""), clip.format);
  clip.infos.resize(clip.frames.size());
  for (size_t i = 0; i < clip.infos.size(); i++) clip.infos[i].pts = int64_t(i);
  fmt::print("| sizes | kernel | Weft, luma / chroma | swscale | zscale |\n|---|---|---|---|---|\n");
  for (const Kernel& kernel : kKernels) print_row(task, kernel, clip);
  return clip.frames.empty() ? 1 : 0;
}

}  // namespace
}  // namespace weft::filters

int main(int argc, char** argv) { return weft::filters::run(argc, argv); }
