// SPDX-License-Identifier: Apache-2.0
// Measures a filter's nodes, separately and all together: device time of an output frame, against
// the bytes that must move. Frames are 4:2:0 and interlaced.
//
//   nodes_bench FILTER 'OPTIONS' [--device ID]... [--size WIDTHxHEIGHT]... [--bits N]...
//               [--batch N]... [--tables FOLDER] [--json FILE]
//   nodes_bench qtgmc 'preset: QTGMC_PRESET_FASTER' --device cuda:0 --size 1920x1080 --batch 16
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/command_line.h"
#include "bench/copy_speed.h"
#include "bench/filter_work.h"
#include "bench/filters/material.h"
#include "bench/filters/recorded_batch.h"
#include "bench/filters/rows.h"
#include "server/tuning/tuning_file.h"

namespace weft::bench {
namespace {

using graph::FrameLayout;
using graph::Network;
using graph::Port;
using graph::PortFormat;

struct Question {
  std::string filter, options;
  std::vector<std::string> devices;
  std::vector<VideoFormat> sizes = {{720, 480}};
  std::vector<int> bits = {8}, batches = {4};
  std::string tables, json;
};

Status measure(device::Device& device, double copy, const Question& question, const VideoFormat& format,
               int batch, std::vector<Row>& rows) {
  const auto caches = std::make_unique<filters::DeviceCaches>();
  ASSIGN_OR_RETURN(Network network, make_network(device, *caches, question.filter, question.options, format));
  const FrameLayout layout = FrameLayout::of(format);
  std::vector<std::byte> material(kDrawnFrames * layout.frame_bytes);
  draw_all(material.data(), layout);
  ASSIGN_OR_RETURN(const auto recorded, RecordedBatch::record(device, std::move(network), batch, material));
  const auto add = [&](std::string_view what, double us, double bytes) {
    Row row{device.info().id, fmt::format("{}, {} bits", what, format.bit_depth), batch};
    row.us_per_picture = us / recorded->pictures();
    row.pictures_per_s = 1e6 / row.us_per_picture;
    row.copy_gb_per_s = copy;
    row.floor_us = bytes / recorded->pictures() / copy / 1e3;
    rows.push_back(row);
  };
  const auto nodes = recorded->nodes();
  for (size_t i = 0; i < nodes.size(); i++) {
    ASSIGN_OR_RETURN(const double us,
                     shortest_us(device, *recorded, [&](device::Stream& stream, size_t replica) {
                       recorded->enqueue_node(stream, replica, i);
                     }));
    add(nodes[i]->descriptor().name, us, recorded->bytes_moved_by(i));
  }
  ASSIGN_OR_RETURN(const double us,
                   shortest_us(device, *recorded, [&](device::Stream& stream, size_t replica) {
                     recorded->enqueue(stream, replica);
                   }));
  add(fmt::format("{} {}x{}", question.filter, format.width, format.height), us, recorded->bytes_moved());
  rows.back().device_bytes = recorded->plan().arena_bytes;
  rows.back().launches_a_frame = double(recorded->launches()) / recorded->frames();
  return ok_status();
}

Status run(Question question) {
  if (question.devices.empty())
    for (const device::DeviceInfo& info : device::list_devices_and_twins(nullptr))
      question.devices.push_back(info.id);
  std::vector<Row> rows;
  for (const std::string& id : question.devices) {
    ASSIGN_OR_RETURN(const auto device, device::open_device(id));
    if (!question.tables.empty())
      device->set_tuning(tuning::shapes_in(tuning::read_shipped_table(question.tables, device->info())));
    ASSIGN_OR_RETURN(const auto stream, device->make_stream());
    ASSIGN_OR_RETURN(const double copy, measure_copy(*device, *stream));
    fmt::print("{}: {}, copies {:.0f} GB/s\n", id, device->info().name, copy);
    for (VideoFormat format : question.sizes)
      for (const int bits : question.bits)
        for (const int batch : question.batches) {
          format.bit_depth = bits;
          RETURN_IF_ERROR(measure(*device, copy, question, format, batch, rows));
        }
  }
  print(rows);
  if (!question.json.empty()) write_json(rows, question.json);
  return ok_status();
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  weft::bench::Question question;
  weft::bench::CommandLine line("Times the nodes of a filter, each by itself and all together.");
  line.add_option("FILTER", question.filter, "Name of the filter")->required();
  line.add_option("OPTIONS", question.options, "Its options, as protobuf's text")->required();
  line.add_option("--device", question.devices, "Device; can be repeated; default: all");
  line.add_option("--size", question.sizes, "Size of pictures; can be repeated; default: 720x480")
      ->type_name("WIDTHxHEIGHT");
  line.add_option("--bits", question.bits, "Bits of a sample; can be repeated")
      ->check(weft::bench::kPositive);
  line.add_option("--batch", question.batches, "Frames of a batch; can be repeated")
      ->check(weft::bench::kPositive);
  line.add_option("--tables", question.tables,
                  "Folder of tables of tuned kernels (tuning/); default: the declared shapes");
  line.add_option("--json", question.json, "File for the rows as JSON");
  line.read(argc, argv);
  const weft::Status status = weft::bench::run(question);
  if (!status.ok()) fmt::print(stderr, "nodes_bench: {}\n", weft::message_of(status));
  return status.ok() ? 0 : 1;
}
