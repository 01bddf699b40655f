// SPDX-License-Identifier: Apache-2.0
// Writes TIFF files through libtiff, in strips. The compression of the file that was read is kept
// if it is lossless.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <Imath/half.h>

#include "server/media/file_calls.h"
#include "server/media/image/codes.h"
#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"
#include "server/media/image/tiff_library.h"
#include "server/media/image/tiff_tags.h"

namespace weft::media {

namespace {

constexpr int kTiffDeflateLevel = 6;
constexpr size_t kStripBytes = size_t{256} << 10;  // target size

struct StoredSamples {
  bool is_float = false;
  bool is_signed = false;
  int bits = 8;
};

StoredSamples stored_samples(const ImageInfo& info, const ImageEncoding& encoding) {
  const bool is_tiff = info.format == ImageFormat::kTiff;
  if (stores_floats(info, encoding)) {
    const bool was_half = is_tiff && info.is_float && info.bit_depth == 16;
    return {true, false,
            encoding.depth.value_or(was_half ? SampleType::kHalf : SampleType::kFloat) == SampleType::kHalf
                ? 16
                : 32};
  }
  const int bits = info.bit_depth <= 8 ? 8 : is_tiff && info.bit_depth > 16 ? 32 : 16;
  return {false, is_tiff && metadata_of(info).is_signed, bits};
}

uint16_t compression_of(const ImageMetadata& metadata) {
  constexpr int kLossless[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_PACKBITS, COMPRESSION_ZSTD,
                               COMPRESSION_LZMA};
  const bool stays = metadata.format == ImageFormat::kTiff &&
                     std::ranges::find(kLossless, metadata.compression) != std::end(kLossless);
  return stays ? uint16_t(metadata.compression) : uint16_t(COMPRESSION_ADOBE_DEFLATE);
}

// Writes floats, signed integers and unsigned integers of 32 bits.
class NumberWriter {
 public:
  NumberWriter(const StoredSamples& samples, const CodeLayout& layout) : samples_(samples), layout_(layout) {}

  void write_row(const float* rgba, int width, std::byte* row) const {
    for (int x = 0; x < width; x++, rgba += 4) {
      for (int c = 0; c < layout_.colours(); c++) row = put(stored_colour(layout_, rgba, c), false, row);
      if (layout_.has_alpha) row = put(rgba[3], true, row);
    }
  }

 private:
  template <class T>
  static std::byte* put_as(T number, std::byte* row) {
    std::memcpy(row, &number, sizeof(T));
    return row + sizeof(T);
  }
  std::byte* put(float light, bool is_alpha, std::byte* row) const {
    if (samples_.is_float && samples_.bits == 32) return put_as(light, row);
    if (samples_.is_float)
      return put_as(
          imath_float_to_half(std::isfinite(light) ? std::clamp(light, -kLargestHalf, kLargestHalf) : light),
          row);
    const Transfer transfer = is_alpha ? kLinearTransfer : Transfer{};
    if (!samples_.is_signed) {
      const double stored = light > 0 ? transfer.to_stored(std::min(double(light), 1.0)) : 0.0;
      return put_as(uint32_t(std::floor(stored * 4294967295.0 + 0.5)), row);
    }
    const double largest = double((uint64_t{1} << (samples_.bits - 1)) - 1);
    const double stored =
        std::isnan(light) ? 0 : std::copysign(transfer.to_stored(std::abs(double(light))), light);
    const double bounded = std::clamp(std::nearbyint(stored * largest), -largest - 1, largest);
    if (samples_.bits == 8) return put_as(int8_t(bounded), row);
    return samples_.bits == 16 ? put_as(int16_t(bounded), row) : put_as(int32_t(bounded), row);
  }

  StoredSamples samples_;
  CodeLayout layout_;
};

bool set_layout(TIFF* tiff, const ImageInfo& info, const StoredSamples& samples, const CodeLayout& layout) {
  const uint16_t compression = compression_of(metadata_of(info));
  const int format = samples.is_float    ? SAMPLEFORMAT_IEEEFP
                     : samples.is_signed ? SAMPLEFORMAT_INT
                                         : SAMPLEFORMAT_UINT;
  const size_t row_bytes = size_t(info.display.width * layout.components()) * size_t(samples.bits / 8);
  const auto rows = uint32_t(std::clamp<size_t>(kStripBytes / row_bytes, 1, size_t(info.display.height)));
  bool is_set = TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, uint32_t(info.display.width)) == 1;
  is_set &= TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, uint32_t(info.display.height)) == 1;
  is_set &= TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, samples.bits) == 1;
  is_set &= TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, layout.components()) == 1;
  is_set &= TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, format) == 1;
  is_set &=
      TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, layout.is_gray ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB) == 1;
  is_set &= TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == 1;
  is_set &= TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression) == 1;
  is_set &= TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows) == 1;
  if (compression == COMPRESSION_ADOBE_DEFLATE)
    is_set &= TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, kTiffDeflateLevel) == 1;
  if (compression != COMPRESSION_NONE && compression != COMPRESSION_PACKBITS)
    is_set &= TIFFSetField(tiff, TIFFTAG_PREDICTOR,
                           samples.is_float ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL) == 1;
  const uint16_t kind = layout.is_alpha_associated ? EXTRASAMPLE_ASSOCALPHA : EXTRASAMPLE_UNASSALPHA;
  if (layout.has_alpha) is_set &= TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind) == 1;
  return is_set;
}

bool write_strips(TIFF* tiff, const Image& image, const StoredSamples& samples, const CodeLayout& layout) {
  const int width = image.info.display.width, height = image.info.display.height;
  const CodeWriter codes(layout, Transfer{}, image.info.display.pixels());
  const NumberWriter numbers(samples, layout);
  const auto row_bytes = size_t(TIFFScanlineSize64(tiff));
  uint32_t rows = 1;
  TIFFGetField(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
  std::vector<float> rgba(size_t(width) * 4);
  std::vector<std::byte> strip(row_bytes * rows);
  const bool is_code = !samples.is_float && !samples.is_signed && samples.bits <= 16;
  for (uint32_t begin = 0; begin < uint32_t(height); begin += rows) {
    const uint32_t count = std::min(rows, uint32_t(height) - begin);
    for (uint32_t y = 0; y < count; y++) {
      frame_row(image, int(begin + y), rgba);
      std::byte* row = &strip[y * row_bytes];
      if (!is_code)
        numbers.write_row(rgba.data(), width, row);
      else if (samples.bits == 8)
        codes.write_row(rgba.data(), width, reinterpret_cast<uint8_t*>(row));
      else
        codes.write_row(rgba.data(), width, reinterpret_cast<uint16_t*>(row));
    }
    const tmsize_t bytes = tmsize_t(count * row_bytes);
    if (TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, begin, 0), strip.data(), bytes) != bytes)
      return false;
    chunk_done();
  }
  return true;
}

}  // namespace

StatusOr<std::string> encode_tiff(const Image& image, std::optional<SampleType> depth) {
  const ImageEncoding encoding{ImageFormat::kTiff, depth};
  RETURN_IF_ERROR(check_window(image.info.display, "display window", "to be written"));
  const StoredSamples samples = stored_samples(image.info, encoding);
  const CodeLayout layout{image.info.is_gray, image.info.has_alpha, stores_associated(image.info, encoding),
                          samples.bits > 8 ? 16 : 8};
  TiffFile file;
  const bool is_written = file.get() != nullptr && set_layout(file.get(), image.info, samples, layout) &&
                          write_tags(file.get(), image.info, encoding) &&
                          write_strips(file.get(), image, samples, layout) && file.finish();
  if (!is_written) return internal_error("libtiff cannot write the image{}.", file.messages().remark());
  return file.take();
}

}  // namespace weft::media
