// SPDX-License-Identifier: Apache-2.0
// Files of a folder as one text, "textures/*.dds": each is worked on by itself, and "2x/*.dds" names what comes of it.
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

inline constexpr size_t kMaxSetFiles = 4096;  // of one job

// Whether the last part of a path has a * that stands for letters. \* is a letter of a name.
bool is_file_set(std::string_view path);
// The path of the one file that a path without such a * means.
std::string name_without_signs(std::string_view path);
// A path of one file with its letters * marked as such.
std::string with_signs(std::string_view path);

struct SetFile {
  std::string name{};         // in its folder
  std::string output_name{};  // in the output's folder
};

struct FileSet {
  std::string input{};                    // a path whose last part has *
  std::string output{};                   // one * of it is the input's name without its extension
  std::vector<std::string> chosen{};      // names that alone are meant; empty: all
  std::vector<std::string> extensions{};  // that names have if none are chosen, in lower case
  std::vector<std::string>
      output_extensions{};  // where the output has none of these: the input's, if it is one of them, or the first

  // Which of a folder's files are meant, by name. NOT_FOUND: none, or not a chosen one. INVALID_ARGUMENT: more than kMaxSetFiles, an output
  // without a single *, or two files with one output.
  StatusOr<std::vector<SetFile>> list(std::span<const std::string> names) const;
  // The same of an open folder. UNAVAILABLE: it cannot be read.
  StatusOr<std::vector<SetFile>> list(int folder) const;
};

// Of a job whose input is one. INVALID_ARGUMENT: its output is one file.
StatusOr<FileSet> file_set_of(const v1::JobSpec& spec);
// From now on these names alone are meant.
void choose_names(v1::JobSpec& spec, std::span<const std::string> names);

}  // namespace weft::options
