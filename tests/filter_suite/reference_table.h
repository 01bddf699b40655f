// SPDX-License-Identifier: Apache-2.0
// The table of the filters' models by name, written by the build (CMakeLists.txt).
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

// Converts a model with its own type of options to the type of a row.
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
