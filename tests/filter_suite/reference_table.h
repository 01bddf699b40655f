// SPDX-License-Identifier: Apache-2.0
// What the build writes a table of (CMakeLists.txt): the filters' plain models by name.
#pragma once

#include <span>
#include <string_view>

#include "tests/filter_suite/reference.h"

namespace weft::filters {

struct NamedReference {
  std::string_view name;
  Clip (*run)(const google::protobuf::Message& options, const Clip& clip);
};
std::span<const NamedReference> all_references();

// Any model as a row has it.
template <class Options>
const Options& options_of_model(Clip (*)(const Options&, const Clip&),
                                const google::protobuf::Message& options) {
  return static_cast<const Options&>(options);
}
template <auto model>
Clip judge(const google::protobuf::Message& options, const Clip& clip) {
  return model(options_of_model(model, options), clip);
}

}  // namespace weft::filters
