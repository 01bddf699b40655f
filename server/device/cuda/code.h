// SPDX-License-Identifier: Apache-2.0
// Reads the CUDA code of kernels: a fatbin for each kernel, in cuda/<family>/ of the folder of
// kernel modules. The file `stamp` there holds kernels::kernel_stamp() of the sources, the file
// `targets` the generations of GPUs. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weft::device::cuda {

// Returns the fatbin of a kernel, with the entry point "weft_entry". NOT_FOUND: the family's CUDA
// code is not installed, or has no such kernel. FAILED_PRECONDITION: the code is that of another
// build. The message names the remedy.
StatusOr<std::string> read_code(std::string_view kernel);

// Returns OK if the code of the kernels of the self-test can be read, else the error of
// read_code().
Status check_code();

// Returns the targets of the code, as in WEFT_CUDA_ARCHITECTURES: "75-virtual", "86", "90a". Empty:
// there is no code.
std::vector<std::string> code_targets();

}  // namespace weft::device::cuda
