// SPDX-License-Identifier: Apache-2.0
// Prints the rows of filters_bench.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft::bench {

struct Row {
  std::string device, what;
  int batch = 0;
  double us_per_picture = 0;
  double floor_us = 0;  // limit in us; 0 if the row is not compared with it
  double copy_gb_per_s = 0;
  double pictures_per_s = 0;
  size_t device_bytes = 0;      // planned bytes; 0 if unknown
  double launches_a_frame = 0;  // steps of nodes per source frame
};

void print(const std::vector<Row>& rows);
void write_json(const std::vector<Row>& rows, const std::string& path);

}  // namespace weft::bench
