// SPDX-License-Identifier: Apache-2.0
// Prints results of bloom_bench as a table and as JSON.
#pragma once

#include <string>
#include <vector>

namespace weft::bench {

struct Row {
  std::string way, name;  // method; name of the case
  bool has_channel_kernels;
  int batch, points_x, points_y;
  double us_per_frame, limit_us;
  double pass_us[3] = {0, 0, 0};
};

// Prints the rows, with the time of Weft over that of the best comparable method of each library.
void print(const std::vector<Row>& rows);
void write_json(const std::vector<Row>& rows, const std::string& path);

}  // namespace weft::bench
