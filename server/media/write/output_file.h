// SPDX-License-Identifier: Apache-2.0
// The file that is written: through a descriptor, buffered, with the system's error kept for the message.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "server/media/ffmpeg.h"
#include "server/media/file.h"

namespace weft::media {

// Used by one thread at a time; stays where it is made.
class OutputFile {
 public:
  static StatusOr<std::unique_ptr<OutputFile>> create(FilePlace place);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  AVIOContext* io() { return io_.get(); }
  // What went wrong with the system so far.
  Status status() const;
  // Writes what is buffered and makes it durable; the file's size.
  StatusOr<int64_t> finish();

 private:
  OutputFile(FilePlace place, Descriptor file) : place_(std::move(place)), file_(std::move(file)) {}
  static int write_bytes(void* self, uint8_t* data, int count);
  static int64_t seek_bytes(void* self, int64_t offset, int whence);

  FilePlace place_;
  Descriptor file_;
  int64_t offset_ = 0;
  int64_t size_ = 0;
  int64_t written_back_ = 0;  // of what the system was asked to write
  int error_ = 0;
  IoPtr io_;
};

}  // namespace weft::media
