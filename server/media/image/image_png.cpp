// SPDX-License-Identifier: Apache-2.0
// Reads PNG files through libpng. Text and other chunks that do not affect the samples are kept as
// stored and never decompressed. A colour profile is decompressed, up to kMaxProfileBytes.
#include <algorithm>
#include <array>
#include <cstring>

#include "server/media/file_calls.h"
#include "server/media/image/codes.h"
#include "server/media/image/exif.h"
#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"
#include "server/media/image/png_library.h"

namespace weft::media {

namespace {

// Names of chunks that libpng would interpret; they are kept or named in a note instead.
constexpr png_byte kUnread[] = "bKGD\0eXIf\0hIST\0iTXt\0oFFs\0pCAL\0sBIT\0sCAL\0sPLT\0tEXt\0tIME\0zTXt";
constexpr int kUnreadCount = 12;

class PngReader {
 public:
  explicit PngReader(const ImageBytes& file)
      : bytes_(*file.bytes), name_(file.name), keeps_alpha_apart_(file.keeps_alpha_apart) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &messages_, png_give_up, png_complain);
    if (png_ == nullptr) return;
    png_info_ = png_create_info_struct(png_);
    end_ = png_create_info_struct(png_);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &png_info_, &end_); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  StatusOr<Image> read(bool with_samples);

 private:
  static void take_bytes(png_structp png, png_bytep target, size_t count) {
    auto& self = *static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > self.bytes_.size() - self.at_) png_error(png, "it ends early");
    std::memcpy(target, self.bytes_.data() + self.at_, count);
    self.at_ += count;
  }

  bool read_header();
  bool read_rows(const CodeLayout& layout, Image& image);
  bool read_all_rows(const CodeLayout& layout, Image& image);
  bool read_end() {
    return png_succeeds(png_, [&] { png_read_end(png_, end_); });
  }
  Status damaged() const {
    return data_loss("The PNG image ({}) is damaged or cut off near byte {}{}.", name_, at_,
                     messages_.remark());
  }
  void take_info(ImageInfo& info, ImageMetadata& metadata);
  void take_declarations(ImageMetadata& metadata);
  void take_chunks(png_infop png_info, ImageInfo& info, ImageMetadata& metadata);
  Status check_samples() const;
  StatusOr<Transfer> transfer_of(ImageInfo& info, const ImageMetadata& metadata) const;

  const std::string& bytes_;
  std::string_view name_;
  const bool keeps_alpha_apart_;
  size_t at_ = 0;
  LibraryMessages messages_{};
  png_structp png_ = nullptr;
  png_infop png_info_ = nullptr;
  png_infop end_ = nullptr;  // chunks after the samples
};

bool PngReader::read_header() {
  return png_succeeds(png_, [&] {
    png_set_read_fn(png_, this, take_bytes);
    // check_window() has the better message
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(png_, std::max(kMaxProfileBytes, kMaxItemBytes));
    png_set_chunk_cache_max(png_, kMaxItems);
    png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_ALWAYS, nullptr, 0);
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_ALWAYS, kUnread, kUnreadCount);
    png_read_info(png_, png_info_);
  });
}

template <class Code>
void convert(const CodeReader& reader, const png_byte* row, int width, float* rgba) {
  reader.read_row(reinterpret_cast<const Code*>(row), width, rgba);
}

// Reads row after row. An interlaced picture is read at once, since its rows are complete only at
// the end.
bool PngReader::read_rows(const CodeLayout& layout, Image& image) {
  const auto prepare = [&] {
    // palettes and samples below 8 bits to 8 bits, transparent colours to alpha
    png_set_expand(png_);
    png_set_swap(png_);  // samples of 16 bits to this machine's byte order
    png_read_update_info(png_, png_info_);
  };
  const bool is_interlaced = png_get_interlace_type(png_, png_info_) != PNG_INTERLACE_NONE;
  if (!png_succeeds(png_, prepare)) return false;
  if (is_interlaced) return read_all_rows(layout, image);
  const CodeReader reader(layout, metadata_of(image.info).transfer);
  const int width = image.info.data.width;
  std::vector<uint16_t> row(png_get_rowbytes(png_, png_info_) / 2 + 1);
  auto* bytes = reinterpret_cast<png_bytep>(row.data());
  for (int y = 0; y < image.info.data.height; y++) {
    if (!png_succeeds(png_, [&] { png_read_row(png_, bytes, nullptr); })) return false;
    float* rgba = image.float_samples().data() + ptrdiff_t(y) * width * 4;
    layout.depth == 8 ? convert<uint8_t>(reader, bytes, width, rgba)
                      : convert<uint16_t>(reader, bytes, width, rgba);
    chunk_done();
  }
  return true;
}

bool PngReader::read_all_rows(const CodeLayout& layout, Image& image) {
  const CodeReader reader(layout, metadata_of(image.info).transfer);
  const int width = image.info.data.width, height = image.info.data.height;
  const size_t row_codes = png_get_rowbytes(png_, png_info_) / 2 + 1;
  std::vector<uint16_t> codes(row_codes * size_t(height));
  std::vector<png_bytep> rows;
  for (size_t y = 0; y < size_t(height); y++)
    rows.push_back(reinterpret_cast<png_bytep>(&codes[y * row_codes]));
  png_bytepp all = rows.data();
  if (!png_succeeds(png_, [&] { png_read_image(png_, all); })) return false;
  for (int y = 0; y < height; y++) {
    float* rgba = image.float_samples().data() + ptrdiff_t(y) * width * 4;
    const png_bytep row = rows[size_t(y)];
    layout.depth == 8 ? convert<uint8_t>(reader, row, width, rgba)
                      : convert<uint16_t>(reader, row, width, rgba);
    chunk_done();
  }
  return true;
}

void PngReader::take_info(ImageInfo& info, ImageMetadata& metadata) {
  const auto side = [](png_uint_32 count) { return int(std::min<png_uint_32>(count, INT32_MAX)); };
  info.data = info.display = {0, 0, side(png_get_image_width(png_, png_info_)),
                              side(png_get_image_height(png_, png_info_))};
  const int colour = png_get_color_type(png_, png_info_);
  info.format = metadata.format = ImageFormat::kPng;
  info.bit_depth = png_get_bit_depth(png_, png_info_) > 8 ? 16 : 8;
  info.is_gray = (colour & PNG_COLOR_MASK_COLOR) == 0;
  info.has_alpha = (colour & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png_, png_info_, PNG_INFO_tRNS) != 0;
  png_uint_32 x = 0, y = 0;
  int unit = PNG_RESOLUTION_UNKNOWN;
  if (png_get_pHYs(png_, png_info_, &x, &y, &unit) == 0 || x == 0 || y == 0) return;
  const bool is_metre = unit == PNG_RESOLUTION_METER;
  metadata.resolution = {is_metre ? Resolution::Unit::kMetre : Resolution::Unit::kNone, double(x), double(y)};
  info.pixel_aspect = double(y) / x;
}

// Reads the colour declarations. libpng drops those that it finds invalid, with a warning.
void PngReader::take_declarations(ImageMetadata& metadata) {
  int intent = 0;
  if (png_get_sRGB(png_, png_info_, &intent) != 0) metadata.srgb_intent = intent;
  png_fixed_point gamma = 0;
  if (png_get_gAMA_fixed(png_, png_info_, &gamma) != 0) metadata.gamma = gamma;
  std::array<png_fixed_point, 8> xy{};  // white, red, green, blue
  if (png_get_cHRM_fixed(png_, png_info_, &xy[0], &xy[1], &xy[2], &xy[3], &xy[4], &xy[5], &xy[6], &xy[7]) !=
      0)
    metadata.chromaticities = {xy[2] / kPngUnit, xy[3] / kPngUnit, xy[4] / kPngUnit, xy[5] / kPngUnit,
                               xy[6] / kPngUnit, xy[7] / kPngUnit, xy[0] / kPngUnit, xy[1] / kPngUnit};
  png_charp name = nullptr;
  png_bytep profile = nullptr;
  png_uint_32 size = 0;
  int method = 0;
  if (png_get_iCCP(png_, png_info_, &name, &method, &profile, &size) != 0)
    metadata.profile.assign(reinterpret_cast<const char*>(profile), size);
}

// Returns true if a chunk is kept. A lower-case fourth letter marks chunks that are safe to copy
// when samples change. cICP is kept too: the meaning of the codes does not change.
bool is_kept(std::string_view name) { return name == "cICP" || (name[3] & 0x20) != 0; }

void PngReader::take_chunks(png_infop png_info, ImageInfo& info, ImageMetadata& metadata) {
  png_unknown_chunkp chunks = nullptr;
  const int count = png_get_unknown_chunks(png_, png_info, &chunks);
  std::vector<std::string> left_out;
  for (int i = 0; i < count; i++) {
    const png_unknown_chunk& chunk = chunks[i];
    const std::string name(reinterpret_cast<const char*>(chunk.name), 4);
    std::string data(reinterpret_cast<const char*>(chunk.data), chunk.size);
    if (name == "eXIf" && metadata.exif.empty())
      metadata.exif = std::move(data);
    else if (name == "acTL")
      add_note(info, "The image is animated; only its first picture is taken.");
    else if (is_kept(name) && name != "tIME" && name != "fcTL" && name != "fdAT")
      metadata.items.push_back({name, std::move(data), 0, chunk.location});
    else if (name != "fcTL" && name != "fdAT" && std::ranges::find(left_out, name) == left_out.end())
      left_out.push_back(name);
  }
  if (left_out.empty()) return;
  std::string names;
  for (const std::string& name : left_out) names += (names.empty() ? "" : ", ") + name;
  add_note(
      info,
      fmt::format("The image's {} (chunks of the PNG) are left out: they speak of its old samples.", names));
}

// Returns the transfer function by PNG's order of precedence (third edition, 4.3): cICP, iCCP,
// sRGB, gAMA.
StatusOr<Transfer> PngReader::transfer_of(ImageInfo& info, const ImageMetadata& metadata) const {
  const auto cicp = std::ranges::find(metadata.items, "cICP", &KeptItem::name);
  if (cicp != metadata.items.end() && cicp->data.size() == 4) {
    const int curve = uint8_t(cicp->data[1]);
    if (curve == 8) return Transfer{Transfer::Curve::kGamma, 1};
    if (curve == 13) return Transfer{};
    return invalid_argument(
        "The image ({}) declares the transfer curve {} of ITU-T H.273; sRGB (13) and linear (8) are known "
        "here.",
        name_, curve);
  }
  if (!metadata.profile.empty()) add_note(info, profile_note(metadata.profile, "sRGB"));
  if (!metadata.profile.empty() || metadata.srgb_intent || !metadata.gamma) return Transfer{};
  const double gamma = *metadata.gamma / kPngUnit;
  if (gamma < kMinGamma || gamma > kMaxGamma)
    return invalid_argument("The image ({}) declares a gamma of {:g}, outside {} to {}.", name_, gamma,
                            kMinGamma, kMaxGamma);
  return Transfer{Transfer::Curve::kGamma, gamma};
}

// Returns DATA_LOSS if samples are lost. libpng only warns about lost samples.
Status PngReader::check_samples() const {
  for (const std::string& warning : messages_.warnings())
    if (warning.starts_with("IDAT"))
      return data_loss("The samples of the PNG image ({}) are damaged: {}.", name_, warning);
  return ok_status();
}

StatusOr<Image> PngReader::read(bool with_samples) {
  if (png_ == nullptr || png_info_ == nullptr || end_ == nullptr)
    return resource_exhausted("There is no memory to read the image ({}).", name_);
  if (!read_header()) return damaged();
  ImageInfo info;
  auto metadata = std::make_shared<ImageMetadata>();
  take_info(info, *metadata);
  RETURN_IF_ERROR(check_window(info.data, "picture", name_));
  take_declarations(*metadata);
  take_chunks(png_info_, info, *metadata);
  info.orientation = exif_orientation(metadata->exif);
  ASSIGN_OR_RETURN(metadata->transfer, transfer_of(info, *metadata));
  info.metadata = metadata;
  Image image;
  if (with_samples) {
    ASSIGN_OR_RETURN(image, make_image(info));
    const CodeLayout layout{info.is_gray, info.has_alpha, keeps_alpha_apart_, info.bit_depth};
    if (!read_rows(layout, image) || !read_end()) return damaged();
    RETURN_IF_ERROR(check_samples());
    take_chunks(end_, image.info, *metadata);
    image.info.orientation = exif_orientation(metadata->exif);
  } else {
    image.info = std::move(info);
  }
  for (const std::string& warning : messages_.warnings())
    add_note(image.info, fmt::format("libpng says of the image: {}.", warning));
  return image;
}

}  // namespace

StatusOr<Image> read_png(const ImageBytes& file) { return PngReader(file).read(file.read_samples); }

}  // namespace weft::media
