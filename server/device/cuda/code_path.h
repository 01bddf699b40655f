// SPDX-License-Identifier: Apache-2.0
// Chooses the code of kernels that a GPU runs, as the driver does: machine code of its generation,
// or PTX that the driver compiles.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weft::device::cuda {

// The code of a device's kernels.
struct CodePath {
  std::string target;  // as in WEFT_CUDA_ARCHITECTURES: "86", "90a" or "75-virtual"
  // Kernels with a body for warpgroups (wgmma) run it.
  bool has_warpgroups = false;

  bool is_ptx() const { return target.ends_with("-virtual"); }
};

// Returns the best of the targets that a GPU of `capability` (86 for 8.6) runs: machine code of the
// newest generation with its major number and no larger minor number; else the newest PTX that is
// not newer. `only_ptx` leaves out machine code. Returns nullopt if there is none.
std::optional<CodePath> choose_code(std::span<const std::string> targets, int capability, bool only_ptx);

// Returns whether the environment forces the driver to compile PTX (CUDA_FORCE_PTX_JIT=1).
bool is_ptx_forced();

// Returns "machine code of 8.6", or "PTX of 7.5, compiled by the driver".
std::string describe(const CodePath& code);

// Returns the sentence for a GPU that none of the targets fits.
std::string why_no_code(std::span<const std::string> targets, int capability, bool only_ptx);

}  // namespace weft::device::cuda
