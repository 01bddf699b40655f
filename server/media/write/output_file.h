// SPDX-License-Identifier: Apache-2.0
// Writes the output file through a descriptor, with a buffer. Keeps the system's error for the
// message.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "server/media/ffmpeg.h"
#include "server/media/file.h"

namespace weft::media {

// Not thread-safe. FFmpeg keeps the address of the object, so it cannot be moved.
class OutputFile {
 public:
  static StatusOr<std::unique_ptr<OutputFile>> create(FileLocation location);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  AVIOContext* io() { return io_.get(); }
  // Returns the first system error so far.
  Status status() const;
  // Writes buffered data, makes it durable, and returns the file's size.
  StatusOr<int64_t> finish();

 private:
  OutputFile(FileLocation location, Descriptor file)
      : location_(std::move(location)), file_(std::move(file)) {}
  static int write_bytes(void* self, uint8_t* data, int count);
  static int64_t seek_bytes(void* self, int64_t offset, int whence);

  FileLocation location_;
  Descriptor file_;
  int64_t offset_ = 0;
  int64_t size_ = 0;
  int64_t written_back_ = 0;  // number of bytes given to start_write_back()
  int error_ = 0;
  IoPtr io_;
};

}  // namespace weft::media
