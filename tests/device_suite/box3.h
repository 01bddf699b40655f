// SPDX-License-Identifier: Apache-2.0
// Includes box3.kernel once for all cases, since a kernel file has no include guard.
#pragma once

#include "kernels/test/box3.kernel"
