// SPDX-License-Identifier: Apache-2.0
// JPEG files read through libjpeg-turbo: gray and YCbCr or RGB colours of 8 bits, with their EXIF data, XMP and profile.
#include <cstdlib>

#include "server/media/file_calls.h"
#include "server/media/image/codes.h"
#include "server/media/image/exif.h"
#include "server/media/image/image_formats.h"
#include "server/media/image/image_metadata.h"
#include "server/media/image/jpeg_library.h"

namespace weft::media {

namespace {

constexpr int kMaxScans = 500;  // of a progressive picture; each goes over all of it again

void watch_scans(j_common_ptr jpeg) {
  if (!jpeg->is_decompressor || reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= kMaxScans)
    return;
  jpeg_errors_of(jpeg).messages.fail("it has too many scans");
  std::longjmp(jpeg_errors_of(jpeg).place, 1);
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
  StatusOr<ImageFacts> facts_of();
  void take_resolution(ImageFacts& facts, ImageMetadata& metadata) const;
  void take_markers(ImageFacts& facts, ImageMetadata& metadata);
  void take_profile(ImageFacts& facts, ImageMetadata& metadata);
  bool read_rows(Image& image);
  Status check_warnings(ImageFacts& facts) const;

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

void JpegReader::take_resolution(ImageFacts& facts, ImageMetadata& metadata) const {
  if (!jpeg_.saw_JFIF_marker || jpeg_.X_density == 0 || jpeg_.Y_density == 0) return;
  constexpr double kCentimetres = 100;  // of a metre
  const double x = jpeg_.X_density, y = jpeg_.Y_density;
  if (jpeg_.density_unit == 1) metadata.resolution = {Resolution::Unit::kInch, x, y};
  if (jpeg_.density_unit == 2)
    metadata.resolution = {Resolution::Unit::kMetre, x * kCentimetres, y * kCentimetres};
  facts.pixel_aspect = y / x;
}

void JpegReader::take_profile(ImageFacts& facts, ImageMetadata& metadata) {
  JOCTET* data = nullptr;
  unsigned size = 0;
  boolean is_there = FALSE;
  JOCTET** const data_place = &data;
  unsigned* const size_place = &size;
  boolean* const answer = &is_there;
  if (!jpeg_succeeds(errors_, [&] { *answer = jpeg_read_icc_profile(&jpeg_, data_place, size_place); }))
    return;
  const std::unique_ptr<JOCTET, void (*)(void*)> owner(data, std::free);
  if (!is_there || size > kMaxProfileBytes)
    return add_note(facts, "The image's colour profile is damaged, and left out.");
  metadata.profile.assign(reinterpret_cast<const char*>(data), size);
  add_note(facts, profile_note(metadata.profile, "sRGB"));
}

void JpegReader::take_markers(ImageFacts& facts, ImageMetadata& metadata) {
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
    else if (marker->marker != JPEG_APP0 + 14)  // Adobe's says how the colours are coded
      metadata.items.push_back({fmt::format("APP{}", marker->marker - JPEG_APP0), std::string(data)});
  }
  if (has_profile) take_profile(facts, metadata);
}

StatusOr<ImageFacts> JpegReader::facts_of() {
  ImageFacts facts;
  auto metadata = std::make_shared<ImageMetadata>();
  facts.format = metadata->format = ImageFormat::kJpeg;
  facts.data = facts.display = {0, 0, int(jpeg_.image_width), int(jpeg_.image_height)};
  RETURN_IF_ERROR(check_window(facts.data, "picture", file_.name));
  const J_COLOR_SPACE space = jpeg_.jpeg_color_space;
  if (space != JCS_GRAYSCALE && space != JCS_YCbCr && space != JCS_RGB)
    return invalid_argument(
        "The JPEG image ({}) holds {}; convert it to RGB.", file_.name,
        space == JCS_CMYK || space == JCS_YCCK ? "inks (CMYK)" : "colours that are not known here");
  facts.is_gray = space == JCS_GRAYSCALE;
  facts.bit_depth = 8;
  take_resolution(facts, *metadata);
  take_markers(facts, *metadata);
  facts.orientation = exif_orientation(metadata->exif);
  facts.metadata = std::move(metadata);
  return facts;
}

bool JpegReader::read_rows(Image& image) {
  const auto begin = [&] {
    jpeg_.out_color_space = image.facts.is_gray ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&jpeg_);
  };
  if (!jpeg_succeeds(errors_, begin)) return false;
  const CodeReader reader({image.facts.is_gray}, Transfer{});
  const int width = image.facts.data.width;
  std::vector<JSAMPLE> row(size_t(width) * 3);
  JSAMPROW rows[] = {row.data()};
  JSAMPARRAY const place = rows;
  for (int y = 0; y < image.facts.data.height; y++) {
    if (!jpeg_succeeds(errors_, [&] { jpeg_read_scanlines(&jpeg_, place, 1); })) return false;
    reader.read_row(row.data(), width, image.float_samples().data() + ptrdiff_t(y) * width * 4);
    piece_done();
  }
  return jpeg_succeeds(errors_, [&] { jpeg_finish_decompress(&jpeg_); });
}

// Bytes between markers and a profile in pieces say nothing of samples; every other warning is of samples that are made up.
Status JpegReader::check_warnings(ImageFacts& facts) const {
  for (const std::string& warning : errors_.messages.warnings()) {
    if (warning.find("extraneous") == std::string::npos && warning.find("ICC") == std::string::npos)
      return data_loss("The samples of the JPEG image ({}) are damaged or cut off: {}.", file_.name, warning);
    add_note(facts, fmt::format("libjpeg says of the image: {}.", warning));
  }
  return ok_status();
}

StatusOr<Image> JpegReader::read() {
  if (!read_header()) return damaged();
  ASSIGN_OR_RETURN(ImageFacts facts, facts_of());
  Image image;
  if (!file_.read_samples) {
    image.facts = std::move(facts);
    return image;
  }
  ASSIGN_OR_RETURN(image, make_image(std::move(facts)));
  if (!read_rows(image)) return damaged();
  RETURN_IF_ERROR(check_warnings(image.facts));
  if (jpeg_.src->bytes_in_buffer > 0)
    add_note(image.facts, "Behind the JPEG picture the file goes on; that is left out.");
  return image;
}

}  // namespace

StatusOr<Image> read_jpeg(const ImageBytes& file) { return JpegReader(file).read(); }

}  // namespace weft::media
