// SPDX-License-Identifier: Apache-2.0
// Replaces the tables of filters, models and kernel modules that a build writes. These tables
// contain only the filter of the exercise.
#include "server/filters/filter.h"
#include "tests/filter_suite/models/linear_reference.h"
#include "tests/filter_suite/reference_table.h"

namespace weft::kernels {
std::span<const std::string_view> module_table() {
  static constexpr std::string_view kModules[] = {"video"};
  return kModules;
}
}  // namespace weft::kernels

namespace weft::filters {
namespace registered {
extern const Registration kLinear;
}

std::span<const Registration* const> filter_table() {
  static const Registration* const kTable[] = {&registered::kLinear};
  return kTable;
}
std::span<const NamedReference> all_references() {
  static const NamedReference kTable[] = {{"linear", &judge<&plain::linear>}};
  return kTable;
}
}  // namespace weft::filters
