// SPDX-License-Identifier: Apache-2.0
// The program's own networks that make the missing rows of a field: their weights, out of a file (network_file.h).
//
// Of a plane of one field with the rows F(y) a network makes the row between F(y) and F(y + 1): with v = (sample of 8 bits - 128) / 64,
//   h = head(v), 4 rows x 7 columns of the field around the sample, whose border repeats
//   "fast", 16 channels: h = ReLU(body.0(ReLU(h)));  "best", 32: three times h = h + body.(2n + 1)(ReLU(body.2n(h))), then h = ReLU(h)
//   sample of 8 bits = (-F(y - 1) + 9 F(y) + 9 F(y + 1) - F(y + 2)) / 16 + 16 tail(h)
// body and tail are 3x3; features outside of the field are zero to them. training/edi has how they came about.
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
  double prescreen = 0;  // samples whose 4x7 window differs by no more are easy; codes of 8 bits
  networks::NetworkLayer head, tail;
  std::vector<networks::NetworkLayer> body;

  bool is_fast() const { return channels == 16 && body.size() == 1; }
  // Multiply-adds a sample.
  int multiply_adds() const;
};

// INVALID_ARGUMENT: the file is none of a network, and why.
StatusOr<EdgeNetwork> parse_edge_network(std::span<const std::byte> file);

// The program's own, "fast" or "best"; it is read once, and kept. NOT_FOUND: it was built without. Any thread.
StatusOr<std::shared_ptr<const EdgeNetwork>> built_in_edge_network(std::string_view name);

}  // namespace weft::filters::nnedi
