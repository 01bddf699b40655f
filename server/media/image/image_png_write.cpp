// SPDX-License-Identifier: Apache-2.0
// Writes PNG files through libpng. Equal samples and declarations give equal bytes.
#include <algorithm>
#include <array>
#include <cmath>

#include "server/media/file_calls.h"
#include "server/media/image/codes.h"
#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"
#include "server/media/image/png_library.h"

namespace weft::media {

namespace {

// Deflate level; every filter is tried on each line. A noisy picture of 4096x4096 of 16 bits takes
// 8.4 s; at level 6 it takes 12.4 s and is as large, at level 1 it takes 4.3 s and is 3.5 % larger.
constexpr int kPngDeflateLevel = 4;

void set_profile(png_structp png, png_infop png_info, const std::string& profile) {
  png_set_iCCP(png, png_info, "ICC profile", PNG_COMPRESSION_TYPE_BASE,
               reinterpret_cast<png_const_bytep>(profile.data()), png_uint_32(profile.size()));
}

void set_chromaticities(png_structp png, png_infop png_info, const Chromaticities& c) {
  const auto fixed = [](double value) {
    return png_fixed_point(std::lround(std::clamp(value, -20000.0, 20000.0) * kPngUnit));
  };
  png_set_cHRM_fixed(png, png_info, fixed(c.white_x), fixed(c.white_y), fixed(c.red_x), fixed(c.red_y),
                     fixed(c.green_x), fixed(c.green_y), fixed(c.blue_x), fixed(c.blue_y));
}

// Returns true if libpng accepts the value that `set` passes to it. libpng validates the value and
// marks it as `flag`.
template <class Set>
bool png_takes(bool is_gray, png_uint_32 flag, Set set) {
  LibraryMessages messages;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &messages, png_give_up, png_complain);
  png_infop png_info = png != nullptr ? png_create_info_struct(png) : nullptr;
  const auto give = [&] {
    png_set_IHDR(png, png_info, 1, 1, 8, is_gray ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    set(png, png_info);
  };
  const bool is_taken =
      png_info != nullptr && png_succeeds(png, give) && png_get_valid(png, png_info, flag) != 0;
  png_destroy_write_struct(&png, &png_info);
  return is_taken;
}

class PngWriter {
 public:
  explicit PngWriter(const Image& image) : image_(image), metadata_(metadata_of(image.info)) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, &messages_, png_give_up, png_complain);
    if (png_ != nullptr) png_info_ = png_create_info_struct(png_);
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &png_info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  StatusOr<std::string> write();

 private:
  static void append(png_structp png, png_bytep data, size_t count) {
    auto& self = *static_cast<PngWriter*>(png_get_io_ptr(png));
    bool has_capacity = true;
    try {
      self.bytes_.append(reinterpret_cast<const char*>(data), count);
    } catch (const std::exception&) {
      has_capacity = false;
    }
    // png_error() jumps, so it must not be called inside the catch block.
    if (!has_capacity) png_error(png, "there is no memory");
  }
  static void flush(png_structp) {}

  void set_header();
  void set_declarations();
  void set_chunks();
  bool write_rows();

  const Image& image_;
  const ImageMetadata& metadata_;
  CodeLayout layout_{};
  Transfer transfer_{};
  bool keeps_profile_ = false;
  bool keeps_chromaticities_ = false;
  LibraryMessages messages_{};
  std::string bytes_{};
  std::vector<png_unknown_chunk> chunks_{};
  png_structp png_ = nullptr;
  png_infop png_info_ = nullptr;
};

void PngWriter::set_header() {
  const ImageWindow& window = image_.info.display;
  const int colour =
      (layout_.is_gray ? 0 : PNG_COLOR_MASK_COLOR) | (layout_.has_alpha ? PNG_COLOR_MASK_ALPHA : 0);
  png_set_IHDR(png_, png_info_, png_uint_32(window.width), png_uint_32(window.height), layout_.depth, colour,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png_, kPngDeflateLevel);
  png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_ALL_FILTERS);
}

void PngWriter::set_declarations() {
  if (keeps_profile_) set_profile(png_, png_info_, metadata_.profile);
  if (metadata_.format == ImageFormat::kPng && metadata_.srgb_intent)
    png_set_sRGB(png_, png_info_, *metadata_.srgb_intent);
  if (metadata_.format == ImageFormat::kPng && metadata_.gamma)
    png_set_gAMA_fixed(png_, png_info_, *metadata_.gamma);
  if (keeps_chromaticities_) set_chromaticities(png_, png_info_, *metadata_.chromaticities);
  const std::optional<Resolution> resolution = resolution_of(image_.info);
  if (!resolution) return;
  const bool has_unit = resolution->unit != Resolution::Unit::kNone;
  const Resolution stored = has_unit ? resolution->per(Resolution::Unit::kMetre) : *resolution;
  png_set_pHYs(png_, png_info_, png_uint_32(std::lround(stored.x)), png_uint_32(std::lround(stored.y)),
               has_unit ? PNG_RESOLUTION_METER : PNG_RESOLUTION_UNKNOWN);
}

void PngWriter::set_chunks() {
  if (chunks_.empty()) return;
  png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_ALWAYS, nullptr, 0);
  png_set_unknown_chunks(png_, png_info_, chunks_.data(), int(chunks_.size()));
}

bool PngWriter::write_rows() {
  const CodeWriter writer(layout_, transfer_, image_.info.display.pixels());
  const int width = image_.info.display.width;
  std::vector<float> rgba(size_t(width) * 4);
  std::vector<uint16_t> row(size_t(width) * 4);
  auto* bytes = reinterpret_cast<png_bytep>(row.data());
  for (int y = 0; y < image_.info.display.height; y++) {
    frame_row(image_, y, rgba);
    layout_.depth == 8 ? writer.write_row(rgba.data(), width, bytes)
                       : writer.write_row(rgba.data(), width, row.data());
    if (!png_succeeds(png_, [&] { png_write_row(png_, bytes); })) return false;
    chunk_done();
  }
  return true;
}

StatusOr<std::string> PngWriter::write() {
  if (png_ == nullptr || png_info_ == nullptr)
    return resource_exhausted("There is no memory to write the image.");
  const ImageInfo& info = image_.info;
  RETURN_IF_ERROR(check_window(info.display, "display window", "to be written"));
  layout_ = {info.is_gray, info.has_alpha, false, info.bit_depth > 8 ? 16 : 8};
  transfer_ = written_transfer(info, {ImageFormat::kPng});
  keeps_profile_ = keeps_profile(info, {ImageFormat::kPng});
  keeps_chromaticities_ = keeps_chromaticities(info, ImageFormat::kPng);
  const std::vector<KeptItem> items = png_items(metadata_);
  for (const KeptItem& item : items) {
    png_unknown_chunk chunk{};
    std::copy_n(item.name.begin(), 4, chunk.name);
    // libpng copies the data.
    chunk.data = reinterpret_cast<png_bytep>(const_cast<char*>(item.data.data()));
    chunk.size = item.data.size();
    chunk.location = png_byte(item.location);
    chunks_.push_back(chunk);
  }
  const auto begin = [&] {
    png_set_write_fn(png_, this, append, flush);
    set_header();
    set_declarations();
    set_chunks();
    png_write_info(png_, png_info_);
    if (layout_.depth == 16) png_set_swap(png_);
  };
  const bool is_written = png_succeeds(png_, begin) && write_rows() &&
                          png_succeeds(png_, [&] { png_write_end(png_, png_info_); });
  if (!is_written) return internal_error("libpng cannot write the image{}.", messages_.remark());
  return std::move(bytes_);
}

}  // namespace

bool png_takes_profile(const std::string& profile, bool is_gray) {
  return png_takes(is_gray, PNG_INFO_iCCP,
                   [&](png_structp png, png_infop png_info) { set_profile(png, png_info, profile); });
}

bool png_takes_chromaticities(const Chromaticities& chromaticities) {
  return png_takes(false, PNG_INFO_cHRM, [&](png_structp png, png_infop png_info) {
    set_chromaticities(png, png_info, chromaticities);
  });
}

StatusOr<std::string> encode_png(const Image& image) { return PngWriter(image).write(); }

}  // namespace weft::media
