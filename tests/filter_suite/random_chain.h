// SPDX-License-Identifier: Apache-2.0
// Chains of random filters. Some of the filters merge random chains themselves, so networks are not chains alone.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/filter_suite/devices.h"

namespace weft::filters {

// `length` filters, drawn from `every`, that take the format one after the other.
std::vector<Options> random_chain(std::mt19937& random, const std::vector<Setting>& every, size_t length,
                                  const VideoFormat& format);
std::string describe(const std::string& name, const std::vector<Options>& chain, const VideoFormat& format);

}  // namespace weft::filters
