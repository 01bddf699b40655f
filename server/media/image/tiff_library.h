// SPDX-License-Identifier: Apache-2.0
// Owns a libtiff file in memory and keeps libtiff's messages instead of printing them. Only
// image_tiff*.cpp and tiff_*.cpp include this file.
#pragma once

#include <memory>
#include <string>

#include <tiffio.h>

#include "server/media/image/library_messages.h"

namespace weft::media {

// Reads `bytes`, which must outlive the object, or writes into the object's own bytes. The object
// cannot be moved, because libtiff keeps its address.
class TiffFile {
 public:
  // get() returns null if libtiff cannot open the file
  explicit TiffFile(const std::string& bytes);
  TiffFile();  // opens a little-endian file to write
  ~TiffFile();
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  TIFF* get() const { return tiff_; }
  const LibraryMessages& messages() const { return messages_; }
  // Closes the file. Returns false if it could not be written.
  bool finish();
  std::string take() { return std::move(written_); }

 private:
  void open(const char* mode);
  static int on_warning(TIFF*, void* self, const char* module, const char* format, va_list arguments);
  static int on_error(TIFF*, void* self, const char* module, const char* format, va_list arguments);
  static tmsize_t on_read(thandle_t self, void* target, tmsize_t count);
  static tmsize_t on_write(thandle_t self, void* source, tmsize_t count);
  static toff_t on_seek(thandle_t self, toff_t offset, int whence);
  static int on_map(thandle_t self, void** base, toff_t* size);
  static toff_t on_size(thandle_t self);

  const std::string* bytes_ = nullptr;  // bytes to read; null: the file is written
  std::string written_{};
  uint64_t at_ = 0;
  LibraryMessages messages_{};
  TIFF* tiff_ = nullptr;
};

}  // namespace weft::media
