// SPDX-License-Identifier: Apache-2.0
// Defines functions shared by the benchmarks of textures: reading images as texels, halving,
// comparing, and running them through a network on a device.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>

#include "server/filters/texture/texture.h"
#include "server/graph/pipeline.h"
#include "server/media/image/image_file.h"
#include "server/media/image/transfer.h"

namespace weft::bench {

struct Texels {
  std::string name;
  int width = 0, height = 0;
  std::string rgba;

  int code(int x, int y, int c) const {
    return uint8_t(rgba[(size_t(y) * size_t(width) + size_t(x)) * 4 + size_t(c)]);
  }
};

// Reads the middle `crop` x `crop` pixels of an image, or all of it if `crop` is 0. The last pixel
// of an odd side is left out.
inline StatusOr<Texels> read_texels(const std::filesystem::path& path, int crop) {
  ASSIGN_OR_RETURN(const auto file, media::InputFile::open(path.string()));
  ASSIGN_OR_RETURN(const media::Image image, media::read_image(*file, {}));
  const int width = image.info.data.width, height = image.info.data.height;
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

inline double psnr_of(const std::string& truth, const std::string& made, int channels) {
  double sum = 0;
  for (size_t i = 0; i < truth.size(); i++)
    if (int(i % 4) < channels) sum += std::pow(double(uint8_t(truth[i])) - double(uint8_t(made[i])), 2);
  return 10 * std::log10(255.0 * 255.0 * double(truth.size() / 4) * channels / sum);
}

// Returns rounded means of two by two texels. The last texels of an odd side are left out.
inline Texels halved(const Texels& from) {
  Texels to{from.name, from.width / 2, from.height / 2, {}};
  const size_t row = size_t(from.width) * 4;
  for (int y = 0; y < to.height; y++)
    for (int x = 0; x < to.width; x++)
      for (size_t c = 0; c < 4; c++) {
        const size_t at = size_t(2 * y) * row + size_t(2 * x) * 4 + c;
        int sum = 2;
        for (const size_t index : {at, at + 4, at + row, at + row + 4}) sum += uint8_t(from.rgba[index]);
        to.rgba += char(sum / 4);
      }
  return to;
}

// Returns a network's output for one unit.
inline StatusOr<std::string> run_network(device::Device& device, graph::Network network,
                                         const std::string& unit, double* seconds) {
  ASSIGN_OR_RETURN(auto pipeline,
                   graph::Pipeline::make(device, std::move(network), {.plan = graph::kOneUnit}));
  RETURN_IF_ERROR(graph::push_only_unit(*pipeline, std::as_bytes(std::span(unit))));
  while (pipeline->ready() > 0) pipeline->submit(pipeline->ready());
  ASSIGN_OR_RETURN(const auto made, pipeline->pop());
  if (!made) return internal_error("Nothing came out of the pipeline.");
  for (const graph::BatchTime& time : pipeline->take_costs())
    *seconds += std::chrono::duration<double>(time.filter).count();
  return std::string(reinterpret_cast<const char*>(made->data[0]), pipeline->target_format().bytes);
}

}  // namespace weft::bench
