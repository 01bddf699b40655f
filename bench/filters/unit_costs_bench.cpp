// SPDX-License-Identifier: Apache-2.0
// Measures a frame's device time, by filter and by node, against the prediction from the nodes'
// declared work (CostShape) and the device's measured rates. Frames are 4:2:0, 8 bits and
// interlaced. The results are the source of the table in
// tests/server/queue/placement/recorded_costs.h.
//
//   unit_costs_bench [--device ID]... [--size WIDTHxHEIGHT]... [--batch N] [--only FILTER]
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/command_line.h"
#include "bench/filter_work.h"
#include "bench/filters/material.h"
#include "bench/filters/recorded_batch.h"
#include "server/graph/unit_work.h"
#include "server/worker/device/device_rates.h"

namespace weft::bench {
namespace {

struct Subject {
  std::string_view filter, options;
};
constexpr Subject kSubjects[] = {
    {"bob", ""},
    {"bwdif", ""},
    {"yadif", ""},
    {"weave", ""},
    {"crop", "size: '320x240'"},
    {"pad", "size: '2000x1200'"},
    {"resize", "size: '1280x720'"},
    {"resize", "size: '320x240'"},
    {"convert", "bits: 10"},
    {"deband", ""},
    {"edgelevel", ""},
    {"temporal_nr", ""},
    {"bilateral", ""},
    {"dftdenoise", ""},
    {"smdegrain", ""},
    {"nnedi", "network: NNEDI_NETWORK_FAST"},
    {"nnedi", ""},
    {"bloom", ""},
    {"qtgmc", "preset: QTGMC_PRESET_DRAFT"},
    {"qtgmc", "preset: QTGMC_PRESET_FASTER"},
    {"qtgmc", ""},
};

struct Question {
  std::vector<std::string> devices = {"cpu"};
  std::vector<VideoFormat> sizes = {{720, 480}};
  int batch = 4;
  std::string only;
};

Status measure(device::Device& device, const Subject& subject, const VideoFormat& format, int batch) {
  const auto caches = std::make_unique<filters::DeviceCaches>();
  ASSIGN_OR_RETURN(graph::Network network, make_network(device, *caches, std::string(subject.filter),
                                                        std::string(subject.options), format));
  const graph::NetworkWork work = graph::unit_work(network);
  const graph::FrameLayout layout = graph::FrameLayout::of(format);
  std::vector<std::byte> material(kDrawnFrames * layout.frame_bytes);
  draw_all(material.data(), layout);
  ASSIGN_OR_RETURN(const auto recorded, RecordedBatch::record(device, std::move(network), batch, material));
  const auto time_of = [&](auto enqueue) { return shortest_us(device, *recorded, enqueue); };
  ASSIGN_OR_RETURN(const double whole, time_of([&](device::Stream& stream, size_t replica) {
                     recorded->enqueue(stream, replica);
                   }));
  const int frames = recorded->frames();
  fmt::print("{} | {} | {} | {}x{} | {:.3f} us | {:.0f} bytes, {:.4g} operations, {} launches\n",
             device.info().id, subject.filter, subject.options, format.width, format.height, whole / frames,
             work.bytes, work.operations, work.launches);
  const auto nodes = recorded->nodes();
  for (size_t i = 0; i < nodes.size() && nodes.size() > 1; i++) {
    ASSIGN_OR_RETURN(const double us, time_of([&](device::Stream& stream, size_t replica) {
                       recorded->enqueue_node(stream, replica, i);
                     }));
    fmt::print("    {} {:.3f} us, {:.0f} bytes\n", nodes[i]->descriptor().name, us / frames,
               recorded->bytes_moved_by(i) / frames);
  }
  std::fflush(stdout);
  return ok_status();
}

Status run(const Question& question) {
  for (const std::string& id : question.devices) {
    ASSIGN_OR_RETURN(const auto device, device::open_device(id));
    ASSIGN_OR_RETURN(const v1::DeviceRates rates, worker::measure_rates(*device));
    fmt::print("{}: {}, {:.4g} bytes/s, {:.4g} operations/s, a launch {} ns\n", id, device->info().name,
               rates.bytes_per_second(), rates.operations_per_second(), rates.launch().nanos());
    for (const Subject& subject : kSubjects)
      for (const VideoFormat& format : question.sizes)
        if (question.only.empty() || question.only == subject.filter)
          if (const Status status = measure(*device, subject, format, question.batch); !status.ok())
            fmt::print("{} | {} | {}: {}\n", id, subject.filter, subject.options, message_of(status));
  }
  return ok_status();
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  weft::bench::Question question;
  weft::bench::CommandLine line("Times filters and their nodes, and prints the predictions of both.");
  line.add_option("--device", question.devices, "Device; can be repeated");
  line.add_option("--size", question.sizes, "Size of pictures; can be repeated; default: 720x480")
      ->type_name("WIDTHxHEIGHT");
  line.add_option("--batch", question.batch, "Frames of a batch")->check(weft::bench::kPositive);
  line.add_option("--only", question.only, "Filter; default: all");
  line.read(argc, argv);
  const weft::Status status = weft::bench::run(question);
  if (!status.ok()) fmt::print(stderr, "unit_costs_bench: {}\n", weft::message_of(status));
  return status.ok() ? 0 : 1;
}
