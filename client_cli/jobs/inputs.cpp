// SPDX-License-Identifier: Apache-2.0
#include "client_cli/jobs/inputs.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <utility>

#include "client/paths.h"

namespace weft::cli {
namespace {

using client::absolute_path;

Status read_list(std::istream& stream, std::string_view name, std::vector<std::string>& result) {
  // some editors begin a file of UTF-8 with it
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const size_t before = result.size();
  bool is_first = true;
  for (std::string line; std::getline(stream, line);) {
    if (std::exchange(is_first, false) && line.starts_with(kByteOrderMark))
      line.erase(0, kByteOrderMark.size());
    if (line.find('\0') != std::string::npos)
      return invalid_argument("The list ({}) is no text in UTF-8; save it as UTF-8, one name a line.", name);
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    result.push_back(absolute_path(line));
  }
  if (stream.bad()) return data_loss("The list ({}) cannot be read to its end; check the file.", name);
  if (result.size() == before)
    return invalid_argument("The list ({}) names no file; write one a line.", name);
  return ok_status();
}

}  // namespace

StatusOr<std::vector<std::string>> expand_inputs(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    if (word.starts_with("@@")) {
      result.push_back(absolute_path(word.substr(1)));
    } else if (word == "@-") {
      RETURN_IF_ERROR(read_list(std::cin, "standard input", result));
    } else if (word == "-") {
      return invalid_argument(
          "Jobs read files, not standard input (-); `weft pipe` takes frames from a program, and @- the "
          "names of "
          "files.");
    } else if (word.starts_with('@')) {
      const std::string name = word.substr(1);
      std::ifstream file(name);
      if (!file)
        return not_found("The list ({}) cannot be opened ({}); write @@{} for a file of that name.", name,
                         std::strerror(errno), name);
      RETURN_IF_ERROR(read_list(file, name, result));
    } else {
      result.push_back(absolute_path(word));
    }
  }
  return result;
}

}  // namespace weft::cli
