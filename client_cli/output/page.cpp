// SPDX-License-Identifier: Apache-2.0
#include "client_cli/output/page.h"

#include <memory>
#include <vector>

#include "base/printable.h"
#include "options/option.h"
#include "options/values.h"

namespace weft::cli {

void Page::line(std::string_view name, std::string_view value, TextColour colour) {
  if (!value.empty()) text_ += fmt::format("{:<22}{}\n", name, paint(terminal_, colour, printable(value)));
}

void Page::heading(std::string_view name) {
  text_ += fmt::format("{}\n", paint(terminal_, TextColour::kBold, name));
}

int Page::add_options(std::string_view heading_text, const google::protobuf::Message& message) {
  std::vector<options::Option> chosen;
  int left_out = 0;
  for (const options::Option& option : options::options_of(message.GetDescriptor())) {
    if (!options::is_default(message, option))
      chosen.push_back(option);
    else if (options::is_set(message, option))
      left_out++;
  }
  if (!chosen.empty()) heading(heading_text);
  const std::unique_ptr<google::protobuf::Message> shown(message.New());
  shown->CopyFrom(message);
  options::clear_defaults(*shown);
  for (const options::Option& option : chosen)
    for (const std::string& value : options::format_values(*shown, option)) line("  " + option.flag(), value);
  return left_out;
}

}  // namespace weft::cli
