// SPDX-License-Identifier: Apache-2.0
#include "server/device/cuda/code_path.h"

#include <charconv>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weft::device::cuda {
namespace {

constexpr std::string_view kVirtual = "-virtual";
constexpr int kLeast = 75;
constexpr int kWarpgroups = 90;  // the one compute capability with wgmma

struct Target {
  int capability = 0;
  bool is_ptx = false;
  bool is_exact = false;  // "90a": code with features that no other generation has
};

Target parse(std::string_view text) {
  Target target;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), target.capability);
  const std::string_view rest(end, size_t(text.data() + text.size() - end));
  target.is_ptx = rest == kVirtual;
  target.is_exact = rest == "a";
  return target;
}

bool runs(const Target& target, int capability) {
  if (target.is_ptx) return target.capability <= capability;
  if (target.is_exact) return target.capability == capability;
  return target.capability / 10 == capability / 10 && target.capability <= capability;
}

std::string version_of(int capability) { return fmt::format("{}.{}", capability / 10, capability % 10); }

}  // namespace

std::optional<CodePath> choose_code(std::span<const std::string> targets, int capability, bool only_ptx) {
  std::optional<CodePath> best;
  Target chosen;
  for (const std::string& text : targets) {
    const Target target = parse(text);
    if (!runs(target, capability) || (only_ptx && !target.is_ptx)) continue;
    const bool is_better = !best || (chosen.is_ptx && !target.is_ptx) ||
                           (chosen.is_ptx == target.is_ptx && target.capability > chosen.capability);
    if (!is_better) continue;
    chosen = target;
    best = {text, capability == kWarpgroups && !only_ptx};
  }
  return best;
}

bool is_ptx_forced() {
  for (const char* name : {"CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT"})
    if (const char* value = std::getenv(name); value != nullptr && std::string_view(value) == "1")
      return true;
  return false;
}

std::string describe(const CodePath& code) {
  const std::string version = version_of(parse(code.target).capability);
  if (code.is_ptx()) return fmt::format("PTX of {}, compiled by the driver", version);
  return fmt::format("machine code of {}{}", version, code.target.ends_with('a') ? "a" : "");
}

std::string why_no_code(std::span<const std::string> targets, int capability, bool only_ptx) {
  return fmt::format("its compute capability is {} and this build has code of {}{}; {}.",
                     version_of(capability), fmt::join(targets, ", "),
                     only_ptx ? ", but the environment forces PTX" : "",
                     capability < kLeast ? "kernels need 7.5 at least"
                                         : fmt::format("add {} to WEFT_CUDA_ARCHITECTURES", capability));
}

}  // namespace weft::device::cuda
