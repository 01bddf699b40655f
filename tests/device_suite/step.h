// SPDX-License-Identifier: Apache-2.0
// Includes the kernel step once for the files of cases that are compiled together. A .kernel file
// is a program for three compilers and has no include guard.
#pragma once

#include "kernels/test/step.kernel"
