// SPDX-License-Identifier: Apache-2.0
// Computes the SHA-256 of a job's finished outputs.
//
// The hash of an output with several files (a sequence, a set) is that of the text that
// `sha256sum NAME...` prints for them in the order of their names: a line for each file.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "options/job_files.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

// Holds the hashes of files that were written, so that they are not read again. Thread-safe.
class OutputHashes {
 public:
  // Adds a file of the work folder, or replaces its hash: "finished", "finished/out.0001.exr".
  void add(const std::string& file, std::string_view bytes);

  // Returns the hashes of the finished outputs in the work folder, and reads the files that were
  // not added. An output without a file is left out. Calls `alive` regularly; its error ends the
  // work.
  StatusOr<std::vector<v1::OutputHash>> finish(int folder, const std::vector<options::JobFile>& outputs,
                                               const std::function<Status()>& alive) const;

 private:
  StatusOr<std::string> hash_of(int folder, const std::string& file,
                                const std::function<Status()>& alive) const;
  StatusOr<v1::OutputHash> hash_of_set(int folder, const options::JobFile& output,
                                       const std::function<Status()>& alive) const;

  mutable std::mutex mutex_;
  std::map<std::string, std::string> hashes_;  // by file; guarded by mutex_
};

}  // namespace weft::worker
