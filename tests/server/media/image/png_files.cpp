// SPDX-License-Identifier: Apache-2.0
#include "tests/server/media/image/png_files.h"

#include <cstring>

#include <png.h>
#include <zlib.h>

namespace weft::media {

namespace {

std::string big_endian(uint32_t value) {
  return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
}

void append(png_structp png, png_bytep data, size_t count) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), count);
}

std::vector<png_byte> packed_row(const PngRecipe& recipe, int y, int components) {
  std::vector<png_byte> row(size_t(recipe.width * components) * 2);
  for (int i = 0; i < recipe.width * components; i++) {
    const int code = recipe.code(i / components, y, i % components) & ((1 << recipe.depth) - 1);
    if (recipe.depth == 16) {
      row[size_t(i) * 2] = png_byte(code >> 8);
      row[size_t(i) * 2 + 1] = png_byte(code);
    } else {
      const int bit = i * recipe.depth;
      row[size_t(bit / 8)] |= png_byte(code << (8 - recipe.depth - bit % 8));
    }
  }
  return row;
}

}  // namespace

std::string make_png(const PngRecipe& recipe) {
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &bytes, append, nullptr);
  png_set_IHDR(png, info, png_uint_32(recipe.width), png_uint_32(recipe.height), recipe.depth,
               recipe.colour_type, recipe.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  std::vector<png_color> palette(recipe.palette.size() / 3);
  if (!palette.empty()) std::memcpy(palette.data(), recipe.palette.data(), palette.size() * 3);
  if (!palette.empty()) png_set_PLTE(png, info, palette.data(), int(palette.size()));
  if (!recipe.transparency.empty())
    png_set_tRNS(png, info, recipe.transparency.data(), int(recipe.transparency.size()), nullptr);
  png_write_info(png, info);
  const int components = png_get_channels(png, info);
  std::vector<std::vector<png_byte>> rows;
  std::vector<png_bytep> pointers;
  for (int y = 0; y < recipe.height; y++) rows.push_back(packed_row(recipe, y, components));
  for (std::vector<png_byte>& row : rows) pointers.push_back(row.data());
  png_write_image(png, pointers.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto sum = uint32_t(crc32(0, reinterpret_cast<const Bytef*>(body.data()), uInt(body.size())));
  return big_endian(uint32_t(data.size())) + body + big_endian(sum);
}

std::string with_chunks(const std::string& png, const std::string& chunks) {
  const size_t samples = png.find("IDAT") - 4;
  return png.substr(0, 33) + chunks + png.substr(samples);
}

std::string zeros(const std::string& begin, int megabytes) {
  z_stream stream{};
  deflateInit(&stream, 9);
  std::string block = begin, packed(size_t{1} << 20, '\0'), result;
  for (int i = 0; i <= megabytes; i++) {
    stream.next_in = reinterpret_cast<Bytef*>(block.data());
    stream.avail_in = uInt(block.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = uInt(packed.size());
    deflate(&stream, i == megabytes ? Z_FINISH : Z_SYNC_FLUSH);
    result.append(packed, 0, packed.size() - stream.avail_out);
    block.assign(size_t{1} << 20, '\0');
  }
  deflateEnd(&stream);
  return result;
}

std::string make_profile(size_t bytes, const std::string& space) {
  std::string profile(bytes, '\0');
  const auto put = [&](size_t at, const std::string& text) { profile.replace(at, text.size(), text); };
  for (size_t i = 144; i < bytes; i++)
    profile[i] = char(i * i);  // libpng refuses a chunk that is compressed into few bytes.
  put(0, big_endian(uint32_t(bytes)));
  put(8, std::string("\x02\x40", 2));
  put(12, "mntr" + space + "XYZ ");
  put(36, "acsp");
  put(68, big_endian(0xf6d6) + big_endian(0x10000) + big_endian(0xd32d));  // D50 white point
  put(128, big_endian(1));
  put(132, "desc" + big_endian(144) + big_endian(uint32_t(bytes - 144)));
  put(144, std::string("desc\0\0\0\0\0\0\0\x08", 12) + "A screen");
  return profile;
}

std::string make_exif(int orientation, bool is_big_endian) {
  const auto number = [&](uint32_t value, int size) {
    std::string text;
    for (int i = 0; i < size; i++) text += char(value >> 8 * (is_big_endian ? size - 1 - i : i));
    return text;
  };
  return (is_big_endian ? "MM" : "II") + number(42, 2) + number(8, 4) + number(1, 2) + number(274, 2) +
         number(3, 2) + number(1, 4) + number(uint32_t(orientation), 2) + number(0, 2) + number(0, 4);
}

}  // namespace weft::media
