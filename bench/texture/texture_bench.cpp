// SPDX-License-Identifier: Apache-2.0
// Measures the quality and speed of block encoding. Each image is encoded and decoded on a device.
// The quality is the PSNR of red, green and blue in 8-bit code values, as the mean of the images'
// values. The time is the device's, for encoding alone.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/command_line.h"
#include "bench/texture/texels.h"
#include "server/filters/texture/large_network.h"
#include "server/filters/texture/small_network.h"
#include "server/filters/texture/upsample.h"

namespace weft::bench {
namespace {

namespace texture = filters::texture;

struct Question {
  std::string folder, device = "cpu";
  int crop = 0;  // side in pixels of the cropped middle; 0 for the whole image
  std::vector<int> formats = {BLOCKS_BC7}, qualities = {QUALITY_FAST, QUALITY_MEDIUM, QUALITY_BEST};
  bool prints_each = false;
  // Numbers of back-projection passes. If given, images are not encoded, but halved and doubled
  // with each number of passes.
  std::vector<int> passes;
  bool is_normal = false;
  // Network that corrects the enlarged image: "albedo", "normal", "mask"; empty for none.
  std::string network;
  bool is_small = false;     // uses the networks `small` of that name, with blocks
  bool with_blocks = false;  // decodes from BC7 and encodes to BC7: all device work of a job
  int turns = 1;             // number of runs; the least time counts
};

struct Score {
  double psnr = 0, seconds = 0;
};

// Returns the output of the last run. Sets `seconds` to the least time of all runs.
StatusOr<std::string> least_of(device::Device& device, int turns,
                               const std::function<StatusOr<graph::Network>()>& make, const std::string& unit,
                               double* seconds) {
  std::string made;
  for (int turn = 0; turn < turns; turn++) {
    double once = 0;
    ASSIGN_OR_RETURN(graph::Network network, make());
    ASSIGN_OR_RETURN(made, run_network(device, std::move(network), unit, &once));
    *seconds = turn == 0 ? once : std::min(*seconds, once);
  }
  return made;
}

StatusOr<Score> measure_doubling(device::Device& device, const Texels& truth,
                                 const texture::Enlargement& options, int turns) {
  const filters::FilterContext context{.device = &device};
  const Texels small = halved(truth);
  Score score;
  const auto make = [&]() -> StatusOr<graph::Network> {
    graph::Network network;
    const graph::Port source = network.set_source(texture::texels_format(small.width, small.height));
    ASSIGN_OR_RETURN(const graph::Port large,
                     texture::add_enlarger(context, network, source, small.width, small.height, options));
    RETURN_IF_ERROR(network.set_outputs({large}));
    return network;
  };
  ASSIGN_OR_RETURN(const std::string made, least_of(device, turns, make, small.rgba, &score.seconds));
  score.psnr = psnr_of(truth.rgba, made, 3);
  return score;
}

// Measures the half image in BC7, doubled and encoded in BC7 again.
StatusOr<Score> measure_with_blocks(device::Device& device, filters::DeviceCaches& caches,
                                    const Texels& truth, texture::Upsampling task, int turns) {
  const filters::FilterContext context{.device = &device, .caches = &caches};
  const Texels small = halved(truth);
  task.source = {BLOCKS_BC7, small.width, small.height};
  task.enlargement.source = texture::texel_source_of(task.source.format);
  Score score;
  double unused = 0;
  graph::Network encoding, decoding;
  const graph::Port texels = encoding.set_source(texture::texels_format(small.width, small.height));
  ASSIGN_OR_RETURN(const graph::Port blocks,
                   texture::add_encoder(context, encoding, texels, task.source, task.quality));
  RETURN_IF_ERROR(encoding.set_outputs({blocks}));
  ASSIGN_OR_RETURN(const std::string source, run_network(device, std::move(encoding), small.rgba, &unused));
  const auto make = [&]() -> StatusOr<graph::Network> {
    graph::Network network;
    const graph::Port port = network.set_source(texture::blocks_format(task.source));
    ASSIGN_OR_RETURN(std::vector<graph::Port> outputs, texture::add_upsampling(context, network, port, task));
    RETURN_IF_ERROR(network.set_outputs(std::move(outputs)));
    return network;
  };
  ASSIGN_OR_RETURN(const std::string made, least_of(device, turns, make, source, &score.seconds));
  const texture::BlockImage large = task.level(0);
  const graph::Port again = decoding.set_source(texture::blocks_format(large));
  ASSIGN_OR_RETURN(const graph::Port decoded, texture::add_decoder(context, decoding, again, large));
  RETURN_IF_ERROR(decoding.set_outputs({decoded}));
  ASSIGN_OR_RETURN(const std::string texels_made, run_network(device, std::move(decoding), made, &unused));
  score.psnr = psnr_of(truth.rgba, texels_made, 3);
  return score;
}

StatusOr<Score> measure(device::Device& device, filters::DeviceCaches& caches, const Texels& texels,
                        int format, int quality) {
  const filters::FilterContext context{.device = &device, .caches = &caches};
  const texture::BlockImage image{format, texels.width, texels.height};
  Score score;
  graph::Network encoding, decoding;
  const graph::Port source = encoding.set_source(texture::texels_format(texels.width, texels.height));
  ASSIGN_OR_RETURN(const graph::Port blocks, texture::add_encoder(context, encoding, source, image, quality));
  RETURN_IF_ERROR(encoding.set_outputs({blocks}));
  ASSIGN_OR_RETURN(const std::string encoded,
                   run_network(device, std::move(encoding), texels.rgba, &score.seconds));
  const graph::Port again = decoding.set_source(texture::blocks_format(image));
  ASSIGN_OR_RETURN(const graph::Port decoded, texture::add_decoder(context, decoding, again, image));
  RETURN_IF_ERROR(decoding.set_outputs({decoded}));
  double unused = 0;
  ASSIGN_OR_RETURN(const std::string made, run_network(device, std::move(decoding), encoded, &unused));
  score.psnr = psnr_of(texels.rgba, made, format == BLOCKS_BC4 ? 1 : format == BLOCKS_BC5 ? 2 : 3);
  return score;
}

Status run(const Question& question) {
  ASSIGN_OR_RETURN(const auto device, device::open_device(question.device));
  filters::DeviceCaches caches;
  std::vector<Texels> images;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(question.folder))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    ASSIGN_OR_RETURN(Texels texels, read_texels(path, question.crop));
    images.push_back(std::move(texels));
  }
  fmt::print("{}, {}, {} images\n", device->info().name, question.folder, images.size());
  for (const int passes : question.passes) {
    Score all;
    texture::Enlargement options{question.is_normal, BORDER_CLAMP, passes};
    texture::Upsampling task{.quality = question.qualities[0]};
    if (question.is_small) {
      ASSIGN_OR_RETURN(task.small, texture::built_in_small_network(question.network));
    } else if (!question.network.empty()) {
      ASSIGN_OR_RETURN(options.network, texture::built_in_large_network(question.network));
    }
    task.enlargement = options;
    for (const Texels& image : images) {
      Score score;
      if (question.with_blocks) {
        ASSIGN_OR_RETURN(score, measure_with_blocks(*device, caches, image, task, question.turns));
      } else {
        ASSIGN_OR_RETURN(score, measure_doubling(*device, image, options, question.turns));
      }
      if (question.prints_each) fmt::print("  {}: {:.2f} dB\n", image.name, score.psnr);
      all.psnr += score.psnr / double(images.size());
      all.seconds += score.seconds;
    }
    fmt::print("doubled, {} passes{}{}{}: {:.2f} dB, {:.3f} ms\n", passes,
               question.with_blocks ? ", BC7 to BC7" : "", question.is_normal ? ", normals" : "",
               question.network.empty()
                   ? ""
                   : ", network " + question.network + (question.is_small ? ", small" : ""),
               all.psnr, all.seconds * 1e3);
  }
  if (!question.passes.empty()) return ok_status();
  for (const int format : question.formats)
    for (const int quality : question.qualities) {
      double psnr = 0, seconds = 0, texels = 0;
      for (const Texels& image : images) {
        ASSIGN_OR_RETURN(const Score score, measure(*device, caches, image, format, quality));
        if (question.prints_each) fmt::print("  {}: {:.2f} dB\n", image.name, score.psnr);
        psnr += score.psnr;
        seconds += score.seconds;
        texels += double(image.width) * image.height;
      }
      constexpr const char* kQualities[] = {"fast", "medium", "best"};
      fmt::print("BC{} {}: {:.2f} dB, {:.3f} Mpixel/s\n", format, kQualities[quality],
                 psnr / double(images.size()), texels / seconds / 1e6);
    }
  return ok_status();
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  weft::bench::Question question;
  weft::bench::CommandLine line(
      "Times the encoding of blocks, or the doubling of textures, of a folder of PNG, JPEG or TIFF.");
  line.add_option("FOLDER", question.folder, "Folder of images")->required()->check(CLI::ExistingDirectory);
  line.add_option("--device", question.device, "Device");
  line.add_option("--crop", question.crop, "Side of the middle that is used, in pixels; default: all")
      ->check(weft::bench::kPositive);
  line.add_option("--bc", question.formats, "Format of blocks: 1, 3, 4, 5 or 7; can be repeated")
      ->check(weft::bench::kPositive);
  line.add_option("--quality", question.qualities,
                  "Quality of blocks: 0 fast, 1 medium, 2 best; can be repeated")
      ->check(CLI::Range(0, QUALITY_BEST));
  line.add_option("--double", question.passes,
                  "Double instead, with this number of passes of back-projection; can be repeated")
      ->check(weft::bench::kPositive);
  line.add_option("--network", question.network,
                  "Network that corrects doubled images: albedo, normal or mask");
  line.add_option("--small", question.is_small, "1: its small version, with blocks");
  line.add_option("--blocks", question.with_blocks, "1: out of BC7 and into BC7");
  line.add_option("--normal", question.is_normal, "1: the images are normal maps");
  line.add_option("--turns", question.turns, "Repeats; the least time counts")->check(weft::bench::kPositive);
  line.add_option("--each", question.prints_each, "1: a line for each image too");
  line.read(argc, argv);
  // The networks `small` output only blocks.
  question.with_blocks = question.with_blocks || question.is_small;
  const weft::Status status = weft::bench::run(question);
  if (!status.ok()) fmt::print(stderr, "texture_bench: {}\n", weft::message_of(status));
  return status.ok() ? 0 : 1;
}
