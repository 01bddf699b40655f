// SPDX-License-Identifier: Apache-2.0
#include "tests/server/media/image/images.h"

#include <cstring>
#include <random>

#include <Imath/half.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfDeepFrameBuffer.h>
#include <OpenEXR/ImfDeepScanLineInputPart.h>
#include <OpenEXR/ImfDeepScanLineOutputPart.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfMultiPartInputFile.h>
#include <OpenEXR/ImfMultiPartOutputFile.h>
#include <OpenEXR/ImfOutputPart.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <OpenEXR/ImfTiledOutputPart.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"

namespace weft::media {

namespace {

Imath::Box2i box_of(const ImageWindow& window) {
  return {{window.x, window.y}, {window.x + window.width - 1, window.y + window.height - 1}};
}

size_t size_of(Imf::PixelType type) { return type == Imf::HALF ? 2 : 4; }

// The samples of a channel and the slice that describes them.
struct Samples {
  std::string bytes;
  Imf::Slice slice;

  Samples(const Imf::Channel& channel, const Imath::Box2i& window) {
    const int columns = (window.max.x - window.min.x + 1) / channel.xSampling;
    const int rows = (window.max.y - window.min.y + 1) / channel.ySampling;
    const size_t size = size_of(channel.type);
    bytes.resize(size_t(columns) * size_t(rows) * size);
    slice = Imf::Slice::Make(channel.type, bytes.data(), window, size, size * size_t(columns),
                             channel.xSampling, channel.ySampling);
  }
};

void fill(Samples& samples, Imf::PixelType type, std::mt19937& random) {
  std::lognormal_distribution<float> light(0, 3);
  for (size_t at = 0; at < samples.bytes.size(); at += size_of(type)) {
    const float value = light(random);
    if (type == Imf::HALF) {
      // One in eight is a random half float: denormals, infinities, NaN and minus zero among them.
      const uint16_t half =
          random() % 8 == 0 ? uint16_t(random()) : imath_float_to_half(std::min(value, 65504.0f));
      std::memcpy(&samples.bytes[at], &half, 2);
    } else {
      const auto integer = uint32_t(random());
      std::memcpy(&samples.bytes[at], type == Imf::FLOAT ? static_cast<const void*>(&value) : &integer, 4);
    }
  }
}

// An attribute of a vendor's own type, as four bytes.
class VendorAttribute final : public Imf::Attribute {
 public:
  const char* typeName() const override { return "vendorSecret"; }
  Imf::Attribute* copy() const override { return new VendorAttribute(*this); }
  void writeValueTo(Imf::OStream& stream, int) const override { stream.write("\x07\x00what", 6); }
  void readValueFrom(Imf::IStream&, int, int) override {}
  void copyValueFrom(const Imf::Attribute&) override {}
};

void add_attributes(Imf::Header& header) {
  header.insert("comments", Imf::StringAttribute("a scene"));
  header.insert("worldToCamera",
                Imf::M44fAttribute(Imath::M44f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)));
  Imf::addFramesPerSecond(header, Imf::Rational(24, 1));
  Imf::addOwner(header, "somebody");
  Imf::Chromaticities ap0({0.7347f, 0.2653f}, {0, 1}, {0.0001f, -0.077f}, {0.32168f, 0.33767f});
  Imf::addChromaticities(header, ap0);
}

Imf::Header header_of(const ExrRecipe& recipe) {
  Imf::Header header(box_of(recipe.display), box_of(recipe.data), 1.5f, {0.25f, -0.5f}, 2.0f,
                     Imf::LineOrder(recipe.line_order), Imf::Compression(recipe.compression));
  const int sampling = recipe.is_subsampled ? 2 : 1;
  for (const std::string& name : recipe.half_channels)
    header.channels().insert(name, name == recipe.half_channels.front()
                                       ? Imf::Channel(Imf::HALF, sampling, sampling)
                                       : Imf::Channel(Imf::HALF, 1, 1, name == "G"));
  for (const std::string& name : recipe.float_channels)
    header.channels().insert(name, Imf::Channel(Imf::FLOAT));
  for (const std::string& name : recipe.uint_channels)
    header.channels().insert(name, Imf::Channel(Imf::UINT));
  if (recipe.tile_side > 0)
    header.setTileDescription(Imf::TileDescription(unsigned(recipe.tile_side), unsigned(recipe.tile_side),
                                                   recipe.levels ? Imf::MIPMAP_LEVELS : Imf::ONE_LEVEL));
  header.setType(recipe.tile_side > 0 ? Imf::TILEDIMAGE : Imf::SCANLINEIMAGE);
  add_attributes(header);
  if (recipe.dwa_level > 0) header.dwaCompressionLevel() = recipe.dwa_level;
  return header;
}

void write_part(Imf::MultiPartOutputFile& file, int number, std::mt19937& random) {
  const Imf::Header& header = file.header(number);
  std::map<std::string, Samples> samples;
  Imf::FrameBuffer frame;
  for (auto c = header.channels().begin(); c != header.channels().end(); ++c) {
    Samples& channel = samples.try_emplace(c.name(), c.channel(), header.dataWindow()).first->second;
    fill(channel, c.channel().type, random);
    frame.insert(c.name(), channel.slice);
  }
  if (!header.hasTileDescription()) {
    Imf::OutputPart part(file, number);
    part.setFrameBuffer(frame);
    part.writePixels(header.dataWindow().max.y - header.dataWindow().min.y + 1);
    return;
  }
  Imf::TiledOutputPart part(file, number);
  part.setFrameBuffer(frame);  // Smaller levels use a corner of the same samples.
  for (int level = 0; level < part.numLevels(); level++)
    part.writeTiles(0, part.numXTiles(level) - 1, 0, part.numYTiles(level) - 1, level);
}

void write_deep(Imf::MultiPartOutputFile& file, int number) {
  const Imath::Box2i window = file.header(number).dataWindow();
  const auto width = size_t(window.max.x - window.min.x + 1);
  const auto height = size_t(window.max.y - window.min.y + 1);
  std::vector<unsigned> counts(width * height);
  std::vector<std::vector<float>> depths(width * height);
  std::vector<char*> pointers;
  for (size_t i = 0; i < counts.size(); i++) {
    counts[i] = unsigned(i % 4);
    depths[i].assign(std::max(counts[i], 1u), float(i));
    pointers.push_back(reinterpret_cast<char*>(depths[i].data()));
  }
  const size_t origin = size_t(window.min.y) * width + size_t(window.min.x);
  Imf::DeepFrameBuffer frame;
  frame.insertSampleCountSlice(Imf::Slice(Imf::UINT, reinterpret_cast<char*>(counts.data() - origin),
                                          sizeof(unsigned), sizeof(unsigned) * width));
  frame.insert("Z", Imf::DeepSlice(Imf::FLOAT, reinterpret_cast<char*>(pointers.data() - origin),
                                   sizeof(char*), sizeof(char*) * width, sizeof(float)));
  Imf::DeepScanLineOutputPart part(file, number);
  part.setFrameBuffer(frame);
  part.writePixels(int(height));
}

std::string written(std::vector<Imf::Header> headers) {
  const TestFolder folder;
  std::mt19937 random(3);
  {
    Imf::MultiPartOutputFile file(folder.path("a.exr").c_str(), headers.data(), int(headers.size()), false,
                                  0);
    for (int part = 0; part < int(headers.size()); part++) {
      if (headers[size_t(part)].type() == Imf::DEEPSCANLINE)
        write_deep(file, part);
      else
        write_part(file, part, random);
    }
  }
  return read_file(folder.path("a.exr"));
}

}  // namespace

std::string make_exr(const ExrRecipe& recipe) {
  Imf::Header header = header_of(recipe);
  header.insert("vendor", VendorAttribute());
  return written({header});
}

std::string make_multi_part_exr(const ExrRecipe& recipe) {
  ExrRecipe tiles = recipe;
  tiles.tile_side = 16;
  ExrRecipe flat = recipe;
  flat.half_channels = {};
  flat.float_channels = {"Z"};
  std::vector<Imf::Header> headers = {header_of(recipe), header_of(flat), header_of(tiles)};
  headers[1].setType(Imf::DEEPSCANLINE);
  headers[1].compression() = Imf::ZIPS_COMPRESSION;
  const char* names[] = {"left", "deep", "right"};
  for (size_t i = 0; i < 3; i++) headers[i].setName(names[i]);
  return written(std::move(headers));
}

std::string damage_other_part(const std::string& multi_part) {
  std::string bytes = multi_part;
  for (size_t at = bytes.size(); at-- > 0;) {
    bytes[at] = char(~bytes[at]);
    const StatusOr<Image> image = read_image(bytes, "a.exr", {});
    if (image.ok() && !encode_image(*image, {}).ok()) return bytes;
    bytes[at] = multi_part[at];
  }
  ADD_FAILURE() << "no byte is in a chunk's header";
  return bytes;
}

std::map<std::string, std::string> exr_channels(const std::string& bytes, int part) {
  const TestFolder folder;
  write_file(folder.path("a.exr"), bytes);
  Imf::MultiPartInputFile file(folder.path("a.exr").c_str(), 0);
  const Imf::Header& header = file.header(part);
  std::map<std::string, Samples> samples;
  Imf::FrameBuffer frame;
  for (auto c = header.channels().begin(); c != header.channels().end(); ++c)
    frame.insert(c.name(),
                 samples.try_emplace(c.name(), c.channel(), header.dataWindow()).first->second.slice);
  Imf::InputPart input(file, part);
  input.setFrameBuffer(frame);
  input.readPixels(header.dataWindow().min.y, header.dataWindow().max.y);
  std::map<std::string, std::string> result;
  for (auto& [name, channel] : samples) result[name] = channel.bytes;
  return result;
}

std::vector<std::string> deep_chunks(const std::string& bytes, int part) {
  const TestFolder folder;
  write_file(folder.path("a.exr"), bytes);
  Imf::MultiPartInputFile file(folder.path("a.exr").c_str(), 0);
  const Imath::Box2i window = file.header(part).dataWindow();
  Imf::DeepScanLineInputPart input(file, part);
  std::vector<std::string> chunks;
  for (int y = window.min.y; y <= window.max.y; y++) {
    uint64_t size = 0;
    input.rawPixelData(y, nullptr, size);
    std::string chunk(size, '\0');
    input.rawPixelData(y, chunk.data(), size);
    chunks.push_back(chunk);
  }
  return chunks;
}

std::string exr_header(const std::string& bytes) {
  const TestFolder folder;
  write_file(folder.path("a.exr"), bytes);
  std::string text = run("exrheader " + folder.path("a.exr"));
  const size_t begin = text.find("file format version");
  EXPECT_NE(begin, std::string::npos) << text;
  return text.substr(std::min(begin, text.size()));
}

Image read_any(const std::string& bytes) {
  StatusOr<Image> image = read_image(bytes, "test", {});
  EXPECT_THAT(image.status(), IsOk());
  if (!image.ok()) std::abort();
  return *std::move(image);
}

std::string encode_as(ImageFormat format, const Image& image, std::optional<SampleType> depth) {
  StatusOr<std::string> bytes = encode_image(image, {format, depth});
  EXPECT_THAT(bytes, IsOk());
  if (!bytes.ok()) std::abort();
  return *std::move(bytes);
}

Image read_exr(const std::string& bytes, const std::string& layer) {
  StatusOr<Image> image = read_image(bytes, "test.exr", {layer});
  EXPECT_THAT(image, IsOk());
  if (!image.ok()) std::abort();
  return *std::move(image);
}

}  // namespace weft::media
