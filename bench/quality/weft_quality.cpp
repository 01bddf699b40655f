// SPDX-License-Identifier: Apache-2.0
// Measures the quality of a clip against its truth: PSNR, SSIM, flicker (docs/quality.md).
//
//   weft-quality TRUTH OUTPUT [--skip N] [--json]
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "bench/command_line.h"
#include "bench/quality/score.h"

namespace weft::quality {
namespace {

constexpr const char* kPlaneKeys[] = {"y", "u", "v"};
constexpr const char* kPlaneNames[] = {"luma", "chroma U", "chroma V"};

std::string json_psnr(double value) {
  return std::isinf(value) ? "\"infinite\"" : fmt::format("{:.4f}", value);
}
std::string json_number(std::optional<double> value) {
  return value ? fmt::format("{:.6f}", *value) : "null";
}

std::string as_json(const Score& score) {
  std::string text = "{";
  for (size_t i = 0; i < score.planes.size(); i++)
    text += fmt::format("\"psnr_{0}\": {1}, \"ssim_{0}\": {2}, ", kPlaneKeys[i],
                        json_psnr(score.planes[i].psnr), json_number(score.planes[i].ssim));
  text += fmt::format(
      "\"flicker\": {}, \"still_share\": {:.4f}, \"frames\": {}, \"frames_truth\": {}, \"frames_output\": "
      "{}, "
      "\"shift\": {}, \"worst\": ",
      json_number(score.flicker), score.still_share, score.frames, score.truth_frames, score.output_frames,
      score.shift);
  if (!score.worst) return text + "null}";
  const WorstRegion& worst = *score.worst;
  return text +
         fmt::format(
             "{{\"frame\": {}, \"x\": {}, \"y\": {}, \"width\": {}, \"height\": {}, \"psnr_y\": {:.4f}}}}}",
             worst.frame, worst.x, worst.y, worst.width, worst.height, worst.psnr);
}

std::string as_text(const Score& score) {
  std::string text;
  for (size_t i = 0; i < score.planes.size(); i++) {
    const PlaneScore& plane = score.planes[i];
    text += fmt::format(
        "{:<9} PSNR {}, SSIM {}\n", kPlaneNames[i],
        std::isinf(plane.psnr) ? "infinite (no sample differs)" : fmt::format("{:.2f} dB", plane.psnr),
        plane.ssim ? fmt::format("{:.4f}", *plane.ssim) : "- (a side is below 8)");
  }
  text += score.flicker
              ? fmt::format(
                    "flicker   {:.3f} codes, where the truth stands still or pans slowly ({:.0f}% of it)\n",
                    *score.flicker, 100 * score.still_share)
              : "flicker   - (nothing of the truth stands still or pans slowly)\n";
  text += fmt::format("frames    {} compared (truth {}, output {}, shifted by {})\n", score.frames,
                      score.truth_frames, score.output_frames, score.shift);
  if (const auto& worst = score.worst)
    text += fmt::format("worst     {}x{} at {},{} of frame {}: {:.2f} dB\n", worst->width, worst->height,
                        worst->x, worst->y, worst->frame, worst->psnr);
  return text;
}

int run(int argc, char** argv) {
  bench::CommandLine line(
      "Scores OUTPUT against TRUTH, frame by frame: PSNR, SSIM and flicker. Both are videos of the same size "
      "and format. "
      "OUTPUT may be shifted by up to 2 frames.");
  std::string truth, output;
  ScoreOptions options;
  bool json = false;
  line.add_option("TRUTH", truth, "Video that a perfect filter gives")->required();
  line.add_option("OUTPUT", output, "Video to score")->required();
  line.add_option("--skip", options.skip, "Frames left out at each end")->check(bench::kNotNegative);
  line.add_flag("--json", json, "Print JSON");
  line.read(argc, argv);
  const auto score = score_clips(truth, output, options);
  if (!score.ok()) {
    std::fprintf(stderr, "weft-quality: %s\n", message_of(score.status()).c_str());
    return 1;
  }
  const std::string text = json ? as_json(*score) + "\n" : as_text(*score);
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace weft::quality

int main(int argc, char** argv) { return weft::quality::run(argc, argv); }
