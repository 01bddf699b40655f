// SPDX-License-Identifier: Apache-2.0
// Copies finished files to the file system of their targets, where a rename then moves them to
// their places.
//
// A rename works within one file system. For each target folder on another file system than the
// work folder, a landing folder is created in it (options::landing_folders_of). It has the form of
// a work folder: private to the daemon's user, locked, marked and bound to the attempt. A note in
// the work folder lists the verified copies, so that the next publishing recognises those that were
// moved before a crash. The finished files stay in the work folder until it is removed.
// (docs/decisions/0073)
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/queue/files/finished_files.h"
#include "server/queue/files/job_files.h"
#include "server/queue/files/work_binding.h"
#include "server/queue/records/copy_report.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// A file before the rename to its target.
struct MovableFile {
  int folder = -1;  // descriptor of the folder
  std::string name{};
};

// The landing folders of one publishing. The arguments of the constructor outlive it.
class Landing {
 public:
  // `note` is the name of the note in the work folder.
  Landing(const v1::Job& job, const StoreIdentity& store, WorkFolder work_folder, std::string note,
          const CopyReport& report);

  // Reads the note of an earlier publishing, if there is one.
  Status read_copies();
  // Adds an open target folder. The files with targets in it are copied. Returns false if it was
  // added before, or if it contains the work folder.
  bool add_folder(const std::string& path, int descriptor);
  // Copies and verifies those of the files with an added target folder that are neither copied nor
  // moved to their targets yet, and makes the note durable.
  Status copy(const std::vector<FinishedFile>& files);

  // Returns the file that is to be renamed to the target of a finished file.
  MovableFile movable(const FinishedFile& file) const;
  // Returns true if `target`, the properties of the file at the target, are those of the finished
  // file or of its copy: it was moved or linked there earlier.
  bool is_of(const FinishedFile& file, const struct stat& target) const;
  // Removes the landing folders with their content, after a failure.
  void remove();

 private:
  struct Folder {
    int target = -1;     // descriptor of the target folder
    std::string path{};  // of the landing folder
    OpenJob open{};      // the landing folder, once it is open
  };

  const Folder* folder_of(const FinishedFile& file) const;
  static std::string name_of(const FinishedFile& file);
  bool is_needed(const FinishedFile& file) const;
  Status open(Folder& folder);
  Status copy_file(const FinishedFile& file);
  Status check_results(const std::vector<FinishedFile>& files) const;

  const v1::Job& job_;
  const StoreIdentity& store_;
  const WorkFolder work_folder_;
  const std::string note_;
  const CopyReport& report_;
  std::map<std::string, Folder> folders_;       // by path of the target folder
  std::map<std::string, FinishedFile> copies_;  // by name in the work folder
  std::map<std::string, std::string> hashes_;   // of the files copied by this object, by name
  int64_t done_bytes_ = 0;
  int64_t total_bytes_ = 0;
};

}  // namespace weft::queue
