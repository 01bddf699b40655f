// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/image_openexr_layers.h"

#include <algorithm>
#include <map>

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfTileDescription.h>

namespace weft::media {

namespace {

bool is_deep(const Imf::Header& header) {
  return header.hasType() && (header.type() == Imf::DEEPSCANLINE || header.type() == Imf::DEEPTILE);
}

// The layers of a part that have colours, in the order of their names.
std::vector<ColourChannels> find_colours(const Imf::Header& header, int part) {
  std::map<std::string, std::vector<std::string>> layers;  // last words of the channels' names
  for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel) {
    const std::string name = channel.name();
    const size_t dot = name.rfind('.');
    layers[dot == std::string::npos ? "" : name.substr(0, dot)].push_back(
        dot == std::string::npos ? name : name.substr(dot + 1));
  }
  std::vector<ColourChannels> found;
  for (const auto& [layer, words] : layers) {
    const auto has = [&words = words](std::string_view word) {
      return std::ranges::find(words, word) != words.end();
    };
    const bool is_rgb = has("R") && has("G") && has("B");
    // X, Y, Z are a vector; RY and BY are the chroma of Y.
    const bool is_gray = has("Y") && !has("X") && !has("Z") && !has("RY") && !has("BY") && !has("R");
    if (!is_rgb && !is_gray) continue;
    ColourChannels colours{part, header.hasName() ? header.name() : "", layer, {}, !is_rgb, has("A")};
    const std::string prefix = layer.empty() ? "" : layer + ".";
    for (const char* word : {"R", "G", "B"})
      if (is_rgb) colours.names.push_back(prefix + word);
    if (!is_rgb) colours.names.push_back(prefix + "Y");
    if (colours.has_alpha) colours.names.push_back(prefix + "A");
    found.push_back(std::move(colours));
  }
  return found;
}

StatusOr<ColourChannels> choose_colours(const std::vector<ColourChannels>& found, const std::string& wanted,
                                        std::string_view name) {
  std::string labels;
  for (const ColourChannels& colours : found)
    labels += (labels.empty() ? "" : ", ") + (colours.label().empty() ? "(unnamed)" : colours.label());
  if (found.empty())
    return invalid_argument(
        "The image ({}) has no layer with channels R, G and B, or Y; there is nothing to work on.", name);
  for (const ColourChannels& colours : found)
    if (wanted.empty() ? colours.layer.empty()
                       : wanted == colours.label() || wanted == colours.layer || wanted == colours.part_name)
      return colours;
  if (!wanted.empty())
    return invalid_argument("The image ({}) has no layer {}; it has {}.", name, wanted, labels);
  if (found.size() == 1) return found.front();
  return invalid_argument("The image ({}) has several layers ({}); name one.", name, labels);
}

Status check_channels(const Imf::Header& header, const ColourChannels& colours, std::string_view name) {
  for (const std::string& channel_name : colours.names) {
    const Imf::Channel& channel = header.channels()[channel_name];
    if (channel.type == Imf::UINT)
      return invalid_argument("The channel {} of the image ({}) holds integers; halves or floats are light.",
                              channel_name, name);
    if (channel.xSampling != 1 || channel.ySampling != 1)
      return invalid_argument(
          "The channel {} of the image ({}) is subsampled ({}x{}); store it at full size.", channel_name,
          name, channel.xSampling, channel.ySampling);
  }
  return ok_status();
}

// Of the unit that a part is compressed in: the library makes room for one before it looks at any.
double chunk_bytes(const Imf::Header& header) {
  double pixel = 0;
  for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel)
    pixel += channel.channel().type == Imf::HALF ? 2 : 4;
  if (header.hasTileDescription())
    return pixel * header.tileDescription().xSize * header.tileDescription().ySize;
  const double width = double(header.dataWindow().max.x) - header.dataWindow().min.x + 1;
  switch (header.compression()) {
    case Imf::NO_COMPRESSION:
    case Imf::RLE_COMPRESSION:
    case Imf::ZIPS_COMPRESSION:
      return pixel * width;
    case Imf::ZIP_COMPRESSION:
    case Imf::PXR24_COMPRESSION:
      return pixel * width * 16;
    case Imf::DWAB_COMPRESSION:
      return pixel * width * 256;
    default:
      return pixel * width * 32;
  }
}

Status check_parts(const Imf::MultiPartInputFile& file, std::string_view name) {
  if (file.parts() > kMaxImageParts)
    return invalid_argument("The image ({}) has {} parts, at most {} are read.", name, file.parts(),
                            kMaxImageParts);
  for (int part = 0; part < file.parts(); part++) {
    const Imf::ChannelList& channels = file.header(part).channels();
    int count = 0;
    for (auto channel = channels.begin(); channel != channels.end(); ++channel) count++;
    if (count > kMaxImageChannels)
      return invalid_argument("Part {} of the image ({}) has {} channels, at most {} are read.", part, name,
                              count, kMaxImageChannels);
    if (const double bytes = chunk_bytes(file.header(part)); bytes > double(kMaxImageChunkBytes))
      return invalid_argument(
          "Part {} of the image ({}) comes in pieces of {:.0f} bytes, at most {} are read; write it with "
          "smaller tiles or another compression.",
          part, name, bytes, kMaxImageChunkBytes);
  }
  return ok_status();
}

}  // namespace

StatusOr<ColourChannels> find_layer(const Imf::MultiPartInputFile& file, const ImageReading& reading,
                                    std::string_view name) {
  RETURN_IF_ERROR(check_parts(file, name));
  std::vector<ColourChannels> found;
  for (int part = 0; part < file.parts(); part++)
    if (!is_deep(file.header(part)))
      for (ColourChannels& colours : find_colours(file.header(part), part))
        found.push_back(std::move(colours));
  ASSIGN_OR_RETURN(ColourChannels colours, choose_colours(found, reading.layer, name));
  RETURN_IF_ERROR(check_channels(file.header(colours.part), colours, name));
  return colours;
}

}  // namespace weft::media
