// SPDX-License-Identifier: Apache-2.0
// Selects several files of a folder by one text: "textures/*.dds" names the inputs, which are
// processed one by one, and "2x/*.dds" the outputs.
//
//   ASSIGN_OR_RETURN(const FileSet set, file_set_of(spec));
//   ASSIGN_OR_RETURN(const std::vector<SetFile> files, set.list(names_in_folder));
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "weft/v1/job.pb.h"

namespace weft::options {

inline constexpr size_t kMaxSetFiles = 4096;  // number of files of one job

// Returns true if the last part of a path has an unescaped *. \* is a literal character.
bool is_file_set(std::string_view path);
// Returns the path of a single file with the escapes of \* removed. `path` must not be a file set.
std::string name_without_signs(std::string_view path);
// Returns the path of a single file with each * in its name escaped.
std::string with_signs(std::string_view path);

struct SetFile {
  std::string name{};         // file name in the input's folder
  std::string output_name{};  // file name in the output's folder
};

struct FileSet {
  std::string input{};  // path with at least one * in its last part
  // path with one *, which stands for the input's name without extension
  std::string output{};
  std::vector<std::string> chosen{};  // names of the selected files; empty selects by pattern
  // input extensions in lower case, for a selection by pattern
  std::vector<std::string> extensions{};
  std::vector<std::string>
      // Allowed extensions of outputs. If the output's name has none of them, the input's extension
      // is added if it is allowed, else the first.
      output_extensions{};

  // Returns the selected files of a folder with the given file names, in the order of their names.
  // NOT_FOUND: no file matches, or a chosen file is missing. INVALID_ARGUMENT: more than
  // kMaxSetFiles files, an output without exactly one *, or two files with the same output.
  StatusOr<std::vector<SetFile>> list(std::span<const std::string> names) const;
  // Lists the files of an open folder in the same way. UNAVAILABLE: the folder cannot be read.
  StatusOr<std::vector<SetFile>> list(int folder) const;
};

// Returns the file set of a job with a set of files as input. INTERNAL: the job has no input or no
// output file.
StatusOr<FileSet> file_set_of(const v1::JobSpec& spec);
// Restricts the job to the files with these names.
void choose_names(v1::JobSpec& spec, std::span<const std::string> names);

}  // namespace weft::options
