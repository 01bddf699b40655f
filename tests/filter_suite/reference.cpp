// SPDX-License-Identifier: Apache-2.0
#include "tests/filter_suite/reference.h"

#include <algorithm>
#include <cstdlib>

#include "server/filters/filter.h"
#include "tests/filter_suite/reference_table.h"

namespace weft::filters {

bool has_reference(std::string_view filter) {
  return std::ranges::find(all_references(), filter, &NamedReference::name) != all_references().end();
}

Clip reference(const google::protobuf::Message& options, const Clip& clip) {
  const Registration* filter = find_filter(options.GetDescriptor());
  const auto found = std::ranges::find(all_references(), filter->name(), &NamedReference::name);
  if (found == all_references().end()) std::abort();
  return found->run(options, clip);
}

}  // namespace weft::filters
