// SPDX-License-Identifier: Apache-2.0
// Reads JPEG files through libjpeg-turbo: gray, YCbCr or RGB of 8 bits, with EXIF data, XMP and
// profile.
#include <cstdlib>

#include "server/media/file_calls.h"
#include "server/media/image/codes.h"
#include "server/media/image/exif.h"
#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"
#include "server/media/image/jpeg_library.h"

namespace weft::media {

namespace {

// limit on the scans of a progressive picture; a scan may cover the whole picture
constexpr int kMaxScans = 500;

void watch_scans(j_common_ptr jpeg) {
  if (!jpeg->is_decompressor || reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= kMaxScans)
    return;
  jpeg_errors_of(jpeg).messages.fail("it has too many scans");
  std::longjmp(jpeg_errors_of(jpeg).jump_target, 1);
}

class JpegReader {
 public:
  explicit JpegReader(const ImageBytes& file) : file_(file) {}
  ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  StatusOr<Image> read();

 private:
  Status damaged() const {
    return data_loss("The JPEG image ({}) is damaged or cut off{}.", file_.name, errors_.messages.remark());
  }
  bool read_header();
  StatusOr<ImageInfo> info_of();
  void take_resolution(ImageInfo& info, ImageMetadata& metadata) const;
  void take_markers(ImageInfo& info, ImageMetadata& metadata);
  void take_profile(ImageInfo& info, ImageMetadata& metadata);
  bool read_rows(Image& image);
  Status check_warnings(ImageInfo& info) const;

  const ImageBytes& file_;
  JpegErrors errors_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct jpeg_{};
};

bool JpegReader::read_header() {
  jpeg_.err = jpeg_std_error(&errors_.handler);
  errors_.handler.error_exit = jpeg_give_up;
  errors_.handler.emit_message = jpeg_complain;
  progress_.progress_monitor = watch_scans;
  return jpeg_succeeds(errors_, [&] {
    jpeg_create_decompress(&jpeg_);
    jpeg_.progress = &progress_;
    jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(file_.bytes->data()),
                 static_cast<unsigned long>(file_.bytes->size()));
    constexpr int kLargest = 0xffff;
    for (int number = 1; number < 16; number++) jpeg_save_markers(&jpeg_, JPEG_APP0 + number, kLargest);
    jpeg_save_markers(&jpeg_, JPEG_COM, kLargest);
    jpeg_read_header(&jpeg_, TRUE);
  });
}

void JpegReader::take_resolution(ImageInfo& info, ImageMetadata& metadata) const {
  if (!jpeg_.saw_JFIF_marker || jpeg_.X_density == 0 || jpeg_.Y_density == 0) return;
  constexpr double kCentimetres = 100;  // centimetres in a metre
  const double x = jpeg_.X_density, y = jpeg_.Y_density;
  if (jpeg_.density_unit == 1) metadata.resolution = {Resolution::Unit::kInch, x, y};
  if (jpeg_.density_unit == 2)
    metadata.resolution = {Resolution::Unit::kMetre, x * kCentimetres, y * kCentimetres};
  info.pixel_aspect = y / x;
}

void JpegReader::take_profile(ImageInfo& info, ImageMetadata& metadata) {
  JOCTET* data = nullptr;
  unsigned size = 0;
  boolean is_there = FALSE;
  JOCTET** const data_target = &data;
  unsigned* const size_target = &size;
  boolean* const answer = &is_there;
  if (!jpeg_succeeds(errors_, [&] { *answer = jpeg_read_icc_profile(&jpeg_, data_target, size_target); }))
    return;
  const std::unique_ptr<JOCTET, void (*)(void*)> owner(data, std::free);
  if (!is_there || size > kMaxProfileBytes)
    return add_note(info, "The image's colour profile is damaged, and left out.");
  metadata.profile.assign(reinterpret_cast<const char*>(data), size);
  add_note(info, profile_note(metadata.profile, "sRGB"));
}

void JpegReader::take_markers(ImageInfo& info, ImageMetadata& metadata) {
  bool has_profile = false;
  for (const jpeg_marker_struct* marker = jpeg_.marker_list; marker != nullptr; marker = marker->next) {
    const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (marker->marker == JPEG_APP0 + 1 && data.starts_with(kExifMark) && metadata.exif.empty())
      metadata.exif = data.substr(kExifMark.size());
    else if (marker->marker == JPEG_APP0 + 1 && data.starts_with(kXmpMark) && metadata.xmp.empty())
      metadata.xmp = data.substr(kXmpMark.size());
    else if (marker->marker == kProfileMarker && data.starts_with(kProfileMark))
      has_profile = true;
    else if (marker->marker == JPEG_COM)
      metadata.items.push_back({std::string(kJpegComment), std::string(data)});
    else if (marker->marker != JPEG_APP0 + 14)
      // the Adobe marker: colour coding, which the reader uses
      metadata.items.push_back({fmt::format("APP{}", marker->marker - JPEG_APP0), std::string(data)});
  }
  if (has_profile) take_profile(info, metadata);
}

StatusOr<ImageInfo> JpegReader::info_of() {
  ImageInfo info;
  auto metadata = std::make_shared<ImageMetadata>();
  info.format = metadata->format = ImageFormat::kJpeg;
  info.data = info.display = {0, 0, int(jpeg_.image_width), int(jpeg_.image_height)};
  RETURN_IF_ERROR(check_window(info.data, "picture", file_.name));
  const J_COLOR_SPACE space = jpeg_.jpeg_color_space;
  if (space != JCS_GRAYSCALE && space != JCS_YCbCr && space != JCS_RGB)
    return invalid_argument(
        "The JPEG image ({}) holds {}; convert it to RGB.", file_.name,
        space == JCS_CMYK || space == JCS_YCCK ? "inks (CMYK)" : "colours that are not known here");
  info.is_gray = space == JCS_GRAYSCALE;
  info.bit_depth = 8;
  take_resolution(info, *metadata);
  take_markers(info, *metadata);
  info.orientation = exif_orientation(metadata->exif);
  info.metadata = std::move(metadata);
  return info;
}

bool JpegReader::read_rows(Image& image) {
  const auto begin = [&] {
    jpeg_.out_color_space = image.info.is_gray ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&jpeg_);
  };
  if (!jpeg_succeeds(errors_, begin)) return false;
  const CodeReader reader({image.info.is_gray}, Transfer{});
  const int width = image.info.data.width;
  std::vector<JSAMPLE> row(size_t(width) * 3);
  JSAMPROW rows[] = {row.data()};
  JSAMPARRAY const lines = rows;
  for (int y = 0; y < image.info.data.height; y++) {
    if (!jpeg_succeeds(errors_, [&] { jpeg_read_scanlines(&jpeg_, lines, 1); })) return false;
    reader.read_row(row.data(), width, image.float_samples().data() + ptrdiff_t(y) * width * 4);
    chunk_done();
  }
  return jpeg_succeeds(errors_, [&] { jpeg_finish_decompress(&jpeg_); });
}

// Returns DATA_LOSS if libjpeg warned of invented samples. Warnings about extraneous bytes between
// markers and about the profile concern no samples; they become notes.
Status JpegReader::check_warnings(ImageInfo& info) const {
  for (const std::string& warning : errors_.messages.warnings()) {
    if (warning.find("extraneous") == std::string::npos && warning.find("ICC") == std::string::npos)
      return data_loss("The samples of the JPEG image ({}) are damaged or cut off: {}.", file_.name, warning);
    add_note(info, fmt::format("libjpeg says of the image: {}.", warning));
  }
  return ok_status();
}

StatusOr<Image> JpegReader::read() {
  if (!read_header()) return damaged();
  ASSIGN_OR_RETURN(ImageInfo info, info_of());
  Image image;
  if (!file_.read_samples) {
    image.info = std::move(info);
    return image;
  }
  ASSIGN_OR_RETURN(image, make_image(std::move(info)));
  if (!read_rows(image)) return damaged();
  RETURN_IF_ERROR(check_warnings(image.info));
  if (jpeg_.src->bytes_in_buffer > 0)
    add_note(image.info, "Behind the JPEG picture the file goes on; that is left out.");
  return image;
}

}  // namespace

StatusOr<Image> read_jpeg(const ImageBytes& file) { return JpegReader(file).read(); }

}  // namespace weft::media
