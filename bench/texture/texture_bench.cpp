// SPDX-License-Identifier: Apache-2.0
// How near encoded blocks come to images, and how fast: each image is encoded and decoded on a device; PSNR of red, green and blue in codes of 8
// bits, the mean of the images' values. The time is the device's, of encoding alone.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "server/filters/pipeline.h"
#include "server/filters/texture/texture.h"
#include "server/media/image/image.h"
#include "server/media/image/transfer.h"

namespace weft::bench {
namespace {

namespace texture = filters::texture;

struct Question {
  std::string folder, device = "cpu";
  int crop = 0;  // pixels of the middle; 0: everything
  std::vector<int> formats, qualities;
  bool tells_each = false;
  // Instead of encoding: images are halved, and doubled again with so many passes of back-projection.
  std::vector<int> passes;
  bool is_normal = false;
};

struct Texels {
  std::string name;
  int width = 0, height = 0;
  std::string rgba;
};

StatusOr<Texels> read_texels(const std::filesystem::path& path, int crop) {
  ASSIGN_OR_RETURN(const auto file, media::InputFile::open(path.string()));
  ASSIGN_OR_RETURN(const media::Image image, media::read_image(*file, {}));
  const int width = image.facts.data.width, height = image.facts.data.height;
  Texels texels{path.filename().string(),
                crop > 0 ? std::min(crop, width) : width,
                crop > 0 ? std::min(crop, height) : height,
                {}};
  const int left = (width - texels.width) / 2, top = (height - texels.height) / 2;
  for (int y = 0; y < texels.height; y++)
    for (int x = 0; x < texels.width; x++)
      for (size_t c = 0; c < 4; c++) {
        const size_t at = (size_t(top + y) * size_t(width) + size_t(left + x)) * 4 + c;
        texels.rgba += c == 3 ? char(255) : char(media::to_code({}, 8, image.sample(at)));
      }
  return texels;
}

// What a network makes of one unit.
StatusOr<std::string> run(device::Device& device, filters::Network network, const std::string& unit,
                          double* seconds) {
  ASSIGN_OR_RETURN(auto pipeline,
                   filters::Pipeline::make(device, std::move(network), {.plan = filters::kOneUnit}));
  RETURN_IF_ERROR(filters::push_only_unit(*pipeline, std::as_bytes(std::span(unit))));
  while (pipeline->ready() > 0) pipeline->submit(pipeline->ready());
  ASSIGN_OR_RETURN(const auto made, pipeline->pop());
  if (!made) return internal_error("Nothing came out of the pipeline.");
  for (const filters::BatchTime& time : pipeline->take_costs())
    *seconds += std::chrono::duration<double>(time.filter).count();
  return std::string(reinterpret_cast<const char*>(made->data[0]), pipeline->target_format().bytes);
}

double psnr_of(const std::string& truth, const std::string& made, int channels) {
  double sum = 0;
  for (size_t i = 0; i < truth.size(); i++)
    if (int(i % 4) < channels) sum += std::pow(double(uint8_t(truth[i])) - double(uint8_t(made[i])), 2);
  return 10 * std::log10(255.0 * 255.0 * double(truth.size() / 4) * channels / sum);
}

struct Score {
  double psnr = 0, seconds = 0;
};

// Means of two by two, rounded; of an odd side the last texels are left out.
Texels halved(const Texels& from) {
  Texels to{from.name, from.width / 2, from.height / 2, {}};
  const size_t row = size_t(from.width) * 4;
  for (int y = 0; y < to.height; y++)
    for (int x = 0; x < to.width; x++)
      for (size_t c = 0; c < 4; c++) {
        const size_t at = size_t(2 * y) * row + size_t(2 * x) * 4 + c;
        int sum = 2;
        for (const size_t place : {at, at + 4, at + row, at + row + 4}) sum += uint8_t(from.rgba[place]);
        to.rgba += char(sum / 4);
      }
  return to;
}

StatusOr<Score> measure_doubling(device::Device& device, const Texels& truth,
                                 const texture::Enlargement& options) {
  const filters::FilterContext context{.device = &device};
  const Texels small = halved(truth);
  Score score;
  filters::Network network;
  const filters::Port source = network.set_source(texture::texels_format(small.width, small.height));
  ASSIGN_OR_RETURN(const filters::Port large,
                   texture::add_enlarger(context, network, source, small.width, small.height, options));
  RETURN_IF_ERROR(network.set_outputs({large}));
  ASSIGN_OR_RETURN(const std::string made, run(device, std::move(network), small.rgba, &score.seconds));
  score.psnr = psnr_of(truth.rgba, made, 3);
  return score;
}

StatusOr<Score> measure(device::Device& device, filters::DeviceCaches& caches, const Texels& texels,
                        int format, int quality) {
  const filters::FilterContext context{.device = &device, .caches = &caches};
  const texture::BlockImage image{format, texels.width, texels.height};
  Score score;
  filters::Network encoding, decoding;
  const filters::Port source = encoding.set_source(texture::texels_format(texels.width, texels.height));
  ASSIGN_OR_RETURN(const filters::Port blocks,
                   texture::add_encoder(context, encoding, source, image, quality));
  RETURN_IF_ERROR(encoding.set_outputs({blocks}));
  ASSIGN_OR_RETURN(const std::string encoded, run(device, std::move(encoding), texels.rgba, &score.seconds));
  const filters::Port again = decoding.set_source(texture::blocks_format(image));
  ASSIGN_OR_RETURN(const filters::Port decoded, texture::add_decoder(context, decoding, again, image));
  RETURN_IF_ERROR(decoding.set_outputs({decoded}));
  double unused = 0;
  ASSIGN_OR_RETURN(const std::string made, run(device, std::move(decoding), encoded, &unused));
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
    for (const Texels& image : images) {
      ASSIGN_OR_RETURN(const Score score,
                       measure_doubling(*device, image, {question.is_normal, BORDER_CLAMP, passes}));
      if (question.tells_each) fmt::print("  {}: {:.2f} dB\n", image.name, score.psnr);
      all.psnr += score.psnr / double(images.size());
      all.seconds += score.seconds;
    }
    fmt::print("doubled, {} passes{}: {:.2f} dB, {:.3f} s\n", passes, question.is_normal ? ", normals" : "",
               all.psnr, all.seconds);
  }
  if (!question.passes.empty()) return ok_status();
  for (const int format : question.formats)
    for (const int quality : question.qualities) {
      double psnr = 0, seconds = 0, texels = 0;
      for (const Texels& image : images) {
        ASSIGN_OR_RETURN(const Score score, measure(*device, caches, image, format, quality));
        if (question.tells_each) fmt::print("  {}: {:.2f} dB\n", image.name, score.psnr);
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
  bool is_right = argc >= 2;
  if (is_right) question.folder = argv[1];
  for (int i = 2; i < argc && is_right; i += 2) {
    const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    const int number = std::atoi(value.c_str());
    if (name == "--device")
      question.device = value;
    else if (name == "--crop" && number > 0)
      question.crop = number;
    else if (name == "--bc" && number > 0)
      question.formats.push_back(number);
    else if (name == "--quality" && number >= 0 && number <= QUALITY_BEST)
      question.qualities.push_back(number);
    else if (name == "--double" && number > 0)
      question.passes.push_back(number);
    else if (name == "--normal")
      question.is_normal = number > 0;
    else if (name == "--each")
      question.tells_each = number > 0;
    else
      is_right = false;
  }
  if (!is_right) {
    std::fprintf(stderr,
                 "usage: texture_bench FOLDER [--device ID] [--crop PIXELS] [--bc 1|3|4|5|7]... [--quality "
                 "0|1|2]... [--each 1]\n"
                 "       texture_bench FOLDER --double PASSES... [--normal 1] [--device ID] [--crop PIXELS] "
                 "[--each 1]\n"
                 "FOLDER: images, PNG, JPEG or TIFF; quality 0 is fast, 1 medium, 2 best\n");
    return 2;
  }
  if (question.formats.empty()) question.formats = {BLOCKS_BC7};
  if (question.qualities.empty()) question.qualities = {QUALITY_FAST, QUALITY_MEDIUM, QUALITY_BEST};
  const weft::Status status = weft::bench::run(question);
  if (!status.ok()) fmt::print(stderr, "texture_bench: {}\n", weft::message_of(status));
  return status.ok() ? 0 : 1;
}
