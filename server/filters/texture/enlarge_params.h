// SPDX-License-Identifier: Apache-2.0
// The Params of enlarge.kernel, which two nodes launch: kernel files have no guard of their own.
#pragma once

#include "kernels/texture/enlarge.kernel"

namespace weft::filters::texture {

using EnlargeParams = kernels::enlarge::Params;

}  // namespace weft::filters::texture
