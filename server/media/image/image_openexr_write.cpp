// SPDX-License-Identifier: Apache-2.0
// Writes OpenEXR through its library. Everything but the colours of the chosen layer is kept: other
// parts are copied without decompression, other channels of the same part with their stored values.
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

// Holds a channel's samples in the type of the output.
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

// Returns the largest finite colour, of either sign, that is stored. Lossy compression causes
// ringing, and values that ring beyond the largest half are read back as infinite.
//
// DWA stores x as 1 + ln(x) / 2.2 and loses about level / 100000 of each frequency of a block.
// Measured with pictures of 128x64 pixels (flat, noise, edges, single pixels at the bound), 36 of
// each of 13 kinds as R, G, B, as Y and as Y, RY, BY, by DWAA and DWAB. No value became infinite at
// exp(-0.016) for level 0, to which halves of the logarithm are rounded; at exp(-0.016 - 0.0005 *
// level) for levels 10 to 150; and at exp(-0.016 - 0.0008 * level) for levels 200 to 2000. The
// margin here is 1.5 times that: 61075 at the usual level of 45, 57175 at 100.
//
// B44 rings only where neighbours on both sides of 0 are far from each other. encode_openexr()
// checks the result for such values.
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

// Stores a sample in the type of its channel, limited to `largest` if it is finite.
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

// Returns the samples of a colour or of alpha in the type of the channel. `largest` does not limit
// alpha, which is never compressed with losses.
Plane colour_plane(const Image& image, const ColourChannels& colours, size_t index,
                   const Imf::Channel& channel, float largest) {
  Plane plane{colours.names[index], channel};
  const size_t pixels = size_t(image.info.data.pixels());
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
  ChromaPlanes chroma(image.info.data, channels[colours.names[1]].xSampling);
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

// Returns true if the samples in memory can be written directly.
bool is_direct(const Image& image, const ColourChannels& colours, const Imf::Channel& channel) {
  return !colours.is_gray && !colours.is_chroma && channel.type == type_of(image.info.samples);
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

// Refuses deep lines that declare more bytes than the file has, because the library allocates the
// declared size.
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

// Copies a part without decompression. `most` is the size of the file in bytes.
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

// Writes the part of the colours. `planes` holds the part's other channels. Colours that cannot be
// written from memory are added to `planes`: their type or channels differ from the file's, or they
// exceed `largest`.
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
    if ((is_alpha && channel.type == type_of(image.info.samples)) ||
        (fits && is_direct(image, colours, channel)))
      frame.insert(colours.names[i], interleaved(image, colours.component(i)));
    else
      planes.push_back(colour_plane(image, colours, i, channel, largest));
  }
  for (Plane& plane : planes) frame.insert(plane.name, plane.slice(image.info.data));
  write_part(output, colours.part, frame, image.info.data.height);
}

void set_depth(Imf::Header& header, const ColourChannels& colours, std::optional<SampleType> depth) {
  if (!depth) return;
  for (const std::string& name : colours.names) header.channels()[name.c_str()].type = type_of(*depth);
}

// Encodes the file that the image was read from, with new colours. Colours are limited to `share`
// of the largest value that can be stored.
StatusOr<std::string> encode_like(const Image& image, const OpenExrOrigin& origin,
                                  std::optional<SampleType> depth, float share) {
  MemoryInput bytes(*origin.bytes, origin.name);
  Imf::MultiPartInputFile input(bytes, 0);
  std::vector<Imf::Header> headers;
  for (int part = 0; part < input.parts(); part++) headers.push_back(input.header(part));
  Imf::Header& header = headers[size_t(origin.colours.part)];
  set_depth(header, origin.colours, depth);
  if (header.hasTileDescription()) header.tileDescription().mode = Imf::ONE_LEVEL;
  ASSIGN_OR_RETURN(std::vector<Plane> planes, read_other_channels(input, origin.colours, image.info.data));
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
  const ImageInfo& info = image.info;
  ColourChannels colours;
  colours.is_gray = info.is_gray;
  colours.has_alpha = info.has_alpha;
  colours.names = info.is_gray ? std::vector<std::string>{"Y"} : std::vector<std::string>{"R", "G", "B"};
  if (info.has_alpha) colours.names.push_back("A");
  Imf::Header header(to_box(info.display), to_box(info.data), float(info.pixel_aspect));
  header.setType(Imf::SCANLINEIMAGE);
  header.compression() = Imf::ZIP_COMPRESSION;
  for (const std::string& name : colours.names)
    header.channels().insert(name, Imf::Channel(type_of(depth.value_or(info.samples))));
  const ImageMetadata& metadata = metadata_of(info);
  if (const std::optional<Chromaticities>& c = metadata.chromaticities) {
    const auto point = [](double x, double y) { return Imath::V2f(float(x), float(y)); };
    Imf::addChromaticities(header, {point(c->red_x, c->red_y), point(c->green_x, c->green_y),
                                    point(c->blue_x, c->blue_y), point(c->white_x, c->white_y)});
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

// Returns true if compression turned a finite colour into an infinity or NaN.
StatusOr<bool> is_spoilt(const Image& image, const OpenExrOrigin& origin, const std::string& bytes) {
  MemoryInput memory(bytes, origin.name);
  Imf::MultiPartInputFile input(memory, 0);
  ImageInfo info = image.info;
  info.samples = SampleType::kFloat;
  ASSIGN_OR_RETURN(Image stored, make_image(std::move(info)));
  read_colours(input, origin.colours, stored);
  for (size_t i = 0; i < stored.sample_count(); i++)
    if (!std::isfinite(stored.float_samples()[i]) && std::isfinite(image.sample(i))) return true;
  return false;
}

// Encodes with lower and lower limits on large colours, until no finite colour is read back as
// infinite.
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
  // The output is in memory, so an error of damaged data can only come from the source file.
  return guarded(origin->name, "carry over the rest of",
                 [&] { return encode_unspoilt(image, *origin, depth); });
}

}  // namespace weft::media
