// SPDX-License-Identifier: Apache-2.0
// The kernel that most cases launch, included once where several of their files are compiled together: a .kernel file is a
// program for three compilers, and has no guard.
#pragma once

#include "kernels/test/step.kernel"
