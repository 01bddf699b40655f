// SPDX-License-Identifier: Apache-2.0
// Reads TIFF files through libtiff: strips and tiles, all of libtiff's compressions, interleaved or
// separate planes.
#include <algorithm>
#include <array>
#include <cmath>

#include "server/media/file_calls.h"
#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"
#include "server/media/image/tiff_library.h"
#include "server/media/image/tiff_samples.h"
#include "server/media/image/tiff_tags.h"

namespace weft::media {

namespace {

// Holds the tags that describe the samples, as stored.
struct TiffFields {
  uint32_t width = 0, height = 0;
  uint16_t bits = 1, components = 1, format = SAMPLEFORMAT_UINT, photometric = PHOTOMETRIC_MINISBLACK,
           planes = PLANARCONFIG_CONTIG, compression = COMPRESSION_NONE;
  bool has_photometric = false;
};

TiffFields fields_of(TIFF* tiff) {
  TiffFields fields;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &fields.width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &fields.height);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &fields.bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &fields.components);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &fields.format);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &fields.planes);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &fields.compression);
  fields.has_photometric = TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &fields.photometric) == 1;
  if (!fields.has_photometric && fields.components >= 3) fields.photometric = PHOTOMETRIC_RGB;
  return fields;
}

constexpr uint16_t kLinearRaw = 34892;  // a photometric type of DNG

// Describes colours other than red, green and blue, for a message.
const char* other_colours(uint16_t photometric) {
  switch (photometric) {
    case PHOTOMETRIC_SEPARATED:
      return "inks (CMYK)";
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
    case PHOTOMETRIC_ITULAB:
      return "CIE L*a*b*";
    case PHOTOMETRIC_YCBCR:
      return "YCbCr without JPEG compression";
    case PHOTOMETRIC_MASK:
      return "a transparency mask";
    case PHOTOMETRIC_CFA:
    case kLinearRaw:
      return "a camera's raw data";
    default:
      return "a kind that is not known here";
  }
}

bool is_logarithmic(uint16_t photometric) {
  return photometric == PHOTOMETRIC_LOGLUV || photometric == PHOTOMETRIC_LOGL;
}

class TiffReader {
 public:
  explicit TiffReader(const ImageBytes& file) : file_(file), tiff_(*file.bytes) {}
  StatusOr<Image> read();

 private:
  Status damaged() const {
    return data_loss("The TIFF image ({}) is damaged or cut off{}.", file_.name, tiff_.messages().remark());
  }
  template <class... Args>
  Status refused(fmt::format_string<Args...> format, Args&&... args) const {
    return invalid_argument("The TIFF image ({}) {}", file_.name,
                            fmt::format(format, std::forward<Args>(args)...));
  }
  Status choose_decoding();
  Status choose_colours(ImageInfo& info, ImageMetadata& metadata);
  Status choose_alpha(ImageInfo& info, ImageMetadata& metadata, int colours);
  Status choose_samples(ImageInfo& info, ImageMetadata& metadata);
  StatusOr<ImageInfo> info_of();
  Status read_blocks(Image& image);
  Status read_block(Image& image, uint32_t x, uint32_t y, int plane);
  void finish(Image& image) const;

  const ImageBytes& file_;
  TiffFile tiff_;
  TiffFields fields_{};
  CodeLayout layout_{};
  TiffSamples samples_{};
  bool is_tiled_ = false;
  uint32_t block_width_ = 0, block_height_ = 0;
  size_t row_bytes_ = 0;
  std::unique_ptr<std::byte[]> block_{};  // uninitialised until libtiff fills it
  size_t block_bytes_ = 0;
};

// Checks the compression and the planes. libtiff is set to convert YCbCr in JPEG to RGB, and
// logarithmic samples to floats.
Status TiffReader::choose_decoding() {
  TIFF* tiff = tiff_.get();
  fields_ = fields_of(tiff);
  RETURN_IF_ERROR(check_window({0, 0, int(std::min<uint32_t>(fields_.width, INT32_MAX)),
                                int(std::min<uint32_t>(fields_.height, INT32_MAX))},
                               "picture", file_.name));
  if (TIFFIsCODECConfigured(fields_.compression) == 0)
    return refused(
        "is compressed in a way ({}) that is not known here; save it with another, such as deflate.",
        fields_.compression);
  if (fields_.compression == COMPRESSION_JPEG && fields_.photometric == PHOTOMETRIC_YCBCR &&
      fields_.planes == PLANARCONFIG_CONTIG) {
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    fields_.photometric = PHOTOMETRIC_RGB;
  }
  if (is_logarithmic(fields_.photometric)) {
    TIFFSetField(tiff, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_FLOAT);
    const uint16_t photometric = fields_.photometric;
    fields_ = fields_of(tiff);
    fields_.photometric = photometric;
    fields_.format = SAMPLEFORMAT_IEEEFP;
    fields_.bits = 32;
  }
  if (fields_.planes != PLANARCONFIG_CONTIG && fields_.planes != PLANARCONFIG_SEPARATE)
    return refused("stores its planes in a way ({}) that is not known here.", fields_.planes);
  return ok_status();
}

Status TiffReader::choose_alpha(ImageInfo& info, ImageMetadata& metadata, int colours) {
  const int more = fields_.components - colours;
  if (more < 0)
    return refused("has {} samples a pixel, and its colours need {}.", fields_.components, colours);
  uint16_t count = 0;
  const uint16_t* kinds = nullptr;
  TIFFGetField(tiff_.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds);
  const uint16_t kind = count > 0 ? kinds[0] : uint16_t(EXTRASAMPLE_UNSPECIFIED);
  info.has_alpha = more > 0 && (kind != EXTRASAMPLE_UNSPECIFIED || more == 1);
  metadata.is_alpha_associated = info.has_alpha && kind == EXTRASAMPLE_ASSOCALPHA;
  if (info.has_alpha && kind == EXTRASAMPLE_UNSPECIFIED)
    add_note(info, "The TIFF does not say what its last sample of a pixel is; it is taken for alpha.");
  if (const int unread = more - (info.has_alpha ? 1 : 0); unread > 0)
    add_note(info, fmt::format("{} more samples of each pixel of the TIFF are left out.", unread));
  return ok_status();
}

Status TiffReader::choose_colours(ImageInfo& info, ImageMetadata& metadata) {
  int colours = 1;
  switch (fields_.photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_LOGL:
      info.is_gray = true;
      break;
    case PHOTOMETRIC_RGB:
    case PHOTOMETRIC_LOGLUV:
      colours = 3;
      break;
    case PHOTOMETRIC_PALETTE:
      break;
    default:
      return refused("holds {}; convert it to RGB.", other_colours(fields_.photometric));
  }
  return choose_alpha(info, metadata, colours);
}

Status TiffReader::choose_samples(ImageInfo& info, ImageMetadata& metadata) {
  samples_.bits = fields_.bits;
  samples_.is_float = fields_.format == SAMPLEFORMAT_IEEEFP;
  samples_.is_signed = fields_.format == SAMPLEFORMAT_INT;
  samples_.is_inverted = fields_.photometric == PHOTOMETRIC_MINISWHITE;
  if (fields_.format == SAMPLEFORMAT_COMPLEXINT || fields_.format == SAMPLEFORMAT_COMPLEXIEEEFP)
    return refused("holds complex numbers, which are no light.");
  if (!samples_.is_known())
    return refused(
        "has {} of {} bits; unsigned ones of 1 to 16, 24 and 32 bits, signed ones of 8, 16, 24 and 32, and "
        "floats of 16, "
        "24, 32 and 64 are read.",
        samples_.is_float    ? "floats"
        : samples_.is_signed ? "signed integers"
                             : "integers",
        fields_.bits);
  info.is_float = samples_.is_float;
  info.bit_depth = samples_.is_float || fields_.bits > 16 ? fields_.bits : fields_.bits > 8 ? 16 : 8;
  metadata.is_signed = samples_.is_signed;
  if (fields_.photometric != PHOTOMETRIC_PALETTE) {
    samples_.prepare(Transfer{});
    if (samples_.is_float) metadata.transfer = kLinearTransfer;
  } else {
    if (samples_.is_float || samples_.is_signed || fields_.bits > 16)
      return refused("has a palette that cannot be one.");
    std::array<const uint16_t*, 3> entries{};
    if (TIFFGetField(tiff_.get(), TIFFTAG_COLORMAP, &entries[0], &entries[1], &entries[2]) != 1)
      return refused("has a palette without colours.");
    info.bit_depth = samples_.prepare_palette(entries);
  }
  if (samples_.is_float && fields_.bits == 64)
    add_note(info, "The TIFF's samples of 64 bits are worked on, and written, with 32 bits.");
  if (!samples_.is_float && fields_.bits > 16)
    add_note(info, fmt::format("Of the TIFF's integers of {} bits the upper 24 are kept.", fields_.bits));
  return ok_status();
}

StatusOr<ImageInfo> TiffReader::info_of() {
  RETURN_IF_ERROR(choose_decoding());
  ImageInfo info;
  auto metadata = std::make_shared<ImageMetadata>();
  info.format = metadata->format = ImageFormat::kTiff;
  info.data = info.display = {0, 0, int(fields_.width), int(fields_.height)};
  metadata->compression = fields_.compression;
  RETURN_IF_ERROR(choose_colours(info, *metadata));
  RETURN_IF_ERROR(choose_samples(info, *metadata));
  layout_ = {info.is_gray, info.has_alpha, metadata->is_alpha_associated || file_.keeps_alpha_apart};
  read_tags(tiff_.get(), info, *metadata);
  is_tiled_ = TIFFIsTiled(tiff_.get()) != 0;
  const uint64_t bytes = is_tiled_ ? TIFFTileSize64(tiff_.get()) : TIFFStripSize64(tiff_.get());
  row_bytes_ = size_t(is_tiled_ ? TIFFTileRowSize64(tiff_.get()) : TIFFScanlineSize64(tiff_.get()));
  if (bytes == 0 || row_bytes_ == 0) return damaged();
  if (bytes > uint64_t(kMaxImageChunkBytes))
    return refused("comes in pieces of {} bytes, at most {} are read; write it with smaller tiles or strips.",
                   bytes, kMaxImageChunkBytes);
  info.metadata = std::move(metadata);
  return info;
}

// Reads a tile or strip, or one plane of it if planes are separate, into its place in the image.
Status TiffReader::read_block(Image& image, uint32_t x, uint32_t y, int plane) {
  TIFF* tiff = tiff_.get();
  const uint32_t number = is_tiled_ ? TIFFComputeTile(tiff, x, y, 0, uint16_t(plane))
                                    : TIFFComputeStrip(tiff, y, uint16_t(plane));
  const uint32_t rows = std::min(block_height_, fields_.height - y);
  const uint32_t columns = std::min(block_width_, fields_.width - x);
  const auto wanted = tmsize_t(is_tiled_ ? block_bytes_ : size_t(rows) * row_bytes_);
  const tmsize_t count = is_tiled_ ? TIFFReadEncodedTile(tiff, number, block_.get(), wanted)
                                   : TIFFReadEncodedStrip(tiff, number, block_.get(), wanted);
  if (count < wanted) return damaged();
  chunk_done();
  const bool is_apart = fields_.planes == PLANARCONFIG_SEPARATE;
  const int stored = is_apart ? 1 : fields_.components;
  const int colours = layout_.colours();
  const bool has_palette = fields_.photometric == PHOTOMETRIC_PALETTE;
  for (uint32_t row = 0; row < rows; row++) {
    const std::byte* from = block_.get() + size_t(row) * row_bytes_;
    float* rgba = &image.float_samples()[(size_t(y + row) * fields_.width + x) * 4];
    for (int i = 0; i < stored; i++) {
      const int component = is_apart ? plane : i;
      if (has_palette && component == 0)
        samples_.read_palette(from, {i, stored, int(columns)}, rgba);
      else if (const int alpha = has_palette ? 1 : colours; component < alpha)
        samples_.read(from, {i, stored, int(columns)}, rgba + component);
      else if (component == alpha && layout_.has_alpha)
        samples_.read_alpha(from, {i, stored, int(columns)}, rgba + 3);
    }
  }
  return ok_status();
}

Status TiffReader::read_blocks(Image& image) {
  TIFF* tiff = tiff_.get();
  block_width_ = fields_.width;
  if (is_tiled_) {
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &block_width_);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &block_height_);
    block_bytes_ = size_t(TIFFTileSize64(tiff));
  } else {
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &block_height_);
    block_height_ = std::min(block_height_, fields_.height);
    block_bytes_ = size_t(block_height_) * row_bytes_;
  }
  if (block_width_ == 0 || block_height_ == 0 || size_t(block_height_) * row_bytes_ > block_bytes_)
    return damaged();
  block_.reset(new std::byte[block_bytes_]);
  const int planes = fields_.planes == PLANARCONFIG_SEPARATE ? fields_.components : 1;
  for (uint32_t y = 0; y < fields_.height; y += block_height_)
    for (uint32_t x = 0; x < fields_.width; x += block_width_)
      for (int plane = 0; plane < planes; plane++) RETURN_IF_ERROR(read_block(image, x, y, plane));
  return ok_status();
}

void TiffReader::finish(Image& image) const {
  const int width = image.info.data.width;
  for (int y = 0; y < image.info.data.height; y++) {
    float* rgba = &image.float_samples()[size_t(y) * size_t(width) * 4];
    if (fields_.photometric == PHOTOMETRIC_LOGLUV) xyz_to_rgb(width, rgba);
    complete_row(layout_, width, rgba);
  }
}

StatusOr<Image> TiffReader::read() {
  if (tiff_.get() == nullptr) return damaged();
  ASSIGN_OR_RETURN(ImageInfo info, info_of());
  Image image;
  if (!file_.read_samples) {
    image.info = std::move(info);
  } else {
    ASSIGN_OR_RETURN(image, make_image(std::move(info)));
    RETURN_IF_ERROR(read_blocks(image));
    finish(image);
  }
  for (const std::string& warning : tiff_.messages().warnings())
    add_note(image.info, fmt::format("libtiff says of the image: {}.", warning));
  return image;
}

}  // namespace

StatusOr<Image> read_tiff(const ImageBytes& file) {
  try {
    return TiffReader(file).read();
  } catch (const std::bad_alloc&) {
    return resource_exhausted("There is no memory to read the image ({}).", file.name);
  }
}

}  // namespace weft::media
