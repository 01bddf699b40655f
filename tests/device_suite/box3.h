// SPDX-License-Identifier: Apache-2.0
// The Params of box3, once for all cases: a kernel file has no guard.
#pragma once

#include "kernels/test/box3.kernel"
