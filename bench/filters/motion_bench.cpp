// SPDX-License-Identifier: Apache-2.0
// Measures the motion nodes separately: device time of a frame against the bytes that must move.
//
// Frames have 1920x1080 samples, on a CPU 720x480, in 4:2:0. Blocks of 16 overlap by 8, with
// half-pixel precision and chroma:
//   super            the pyramid of a frame
//   motion_search    by hexagons, in two frames on each side
//   degrain          of radius 2
//   degrain, near    of radius 1, with binomial weights
//   bounds           of the previous and the next frame
//   smdegrain        super, motion_search and degrain together
//
//   motion_bench [--device ID]... [--json FILE]
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/command_line.h"
#include "bench/copy_speed.h"
#include "bench/filters/material.h"
#include "bench/filters/recorded_batch.h"
#include "bench/filters/rows.h"
#include "server/filters/motion/motion.h"

namespace weft::bench {
namespace {

using filters::FilterContext;
using filters::motion::Motion;
using graph::FrameLayout;
using graph::Network;
using graph::Port;
using graph::PortFormat;

// The measured nodes, in the order of their addition.
constexpr std::string_view kNodes[] = {"super", "motion_search", "degrain", "degrain, near", "bounds"};

StatusOr<Network> make_motion(device::Device& device, filters::DeviceCaches& caches,
                              const VideoFormat& format) {
  FilterContext context;
  context.device = &device;
  context.caches = &caches;
  Network network;
  const Port pictures = network.set_source(PortFormat::picture(format));
  ASSIGN_OR_RETURN(const Motion motion, Motion::of(context, format, {.block = 16, .overlap = 8, .pel = 2}));
  ASSIGN_OR_RETURN(const Port super, motion.add_super(context, network, pictures));
  ASSIGN_OR_RETURN(const Port vectors, motion.add_search(context, network, super, {.radius = 2}));
  ASSIGN_OR_RETURN(const Port far, motion.add_degrain(context, network, pictures, super, vectors,
                                                      {.radius = 2, .cut_threshold = 1600}));
  ASSIGN_OR_RETURN(const Port near, motion.add_degrain(context, network, pictures, super, vectors,
                                                       {.radius = 1, .threshold = 640, .binomial = true}));
  ASSIGN_OR_RETURN(const Motion::Bounds bounds,
                   motion.add_bounds(context, network, pictures, super, vectors, {}));
  RETURN_IF_ERROR(network.set_outputs({far, near, bounds.low, bounds.high}));
  return network;
}

Status measure(device::Device& device, double copy, const VideoFormat& format, int batch,
               std::vector<Row>& rows) {
  const auto caches = std::make_unique<filters::DeviceCaches>();
  ASSIGN_OR_RETURN(Network network, make_motion(device, *caches, format));
  const FrameLayout layout = FrameLayout::of(format);
  std::vector<std::byte> material(kDrawnFrames * layout.frame_bytes);
  draw_all(material.data(), layout);
  ASSIGN_OR_RETURN(const auto recorded, RecordedBatch::record(device, std::move(network), batch, material));
  Row whole{device.info().id, fmt::format("smdegrain, {} bits", format.bit_depth), batch};
  for (size_t i = 0; i < std::size(kNodes); i++) {
    Row row{device.info().id, fmt::format("{}, {} bits", kNodes[i], format.bit_depth), batch};
    ASSIGN_OR_RETURN(const double us,
                     shortest_us(device, *recorded, [&](device::Stream& stream, size_t replica) {
                       recorded->enqueue_node(stream, replica, i);
                     }));
    row.us_per_picture = us / recorded->frames();
    row.copy_gb_per_s = copy;
    row.pictures_per_s = 1e6 / row.us_per_picture;
    row.floor_us = recorded->bytes_moved_by(i) / recorded->frames() / copy / 1e3;
    if (i < 3) {
      whole.us_per_picture += row.us_per_picture;
      whole.floor_us += row.floor_us;
    }
    rows.push_back(row);
  }
  whole.copy_gb_per_s = copy;
  whole.pictures_per_s = 1e6 / whole.us_per_picture;
  rows.push_back(whole);
  return ok_status();
}

Status run(std::vector<std::string> ids, const std::string& json) {
  if (ids.empty())
    for (const device::DeviceInfo& info : device::list_devices_and_twins(nullptr)) ids.push_back(info.id);
  std::vector<Row> rows;
  double copy = 0;  // copy rate of the fastest interface to the chip
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(const auto device, device::open_device(id));
    ASSIGN_OR_RETURN(const auto stream, device->make_stream());
    ASSIGN_OR_RETURN(const double here, measure_copy(*device, *stream));
    fmt::print("{}: {}, copies {:.0f} GB/s\n", id, device->info().name, here);
    copy = device->info().is_software ? here : std::max(copy, here);
    const bool is_software = device->info().is_software;
    for (const int depth : {8, 10})
      for (const int batch : {1, 4, 16}) {
        if (is_software && batch != 4) continue;
        const VideoFormat format{is_software ? 720 : 1920, is_software ? 480 : 1080, Chroma::k420, depth};
        RETURN_IF_ERROR(measure(*device, copy, format, batch, rows));
      }
  }
  print(rows);
  if (!json.empty()) write_json(rows, json);
  return ok_status();
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  std::vector<std::string> devices;
  std::string json;
  weft::bench::CommandLine line("Times the nodes of motion on each device.");
  line.add_option("--device", devices, "Device; can be repeated; default: all");
  line.add_option("--json", json, "File for the rows as JSON");
  line.read(argc, argv);
  const weft::Status status = weft::bench::run(devices, json);
  if (!status.ok()) fmt::print(stderr, "motion_bench: {}\n", weft::message_of(status));
  return status.ok() ? 0 : 1;
}
