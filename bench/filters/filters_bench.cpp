// SPDX-License-Identifier: Apache-2.0
// How fast bwdif is: on each device against the floor (the bytes that must move, over the copy bandwidth measured in
// the same run), and on the CPU against the ffmpeg program. To judge a GPU through Vulkan, name it through CUDA as well:
// the chip's floor is that of its fastest copy.
//
//   filters_bench [--device ID]... [--json FILE] [--no-ffmpeg]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "bench/copy_speed.h"
#include "server/filters/frame_table.h"
#include "server/filters/graph.h"

namespace weft::filters {
namespace {

using device::Buffer;
using device::Device;
using device::Mark;
using device::MemoryKind;
using device::Stream;

struct Arguments {
  std::vector<std::string> devices;
  std::string json;
  bool ffmpeg = true;
};

struct Row {
  std::string device, what;
  int batch = 0;
  double us_per_picture = 0;
  double floor_us = 0;  // 0: not compared with the floor
  double copy_gb_per_s = 0;
  double pictures_per_s = 0;
};

v1::DeinterlaceOptions bwdif_options() {
  v1::DeinterlaceOptions options;
  options.set_filter(v1::DEINTERLACE_FILTER_BWDIF);
  options.set_rate(v1::OUTPUT_RATE_FIELD);
  options.set_parity(v1::PARITY_TOP);
  options.set_frames(v1::FRAME_SELECTION_ALL);
  return options;
}

// A moving pattern with a little noise, so that every way through the filter is taken.
void draw(std::byte* frame, const FrameLayout& layout, int number) {
  const int bytes = layout.format.sample_bytes(), shift = layout.format.bit_depth - 8;
  uint32_t random = uint32_t(number) * 2654435761u + 1;
  for (int plane = 0; plane < layout.format.planes(); plane++) {
    const PlaneLayout& place = layout.planes[size_t(plane)];
    for (int y = 0; y < place.height; y++) {
      std::byte* row = frame + place.offset_bytes + size_t(y) * size_t(place.stride_bytes);
      for (int x = 0; x < place.width; x++) {
        random = random * 1664525u + 1013904223u;
        const int t = 2 * number + (y & 1);
        const int base = ((x + 3 * t) / 37 + y / 23) % 2 != 0 ? 190 - x % 37 : 60 + y % 23;
        const uint16_t value = uint16_t((base + int(random >> 29)) << shift);
        std::memcpy(row + x * bytes, &value, size_t(bytes));
      }
    }
  }
}

// A batch in memory of its own.
struct Set {
  std::unique_ptr<Buffer> source, target, table;
  Batch batch;
};

StatusOr<Set> make_set(Device& device, Stream& stream, const VideoFormat& format, int count,
                       const Buffer& material) {
  const FrameLayout layout = FrameLayout::of(format);
  Set set;
  ASSIGN_OR_RETURN(set.source, device.allocate(MemoryKind::kDevice, layout.frame_bytes * size_t(count + 2)));
  ASSIGN_OR_RETURN(set.target, device.allocate(MemoryKind::kDevice, layout.frame_bytes * size_t(2 * count)));
  ASSIGN_OR_RETURN(set.table, device.allocate(MemoryKind::kDevice, sizeof(FrameTableEntry) * size_t(count)));
  ASSIGN_OR_RETURN(const auto staging, device.allocate(MemoryKind::kUpload, set.table->size_bytes()));
  auto* entries = reinterpret_cast<FrameTableEntry*>(staging->host());
  for (int i = 0; i < count; i++) {
    entries[i] = FrameTableEntry{};
    entries[i].previous = i;
    entries[i].current = i + 1;
    entries[i].next = i + 2;
    entries[i].target[0] = 2 * i;
    entries[i].target[1] = 2 * i + 1;
  }
  stream.copy(*set.table, 0, *staging, 0, staging->size_bytes());
  const int frames = int(material.size_bytes() / layout.frame_bytes);
  for (int i = 0; i < count + 2; i++)
    stream.copy(*set.source, size_t(i) * layout.frame_bytes, material,
                size_t(i % frames) * layout.frame_bytes, layout.frame_bytes);
  RETURN_IF_ERROR(stream.wait_all());
  set.batch = {{set.source.get(), 0, layout, count + 2},
               {set.target.get(), 0, layout, 2 * count},
               set.table.get(),
               0,
               count,
               nullptr};
  return set;
}

// Time of a picture that comes out, with batches that lie in memory larger than any cache, one after another.
StatusOr<double> measure_filter(Device& device, const VideoFormat& format, int count) {
  ASSIGN_OR_RETURN(const auto filter, make_deinterlacer(device, format, bwdif_options()));
  ASSIGN_OR_RETURN(const auto stream, device.make_stream());
  const FrameLayout layout = FrameLayout::of(format);
  constexpr int kFrames = 6;
  ASSIGN_OR_RETURN(const auto material, device.allocate(MemoryKind::kUpload, kFrames * layout.frame_bytes));
  for (int i = 0; i < kFrames; i++) draw(material->host() + size_t(i) * layout.frame_bytes, layout, i);
  const size_t wanted = device.info().is_software ? size_t(64) << 20 : size_t(1) << 30;
  const size_t sets_wanted = wanted / (layout.frame_bytes * size_t(3 * count + 2)) + 1;
  std::vector<Set> sets;
  for (size_t i = 0; i < sets_wanted; i++) {
    ASSIGN_OR_RETURN(sets.emplace_back(), make_set(device, *stream, format, count, *material));
  }
  const int launches = std::max(int(sets.size()), device.info().is_software ? 4 : 256 / count);
  double best = 1e30;
  for (int repeat = 0; repeat < (device.info().is_software ? 3 : 10); repeat++) {
    const Mark begin = stream->mark();
    for (int i = 0; i < launches; i++) filter->enqueue(*stream, sets[size_t(i) % sets.size()].batch);
    const Mark end = stream->mark();
    RETURN_IF_ERROR(stream->wait(end));
    ASSIGN_OR_RETURN(const Duration time, stream->elapsed(begin, end));
    best = std::min(best, double(time.count()) / 1e3 / (2.0 * count * launches));
  }
  return best;
}

// `copy`: what the chip can do, which is not always what a copy through this interface does.
Status measure_device(Device& device, double copy, std::vector<Row>& rows) {
  for (const int depth : {8, 10}) {
    const VideoFormat format{1920, 1080, Chroma::k420, depth};
    for (const int batch : {1, 4, 16}) {
      Row row{device.info().id, fmt::format("bwdif 1080i {} bits", depth), batch};
      ASSIGN_OR_RETURN(row.us_per_picture, measure_filter(device, format, batch));
      row.floor_us = 1.5 * double(format.packed_bytes()) / copy / 1e3;
      row.copy_gb_per_s = copy;
      row.pictures_per_s = 1e6 / row.us_per_picture;
      rows.push_back(row);
    }
  }
  return ok_status();
}

constexpr VideoFormat kSmall{720, 480, Chroma::k420, 8};
constexpr int kSmallFrames = 600;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Frames in memory through a graph and back into memory, uploads and downloads included.
StatusOr<double> measure_graph(Device& device) {
  std::vector<std::unique_ptr<Filter>> filters;
  ASSIGN_OR_RETURN(filters.emplace_back(), make_deinterlacer(device, kSmall, bwdif_options()));
  ASSIGN_OR_RETURN(const auto graph, Graph::make(device, std::move(filters), {.batch = 8}));
  const FrameLayout layout = FrameLayout::of(kSmall);
  std::vector<std::byte> frames(6 * layout.frame_bytes);
  for (int i = 0; i < 6; i++) draw(frames.data() + size_t(i) * layout.frame_bytes, layout, i);
  int64_t pictures = 0;
  const auto move_on = [&]() -> Status {
    if (graph->submit(graph->batch()) > 0) return ok_status();
    ASSIGN_OR_RETURN(const auto picture, graph->pop());
    pictures += picture ? 1 : 0;
    return ok_status();
  };
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kSmallFrames; i++) {
    while (!graph->has_room()) RETURN_IF_ERROR(move_on());
    ASSIGN_OR_RETURN(const StagedPicture staged, graph->stage());
    std::memcpy(staged.data[0], frames.data() + size_t(i % 6) * layout.frame_bytes, layout.frame_bytes);
    FrameInfo info;
    info.pts = i;
    graph->push(info);
    if (graph->ready() >= graph->batch()) graph->submit(graph->batch());
  }
  graph->finish();
  while (!graph->is_empty()) RETURN_IF_ERROR(move_on());
  return double(pictures) / seconds_since(begin);
}

// `ffmpeg -f rawvideo -i FILE -vf bwdif -f null -` with the file in the page cache: reading is a copy, writing nothing.
StatusOr<double> measure_ffmpeg() {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("weft-bench-{}.raw", getpid())).string();
  {
    const FrameLayout layout = FrameLayout::of(kSmall);
    std::vector<std::byte> frame(layout.frame_bytes);
    std::ofstream file(path, std::ios::binary);
    for (int i = 0; i < kSmallFrames; i++) {
      if (i < 6) draw(frame.data(), layout, i);
      for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < layout.planes[size_t(plane)].height; y++)
          file.write(reinterpret_cast<const char*>(frame.data()) + layout.planes[size_t(plane)].offset_bytes +
                         size_t(y) * size_t(layout.planes[size_t(plane)].stride_bytes),
                     layout.planes[size_t(plane)].width);
    }
  }
  const std::string command = fmt::format(
      "ffmpeg -nostdin -v error -f rawvideo -pix_fmt yuv420p -s 720x480 -i '{}' -vf bwdif=mode=1:parity=0 -f "
      "null -",
      path);
  double best = 0;
  int result = 0;
  for (int repeat = 0; repeat < 3 && result == 0; repeat++) {
    const auto begin = std::chrono::steady_clock::now();
    result = std::system(command.c_str());
    best = std::max(best, 2.0 * kSmallFrames / seconds_since(begin));
  }
  std::filesystem::remove(path);
  if (result != 0) return failed_precondition("The ffmpeg program does not run ({}).", command);
  return best;
}

Status measure_small(Device& device, std::vector<Row>& rows) {
  double best = 0;
  for (int repeat = 0; repeat < 3; repeat++) {
    ASSIGN_OR_RETURN(const double rate, measure_graph(device));
    best = std::max(best, rate);
  }
  rows.push_back({device.info().id, "bwdif 720x480, graph", 8, 1e6 / best, 0, 0, best});
  return ok_status();
}

void print(const std::vector<Row>& rows) {
  fmt::print("{:<10} {:<24} {:>5} {:>14} {:>12} {:>10} {:>8} {:>10}\n", "device", "what", "batch",
             "us a picture", "pictures/s", "floor us", "share", "copy GB/s");
  for (const Row& row : rows) {
    fmt::print("{:<10} {:<24} {:>5} {:>14.3f} {:>12.0f}", row.device, row.what, row.batch, row.us_per_picture,
               row.pictures_per_s);
    if (row.floor_us > 0)
      fmt::print(" {:>10.3f} {:>7.1f}% {:>10.0f}", row.floor_us, 100 * row.floor_us / row.us_per_picture,
                 row.copy_gb_per_s);
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
    file << (i + 1 < rows.size() ? "},\n" : "}\n");
  }
  file << "]\n";
}

Status run(const Arguments& arguments) {
  std::vector<std::string> ids = arguments.devices;
  if (ids.empty())
    for (const device::DeviceInfo& info : device::list_devices_and_twins(nullptr)) ids.push_back(info.id);
  std::vector<std::unique_ptr<Device>> devices;
  // By chip: a GPU seen through CUDA and through Vulkan has one floor, that of the faster copy. Copies of buffers
  // through Vulkan take a fifth of what an H200 can do.
  std::map<std::string, double> copies;
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(devices.emplace_back(), device::open_device(id));
    ASSIGN_OR_RETURN(const auto stream, devices.back()->make_stream());
    const device::DeviceInfo& info = devices.back()->info();
    ASSIGN_OR_RETURN(const double copy, bench::measure_copy(*devices.back(), *stream));
    fmt::print("{}: {}, copies {:.0f} GB/s\n", id, info.name, copy);
    double& best = copies[info.uuid];
    best = std::max(best, copy);
  }
  std::vector<Row> rows;
  for (const auto& device : devices) {
    RETURN_IF_ERROR(measure_device(*device, copies[device->info().uuid], rows));
    RETURN_IF_ERROR(measure_small(*device, rows));
  }
  if (arguments.ffmpeg) {
    const StatusOr<double> rate = measure_ffmpeg();
    if (rate.ok())
      rows.push_back({"ffmpeg", "bwdif 720x480, program", 1, 1e6 / *rate, 0, 0, *rate});
    else
      fmt::print("{}\n", std::string(rate.status().message()));
  }
  print(rows);
  if (!arguments.json.empty()) write_json(rows, arguments.json);
  return ok_status();
}

}  // namespace
}  // namespace weft::filters

int main(int argc, char** argv) {
  weft::filters::Arguments arguments;
  for (int i = 1; i < argc; i++) {
    const std::string word = argv[i];
    if (word == "--device" && i + 1 < argc) {
      arguments.devices.push_back(argv[++i]);
    } else if (word == "--json" && i + 1 < argc) {
      arguments.json = argv[++i];
    } else if (word == "--no-ffmpeg") {
      arguments.ffmpeg = false;
    } else {
      std::fprintf(stderr, "usage: filters_bench [--device ID]... [--json FILE] [--no-ffmpeg]\n");
      return 2;
    }
  }
  const weft::Status status = weft::filters::run(arguments);
  if (!status.ok()) fmt::print(stderr, "{}\n", std::string(status.message()));
  return status.ok() ? 0 : 1;
}
