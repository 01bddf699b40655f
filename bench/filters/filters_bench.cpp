// SPDX-License-Identifier: Apache-2.0
// Measures the speed of filters: on each device against the limit (the bytes that must move, over
// the copy bandwidth measured in the same run), and bwdif on the CPU against the ffmpeg program. To
// measure a GPU through Vulkan, also give its CUDA device, because the chip's limit is that of its
// fastest copy.
//
// Rows are for 1920x1080. The last two are end to end, the others device time alone:
//   bwdif 1080i 8 bits         bwdif's node, a launch for each batch
//   network of bwdif, 8 bits   each filter, options of its first case: all nodes in sequence
//   40 x bob, 8 bits           a chain at one output frame per frame
//   bwdif 720x480, pipeline    frames in memory through a pipeline, uploads and downloads included
//   bwdif 720x480, program     ffmpeg
// For networks and chains the planned memory is printed, and the launches per source frame (steps
// of nodes).
//
//   filters_bench [--device ID]... [--only TEXT] [--json FILE] [--no-ffmpeg]
//
// --only TEXT selects the rows with this text in their names.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <google/protobuf/text_format.h>
#include <unistd.h>

#include "bench/command_line.h"
#include "bench/copy_speed.h"
#include "bench/filter_work.h"
#include "bench/filters/material.h"
#include "bench/filters/recorded_batch.h"
#include "bench/filters/rows.h"
#include "options/values.h"

namespace weft::bench {
namespace {

using device::Buffer;
using device::Device;
using device::Mark;
using device::MemoryKind;
using device::Stream;
using google::protobuf::Message;
using graph::FrameLayout;
using graph::Network;
using graph::Pipeline;

struct Arguments {
  std::vector<std::string> devices;
  std::string only, json;
  bool ffmpeg = true;
};

// The measured rows, and the selection of rows.
struct Table {
  std::string only;
  std::vector<Row> rows;

  bool wants(std::string_view what) const { return what.find(only) != std::string_view::npos; }
};

// A measured device.
struct Subject {
  std::unique_ptr<Device> device;
  std::unique_ptr<filters::DeviceCaches> caches;  // destroyed before the device
  double copy = 0;  // copy rate of the chip, which a copy through this interface may not reach

  bool is_software() const { return device->info().is_software; }
  size_t spread_bytes() const { return is_software() ? size_t(64) << 20 : size_t(1) << 30; }
};

// Returns the shortest of several device times of the work, in us.
StatusOr<double> best_time(const Subject& subject, const std::function<void(Stream& stream)>& enqueue) {
  ASSIGN_OR_RETURN(const auto stream, subject.device->make_stream());
  double best = 1e30;
  for (int repeat = 0; repeat < (subject.is_software() ? 3 : 10); repeat++) {
    const Mark begin = stream->mark();
    enqueue(*stream);
    const Mark end = stream->mark();
    RETURN_IF_ERROR(stream->wait(end));
    ASSIGN_OR_RETURN(const Duration time, stream->elapsed(begin, end));
    best = std::min(best, double(time.count()) / 1e3);
  }
  return best;
}

// Returns the time of an output frame. The batches, one after another, are in memory larger than
// any cache.
StatusOr<double> measure_bwdif(const Subject& subject, const VideoFormat& format, int count) {
  const v1::Bwdif options = bwdif_options();
  const Message* const chain[] = {&options};
  ASSIGN_OR_RETURN(const Network network, make_network(*subject.device, *subject.caches, chain, format));
  const FrameLayout layout = FrameLayout::of(format);
  ASSIGN_OR_RETURN(const auto material,
                   subject.device->allocate(MemoryKind::kUpload, kDrawnFrames * layout.frame_bytes));
  draw_all(material->host(), layout);
  const size_t wanted = subject.spread_bytes() / (layout.frame_bytes * size_t(3 * count + 2)) + 1;
  std::vector<NodeBatch> batches;
  for (size_t i = 0; i < wanted; i++) {
    ASSIGN_OR_RETURN(batches.emplace_back(),
                     NodeBatch::make(*subject.device, *network.nodes()[0].node, count, *material));
  }
  const int launches = std::max(int(wanted), subject.is_software() ? 4 : 256 / count);
  ASSIGN_OR_RETURN(const double time, best_time(subject, [&](Stream& stream) {
                     for (int i = 0; i < launches; i++) batches[size_t(i) % wanted].enqueue(stream, count);
                   }));
  return time / (2.0 * count * launches);
}

Row row_of(const Subject& subject, std::string what, int batch, double us_per_picture) {
  Row row{subject.device->info().id, std::move(what), batch, us_per_picture};
  row.copy_gb_per_s = subject.copy;
  row.pictures_per_s = 1e6 / us_per_picture;
  return row;
}

Status measure_kernels(const Subject& subject, Table& table) {
  for (const int depth : {8, 10}) {
    const VideoFormat format{1920, 1080, Chroma::k420, depth};
    const std::string what = fmt::format("bwdif 1080i {} bits", depth);
    for (const int batch : {1, 4, 16}) {
      if (!table.wants(what)) continue;
      ASSIGN_OR_RETURN(const double time, measure_bwdif(subject, format, batch));
      Row row = row_of(subject, what, batch, time);
      row.floor_us = 1.5 * double(format.packed_bytes()) / subject.copy / 1e3;
      table.rows.push_back(row);
    }
  }
  return ok_status();
}

// Measures all nodes of a network, batch after batch.
StatusOr<Row> measure_network(const Subject& subject, std::string what, Network network, int batch) {
  const FrameLayout layout = FrameLayout::of(network.format({0}).video);
  std::vector<std::byte> material(kDrawnFrames * layout.frame_bytes);
  draw_all(material.data(), layout);
  ASSIGN_OR_RETURN(const auto recorded,
                   RecordedBatch::record(*subject.device, std::move(network), batch, material));
  RETURN_IF_ERROR(recorded->spread(*subject.device, subject.spread_bytes()));
  const int all = recorded->frames() * recorded->launches();
  const int batches = std::max(int(recorded->replicas()), (subject.is_software() ? 4 : 256) / all);
  ASSIGN_OR_RETURN(const double time, best_time(subject, [&](Stream& stream) {
                     for (int i = 0; i < batches; i++)
                       recorded->enqueue(stream, size_t(i) % recorded->replicas());
                   }));
  Row row = row_of(subject, std::move(what), recorded->frames(), time / (batches * recorded->pictures()));
  row.floor_us = recorded->bytes_moved() / recorded->pictures() / subject.copy / 1e3;
  row.device_bytes = recorded->plan().device_bytes();
  row.launches_a_frame = double(recorded->launches()) / recorded->frames();
  return row;
}

using Options = std::unique_ptr<Message>;

// Parses options of a filter. INVALID_ARGUMENT: the text is invalid for the filter.
StatusOr<Options> parse_options(const filters::Registration& filter, std::string_view text) {
  Options options(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(filter.message())->New());
  if (!google::protobuf::TextFormat::ParseFromString(std::string(text), options.get()))
    return invalid_argument("The filter {} does not have the options '{}'.", filter.name(), text);
  options::apply_defaults(*options);
  return options;
}

// Measures a filter with the options of its first case, at the bit depths that it supports.
Status measure_filter(const Subject& subject, const filters::Registration& filter, Table& table) {
  if (!filter.range.takes_pictures || filter.cases.empty()) return ok_status();
  const filters::Case& first = filter.cases.front();
  ASSIGN_OR_RETURN(const Options options, parse_options(filter, first.options));
  const Message* const chain[] = {options.get()};
  for (const int depth : {8, 10})
    for (const int batch : {1, 16}) {
      const std::string what = fmt::format("network of {}, {} bits", filter.name(), depth);
      if (!table.wants(what)) continue;
      const VideoFormat format{1920, 1080, first.format.chroma, depth};
      StatusOr<Network> network = make_network(*subject.device, *subject.caches, chain, format);
      // the filter does not support this depth
      if (network.status().code() == StatusCode::kInvalidArgument) continue;
      RETURN_IF_ERROR(network.status());
      ASSIGN_OR_RETURN(const Row row, measure_network(subject, what, *std::move(network), batch));
      table.rows.push_back(row);
    }
  return ok_status();
}

// Measures a chain of the same filter, repeated.
Status measure_chain(const Subject& subject, std::string_view name, int length, Table& table) {
  const std::string what = fmt::format("{} x {}, 8 bits", length, name);
  if (!table.wants(what)) return ok_status();
  const filters::Registration* filter = filters::find_filter(name);
  if (filter == nullptr) return not_found("There is no filter {}.", name);
  ASSIGN_OR_RETURN(const Options options, parse_options(*filter, "rate: OUTPUT_RATE_FRAME"));
  const std::vector<const Message*> chain(size_t(length), options.get());
  const VideoFormat format{1920, 1080, Chroma::k420, 8};
  ASSIGN_OR_RETURN(Network network, make_network(*subject.device, *subject.caches, chain, format));
  ASSIGN_OR_RETURN(const Row row, measure_network(subject, what, std::move(network), 16));
  table.rows.push_back(row);
  return ok_status();
}

Status measure_networks(const Subject& subject, Table& table) {
  for (const filters::Registration* filter : filters::all_filters())
    RETURN_IF_ERROR(measure_filter(subject, *filter, table));
  const bool is_cpu = subject.device->info().kind == device::BackendKind::kCpu;
  if (subject.is_software() && !is_cpu) return ok_status();  // a chain would take minutes
  for (const std::string_view name : {"bob", "bwdif"})
    for (const int length : {10, 40}) RETURN_IF_ERROR(measure_chain(subject, name, length, table));
  return ok_status();
}

constexpr VideoFormat kSmall{720, 480, Chroma::k420, 8};
constexpr int kSmallFrames = 600;
constexpr int kSmallBatch = 8;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Measures frames in memory through a pipeline and back into memory, uploads and downloads
// included.
StatusOr<double> measure_pipeline(const Subject& subject) {
  const v1::Bwdif options = bwdif_options();
  const Message* const chain[] = {&options};
  ASSIGN_OR_RETURN(Network network, make_network(*subject.device, *subject.caches, chain, kSmall));
  ASSIGN_OR_RETURN(const auto pipeline,
                   Pipeline::make(*subject.device, std::move(network), {.plan = {.batch = kSmallBatch}}));
  const FrameLayout layout = FrameLayout::of(kSmall);
  std::vector<std::byte> frames(kDrawnFrames * layout.frame_bytes);
  draw_all(frames.data(), layout);
  int64_t pictures = 0;
  const auto move_on = [&]() -> Status {
    if (pipeline->submit(pipeline->batch()) > 0) return ok_status();
    ASSIGN_OR_RETURN(const auto picture, pipeline->pop());
    pictures += picture ? 1 : 0;
    return ok_status();
  };
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kSmallFrames; i++) {
    while (!pipeline->has_capacity()) RETURN_IF_ERROR(move_on());
    ASSIGN_OR_RETURN(const graph::StagedUnit staged, pipeline->stage());
    std::memcpy(staged.data[0], frames.data() + size_t(i % kDrawnFrames) * layout.frame_bytes,
                layout.frame_bytes);
    graph::FrameInfo info;
    info.pts = i;
    pipeline->push(info);
    if (pipeline->ready() >= pipeline->batch()) pipeline->submit(pipeline->batch());
  }
  pipeline->finish();
  while (!pipeline->is_empty()) RETURN_IF_ERROR(move_on());
  return double(pictures) / seconds_since(begin);
}

// Measures `ffmpeg -f rawvideo -i FILE -vf bwdif -f null -` with the file in the page cache. So
// reading is a copy, and nothing is written.
StatusOr<double> measure_ffmpeg() {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("weft-bench-{}.raw", getpid())).string();
  {
    const FrameLayout layout = FrameLayout::of(kSmall);
    std::vector<std::byte> frame(layout.frame_bytes);
    std::ofstream file(path, std::ios::binary);
    for (int i = 0; i < kSmallFrames; i++) {
      if (i < kDrawnFrames) draw(frame.data(), layout, i);
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

Status measure_small(const Subject& subject, Table& table) {
  const std::string what = "bwdif 720x480, pipeline";
  if (!table.wants(what)) return ok_status();
  double best = 0;
  for (int repeat = 0; repeat < 3; repeat++) {
    ASSIGN_OR_RETURN(const double rate, measure_pipeline(subject));
    best = std::max(best, rate);
  }
  table.rows.push_back(row_of(subject, what, kSmallBatch, 1e6 / best));
  return ok_status();
}

// Adds the row of the ffmpeg program, or prints the reason if the program does not run.
void measure_program(Table& table) {
  const std::string what = "bwdif 720x480, program";
  if (!table.wants(what)) return;
  const StatusOr<double> rate = measure_ffmpeg();
  if (rate.ok())
    table.rows.push_back({"ffmpeg", what, 1, 1e6 / *rate, 0, 0, *rate});
  else
    fmt::print("{}\n", message_of(rate.status()));
}

Status run(const Arguments& arguments) {
  std::vector<std::string> ids = arguments.devices;
  if (ids.empty())
    for (const device::DeviceInfo& info : device::list_devices_and_twins(nullptr)) ids.push_back(info.id);
  std::vector<Subject> subjects;
  // The copy rate of each chip: a GPU used through CUDA and through Vulkan has one limit, that of
  // the faster copy. Buffer copies through Vulkan reach a fifth of an H200's rate.
  std::map<std::string, double> copies;
  for (const std::string& id : ids) {
    Subject& subject = subjects.emplace_back();
    ASSIGN_OR_RETURN(subject.device, device::open_device(id));
    subject.caches = std::make_unique<filters::DeviceCaches>();
    ASSIGN_OR_RETURN(const auto stream, subject.device->make_stream());
    const device::DeviceInfo& info = subject.device->info();
    ASSIGN_OR_RETURN(const double copy, measure_copy(*subject.device, *stream));
    fmt::print("{}: {}, copies {:.0f} GB/s\n", id, info.name, copy);
    double& best = copies[info.uuid];
    best = std::max(best, copy);
  }
  Table table{arguments.only, {}};
  for (Subject& subject : subjects) {
    subject.copy = copies[subject.device->info().uuid];
    RETURN_IF_ERROR(measure_kernels(subject, table));
    RETURN_IF_ERROR(measure_networks(subject, table));
    RETURN_IF_ERROR(measure_small(subject, table));
  }
  if (arguments.ffmpeg) measure_program(table);
  print(table.rows);
  if (!arguments.json.empty()) write_json(table.rows, arguments.json);
  return ok_status();
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  weft::bench::Arguments arguments;
  weft::bench::CommandLine line("Times filters on each device, and bwdif by ffmpeg.");
  line.add_option("--device", arguments.devices, "Device; can be repeated; default: all");
  line.add_option("--only", arguments.only, "Text in the names of rows; default: all rows");
  line.add_option("--json", arguments.json, "File for the rows as JSON");
  line.add_flag("!--no-ffmpeg", arguments.ffmpeg, "Leave ffmpeg out");
  line.read(argc, argv);
  const weft::Status status = weft::bench::run(arguments);
  if (!status.ok()) fmt::print(stderr, "filters_bench: {}\n", weft::message_of(status));
  return status.ok() ? 0 : 1;
}
