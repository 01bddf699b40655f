// SPDX-License-Identifier: Apache-2.0
// What bloom_bench measured, as a table and as JSON.
#pragma once

#include <string>
#include <vector>

namespace weft::bench {

struct Row {
  std::string way, name;  // name: of the case
  bool has_channel_kernels;
  int batch, points_x, points_y;
  double us_per_frame, limit_us;
  double pass_us[3] = {0, 0, 0};
};

// With ours over the better of each library's ways to do the same.
void print(const std::vector<Row>& rows);
void write_json(const std::vector<Row>& rows, const std::string& path);

}  // namespace weft::bench
