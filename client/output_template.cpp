// SPDX-License-Identifier: Apache-2.0
#include "client/output_template.h"

#include <algorithm>
#include <filesystem>

#include "client/paths.h"
#include "options/words.h"

namespace weft::client {

TemplateFields path_fields(const std::string& path, size_t index) {
  const std::filesystem::path file(path);
  std::string extension = file.extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  const std::string folder = file.parent_path().string();
  return {{"dir", folder == "/" ? "" : folder},
          {"name", file.filename().string()},
          {"stem", file.stem().string()},
          {"ext", extension},
          {"index", std::to_string(index)}};
}

const std::vector<std::pair<std::string, std::string>>& documented_fields() {
  static const std::vector<std::pair<std::string, std::string>> fields = {
      {"dir", "The input's folder."},
      {"name", "The input's name with its extension."},
      {"stem", "The input's name without its extension."},
      {"ext", "The input's extension."},
      {"index", "The number of the input, from 1."},
  };
  return fields;
}

StatusOr<std::string> expand_template(std::string_view text, const TemplateFields& fields) {
  std::string result;
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    const bool doubled = i + 1 < text.size() && text[i + 1] == c;
    if (c != '{' && c != '}') {
      result += c;
    } else if (doubled) {
      result += c;
      i++;
    } else if (c == '}') {
      return invalid_argument("The output ({}) closes a brace that is not open; write }}}} for a brace.",
                              text);
    } else {
      const size_t end = text.find('}', i);
      if (end == std::string_view::npos)
        return invalid_argument("The output ({}) leaves a brace open; close it, or write {{{{ for a brace.",
                                text);
      const std::string name(text.substr(i + 1, end - i - 1));
      const auto field = fields.find(name);
      if (field == fields.end()) {
        std::vector<std::string> names;
        for (const auto& [known, value] : fields) names.push_back(known);
        const std::string hint = options::did_you_mean(name, names);
        return invalid_argument("The output ({}) has a field that is not known ({}){} There are {}.", text,
                                name, hint.empty() ? "." : hint, options::join_and(names));
      }
      result += field->second;
      i = end;
    }
  }
  return result;
}

StatusOr<std::vector<std::string>> expand_outputs(const std::string& text,
                                                  const std::vector<std::string>& inputs,
                                                  const std::vector<TemplateFields>& fields) {
  std::error_code error;
  const bool folder = text.ends_with('/') || std::filesystem::is_directory(text, error);
  const std::string pattern = folder ? text + (text.ends_with('/') ? "" : "/") + "{stem}.{ext}" : text;
  std::vector<std::string> outputs;
  std::map<std::string, std::string> owners;
  for (size_t i = 0; i < inputs.size(); i++) {
    ASSIGN_OR_RETURN(const std::string expanded, expand_template(pattern, fields[i]));
    const std::string output = absolute_path(expanded);
    if (output == inputs[i])
      return invalid_argument("The output ({}) is the input itself; choose another name or folder.", output);
    if (std::find(inputs.begin(), inputs.end(), output) != inputs.end())
      return invalid_argument(
          "The output ({}) of one input ({}) is another input; choose another name or folder.", output,
          inputs[i]);
    const auto [owner, is_new] = owners.emplace(output, inputs[i]);
    if (!is_new)
      return invalid_argument(
          "Two inputs ({} and {}) have the same output ({}); use a field that differs, such as {{stem}}.",
          owner->second, inputs[i], output);
    outputs.push_back(output);
  }
  return outputs;
}

}  // namespace weft::client
