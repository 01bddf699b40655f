// SPDX-License-Identifier: Apache-2.0
#include "tests/server/media/image/tiff_files.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include <Imath/half.h>

#include "tests/server/media/clips.h"

namespace weft::media {

namespace {

using Tiff = std::unique_ptr<TIFF, void (*)(TIFF*)>;

template <class T>
void put(std::vector<uint8_t>& row, size_t index, T value) {
  std::memcpy(&row[index * sizeof(T)], &value, sizeof(T));
}

// Format: sign, 7 bits of exponent, 16 bits of mantissa, little-endian as this machine.
void put_float24(std::vector<uint8_t>& row, size_t index, double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);  // from 0.5 to 1
  const auto mantissa = uint32_t((fraction * 2 - 1) * 65536);
  uint32_t code = value == 0 ? 0 : uint32_t(exponent - 1 + 63) << 16 | mantissa;
  if (value < 0) code |= 0x800000;
  for (size_t i = 0; i < 3; i++) row[index * 3 + i] = uint8_t(code >> 8 * i);
}

void put_sample(const TiffRecipe& recipe, std::vector<uint8_t>& row, size_t index, double value) {
  const bool is_float = recipe.format == SAMPLEFORMAT_IEEEFP;
  const auto whole = uint32_t(int64_t(value));
  switch (recipe.bits) {
    case 8:
      return put(row, index, uint8_t(whole));
    case 16:
      return put(row, index, is_float ? imath_float_to_half(float(value)) : uint16_t(whole));
    case 24:
      if (is_float) return put_float24(row, index, value);
      for (size_t i = 0; i < 3; i++) row[index * 3 + i] = uint8_t(whole >> 8 * i);
      return;
    case 32:
      return is_float ? put(row, index, float(value)) : put(row, index, whole);
    case 64:
      return put(row, index, value);
    default:
      for (int bit = 0; bit < recipe.bits; bit++) {
        const size_t place = index * size_t(recipe.bits) + size_t(bit);
        if ((whole >> (recipe.bits - 1 - bit) & 1) != 0) row[place / 8] |= uint8_t(0x80 >> place % 8);
      }
  }
}

// Returns the lines of a block, of one plane or of all planes.
std::vector<uint8_t> block_of(const TiffRecipe& recipe, size_t row_bytes, int x0, int y0, int columns,
                              int rows, int plane) {
  std::vector<uint8_t> block;
  const int stored = recipe.apart ? 1 : recipe.components;
  for (int y = 0; y < rows; y++) {
    std::vector<uint8_t> row(row_bytes + 8);
    for (int x = 0; x < columns; x++)
      for (int c = 0; c < stored; c++) {
        const int from_x = std::min(x0 + x, recipe.width - 1), from_y = std::min(y0 + y, recipe.height - 1);
        put_sample(recipe, row, size_t(x * stored + c),
                   recipe.sample(from_x, from_y, recipe.apart ? plane : c));
      }
    block.insert(block.end(), row.begin(), row.begin() + ptrdiff_t(row_bytes));
  }
  return block;
}

void set_tags(TIFF* tiff, const TiffRecipe& recipe) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, recipe.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, recipe.height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, recipe.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, recipe.components);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, recipe.format);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, recipe.compression);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, recipe.photometric);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, recipe.apart ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  if (recipe.predictor != PREDICTOR_NONE) TIFFSetField(tiff, TIFFTAG_PREDICTOR, recipe.predictor);
  if (!recipe.extra.empty())
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, int(recipe.extra.size()), recipe.extra.data());
  const size_t entries = recipe.palette.size() / 3;
  if (entries > 0)
    TIFFSetField(tiff, TIFFTAG_COLORMAP, recipe.palette.data(), &recipe.palette[entries],
                 &recipe.palette[2 * entries]);
  if (recipe.tile_side > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, recipe.tile_side);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, recipe.tile_side);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, recipe.compression == COMPRESSION_JPEG ? 16 : 5);
  }
  if (recipe.more) recipe.more(tiff);
}

void write_page(TIFF* tiff, const TiffRecipe& recipe) {
  set_tags(tiff, recipe);
  const int planes = recipe.apart ? recipe.components : 1;
  const bool is_tiled = recipe.tile_side > 0;
  uint32_t strip_rows = 1;
  TIFFGetField(tiff, TIFFTAG_ROWSPERSTRIP, &strip_rows);
  const int step_y = is_tiled ? recipe.tile_side : int(strip_rows);
  const int step_x = is_tiled ? recipe.tile_side : recipe.width;
  for (int plane = 0; plane < planes; plane++)
    for (int y = 0; y < recipe.height; y += step_y)
      for (int x = 0; x < recipe.width; x += step_x) {
        const int rows = is_tiled ? step_y : std::min(step_y, recipe.height - y);
        const auto row_bytes = size_t(is_tiled ? TIFFTileRowSize(tiff) : TIFFScanlineSize(tiff));
        std::vector<uint8_t> block = block_of(recipe, row_bytes, x, y, step_x, rows, plane);
        if (is_tiled)
          TIFFWriteTile(tiff, block.data(), uint32_t(x), uint32_t(y), 0, uint16_t(plane));
        else
          TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, uint32_t(y), uint16_t(plane)), block.data(),
                                tmsize_t(block.size()));
      }
  TIFFWriteDirectory(tiff);
}

Tiff opened(const TestFolder& folder, const std::string& bytes) {
  write_file(folder.path("read.tif"), bytes);
  return {TIFFOpen(folder.path("read.tif").c_str(), "r"), TIFFClose};
}

}  // namespace

std::string make_tiff(const TiffRecipe& recipe) {
  const TestFolder folder;
  {
    const Tiff tiff(TIFFOpen(folder.path("a.tif").c_str(), recipe.mode), TIFFClose);
    for (int page = 0; page < recipe.pages; page++) write_page(tiff.get(), recipe);
  }
  return read_file(folder.path("a.tif"));
}

int number_of_tiff(const std::string& bytes, uint32_t tag) {
  const TestFolder folder;
  const Tiff tiff = opened(folder, bytes);
  uint16_t value = 0;
  TIFFGetFieldDefaulted(tiff.get(), tag, &value);
  return value;
}

std::string bytes_of_tiff(const std::string& bytes, uint32_t tag) {
  const TestFolder folder;
  const Tiff tiff = opened(folder, bytes);
  const TIFFField* field = TIFFFieldWithTag(tiff.get(), tag);
  uint32_t count = 0;
  const char* data = nullptr;
  if (field != nullptr && TIFFFieldPassCount(field) != 0)
    return TIFFGetField(tiff.get(), tag, &count, &data) == 1 ? std::string(data, count) : "";
  return TIFFGetField(tiff.get(), tag, &data) == 1 ? data : "";
}

std::string samples_of_tiff(const std::string& bytes) {
  const TestFolder folder;
  const Tiff tiff = opened(folder, bytes);
  std::string samples;
  for (uint32_t strip = 0; strip < TIFFNumberOfStrips(tiff.get()); strip++) {
    std::string block(size_t(TIFFStripSize(tiff.get())), '\0');
    const tmsize_t count = TIFFReadEncodedStrip(tiff.get(), strip, block.data(), tmsize_t(block.size()));
    samples += block.substr(0, size_t(std::max<tmsize_t>(count, 0)));
  }
  return samples;
}

}  // namespace weft::media
