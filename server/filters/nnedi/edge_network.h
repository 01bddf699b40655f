// SPDX-License-Identifier: Apache-2.0
// Reads the weights of the program's networks for the missing rows of a field (network_file.h).
//
// For a plane of one field with the rows F(y) a network computes the row between F(y) and F(y + 1):
// with v = (8-bit sample - 128) / 64,
//   h = head(v), 4 rows x 7 columns of the field around the sample, with a repeated border
//   "fast", 16 channels: h = ReLU(body.0(ReLU(h)))
//   "best", 32 channels: three times h = h + body.(2n + 1)(ReLU(body.2n(h))), then h = ReLU(h)
//   8-bit sample = (-F(y - 1) + 9 F(y) + 9 F(y + 1) - F(y + 2)) / 16 + 16 tail(h)
// body and tail are 3x3, with zero features outside of the field. Training: training/edi.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/filters/networks/network_file.h"

namespace weft::filters::nnedi {

struct EdgeNetwork {
  networks::NetworkTitle title;
  int channels = 0;
  // largest difference within a 4x7 window around a sample that needs no network; 8-bit code values
  double prescreen = 0;
  networks::NetworkLayer head, tail;
  std::vector<networks::NetworkLayer> body;

  bool is_fast() const { return channels == 16 && body.size() == 1; }
  // Returns the multiply-adds per sample.
  int multiply_adds() const;
};

// Parses a file. INVALID_ARGUMENT: the file is not such a network; the message has the reason.
StatusOr<EdgeNetwork> parse_edge_network(std::span<const std::byte> file);

// Returns the program's network "fast" or "best", which is read once and kept. NOT_FOUND: the
// program was built without it. Thread-safe.
StatusOr<std::shared_ptr<const EdgeNetwork>> built_in_edge_network(std::string_view name);

}  // namespace weft::filters::nnedi
