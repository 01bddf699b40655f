// SPDX-License-Identifier: Apache-2.0
// The tables that a build writes of filters, their plain models and modules of kernels, with the exercise's alone: they take the place of the
// product's.
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
