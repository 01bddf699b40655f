// SPDX-License-Identifier: Apache-2.0
#include "client_cli/output/json.h"

#include "base/printable.h"
#include "client/errors.h"

namespace weft::cli {

std::string json_line(std::initializer_list<std::pair<std::string_view, std::string>> fields) {
  std::string line = fmt::format("{{\"schema\": {}", client::kJsonSchema);
  for (const auto& [name, value] : fields) line += fmt::format(", {}: {}", json_string(name), value);
  return line + "}\n";
}

std::string error_line(const Status& error) {
  return json_line({{"error", client::to_json(client::to_message(error))}});
}

}  // namespace weft::cli
