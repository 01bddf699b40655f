// SPDX-License-Identifier: Apache-2.0
// Runs libFuzzer on the target that the variable WEFT_FUZZ_TARGET names. scripts/fuzz sets it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/log.h"
#include "tests/fuzz/targets.h"

namespace {

const weft::fuzz::Target& chosen() {
  static const weft::fuzz::Target& target = [&]() -> const weft::fuzz::Target& {
    const char* const name = std::getenv("WEFT_FUZZ_TARGET");
    const auto targets = weft::fuzz::targets();
    const auto found =
        std::ranges::find(targets, std::string_view(name == nullptr ? "" : name), &weft::fuzz::Target::name);
    if (found != targets.end()) return *found;
    std::fprintf(stderr, "WEFT_FUZZ_TARGET (%s) is no target; use scripts/fuzz.\n",
                 name == nullptr ? "" : name);
    std::exit(2);
  }();
  return target;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  chosen().parse({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
