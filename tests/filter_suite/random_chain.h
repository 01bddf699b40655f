// SPDX-License-Identifier: Apache-2.0
// Makes chains of random filters. Some of the filters contain random chains and merge them, so the
// networks are graphs and not only chains.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/filter_suite/devices.h"

namespace weft::filters {

// Returns `length` filters, drawn from `every`. Each accepts the output format of the filter before
// it.
std::vector<Options> random_chain(std::mt19937& random, const std::vector<Setting>& every, size_t length,
                                  const VideoFormat& format);
std::string describe(const std::string& name, const std::vector<Options>& chain, const VideoFormat& format);

}  // namespace weft::filters
