// SPDX-License-Identifier: Apache-2.0
// Reads the CUDA code of kernels: a fatbin for each kernel, in cuda/<family>/ of the folder of
// kernel modules. The file `stamp` there holds kernels::kernel_stamp() of the sources. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace weft::device::cuda {

// Returns the fatbin of a kernel, which has the entry point "weft_entry". NOT_FOUND: the CUDA code
// of the family is not there, or has no such kernel. FAILED_PRECONDITION: it is of another build.
// The message names the remedy.
StatusOr<std::string> read_code(std::string_view kernel);

// Returns OK if the code of the kernels of the self-test can be read, else the error of
// read_code().
Status check_code();

}  // namespace weft::device::cuda
