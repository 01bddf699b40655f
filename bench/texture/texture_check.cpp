// SPDX-License-Identifier: Apache-2.0
// Measures the check of texture networks (server/filters/texture/comparison.h): the share of good
// results that it would replace, and the share of planted faults that it detects. A result is good
// if it is nearer to the image than the filter's result. Images of even index are for calibration,
// the others are judged. With --regular N, N normal maps of bevelled tiles are judged as a separate
// set; their period is often that of blocks.
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/command_line.h"
#include "bench/texture/ways.h"
#include "server/filters/texture/comparison.h"
#include "tests/server/filters/texture/parts_node.h"

namespace weft::bench {
namespace {

namespace texture = filters::texture;

// Returns normals of tiles with bevels and a little roughness.
Texels regular_normals(unsigned seed, int side) {
  std::mt19937 random(seed);
  const auto between = [&](double low, double high) {
    return low + (high - low) * double(random()) / 4294967295.0;
  };
  constexpr std::array kPeriods = {4, 8, 12, 16, 20, 24, 32, 40, 48, 64};
  const int wide = kPeriods[seed % 10], high = seed % 3 != 0 ? wide : 8 << (seed % 4),
            phase = int(seed / 10 % 8);
  const double bevel = between(0.8, 3), steep = between(0.4, 2), rough = between(0, 0.3);
  std::vector<double> heights(size_t(side + 2) * size_t(side + 2));
  for (int y = 0; y < side + 2; y++)
    for (int x = 0; x < side + 2; x++) {
      const int moved = x + phase + (seed % 2 != 0 ? y / high % 2 * wide / 2 : 0);
      const int to_side = std::min(moved % wide, wide - moved % wide),
                to_end = std::min(y % high, high - y % high);
      heights[size_t(y * (side + 2) + x)] =
          std::min(std::min(to_side, to_end) / bevel, 1.0) * bevel * steep + rough * between(-1, 1);
    }
  Texels texels{fmt::format("regular {}", seed), side, side, {}};
  const auto height_at = [&](int x, int y) { return heights[size_t((y + 1) * (side + 2) + x + 1)]; };
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      const double dx = (height_at(x - 1, y) - height_at(x + 1, y)) / 2,
                   dy = (height_at(x, y - 1) - height_at(x, y + 1)) / 2;
      const double length = std::sqrt(dx * dx + dy * dy + 1);
      for (const double part : {dx / length, dy / length, 1 / length})
        texels.rgba += char(std::lround((part + 1) * 127.5));
      texels.rgba += char(255);
    }
  return texels;
}

// Changes each block of 4x4 texels of an image separately.
template <typename Change>
Texels with_blocks(const Texels& made, Change change) {
  Texels changed = made;
  std::mt19937 random(1);
  for (int top = 0; top + 4 <= made.height; top += 4)
    for (int left = 0; left + 4 <= made.width; left += 4) {
      const auto drawn = random();
      const auto second = random();
      for (int c = 0; c < 3; c++) {
        double mean = 0;
        for (int k = 0; k < 16; k++) mean += made.code(left + k % 4, top + k / 4, c) / 16.0;
        for (int k = 0; k < 16; k++) {
          const double code = change(left, top, k, c, mean, double(drawn) / 4294967296.0, int(second));
          const size_t at = (size_t(top + k / 4) * size_t(made.width) + size_t(left + k % 4)) * 4 + size_t(c);
          changed.rgba[at] = char(std::clamp(int(std::lround(code)), 0, 255));
        }
      }
    }
  return changed;
}

// Returns images with faults of several strengths, by name.
std::vector<std::pair<std::string, Texels>> planted_in(const Texels& made) {
  std::vector<std::pair<std::string, Texels>> all;
  const auto code_of = [&](int left, int top, int k, int c) {
    return double(made.code(left + k % 4, top + k / 4, c));
  };
  for (const int codes : {2, 4, 8, 16})
    all.emplace_back(fmt::format("blocks off by {} codes", codes),
                     with_blocks(made, [&](int left, int top, int k, int c, double, double drawn, int) {
                       return code_of(left, top, k, c) + (drawn < 0.5 ? codes : -codes);
                     }));
  for (const double share : {0.25, 0.5, 0.75, 1.0})
    all.emplace_back(fmt::format("blocks flattened by {:g}", share),
                     with_blocks(made, [&](int left, int top, int k, int c, double mean, double, int) {
                       return code_of(left, top, k, c) * (1 - share) + mean * share;
                     }));
  for (const double share : {0.02, 0.1, 0.3, 1.0})
    all.emplace_back(fmt::format("{:g} of blocks mirrored", share),
                     with_blocks(made, [&](int left, int top, int k, int c, double, double drawn, int) {
                       return code_of(left, top, drawn < share ? k / 4 * 4 + 3 - k % 4 : k, c);
                     }));
  for (const double share : {0.01, 0.05, 0.2})
    all.emplace_back(
        fmt::format("{:g} of blocks of one colour", share),
        with_blocks(made, [&](int left, int top, int k, int c, double mean, double drawn, int bits) {
          return drawn < share ? mean + (bits >> (8 * c) & 31) - 16 : code_of(left, top, k, c);
        }));
  for (const int codes : {2, 4})
    all.emplace_back(fmt::format("colours off by {} codes", codes),
                     with_blocks(made, [&](int left, int top, int k, int c, double, double, int) {
                       return code_of(left, top, k, c) + codes;
                     }));
  all.emplace_back("a place off by 6 codes",
                   with_blocks(made, [&](int left, int top, int k, int c, double, double, int) {
                     return code_of(left, top, k, c) + (left < 64 && top < 64 ? 6 : 0);
                   }));
  return all;
}

// Applies the earlier rule, for comparison: the ratio of block edges alone, with the same limits of
// colours.
bool is_fault_by_ratio(const texture::TextureComparison& found) {
  using Limits = texture::TextureComparison;
  return found.shift() > Limits::kMostShift || found.window_shift() > Limits::kMostWindowShift ||
         found.flat() > Limits::kMostFlat;
}

struct Share {
  int found = 0, found_by_ratio = 0, all = 0;

  void add(const texture::TextureComparison& comparison) {
    found += comparison.fault().has_value();
    found_by_ratio += is_fault_by_ratio(comparison);
    all++;
  }
};

class Checks {
 public:
  Checks(device::Device& device, const std::string& kind) : ways_(device, kind, QUALITY_MEDIUM) {}

  Status add(const Texels& truth, const std::string& set) {
    for (const char* source : {"texels", "bc7"}) {
      Texels small = halved(truth);
      const int format = ways_.format_of(source);
      if (format != BLOCKS_NONE) {
        ASSIGN_OR_RETURN(small, ways_.through_blocks(small, format));
      }
      ASSIGN_OR_RETURN(const Texels plain, ways_.doubled(small, format, false));
      ASSIGN_OR_RETURN(const Texels large, ways_.doubled(small, format, true));
      ASSIGN_OR_RETURN(const Texels by_small, ways_.by_small(small, format, BLOCKS_BC7));
      for (const Texels* made : {&large, &by_small}) {
        ASSIGN_OR_RETURN(const auto found, compared(small, *made, plain));
        const double gain = psnr_of(truth.rgba, made->rgba, 3) - psnr_of(truth.rgba, plain.rgba, 3);
        const char* model = made == &large ? "large" : "small";
        results_[{set, gain > 0 ? "good" : "worse than the filter"}].add(found);
        fmt::print("| {} | {} | {} | {:.3f} | {:.3f} | {:+.3f} | {:+.3f} | {:.3f} | {:+.2f} dB | {} |\n",
                   truth.name, source, model, found.shift(), found.window_shift(), found.edges(),
                   found.flat(), found.detail(), gain, found.fault().value_or(""));
        std::fflush(stdout);
      }
      if (format != BLOCKS_NONE) continue;
      for (const auto& [name, spoiled] : planted_in(large)) {
        ASSIGN_OR_RETURN(const auto found, compared(small, spoiled, plain));
        results_[{set, name}].add(found);
      }
    }
    return ok_status();
  }

  void print() const {
    fmt::print("\n| images | results | replaced | by the ratio of edges alone |\n|---|---|---|---|\n");
    for (const auto& [key, share] : results_)
      fmt::print("| {} | {} | {} of {} ({:.1f}%) | {} ({:.1f}%) |\n", key.first, key.second, share.found,
                 share.all, 100.0 * share.found / share.all, share.found_by_ratio,
                 100.0 * share.found_by_ratio / share.all);
  }

 private:
  StatusOr<texture::TextureComparison> compared(const Texels& small, const Texels& made,
                                                const Texels& plain) {
    const std::string unit = small.rgba + made.rgba + plain.rgba;
    const std::array bytes = {small.rgba.size(), made.rgba.size(), plain.rgba.size()};
    const filters::FilterContext context{.device = &ways_.device(), .caches = &ways_.caches()};
    graph::Network network;
    const graph::Port source = network.set_source(graph::PortFormat::data("parts", unit.size()));
    ASSIGN_OR_RETURN(const std::vector<graph::Port> parts,
                     network.add_node(std::make_unique<texture::PartsNode>(bytes), std::array{source}));
    ASSIGN_OR_RETURN(const graph::Port numbers,
                     texture::add_comparison(context, network, parts[0], parts[1], parts[2], small.width,
                                             small.height, ways_.is_normal()));
    RETURN_IF_ERROR(network.set_outputs({numbers}));
    double seconds = 0;
    ASSIGN_OR_RETURN(const std::string sums, run_network(ways_.device(), std::move(network), unit, &seconds));
    texture::TextureComparison comparison(small.width, small.height);
    comparison.add(std::as_bytes(std::span(sums)));
    return comparison;
  }

  Ways ways_;
  std::map<std::pair<std::string, std::string>, Share> results_;  // by set and kind of result
};

Status run(const std::vector<std::string>& files, const std::string& kind, const std::string& device_id,
           int crop, int regular) {
  ASSIGN_OR_RETURN(const auto device, device::open_device(device_id));
  fmt::print("{}, {}\n\n", device->info().name, kind);
  fmt::print(
      "| image | input | model | shift | of a place | edges | flat | detail | over the filter | fault |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  Checks checks(*device, kind);
  bool is_judged = false;
  for (const std::string& file : files) {
    ASSIGN_OR_RETURN(const Texels texels, read_texels(file, crop));
    RETURN_IF_ERROR(checks.add(texels, is_judged ? "judged" : "calibration"));
    is_judged = !is_judged;
  }
  for (int seed = 0; seed < regular; seed++)
    RETURN_IF_ERROR(checks.add(regular_normals(unsigned(seed), crop > 0 ? crop : 512), "regular"));
  checks.print();
  return ok_status();
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  std::vector<std::string> files;
  std::string kind = "albedo", device = "cpu";
  int crop = 0, regular = 0;
  weft::bench::CommandLine line("Measures the check of texture networks on images: PNG, JPEG or TIFF.");
  line.add_option("FILE", files, "Images");
  line.add_option("--kind", kind, "Kind of the images")->check(CLI::IsMember({"albedo", "normal"}));
  line.add_option("--device", device, "Device");
  line.add_option("--crop", crop, "Side of the middle that is used, in texels; default: all")
      ->check(weft::bench::kPositive);
  line.add_option("--regular", regular, "Normal maps of tiles to add, with --kind normal")
      ->check(weft::bench::kPositive);
  line.read(argc, argv);
  if ((files.empty() && regular == 0) || (regular > 0 && kind != "normal")) {
    std::fputs("texture_check: it needs images, or --regular with --kind normal\n", stderr);
    return EX_USAGE;
  }
  const weft::Status status = weft::bench::run(files, kind, device, crop, regular);
  if (!status.ok()) fmt::print(stderr, "texture_check: {}\n", weft::message_of(status));
  return status.ok() ? 0 : 1;
}
