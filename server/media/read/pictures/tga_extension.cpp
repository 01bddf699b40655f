// SPDX-License-Identifier: Apache-2.0
// See Truevision TGA 2.0, "Extension Area" and "TGA File Footer".
#include "server/media/read/pictures/tga_extension.h"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include <unistd.h>

#include "server/media/file_calls.h"

namespace weft::media {
namespace {

constexpr std::string_view kFooterMark{"TRUEVISION-XFILE.\0", 18};
constexpr size_t kFooterBytes = 26, kExtensionBytes = 495;
constexpr size_t kDeveloperAt = 4;  // offset in the footer
constexpr size_t kAttributesAt = 494;

// A field of the extension area that holds data if it is not zero or spaces.
struct TgaField {
  size_t at, bytes;
  const char* name;
};
constexpr TgaField kFields[] = {{2, 41, "the author's name"}, {43, 324, "the author's comments"},
                                {367, 12, "the date"},        {379, 41, "the job's name"},
                                {420, 6, "the job's time"},   {426, 44, "the program's name"},
                                {470, 4, "the key colour"},   {474, 4, "the shape of its pixels"},
                                {478, 4, "the gamma"},        {482, 4, "the table of colour corrections"},
                                {486, 4, "the small picture"}};

StatusOr<std::string> bytes_at(const InputFile& file, int64_t at, size_t count) {
  const FileCall call("read", file.name());
  std::string bytes(count, '\0');
  ssize_t got = -1;
  while ((got = ::pread(file.descriptor(), bytes.data(), bytes.size(), at)) < 0 && errno == EINTR) {
  }
  if (got < 0) return system_error(errno, "read", file.name());
  bytes.resize(size_t(got));
  return bytes;
}

int64_t offset_in(std::string_view bytes, size_t at) {
  int64_t value = 0;
  for (size_t i = 4; i-- > 0;) value = value << 8 | uint8_t(bytes[at + i]);
  return value;
}

bool says_something(std::string_view area, const TgaField& field) {
  return area.substr(field.at, field.bytes).find_first_not_of(std::string_view("\0 ", 2)) !=
         std::string_view::npos;
}

TgaExtension::Alpha alpha_of(uint8_t attributes) {
  switch (attributes) {
    case 1:  // undefined data that may be ignored
      return TgaExtension::Alpha::kNone;
    case 2:  // undefined data that should be retained
    case 3:
      return TgaExtension::Alpha::kStraight;
    case 4:
      return TgaExtension::Alpha::kPremultiplied;
    default:  // includes 0 (no alpha), which files with alpha use too
      return TgaExtension::Alpha::kNotSaid;
  }
}

}  // namespace

StatusOr<TgaExtension> read_tga_extension(const InputFile& file) {
  TgaExtension extension;
  const int64_t footer_at = file.bytes() - int64_t(kFooterBytes);
  if (footer_at < 0) return extension;
  ASSIGN_OR_RETURN(const std::string footer, bytes_at(file, footer_at, kFooterBytes));
  if (!footer.ends_with(kFooterMark) || footer.size() != kFooterBytes) return extension;
  if (offset_in(footer, kDeveloperAt) != 0) extension.others.emplace_back("the developer's area");
  const int64_t at = offset_in(footer, 0);
  if (at == 0 || at > footer_at - int64_t(kExtensionBytes)) return extension;
  ASSIGN_OR_RETURN(const std::string area, bytes_at(file, at, kExtensionBytes));
  if (area.size() != kExtensionBytes) return extension;
  extension.alpha = alpha_of(uint8_t(area[kAttributesAt]));
  for (const TgaField& field : kFields)
    if (says_something(area, field)) extension.others.emplace_back(field.name);
  return extension;
}

}  // namespace weft::media
