// SPDX-License-Identifier: Apache-2.0
// Records the source file of each finished image of a job, so that an image with a changed file is
// processed again.
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

// The identity of a file's content, as far as the file system reports it. A file that replaces
// another has another inode.
struct FileIdentity {
  int64_t bytes = 0;
  int64_t changed_ns = 0;  // modification time, in ns since 1970
  uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

// Returns the identity of an open file. Call before reading the file: a later change gives another
// identity.
StatusOr<FileIdentity> identity_of(const media::InputFile& file);
// Returns the identity of an input, or of a file in the folder of a sequence or a set. Returns
// nullopt if the file does not exist.
std::optional<FileIdentity> identity_of(const OpenJobFile& input, const std::string& name);

// A file in the work folder with a line for each image. A line is durable when add() returns.
// Thread-safe.
class SourceJournal {
 public:
  // Opens the journal with the lines of earlier attempts; a line truncated by a crash is dropped.
  // `folder` is borrowed.
  static StatusOr<std::unique_ptr<SourceJournal>> open(int folder, std::string name);

  // Returns the source of an image, or nullopt if the journal does not contain the image.
  std::optional<FileIdentity> source_of(const std::string& image) const;
  std::map<std::string, FileIdentity> sources() const;
  // Records an image that is complete and durable.
  Status add(const std::string& image, const FileIdentity& source);
  // Replaces the content of the journal by `sources`.
  Status retain(std::map<std::string, FileIdentity> sources);

 private:
  SourceJournal(int folder, std::string name) : folder_(folder), name_(std::move(name)) {}
  Status rewrite();
  bool parse(std::string_view text);

  const int folder_;
  const std::string name_;
  mutable std::mutex mutex_;
  std::map<std::string, FileIdentity> sources_;  // by image; guarded by mutex_
  media::Descriptor file_;                       // open for appending; guarded by mutex_
};

}  // namespace weft::worker
