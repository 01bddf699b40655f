// SPDX-License-Identifier: Apache-2.0
#include "client/decisions.h"

#include <google/protobuf/util/json_util.h>

namespace weft::client {

StatusOr<v1::DecisionFile> parse_decisions(const std::string& text) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  v1::DecisionFile file;
  if (const auto parsed = google::protobuf::util::JsonStringToMessage(text, &file, options); !parsed.ok())
    return data_loss("The decisions are not valid JSON of their format ({}); request them again.",
                     std::string(parsed.message()));
  for (v1::FilterDecision& decision : *file.mutable_decisions()) decision.clear_map();
  return file;
}

}  // namespace weft::client
