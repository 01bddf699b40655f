// SPDX-License-Identifier: Apache-2.0
// OpenEXR written through its library. What is not a colour of the chosen layer is carried over: other parts as they are compressed,
// other channels of the part as they are stored.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <Imath/half.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfDeepScanLineInputPart.h>
#include <OpenEXR/ImfDeepScanLineOutputPart.h>
#include <OpenEXR/ImfDeepTiledInputPart.h>
#include <OpenEXR/ImfDeepTiledOutputPart.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfMultiPartOutputFile.h>
#include <OpenEXR/ImfOutputPart.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfTiledInputPart.h>
#include <OpenEXR/ImfTiledOutputPart.h>

#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"
#include "server/media/image/openexr_chroma.h"
#include "server/media/image/openexr_library.h"

namespace weft::media {

namespace {

// A channel's samples as they are written.
struct Plane {
  std::string name;
  Imf::Channel channel;
  std::vector<std::byte> bytes{};

  Imf::Slice slice(const ImageWindow& window) {
    const size_t size = channel.type == Imf::HALF ? 2 : 4;
    const int columns = window.width / channel.xSampling;
    return Imf::Slice::Make(channel.type, bytes.data(), to_box(window), size, size * size_t(columns),
                            channel.xSampling, channel.ySampling);
  }
};

// The largest finite colour that is stored, of either sign. Lossy compression rings, and what rings beyond the largest half comes back
// infinite. DWA keeps x as 1 + ln(x) / 2.2 and loses about level / 100000 of each of a block's frequencies. Measured: pictures of 128x64
// pixels, flat, of noise, of edges and of single pixels at the bound, 36 of each of 13 kinds as R, G, B, as Y and as Y, RY, BY, by DWAA
// and DWAB. At level 0 nothing was infinite at exp(-0.016), to which halves of the logarithm are rounded; at levels 10 to 150 nothing
// at exp(-0.016 - 0.0005 * level), at 200 to 2000 nothing at exp(-0.016 - 0.0008 * level). Half as much again is left for
// other pictures: 61075 at the usual level of 45, 57175 at 100. B44 rings only where neighbours are far from each other on both
// sides of 0. Beyond all that encode_openexr() looks at what it wrote.
float largest_stored(const Imf::Header& header) {
  const bool is_dwa =
      header.compression() == Imf::DWAA_COMPRESSION || header.compression() == Imf::DWAB_COMPRESSION;
  if (!is_dwa) return kLargestHalf;
  const float level = std::clamp(header.dwaCompressionLevel(), 0.0f, 5000.0f);
  return kLargestHalf * std::exp(-0.016f - 0.0012f * level);
}

bool is_lossy(const Imf::Header& header) {
  switch (header.compression()) {
    case Imf::DWAA_COMPRESSION:
    case Imf::DWAB_COMPRESSION:
    case Imf::B44_COMPRESSION:
    case Imf::B44A_COMPRESSION:
      return true;
    default:
      return false;
  }
}

// A sample in the type of its channel.
void store(Plane& plane, size_t index, float value, float largest) {
  const bool is_half = plane.channel.type == Imf::HALF;
  const float bounded = std::isfinite(value) && (is_half || largest < kLargestHalf)
                            ? std::clamp(value, -largest, largest)
                            : value;
  const uint16_t half = imath_float_to_half(bounded);
  if (is_half)
    std::memcpy(&plane.bytes[index * 2], &half, 2);
  else
    std::memcpy(&plane.bytes[index * 4], &bounded, 4);
}

// A colour in the type of its channel. Alpha is never compressed with losses.
Plane colour_plane(const Image& image, const ColourChannels& colours, size_t index,
                   const Imf::Channel& channel, float largest) {
  Plane plane{colours.names[index], channel};
  const size_t pixels = size_t(image.facts.data.pixels());
  const size_t component = colours.component(index);
  const bool is_luminance = colours.is_gray && component == 0;
  plane.bytes.resize(pixels * (channel.type == Imf::HALF ? 2 : 4));
  for (size_t i = 0; i < pixels; i++) {
    const float value = is_luminance
                            ? luminance(image.sample(i * 4), image.sample(i * 4 + 1), image.sample(i * 4 + 2))
                            : image.sample(i * 4 + component);
    store(plane, i, value, component == 3 ? kLargestHalf : largest);
  }
  return plane;
}

void add_chroma_planes(const Image& image, const ColourChannels& colours, const Imf::Header& header,
                       float largest, std::vector<Plane>& planes) {
  const Imf::ChannelList& channels = header.channels();
  ChromaPlanes chroma(image.facts.data, channels[colours.names[1]].xSampling);
  chroma.from_rgb(header, image);
  for (size_t i = 0; i < 3; i++) {
    Plane plane{colours.names[i], channels[colours.names[i]]};
    const std::vector<float>& values = chroma.plane(i);
    plane.bytes.resize(values.size() * (plane.channel.type == Imf::HALF ? 2 : 4));
    for (size_t at = 0; at < values.size(); at++) store(plane, at, values[at], largest);
    planes.push_back(std::move(plane));
  }
}

float largest_colour(const Image& image) {
  float largest = 0;
  for (size_t i = 0; i < image.sample_count(); i++)
    if (const float value = std::abs(image.sample(i)); i % 4 != 3 && std::isfinite(value))
      largest = std::max(largest, value);
  return largest;
}

// Whether the samples in memory can be written as they lie there.
bool is_direct(const Image& image, const ColourChannels& colours, const Imf::Channel& channel) {
  return !colours.is_gray && !colours.is_chroma && channel.type == type_of(image.facts.samples);
}

StatusOr<std::vector<Plane>> read_other_channels(Imf::MultiPartInputFile& input,
                                                 const ColourChannels& colours, const ImageWindow& window) {
  std::vector<Plane> planes;
  int64_t bytes = 0;
  const Imf::ChannelList& channels = input.header(colours.part).channels();
  for (auto channel = channels.begin(); channel != channels.end(); ++channel) {
    if (std::ranges::find(colours.names, channel.name()) != colours.names.end()) continue;
    planes.push_back({channel.name(), channel.channel()});
    const Imf::Channel& c = channel.channel();
    bytes +=
        int64_t(window.width / c.xSampling) * (window.height / c.ySampling) * (c.type == Imf::HALF ? 2 : 4);
  }
  if (bytes > kMaxOtherChannelBytes)
    return invalid_argument("The image's other channels have {} bytes, at most {} are carried over.", bytes,
                            kMaxOtherChannelBytes);
  Imf::FrameBuffer frame;
  for (Plane& plane : planes) {
    const Imf::Channel& c = plane.channel;
    plane.bytes.resize(size_t(window.width / c.xSampling) * size_t(window.height / c.ySampling) *
                       (c.type == Imf::HALF ? 2 : 4));
    frame.insert(plane.name, plane.slice(window));
  }
  if (planes.empty()) return planes;
  Imf::InputPart part(input, colours.part);
  part.setFrameBuffer(frame);
  for_bands(window.height,
            [&](int first, int rows) { part.readPixels(window.y + first, window.y + first + rows - 1); });
  return planes;
}

// The library makes room for as much as a deep chunk says it has.
void check_deep_sizes(Imf::DeepScanLineInputPart& part, const Imath::Box2i& window, uint64_t most) {
  for (int64_t y = window.min.y; y <= window.max.y; y++) {
    uint64_t bytes = 0;
    part.rawPixelData(int(y), nullptr, bytes);
    if (bytes > most) throw Iex::InputExc("a deep line is larger than the file");
  }
}

void check_deep_sizes(Imf::DeepTiledInputPart& part, uint64_t most) {
  for (int level_y = 0; level_y < part.numYLevels(); level_y++)
    for (int level_x = 0; level_x < part.numXLevels(); level_x++) {
      if (!part.isValidLevel(level_x, level_y)) continue;
      for (int y = 0; y < part.numYTiles(level_y); y++)
        for (int x = 0; x < part.numXTiles(level_x); x++) {
          uint64_t bytes = 0;
          int tile_x = x, tile_y = y, tile_level_x = level_x, tile_level_y = level_y;
          part.rawTileData(tile_x, tile_y, tile_level_x, tile_level_y, nullptr, bytes);
          if (bytes > most) throw Iex::InputExc("a deep tile is larger than the file");
        }
    }
}

// Compressed data as it is. `most`: bytes of the file.
void copy_part(Imf::MultiPartInputFile& input, Imf::MultiPartOutputFile& output, int part, uint64_t most) {
  const std::string type = input.header(part).type();
  if (type == Imf::DEEPSCANLINE) {
    Imf::DeepScanLineInputPart from(input, part);
    check_deep_sizes(from, input.header(part).dataWindow(), most);
    Imf::DeepScanLineOutputPart(output, part).copyPixels(from);
  } else if (type == Imf::DEEPTILE) {
    Imf::DeepTiledInputPart from(input, part);
    check_deep_sizes(from, most);
    Imf::DeepTiledOutputPart(output, part).copyPixels(from);
  } else if (type == Imf::TILEDIMAGE) {
    Imf::TiledInputPart from(input, part);
    Imf::TiledOutputPart(output, part).copyPixels(from);
  } else {
    Imf::InputPart from(input, part);
    Imf::OutputPart(output, part).copyPixels(from);
  }
}

void write_part(Imf::MultiPartOutputFile& output, int number, const Imf::FrameBuffer& frame, int rows) {
  if (output.header(number).hasTileDescription()) {
    Imf::TiledOutputPart part(output, number);
    part.setFrameBuffer(frame);
    part.writeTiles(0, part.numXTiles() - 1, 0, part.numYTiles() - 1);
  } else {
    Imf::OutputPart part(output, number);
    part.setFrameBuffer(frame);
    for_bands(rows, [&](int, int count) { part.writePixels(count); });
  }
}

// `planes`: the part's other channels; colours that lie in memory otherwise than in the file, or are larger than it may store, are added.
void write_colours(const Image& image, const ColourChannels& colours, std::vector<Plane>& planes,
                   float largest, Imf::MultiPartOutputFile& output) {
  const Imf::Header& header = output.header(colours.part);
  const Imf::ChannelList& channels = header.channels();
  Imf::FrameBuffer frame;
  const bool fits = largest >= kLargestHalf || largest_colour(image) <= largest;
  if (colours.is_chroma) add_chroma_planes(image, colours, header, largest, planes);
  for (size_t i = colours.is_chroma ? 3 : 0; i < colours.names.size(); i++) {
    const Imf::Channel& channel = channels[colours.names[i]];
    const bool is_alpha = colours.component(i) == 3;
    if ((is_alpha && channel.type == type_of(image.facts.samples)) ||
        (fits && is_direct(image, colours, channel)))
      frame.insert(colours.names[i], interleaved(image, colours.component(i)));
    else
      planes.push_back(colour_plane(image, colours, i, channel, largest));
  }
  for (Plane& plane : planes) frame.insert(plane.name, plane.slice(image.facts.data));
  write_part(output, colours.part, frame, image.facts.data.height);
}

void set_depth(Imf::Header& header, const ColourChannels& colours, std::optional<SampleType> depth) {
  if (!depth) return;
  for (const std::string& name : colours.names) header.channels()[name.c_str()].type = type_of(*depth);
}

// Everything of the file that the image came from, with the new colours. `share` of the largest that can be stored is stored.
StatusOr<std::string> encode_like(const Image& image, const OpenExrOrigin& origin,
                                  std::optional<SampleType> depth, float share) {
  MemoryInput bytes(*origin.bytes, origin.name);
  Imf::MultiPartInputFile input(bytes, 0);
  std::vector<Imf::Header> headers;
  for (int part = 0; part < input.parts(); part++) headers.push_back(input.header(part));
  Imf::Header& header = headers[size_t(origin.colours.part)];
  set_depth(header, origin.colours, depth);
  if (header.hasTileDescription()) header.tileDescription().mode = Imf::ONE_LEVEL;
  ASSIGN_OR_RETURN(std::vector<Plane> planes, read_other_channels(input, origin.colours, image.facts.data));
  const float largest = share * largest_stored(header);
  MemoryOutput memory;
  {
    Imf::MultiPartOutputFile output(memory, headers.data(), int(headers.size()), true, 0);
    for (int part = 0; part < input.parts(); part++) {
      if (part == origin.colours.part)
        write_colours(image, origin.colours, planes, largest, output);
      else
        copy_part(input, output, part, origin.bytes->size());
    }
  }
  return memory.take();
}

StatusOr<std::string> encode_new(const Image& image, std::optional<SampleType> depth) {
  const ImageFacts& facts = image.facts;
  ColourChannels colours;
  colours.is_gray = facts.is_gray;
  colours.has_alpha = facts.has_alpha;
  colours.names = facts.is_gray ? std::vector<std::string>{"Y"} : std::vector<std::string>{"R", "G", "B"};
  if (facts.has_alpha) colours.names.push_back("A");
  Imf::Header header(to_box(facts.display), to_box(facts.data), float(facts.pixel_aspect));
  header.setType(Imf::SCANLINEIMAGE);
  header.compression() = Imf::ZIP_COMPRESSION;
  for (const std::string& name : colours.names)
    header.channels().insert(name, Imf::Channel(type_of(depth.value_or(facts.samples))));
  const ImageMetadata& metadata = metadata_of(facts);
  if (const std::optional<Chromaticities>& c = metadata.chromaticities) {
    const auto place = [](double x, double y) { return Imath::V2f(float(x), float(y)); };
    Imf::addChromaticities(header, {place(c->red_x, c->red_y), place(c->green_x, c->green_y),
                                    place(c->blue_x, c->blue_y), place(c->white_x, c->white_y)});
  }
  if (metadata.resolution && metadata.resolution->unit != Resolution::Unit::kNone)
    Imf::addXDensity(header, float(metadata.resolution->per(Resolution::Unit::kInch).x));
  MemoryOutput memory;
  {
    std::vector<Plane> planes;
    Imf::MultiPartOutputFile output(memory, &header, 1, false, 0);
    write_colours(image, colours, planes, kLargestHalf, output);
  }
  return memory.take();
}

// Whether a colour that was finite came out of compression infinite or no number.
StatusOr<bool> is_spoilt(const Image& image, const OpenExrOrigin& origin, const std::string& bytes) {
  MemoryInput memory(bytes, origin.name);
  Imf::MultiPartInputFile input(memory, 0);
  ImageFacts facts = image.facts;
  facts.samples = SampleType::kFloat;
  ASSIGN_OR_RETURN(Image stored, make_image(std::move(facts)));
  read_colours(input, origin.colours, stored);
  for (size_t i = 0; i < stored.sample_count(); i++)
    if (!std::isfinite(stored.float_samples()[i]) && std::isfinite(image.sample(i))) return true;
  return false;
}

// Less and less of large colours is stored until all that was finite stays so.
StatusOr<std::string> encode_unspoilt(const Image& image, const OpenExrOrigin& origin,
                                      std::optional<SampleType> depth) {
  constexpr float kLeastShare = 1.0f / 4096;
  ASSIGN_OR_RETURN(std::string bytes, encode_like(image, origin, depth, 1));
  MemoryInput memory(*origin.bytes, origin.name);
  const Imf::MultiPartInputFile input(memory, 0);
  const Imf::Header& header = input.header(origin.colours.part);
  if (!is_lossy(header) || largest_colour(image) < largest_stored(header) / 4) return bytes;
  for (float share = 0.5f; share >= kLeastShare; share /= 2) {
    ASSIGN_OR_RETURN(const bool spoilt, is_spoilt(image, origin, bytes));
    if (!spoilt) break;
    ASSIGN_OR_RETURN(bytes, encode_like(image, origin, depth, share));
  }
  return bytes;
}

}  // namespace

StatusOr<std::string> encode_openexr(const Image& image, std::optional<SampleType> depth) {
  limit_openexr_headers();
  const auto* origin = dynamic_cast<const OpenExrOrigin*>(image.origin.get());
  if (origin == nullptr) return guarded("output", "write", [&] { return encode_new(image, depth); });
  // What is written goes to memory, and what of it can be damaged comes out of that file.
  return guarded(origin->name, "carry over the rest of",
                 [&] { return encode_unspoilt(image, *origin, depth); });
}

}  // namespace weft::media
