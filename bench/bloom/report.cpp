// SPDX-License-Identifier: Apache-2.0
#include "bench/bloom/report.h"

#include <fstream>

#include <fmt/format.h>

namespace weft::bench {
namespace {

// Returns the time of Weft over that of the best comparable method of each library.
std::string against_peers(const Row& row, const std::vector<Row>& rows) {
  std::string text;
  for (const std::string library : {"cuFFT", "VkFFT", "FFTW"}) {
    double peer = 0;
    for (const Row& other : rows)
      if (other.way.starts_with(library) && other.name == row.name && other.batch == row.batch &&
          other.has_channel_kernels == row.has_channel_kernels && (peer == 0 || other.us_per_frame < peer))
        peer = other.us_per_frame;
    if (row.way.starts_with(library)) return "";
    if (peer > 0) text += fmt::format("  {} x{:.3f}", library, row.us_per_frame / peer);
  }
  return text;
}

}  // namespace

void print(const std::vector<Row>& rows) {
  fmt::print("{:<14} {:>6} {:>5} {:>10} {:<23} {:>10} {:>9} {:>7}  {}\n", "case", "kernel", "batch",
             "transform", "way", "us/frame", "limit us", "x limit", "against peers; passes us");
  for (const Row& row : rows) {
    fmt::print("{:<14} {:>6} {:>5} {:>10} {:<23} {:>10.2f} {:>9.2f} {:>7.2f}{}", row.name,
               row.has_channel_kernels ? "colour" : "gray", row.batch,
               fmt::format("{}x{}", row.points_x, row.points_y), row.way, row.us_per_frame, row.limit_us,
               row.us_per_frame / row.limit_us, against_peers(row, rows));
    if (row.pass_us[0] > 0)
      fmt::print("  {:.2f} + {:.2f} + {:.2f}", row.pass_us[0], row.pass_us[1], row.pass_us[2]);
    fmt::print("\n");
  }
}

void write_json(const std::vector<Row>& rows, const std::string& path) {
  std::ofstream file(path);
  file << "[\n";
  for (size_t i = 0; i < rows.size(); i++) {
    const Row& row = rows[i];
    file << fmt::format(
        R"(  {{"case": "{}", "kernel": "{}", "batch": {}, "points": [{}, {}], "way": "{}", "us_per_frame": {:.3f}, "limit_us": {:.3f}, "pass_us": [{:.3f}, {:.3f}, {:.3f}]}})",
        row.name, row.has_channel_kernels ? "colour" : "gray", row.batch, row.points_x, row.points_y, row.way,
        row.us_per_frame, row.limit_us, row.pass_us[0], row.pass_us[1], row.pass_us[2]);
    file << (i + 1 < rows.size() ? ",\n" : "\n");
  }
  file << "]\n";
}

}  // namespace weft::bench
