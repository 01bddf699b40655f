// SPDX-License-Identifier: Apache-2.0
#include "server/media/image/tiff_library.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "server/media/image/image.h"

namespace weft::media {

namespace {

std::string words_of(const char* format, va_list arguments) {
  char text[256];
  std::vsnprintf(text, sizeof(text), format, arguments);
  return text;
}

TiffFile& file_of(void* self) { return *static_cast<TiffFile*>(self); }

}  // namespace

int TiffFile::on_warning(TIFF*, void* self, const char*, const char* format, va_list arguments) {
  // read_tags() reports the tags that libtiff does not support.
  const std::string words = words_of(format, arguments);
  if (!words.starts_with("Unknown field with tag")) file_of(self).messages_.warn(words);
  return 1;
}

int TiffFile::on_error(TIFF*, void* self, const char*, const char* format, va_list arguments) {
  file_of(self).messages_.fail(words_of(format, arguments));
  return 1;
}

tmsize_t TiffFile::on_read(thandle_t self, void* target, tmsize_t count) {
  TiffFile& file = file_of(self);
  const std::string& bytes = file.bytes_ != nullptr ? *file.bytes_ : file.written_;
  if (count < 0 || file.at_ > bytes.size()) return 0;
  const auto taken = size_t(std::min<uint64_t>(uint64_t(count), bytes.size() - file.at_));
  std::memcpy(target, bytes.data() + file.at_, taken);
  file.at_ += taken;
  return tmsize_t(taken);
}

tmsize_t TiffFile::on_write(thandle_t self, void* source, tmsize_t count) {
  TiffFile& file = file_of(self);
  if (file.bytes_ != nullptr || count < 0) return -1;
  try {
    if (file.at_ + uint64_t(count) > file.written_.size()) file.written_.resize(file.at_ + uint64_t(count));
  } catch (const std::exception&) {
    file.messages_.fail("there is no memory");
    return -1;
  }
  std::memcpy(file.written_.data() + file.at_, source, size_t(count));
  file.at_ += uint64_t(count);
  return count;
}

toff_t TiffFile::on_seek(thandle_t self, toff_t offset, int whence) {
  TiffFile& file = file_of(self);
  const uint64_t begin = whence == SEEK_CUR ? file.at_ : whence == SEEK_END ? on_size(self) : 0;
  return file.at_ = begin + offset;
}

toff_t TiffFile::on_size(thandle_t self) {
  const TiffFile& file = file_of(self);
  return file.bytes_ != nullptr ? file.bytes_->size() : file.written_.size();
}

int TiffFile::on_map(thandle_t self, void** base, toff_t* size) {
  const TiffFile& file = file_of(self);
  if (file.bytes_ == nullptr) return 0;
  *base = const_cast<char*>(file.bytes_->data());  // the file is opened read-only
  *size = file.bytes_->size();
  return 1;
}

void TiffFile::open(const char* mode) {
  static std::once_flag once;
  std::call_once(once, [] {  // disables output of codecs that report without a file
    TIFFSetErrorHandler(nullptr);
    TIFFSetWarningHandler(nullptr);
  });
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  if (!options) return;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxImageChunkBytes);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, this);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, this);
  const auto close = [](thandle_t) { return 0; };
  const auto unmap = [](thandle_t, void*, toff_t) {};
  tiff_ = TIFFClientOpenExt("image", mode, this, on_read, on_write, on_seek, close, on_size, on_map, unmap,
                            options.get());
}

TiffFile::TiffFile(const std::string& bytes) : bytes_(&bytes) { open("r"); }
TiffFile::TiffFile() { open("wl"); }

TiffFile::~TiffFile() {
  if (tiff_ != nullptr) TIFFClose(tiff_);
}

bool TiffFile::finish() {
  const bool is_written = TIFFFlush(tiff_) == 1;
  TIFFClose(std::exchange(tiff_, nullptr));
  return is_written && messages_.remark().empty();
}

}  // namespace weft::media
