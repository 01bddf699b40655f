// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/image_openexr_layers.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfTileDescription.h>

namespace weft::media {

namespace {

bool is_deep(const Imf::Header& header) {
  return header.hasType() && (header.type() == Imf::DEEPSCANLINE || header.type() == Imf::DEEPTILE);
}

// Finds channels of a layer by the last word of their names.
class Layer {
 public:
  void add(const std::string& name, const std::string& word) { names_.emplace_back(word, name); }
  // Returns the name of the channel with the last word `word`. An exact match precedes one that
  // differs in case. Returns an empty string if there is no such channel.
  std::string find(std::string_view word) const {
    const auto exact = std::ranges::find(names_, word, &Name::first);
    if (exact != names_.end()) return exact->second;
    const auto near = std::ranges::find_if(names_, [&](const Name& name) {
      return std::ranges::equal(name.first, word, [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
      });
    });
    return near != names_.end() ? near->second : "";
  }
  bool has(std::string_view word) const { return !find(word).empty(); }

 private:
  using Name = std::pair<std::string, std::string>;
  std::vector<Name> names_;
};

// Chooses R, G and B; else Y with its chroma RY and BY; else Y alone. Y is not chosen next to X or
// Z, since it is then a component of a vector. Returns false if the layer has no colours.
bool choose_channels(const Layer& layer, ColourChannels& colours) {
  std::vector<const char*> words;
  if (layer.has("R") && layer.has("G") && layer.has("B"))
    words = {"R", "G", "B"};
  else if (layer.has("Y") && layer.has("RY") && layer.has("BY"))
    words = {"Y", "RY", "BY"};
  else if (layer.has("Y") && !layer.has("X") && !layer.has("Z") && !layer.has("RY") && !layer.has("BY") &&
           !layer.has("R"))
    words = {"Y"};
  colours.is_gray = words.size() == 1;
  colours.is_chroma = words.size() == 3 && words[0][0] == 'Y';
  colours.has_alpha = layer.has("A");
  if (colours.has_alpha) words.push_back("A");
  for (const char* word : words) colours.names.push_back(layer.find(word));
  return !words.empty() && words[0][0] != 'A';
}

// Returns the layers of a part that have colours, in the order of their names. Some programs name
// the channels of the unnamed layer ".R", ".G" and ".B".
std::vector<ColourChannels> find_colours(const Imf::Header& header, int part) {
  std::map<std::string, Layer> layers;  // key: name of the channel up to its last dot
  for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel) {
    const std::string name = channel.name();
    const size_t begin = name.rfind('.') + 1;  // 0 if the name has no dot
    layers[name.substr(0, begin)].add(name, name.substr(begin));
  }
  std::vector<ColourChannels> found;
  for (const auto& [prefix, layer] : layers) {
    ColourChannels colours{part, header.hasName() ? header.name() : "",
                           prefix.substr(0, prefix.size() - (prefix.empty() ? 0 : 1))};
    if (choose_channels(layer, colours)) found.push_back(std::move(colours));
  }
  return found;
}

// Returns the names of all channels, for a message.
std::string channels_of(const Imf::MultiPartInputFile& file) {
  constexpr int kMost = 20;
  std::string names;
  int count = 0;
  for (int part = 0; part < file.parts(); part++)
    for (auto channel = file.header(part).channels().begin(); channel != file.header(part).channels().end();
         ++channel)
      if (count++ < kMost) names += (names.empty() ? "" : ", ") + printable(channel.name());
  if (count > kMost) names += fmt::format(" and {} more", count - kMost);
  return names.empty() ? "none" : names;
}

StatusOr<ColourChannels> choose_colours(const std::vector<ColourChannels>& found, const std::string& wanted,
                                        const Imf::MultiPartInputFile& file, std::string_view name) {
  std::string labels;
  for (const ColourChannels& colours : found)
    labels += (labels.empty() ? "" : ", ") + (colours.label().empty() ? "(unnamed)" : colours.label());
  if (found.empty())
    return invalid_argument(
        "The image ({}) has no layer with channels R, G and B, or Y, or Y, RY and BY; its channels are {}.",
        name, channels_of(file));
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
    const bool is_chroma =
        colours.is_chroma && (channel_name == colours.names[1] || channel_name == colours.names[2]);
    const int most = is_chroma ? 2 : 1;
    if (channel.xSampling != channel.ySampling || channel.xSampling > most)
      return invalid_argument(
          "The channel {} of the image ({}) is subsampled ({}x{}, where {}x{} is read); store it at full "
          "size.",
          channel_name, name, channel.xSampling, channel.ySampling, most, most);
  }
  if (colours.is_chroma &&
      header.channels()[colours.names[1]].xSampling != header.channels()[colours.names[2]].xSampling)
    return invalid_argument(
        "The channels {} and {} of the image ({}) are subsampled differently; store them alike.",
        colours.names[1], colours.names[2], name);
  return ok_status();
}

// Returns the decoded size of a part's compression unit. The library allocates that size before it
// reads a unit.
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

std::string printable(std::string name) {
  std::erase_if(name, [](unsigned char c) { return c < ' ' || c > '~'; });
  return name;
}

StatusOr<ColourChannels> find_layer(const Imf::MultiPartInputFile& file, const ImageReading& reading,
                                    std::string_view name) {
  RETURN_IF_ERROR(check_parts(file, name));
  std::vector<ColourChannels> found;
  for (int part = 0; part < file.parts(); part++)
    if (!is_deep(file.header(part)))
      for (ColourChannels& colours : find_colours(file.header(part), part))
        found.push_back(std::move(colours));
  ASSIGN_OR_RETURN(ColourChannels colours, choose_colours(found, reading.layer, file, name));
  RETURN_IF_ERROR(check_channels(file.header(colours.part), colours, name));
  return colours;
}

}  // namespace weft::media
