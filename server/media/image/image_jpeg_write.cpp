// SPDX-License-Identifier: Apache-2.0
// Writes JPEG files through libjpeg-turbo: gray, or YCbCr of 8 bits without chroma subsampling.
// Equal samples and declarations give equal bytes.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "server/media/image/codes.h"
#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"
#include "server/media/image/jpeg_library.h"

namespace weft::media {

namespace {

constexpr int kMaxDensity = 0xffff;

class JpegWriter {
 public:
  JpegWriter(const Image& image, int quality)
      : image_(image), metadata_(metadata_of(image.info)), quality_(quality) {}
  ~JpegWriter() {
    jpeg_destroy_compress(&jpeg_);
    std::free(bytes_);
  }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;

  StatusOr<std::string> write();

 private:
  bool begin();
  void set_density();
  void write_marker(int marker, std::string_view mark, std::string_view data);
  bool write_declarations();
  bool write_rows();

  const Image& image_;
  const ImageMetadata& metadata_;
  const int quality_;
  JpegErrors errors_{};
  jpeg_compress_struct jpeg_{};
  unsigned char* bytes_ = nullptr;
  unsigned long size_ = 0;
};

bool JpegWriter::begin() {
  jpeg_.err = jpeg_std_error(&errors_.handler);
  errors_.handler.error_exit = jpeg_give_up;
  errors_.handler.emit_message = jpeg_complain;
  return jpeg_succeeds(errors_, [&] {
    jpeg_create_compress(&jpeg_);
    jpeg_mem_dest(&jpeg_, &bytes_, &size_);
    jpeg_.image_width = JDIMENSION(image_.info.display.width);
    jpeg_.image_height = JDIMENSION(image_.info.display.height);
    jpeg_.input_components = image_.info.is_gray ? 1 : 3;
    jpeg_.in_color_space = image_.info.is_gray ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg_);
    jpeg_set_quality(&jpeg_, quality_, TRUE);
    for (int i = 0; i < jpeg_.num_components; i++)
      jpeg_.comp_info[i].h_samp_factor = jpeg_.comp_info[i].v_samp_factor = 1;
    jpeg_.optimize_coding = TRUE;
    jpeg_.dct_method = JDCT_ISLOW;
    set_density();
    jpeg_start_compress(&jpeg_, TRUE);
  });
}

// Sets the density of JFIF 1.02: integers of 16 bits per inch or per centimetre, or without a unit
// for the pixel aspect ratio only.
void JpegWriter::set_density() {
  const std::optional<Resolution> resolution = resolution_of(image_.info);
  if (!resolution) return;
  double x = resolution->x, y = resolution->y;
  const bool is_metric = resolution->unit == Resolution::Unit::kMetre;
  jpeg_.density_unit = resolution->unit == Resolution::Unit::kNone ? 0 : (is_metric ? 2 : 1);
  constexpr double kCentimetres = 100;  // centimetres in a metre
  const double scale = is_metric                 ? 1 / kCentimetres
                       : jpeg_.density_unit == 1 ? 1
                                                 : std::min(1.0, kMaxDensity / std::max(x, y));
  const auto whole = [&](double value) {
    return UINT16(std::clamp<long>(std::lround(value * scale), 1, kMaxDensity));
  };
  jpeg_.X_density = whole(x);
  jpeg_.Y_density = whole(y);
}

void JpegWriter::write_marker(int marker, std::string_view mark, std::string_view data) {
  jpeg_write_m_header(&jpeg_, marker, unsigned(mark.size() + data.size()));
  for (const std::string_view part : {mark, data})
    for (const char byte : part) jpeg_write_m_byte(&jpeg_, static_cast<unsigned char>(byte));
}

bool JpegWriter::write_declarations() {
  const std::vector<KeptItem> items = jpeg_items(metadata_);
  const bool has_profile = keeps_profile(image_.info, {ImageFormat::kJpeg});
  return jpeg_succeeds(errors_, [&] {
    if (jpeg_holds_exif(metadata_) && !metadata_.exif.empty())
      write_marker(JPEG_APP0 + 1, kExifMark, metadata_.exif);
    if (jpeg_holds_xmp(metadata_) && !metadata_.xmp.empty())
      write_marker(JPEG_APP0 + 1, kXmpMark, metadata_.xmp);
    if (has_profile)
      jpeg_write_icc_profile(&jpeg_, reinterpret_cast<const JOCTET*>(metadata_.profile.data()),
                             unsigned(metadata_.profile.size()));
    for (const KeptItem& item : items)
      write_marker(item.name == kJpegComment ? JPEG_COM : JPEG_APP0 + 13, "", item.data);
  });
}

bool JpegWriter::write_rows() {
  const CodeWriter writer({image_.info.is_gray}, Transfer{}, image_.info.display.pixels());
  const int width = image_.info.display.width;
  std::vector<float> rgba(size_t(width) * 4);
  std::vector<JSAMPLE> row(size_t(width) * 3);
  JSAMPROW rows[] = {row.data()};
  JSAMPARRAY const lines = rows;
  for (int y = 0; y < image_.info.display.height; y++) {
    frame_row(image_, y, rgba);
    writer.write_row(rgba.data(), width, row.data());
    if (!jpeg_succeeds(errors_, [&] { jpeg_write_scanlines(&jpeg_, lines, 1); })) return false;
  }
  return jpeg_succeeds(errors_, [&] { jpeg_finish_compress(&jpeg_); });
}

StatusOr<std::string> JpegWriter::write() {
  const ImageWindow& window = image_.info.display;
  RETURN_IF_ERROR(check_window(window, "display window", "to be written"));
  if (window.width > kMaxJpegSide || window.height > kMaxJpegSide)
    return invalid_argument("A JPEG image has at most {} pixels a side, this one {}x{}; write PNG or TIFF.",
                            kMaxJpegSide, window.width, window.height);
  if (!begin() || !write_declarations() || !write_rows())
    return internal_error("libjpeg cannot write the image{}.", errors_.messages.remark());
  return std::string(reinterpret_cast<const char*>(bytes_), size_);
}

}  // namespace

StatusOr<std::string> encode_jpeg(const Image& image, int quality) {
  return JpegWriter(image, quality).write();
}

}  // namespace weft::media
