// SPDX-License-Identifier: Apache-2.0
#include "base/fault_point.h"

#if defined(WEFT_FAULT_POINTS)
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>

namespace weft {
namespace {

struct FaultPlan {
  std::string name;  // name of the point; empty for any point
  long at = 0;       // number of the point, from 1; 0 for none
};

FaultPlan read_plan() {
  const char* text = std::getenv("WEFT_KILL_AT");
  if (text == nullptr) return {};
  const std::string_view value(text);
  const size_t colon = value.rfind(':');
  FaultPlan plan;
  if (colon != std::string_view::npos) plan.name = value.substr(0, colon);
  const std::string_view number = colon == std::string_view::npos ? value : value.substr(colon + 1);
  std::from_chars(number.data(), number.data() + number.size(), plan.at);
  return plan;
}

}  // namespace

void pass_fault_point(std::string_view name) {
  static const FaultPlan plan = read_plan();
  static std::atomic<long> passed{0};
  if (plan.at == 0 || (!plan.name.empty() && plan.name != name)) return;
  if (++passed == plan.at) std::raise(SIGKILL);
}

}  // namespace weft
#endif
