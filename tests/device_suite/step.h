// SPDX-License-Identifier: Apache-2.0
// The kernel that cases of several files launch, included once where those are compiled together: a .kernel file is a program
// for three compilers, and has no guard.
#pragma once

#include "kernels/test/step.kernel"
