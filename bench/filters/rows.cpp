// SPDX-License-Identifier: Apache-2.0
#include "bench/filters/rows.h"

#include <fstream>

#include <fmt/format.h>

namespace weft::bench {

void print(const std::vector<Row>& rows) {
  fmt::print("{:<10} {:<28} {:>5} {:>14} {:>12} {:>10} {:>8} {:>10} {:>10} {:>10}\n", "device", "what",
             "batch", "us a picture", "pictures/s", "floor us", "share", "copy GB/s", "planned MB",
             "launches");
  for (const Row& row : rows) {
    fmt::print("{:<10} {:<28} {:>5} {:>14.3f} {:>12.0f}", row.device, row.what, row.batch, row.us_per_picture,
               row.pictures_per_s);
    if (row.floor_us > 0)
      fmt::print(" {:>10.3f} {:>7.1f}% {:>10.0f}", row.floor_us, 100 * row.floor_us / row.us_per_picture,
                 row.copy_gb_per_s);
    if (row.device_bytes > 0)
      fmt::print(" {:>10.1f} {:>10.3f}", double(row.device_bytes) / 1e6, row.launches_a_frame);
    fmt::print("\n");
  }
}

void write_json(const std::vector<Row>& rows, const std::string& path) {
  std::ofstream file(path);
  file << "[\n";
  for (size_t i = 0; i < rows.size(); i++) {
    const Row& row = rows[i];
    file << fmt::format(
        R"(  {{"device": "{}", "what": "{}", "batch": {}, "us_per_picture": {:.4f}, "pictures_per_second": {:.1f})",
        row.device, row.what, row.batch, row.us_per_picture, row.pictures_per_s);
    if (row.floor_us > 0)
      file << fmt::format(R"(, "floor_us": {:.4f}, "floor_share": {:.4f}, "copy_gb_per_second": {:.1f})",
                          row.floor_us, row.floor_us / row.us_per_picture, row.copy_gb_per_s);
    if (row.device_bytes > 0)
      file << fmt::format(R"(, "device_bytes": {}, "launches_per_frame": {:.4f})", row.device_bytes,
                          row.launches_a_frame);
    file << (i + 1 < rows.size() ? "},\n" : "}\n");
  }
  file << "]\n";
}

}  // namespace weft::bench
