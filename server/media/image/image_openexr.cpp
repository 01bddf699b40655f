// SPDX-License-Identifier: Apache-2.0
// OpenEXR through its library. What is not a colour of the chosen layer is never interpreted: other parts are copied as they are
// compressed, other channels of the part as they are stored.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <new>

#include <Imath/half.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfDeepScanLineInputPart.h>
#include <OpenEXR/ImfDeepScanLineOutputPart.h>
#include <OpenEXR/ImfDeepTiledInputPart.h>
#include <OpenEXR/ImfDeepTiledOutputPart.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfMultiPartInputFile.h>
#include <OpenEXR/ImfMultiPartOutputFile.h>
#include <OpenEXR/ImfOutputPart.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfTiledInputPart.h>
#include <OpenEXR/ImfTiledOutputPart.h>

#include "server/media/image/image_formats.h"
#include "server/media/image/image_openexr_layers.h"

namespace weft::media {

namespace {

class MemoryInput final : public Imf::IStream {
 public:
  MemoryInput(const std::string& bytes, std::string_view name)
      : Imf::IStream(std::string(name).c_str()), bytes_(bytes) {}

  bool read(char target[], int count) override {
    if (count < 0 || at_ > bytes_.size() || size_t(count) > bytes_.size() - at_)
      throw Iex::InputExc("the file ends early");
    std::memcpy(target, bytes_.data() + at_, size_t(count));
    at_ += size_t(count);
    return at_ < bytes_.size();
  }
  uint64_t tellg() override { return at_; }
  void seekg(uint64_t position) override { at_ = position; }

 private:
  const std::string& bytes_;
  uint64_t at_ = 0;
};

class MemoryOutput final : public Imf::OStream {
 public:
  MemoryOutput() : Imf::OStream("memory") {}

  void write(const char source[], int count) override {
    if (at_ + uint64_t(count) > bytes_.size()) bytes_.resize(at_ + uint64_t(count));
    std::memcpy(bytes_.data() + at_, source, size_t(count));
    at_ += uint64_t(count);
  }
  uint64_t tellp() override { return at_; }
  void seekp(uint64_t position) override { at_ = position; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
  uint64_t at_ = 0;
};

struct OpenExrOrigin final : ImageOrigin {
  std::string name;  // of the file
  std::shared_ptr<const std::string> bytes;
  ColourChannels colours;
};

// Runs a function that uses the library, which throws.
template <class Function>
auto guarded(std::string_view name, std::string_view doing, Function function) -> decltype(function()) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return resource_exhausted("There is no memory to {} the image ({}).", doing, name);
  } catch (const std::exception& error) {
    std::string text = error.what();
    std::erase_if(text, [](unsigned char c) { return c < ' ' || c > '~'; });  // names out of a damaged file
    return data_loss("OpenEXR cannot {} the image ({}), which is damaged or cut off: {}.", doing, name, text);
  }
}

Imath::Box2i to_box(const ImageWindow& window) {
  return {{window.x, window.y}, {window.x + window.width - 1, window.y + window.height - 1}};
}

// Sizes are taken in 64 bits: a header may say anything.
StatusOr<ImageWindow> to_window(const Imath::Box2i& box, std::string_view what, std::string_view name) {
  const int64_t width = int64_t(box.max.x) - box.min.x + 1;
  const int64_t height = int64_t(box.max.y) - box.min.y + 1;
  const auto bounded = [](int64_t side) { return int(std::clamp<int64_t>(side, -1, int64_t{1} << 30)); };
  const ImageWindow window{box.min.x, box.min.y, bounded(width), bounded(height)};
  RETURN_IF_ERROR(check_window(window, what, name));
  return window;
}

void limit_headers() {
  static std::once_flag once;
  std::call_once(once, [] {
    Imf::Header::setMaxImageSize(kMaxImageSide, kMaxImageSide);
    Imf::Header::setMaxTileSize(kMaxImageSide, kMaxImageSide);
  });
}

StatusOr<ImageFacts> facts_of(const Imf::Header& header, const ColourChannels& colours,
                              std::string_view name) {
  ImageFacts facts;
  facts.format = ImageFormat::kOpenExr;
  ASSIGN_OR_RETURN(facts.data, to_window(header.dataWindow(), "data window", name));
  ASSIGN_OR_RETURN(facts.display, to_window(header.displayWindow(), "display window", name));
  facts.pixel_aspect = header.pixelAspectRatio();
  facts.has_alpha = colours.has_alpha;
  facts.is_gray = colours.is_gray;
  facts.layer = colours.label();
  const bool is_half = std::ranges::all_of(colours.names, [&](const std::string& channel) {
    return header.channels()[channel].type == Imf::HALF;
  });
  facts.samples = is_half ? SampleType::kHalf : SampleType::kFloat;
  facts.bit_depth = is_half ? 16 : 32;
  facts.is_float = true;
  if (header.hasTileDescription() && header.tileDescription().mode != Imf::ONE_LEVEL)
    facts.notes.push_back(
        "The smaller levels of the tiled image are left out of an output: they are made of the old picture.");
  return facts;
}

Imf::PixelType type_of(SampleType samples) { return samples == SampleType::kHalf ? Imf::HALF : Imf::FLOAT; }

// One component of the interleaved samples. The library takes no pointers to const, whatever it does with them.
Imf::Slice interleaved(const Image& image, size_t component, double fill = 0) {
  const size_t size = image.facts.samples == SampleType::kHalf ? 2 : 4;
  return Imf::Slice::Make(type_of(image.facts.samples), image.samples.get() + component * size,
                          to_box(image.facts.data), size * 4, size * 4 * size_t(image.facts.data.width), 1, 1,
                          fill);
}

template <class T>
void spread_luminance(std::span<T> samples) {
  for (size_t i = 0; i < samples.size(); i += 4) samples[i + 1] = samples[i + 2] = samples[i];
}

Status read_samples(Imf::MultiPartInputFile& file, const ColourChannels& colours, Image& image) {
  Imf::InputPart part(file, colours.part);
  Imf::FrameBuffer frame;
  for (size_t i = 0; i < colours.names.size(); i++)
    frame.insert(colours.names[i], interleaved(image, colours.component(i)));
  // A name that no channel has is filled.
  if (!colours.has_alpha) frame.insert(std::string(1, '\x01'), interleaved(image, 3, 1.0));
  part.setFrameBuffer(frame);
  part.readPixels(image.facts.data.y, image.facts.data.y + image.facts.data.height - 1);
  if (!colours.is_gray) return ok_status();
  if (image.facts.samples == SampleType::kHalf) spread_luminance(image.half_samples());
  if (image.facts.samples == SampleType::kFloat) spread_luminance(image.float_samples());
  return ok_status();
}

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

// A colour in the type of its channel.
Plane colour_plane(const Image& image, const ColourChannels& colours, size_t index,
                   const Imf::Channel& channel) {
  Plane plane{colours.names[index], channel};
  const size_t pixels = size_t(image.facts.data.pixels());
  const size_t component = colours.component(index);
  const bool is_luminance = colours.is_gray && component == 0;
  plane.bytes.resize(pixels * (channel.type == Imf::HALF ? 2 : 4));
  for (size_t i = 0; i < pixels; i++) {
    const float value = is_luminance
                            ? luminance(image.sample(i * 4), image.sample(i * 4 + 1), image.sample(i * 4 + 2))
                            : image.sample(i * 4 + component);
    if (channel.type == Imf::HALF) {
      const float bounded = std::isfinite(value) ? std::clamp(value, -kLargestHalf, kLargestHalf) : value;
      const uint16_t half = imath_float_to_half(bounded);
      std::memcpy(&plane.bytes[i * 2], &half, 2);
    } else {
      std::memcpy(&plane.bytes[i * 4], &value, 4);
    }
  }
  return plane;
}

// Whether the samples in memory can be written as they lie there.
bool is_direct(const Image& image, const ColourChannels& colours, const Imf::Channel& channel) {
  return !colours.is_gray && channel.type == type_of(image.facts.samples);
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
  part.readPixels(window.y, window.y + window.height - 1);
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
    part.writePixels(rows);
  }
}

// `planes`: the part's other channels; colours that lie in memory otherwise than in the file are added.
void write_colours(const Image& image, const ColourChannels& colours, std::vector<Plane>& planes,
                   Imf::MultiPartOutputFile& output) {
  const Imf::ChannelList& channels = output.header(colours.part).channels();
  Imf::FrameBuffer frame;
  for (size_t i = 0; i < colours.names.size(); i++) {
    const Imf::Channel& channel = channels[colours.names[i]];
    if (is_direct(image, colours, channel))
      frame.insert(colours.names[i], interleaved(image, colours.component(i)));
    else
      planes.push_back(colour_plane(image, colours, i, channel));
  }
  for (Plane& plane : planes) frame.insert(plane.name, plane.slice(image.facts.data));
  write_part(output, colours.part, frame, image.facts.data.height);
}

void set_depth(Imf::Header& header, const ColourChannels& colours, std::optional<SampleType> depth) {
  if (!depth) return;
  for (const std::string& name : colours.names) header.channels()[name.c_str()].type = type_of(*depth);
}

// Everything of the file that the image came from, with the new colours.
StatusOr<std::string> encode_like(const Image& image, const OpenExrOrigin& origin,
                                  std::optional<SampleType> depth) {
  MemoryInput bytes(*origin.bytes, origin.name);
  Imf::MultiPartInputFile input(bytes, 0);
  std::vector<Imf::Header> headers;
  for (int part = 0; part < input.parts(); part++) headers.push_back(input.header(part));
  Imf::Header& header = headers[size_t(origin.colours.part)];
  set_depth(header, origin.colours, depth);
  if (header.hasTileDescription()) header.tileDescription().mode = Imf::ONE_LEVEL;
  ASSIGN_OR_RETURN(std::vector<Plane> planes, read_other_channels(input, origin.colours, image.facts.data));
  MemoryOutput memory;
  {
    Imf::MultiPartOutputFile output(memory, headers.data(), int(headers.size()), true, 0);
    for (int part = 0; part < input.parts(); part++) {
      if (part == origin.colours.part)
        write_colours(image, origin.colours, planes, output);
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
  MemoryOutput memory;
  {
    std::vector<Plane> planes;
    Imf::MultiPartOutputFile output(memory, &header, 1, false, 0);
    write_colours(image, colours, planes, output);
  }
  return memory.take();
}

}  // namespace

StatusOr<Image> read_openexr(const ImageBytes& file, const ImageReading& reading) {
  limit_headers();
  return guarded(file.name, "read", [&]() -> StatusOr<Image> {
    MemoryInput bytes(*file.bytes, file.name);
    Imf::MultiPartInputFile input(bytes, 0);
    ASSIGN_OR_RETURN(ColourChannels colours, find_layer(input, reading, file.name));
    ASSIGN_OR_RETURN(ImageFacts facts, facts_of(input.header(colours.part), colours, file.name));
    Image image;
    if (!file.read_samples) {
      image.facts = std::move(facts);
      return image;
    }
    for (int part = 0; part < input.parts(); part++)
      if (!input.partComplete(part))
        return data_loss("The image ({}) is cut off: part {} is not complete.", file.name, part);
    ASSIGN_OR_RETURN(image, make_image(std::move(facts)));
    RETURN_IF_ERROR(read_samples(input, colours, image));
    auto origin = std::make_shared<OpenExrOrigin>();
    origin->name = file.name;
    origin->bytes = file.bytes;
    origin->colours = std::move(colours);
    image.origin = std::move(origin);
    return image;
  });
}

StatusOr<std::string> encode_openexr(const Image& image, std::optional<SampleType> depth) {
  limit_headers();
  const auto* origin = dynamic_cast<const OpenExrOrigin*>(image.origin.get());
  if (origin == nullptr) return guarded("output", "write", [&] { return encode_new(image, depth); });
  // What is written goes to memory, and what of it can be damaged comes out of that file.
  return guarded(origin->name, "carry over the rest of", [&] { return encode_like(image, *origin, depth); });
}

}  // namespace weft::media
