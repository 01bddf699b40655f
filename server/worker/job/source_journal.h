// SPDX-License-Identifier: Apache-2.0
// Which file each finished image of a job was made of, so that an image whose file has changed since is made anew.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "server/media/file.h"
#include "server/worker/job/open_input.h"

namespace weft::worker {

// A file's content as far as the file system tells it. Another file in its place has another inode.
struct FileIdentity {
  int64_t bytes = 0;
  int64_t changed_ns = 0;  // since 1970
  uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

// Of an open file, before it is read: what changes later is another identity.
StatusOr<FileIdentity> identity_of(const media::InputFile& file);
// Of an input, or of the file of that name in the folder of a sequence or a set. nullopt: it is gone.
std::optional<FileIdentity> identity_of(const OpenJobFile& input, const std::string& name);

// A line an image, in a file of the work folder; durable before anybody counts on it. Thread-safe.
class SourceJournal {
 public:
  // With what earlier attempts wrote; a line that a crash cut off is dropped. `folder` is borrowed.
  static StatusOr<std::unique_ptr<SourceJournal>> open(int folder, std::string name);

  // nullopt: the image is not known.
  std::optional<FileIdentity> source_of(const std::string& image) const;
  std::map<std::string, FileIdentity> sources() const;
  // An image that is whole and durable.
  Status add(const std::string& image, const FileIdentity& source);
  // Only these are known from now on.
  Status keep(std::map<std::string, FileIdentity> sources);

 private:
  SourceJournal(int folder, std::string name) : folder_(folder), name_(std::move(name)) {}
  Status rewrite();
  bool parse(std::string_view text);

  const int folder_;
  const std::string name_;
  mutable std::mutex mutex_;
  std::map<std::string, FileIdentity> sources_;  // by image; guarded by mutex_
  media::Descriptor file_;                       // to be appended to; guarded by mutex_
};

}  // namespace weft::worker
