// SPDX-License-Identifier: Apache-2.0
#include "tests/device_suite/suite.h"

namespace weft::device::suite {
namespace {

const Joined cuda_joined([] { return subjects_of(BackendKind::kCuda, "cuda"); });

}  // namespace
}  // namespace weft::device::suite
