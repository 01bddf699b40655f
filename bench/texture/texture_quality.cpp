// SPDX-License-Identifier: Apache-2.0
// Measures a network's gain in texture upsampling. Each image is halved by means, doubled by
// several methods, and stored in blocks; the decoded blocks are compared with the image. The half
// image is used unchanged, and decoded from blocks. The results are means of paired differences to
// Lanczos3.
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/command_line.h"
#include "bench/texture/texels.h"
#include "bench/texture/ways.h"
#include "server/filters/texture/comparison.h"

namespace weft::bench {
namespace {

namespace texture = filters::texture;

struct Question {
  std::vector<std::string> files;
  std::string kind = "albedo", device = "cpu";
  int crop = 0, quality = QUALITY_MEDIUM;
  bool prints_each = false;

  bool is_normal() const { return kind == "normal"; }
};

// Enlarges by Lanczos3 in floats with a repeated border, as simple tools do.
Texels lanczos_of(const Texels& small) {
  constexpr int kTaps = 7;
  const auto lanczos = [](double t) {
    t = std::abs(t) * M_PI;
    return t < 1e-9 ? 1.0 : t >= 3 * M_PI ? 0.0 : 3 * std::sin(t) * std::sin(t / 3) / (t * t);
  };
  std::array<double, kTaps> weights[2] = {};
  for (int phase = 0; phase < 2; phase++) {
    double sum = 0;
    for (int i = 0; i < kTaps; i++)
      sum += weights[phase][size_t(i)] = lanczos(i - 3 - (phase == 0 ? -0.25 : 0.25));
    for (double& weight : weights[phase]) weight /= sum;
  }
  Texels large{small.name, 2 * small.width, 2 * small.height, {}};
  large.rgba.resize(small.rgba.size() * 4);
  std::vector<double> wide(size_t(large.width) * size_t(small.height) * 4);
  for (int y = 0; y < small.height; y++)
    for (int x = 0; x < large.width; x++)
      for (int c = 0; c < 4; c++) {
        double sum = 0;
        for (int i = 0; i < kTaps; i++)
          sum += weights[x % 2][size_t(i)] * small.code(std::clamp(x / 2 + i - 3, 0, small.width - 1), y, c);
        wide[(size_t(y) * size_t(large.width) + size_t(x)) * 4 + size_t(c)] = sum;
      }
  for (int y = 0; y < large.height; y++)
    for (int x = 0; x < large.width; x++)
      for (int c = 0; c < 4; c++) {
        double sum = 0;
        for (int i = 0; i < kTaps; i++)
          sum += weights[y % 2][size_t(i)] *
                 wide[(size_t(std::clamp(y / 2 + i - 3, 0, small.height - 1)) * size_t(large.width) +
                       size_t(x)) *
                          4 +
                      size_t(c)];
        large.rgba[(size_t(y) * size_t(large.width) + size_t(x)) * 4 + size_t(c)] =
            char(std::clamp(int(std::lround(sum)), 0, 255));
      }
  return large;
}

struct Measures {
  double psnr = 0, ssim = 0, angle = 0, blockiness = 0;
};

// Returns the SSIM of red, green and blue: the mean over windows of 8x8 texels at multiples of 4
// (Wang and others, 2004).
double ssim_of(const Texels& a, const Texels& b, int channels) {
  constexpr double kC1 = 0.01 * 255 * 0.01 * 255, kC2 = 0.03 * 255 * 0.03 * 255;
  double all = 0, count = 0;
  for (int c = 0; c < channels; c++)
    for (int top = 0; top + 8 <= a.height; top += 4)
      for (int left = 0; left + 8 <= a.width; left += 4) {
        double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
        for (int y = top; y < top + 8; y++)
          for (int x = left; x < left + 8; x++) {
            const double va = a.code(x, y, c), vb = b.code(x, y, c);
            sa += va, sb += vb, aa += va * va, bb += vb * vb, ab += va * vb;
          }
        const double ma = sa / 64, mb = sb / 64;
        const double va = aa / 64 - ma * ma, vb = bb / 64 - mb * mb, cov = ab / 64 - ma * mb;
        all += (2 * ma * mb + kC1) * (2 * cov + kC2) / ((ma * ma + mb * mb + kC1) * (va + vb + kC2));
        count++;
      }
  return all / count;
}

// Returns the mean angle between vectors, in degrees.
double angle_of(const Texels& a, const Texels& b) {
  double all = 0;
  for (int y = 0; y < a.height; y++)
    for (int x = 0; x < a.width; x++) {
      double dot = 0, aa = 0, bb = 0;
      for (int c = 0; c < 3; c++) {
        const double va = a.code(x, y, c) / 127.5 - 1, vb = b.code(x, y, c) / 127.5 - 1;
        dot += va * vb, aa += va * va, bb += vb * vb;
      }
      all += std::acos(std::clamp(dot / std::sqrt(std::max(aa * bb, 1e-12)), -1.0, 1.0)) * 180 / M_PI;
    }
  return all / (double(a.width) * a.height);
}

double edges_of(const Texels& image) {
  return texture::block_edges_of(image.rgba, image.width, image.height).ratio();
}

Measures measure(const Texels& truth, const Texels& made, int channels, bool is_normal) {
  return {psnr_of(truth.rgba, made.rgba, channels), ssim_of(truth, made, channels),
          is_normal ? angle_of(truth, made) : 0, edges_of(made) - edges_of(truth)};
}

// Returns the methods for a target. `small` outputs blocks, not texels.
std::vector<std::string> ways_to(const std::string& target) {
  std::vector<std::string> ways = {"Lanczos3", "none", "large"};
  if (target != "texels") ways.push_back("small");
  return ways;
}

class Scorer {
 public:
  Scorer(device::Device& device, const Question& question)
      : ways_(device, question.kind, question.quality), question_(question) {}

  // Returns the measures by method of ways_to(target).
  StatusOr<std::map<std::string, Measures>> score(const Texels& truth, const std::string& source,
                                                  const std::string& target) {
    Texels small = halved(truth);
    const int format = ways_.format_of(source);
    if (format != BLOCKS_NONE) {
      ASSIGN_OR_RETURN(small, ways_.through_blocks(small, format));
    }
    const int channels = target == "bc5" ? 2 : 3;
    std::map<std::string, Measures> scores;
    for (const std::string& way : ways_to(target)) {
      Texels large = lanczos_of(small);
      if (way == "small") {
        ASSIGN_OR_RETURN(large, ways_.by_small(small, format, ways_.format_of(target)));
      } else if (way != "Lanczos3") {
        ASSIGN_OR_RETURN(large, ways_.doubled(small, format, way == "large"));
      }
      if (target != "texels" && way != "small") {
        ASSIGN_OR_RETURN(large, ways_.through_blocks(large, ways_.format_of(target)));
      }
      scores[way] = measure(truth, large, channels, question_.is_normal());
    }
    return scores;
  }

 private:
  Ways ways_;
  const Question& question_;
};

Status run(const Question& question) {
  ASSIGN_OR_RETURN(const auto device, device::open_device(question.device));
  std::vector<Texels> images;
  for (const std::string& file : question.files) {
    ASSIGN_OR_RETURN(Texels texels, read_texels(file, question.crop));
    images.push_back(std::move(texels));
  }
  fmt::print("{}, {}, {} images\n\n", device->info().name, question.kind, images.size());
  fmt::print("| input | stored as | way | PSNR | over Lanczos3 | least, most | SSIM |{} block edges |\n",
             question.is_normal() ? " angle |" : "");
  fmt::print("|---|---|---|---|---|---|---|{}---|\n", question.is_normal() ? "---|" : "");
  Scorer scorer(*device, question);
  std::vector<std::pair<std::string, std::string>> paths = {{"texels", "bc7"}, {"bc7", "bc7"}};
  if (question.is_normal()) paths.insert(paths.end(), {{"texels", "bc5"}, {"bc5", "bc5"}});
  for (const auto& [source, target] : paths) {
    std::map<std::string, std::vector<Measures>> all;
    for (const Texels& image : images) {
      ASSIGN_OR_RETURN(const auto scores, scorer.score(image, source, target));
      if (question.prints_each)
        for (const auto& [way, measures] : scores)
          fmt::print(stderr, "{} {} {}: {} {:+.2f}\n", image.name, source, target, way,
                     measures.psnr - scores.at("Lanczos3").psnr);
      for (const auto& [way, measures] : scores) all[way].push_back(measures);
    }
    for (const std::string& way : ways_to(target)) {
      Measures mean;
      double over = 0, least = 1e9, most = -1e9;
      for (size_t i = 0; i < images.size(); i++) {
        const Measures& one = all[way][i];
        const double gain = one.psnr - all["Lanczos3"][i].psnr;
        mean.psnr += one.psnr / double(images.size());
        mean.ssim += one.ssim / double(images.size());
        mean.angle += one.angle / double(images.size());
        mean.blockiness += one.blockiness / double(images.size());
        over += gain / double(images.size());
        least = std::min(least, gain);
        most = std::max(most, gain);
      }
      fmt::print("| {} | {} | {} | {:.2f} dB | {:+.2f} | {:+.2f}, {:+.2f} | {:.4f} |{} {:+.3f} |\n", source,
                 target, way, mean.psnr, over, least, most, mean.ssim,
                 question.is_normal() ? fmt::format(" {:.2f} |", mean.angle) : "", mean.blockiness);
      std::fflush(stdout);
    }
  }
  return ok_status();
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  weft::bench::Question question;
  weft::bench::CommandLine line("Compares ways to double textures on images: PNG, JPEG or TIFF.");
  line.add_option("FILE", question.files, "Images")->required();
  line.add_option("--kind", question.kind, "Kind of the images")
      ->check(CLI::IsMember({"albedo", "normal", "mask"}));
  line.add_option("--device", question.device, "Device");
  line.add_option("--crop", question.crop, "Side of the middle that is used, in texels; default: all")
      ->check(weft::bench::kPositive);
  line.add_option("--quality", question.quality, "Quality of blocks: 0 fast, 1 medium, 2 best")
      ->check(CLI::Range(0, QUALITY_BEST));
  line.add_option("--each", question.prints_each, "1: a row for each image too");
  line.read(argc, argv);
  const weft::Status status = weft::bench::run(question);
  if (!status.ok()) fmt::print(stderr, "texture_quality: {}\n", weft::message_of(status));
  return status.ok() ? 0 : 1;
}
