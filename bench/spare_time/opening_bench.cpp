// SPDX-License-Identifier: Apache-2.0
// Measures the effect on a live stream of work that begins and ends: the latency of small frames, a
// thousand a second, while another thread allocates, loads, opens and closes a job's resources.
// None of this work runs on the device, so a schedule cannot place it in a gap. Its cost is that of
// the driver's locks.
//
//   opening_bench [--device ID] [--input FILE] [--repeat N]
//
// --input is a clip for the rows that decode.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "bench/command_line.h"
#include "bench/filter_work.h"
#include "bench/spare_time/run.h"
#include "bench/spare_time/work.h"
#include "server/graph/pipeline.h"
#include "server/media/read/probe/probe.h"
#include "server/media/read/source/video_source.h"

namespace weft::bench {
namespace {

using device::Device;
using device::MemoryKind;

struct Arguments {
  std::string device = "cpu";
  std::string input;
  int repeat = 8;
};

constexpr Duration kPeriod = std::chrono::milliseconds(1);
// Pause between two repeats, until the latencies settle.
constexpr Duration kPause = std::chrono::milliseconds(20);
constexpr size_t kBytes = size_t{64} << 20;
constexpr size_t kFrameBytes = size_t{1} << 20;
constexpr VideoFormat kFormat{1920, 1080, Chroma::k420, 8};

// Runs frames at their times: upload, filter, download. Measures the delay of each frame from its
// time to its end.
class Frames {
 public:
  struct Latency {
    TimePoint due;
    double ms;
  };

  static StatusOr<std::unique_ptr<Frames>> open(Device& device) {
    auto frames = std::make_unique<Frames>();
    ASSIGN_OR_RETURN(frames->work_, make_bwdif(device, {720, 480, Chroma::k420, 8}, 1, 1));
    ASSIGN_OR_RETURN(frames->stream_, device.make_stream(device::StreamPriority::kHigh));
    ASSIGN_OR_RETURN(frames->up_, device.allocate(MemoryKind::kUpload, kFrameBytes));
    ASSIGN_OR_RETURN(frames->on_device_, device.allocate(MemoryKind::kDevice, kFrameBytes));
    ASSIGN_OR_RETURN(frames->down_, device.allocate(MemoryKind::kDownload, kFrameBytes));
    return frames;
  }

  void start() {
    latencies_.reserve(100'000);  // avoids page faults during the run
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  std::vector<Latency> stop() {
    thread_.request_stop();
    thread_.join();
    return std::move(latencies_);
  }
  const Status& status() const { return status_; }

 private:
  void run(const std::stop_token& stop) {
    TimePoint due = clock_now();
    while (!stop.stop_requested() && status_.ok()) {
      due += kPeriod;
      std::this_thread::sleep_until(due - std::chrono::microseconds(100));
      while (clock_now() < due) continue;
      stream_->copy(*on_device_, 0, *up_, 0, kFrameBytes);
      work_->enqueue(*stream_, 1);
      stream_->copy(*down_, 0, *on_device_, 0, kFrameBytes);
      status_ = stream_->wait(stream_->mark());
      latencies_.push_back({due, ms(clock_now() - due)});
    }
  }

  std::unique_ptr<Work> work_;
  std::unique_ptr<device::Buffer> up_, on_device_, down_;
  std::unique_ptr<device::Stream> stream_;
  std::vector<Latency> latencies_;
  Status status_;
  std::jthread thread_;
};

// A step of a job's begin, and its reversal.
struct Step {
  std::string name;
  std::function<Status()> begin;
  std::function<void()> end;
};

class Bench {
 public:
  Bench(const Arguments& arguments, Device& device) : arguments_(arguments), device_(device) {}

  Status run() {
    fmt::print("{}: {}; frames every {} ms, {} repeats\n", device_.info().id, device_.info().name,
               ms(kPeriod), arguments_.repeat);
    fmt::print("{:<28} {:>10} {:>10} {:>12} {:>12}\n", "step", "begin ms", "end ms", "worst frame",
               "at its end");
    RETURN_IF_ERROR(measure({"nothing", [] { return ok_status(); }, [] {}}));
    for (const auto& [name, kind] : {std::pair("64 MiB of the device", MemoryKind::kDevice),
                                     std::pair("64 MiB pinned, to upload", MemoryKind::kUpload),
                                     std::pair("64 MiB pinned, to download", MemoryKind::kDownload)})
      RETURN_IF_ERROR(
          measure({name, [this, kind = kind] { return allocate(kind); }, [this] { buffer_.reset(); }}));
    RETURN_IF_ERROR(measure({"a stream", [this] { return make_stream(); }, [this] { stream_.reset(); }}));
    RETURN_IF_ERROR(
        measure({"a pipeline", [this] { return make_pipeline(); }, [this] { pipeline_.reset(); }}));
    if (arguments_.input.empty()) return ok_status();
    ASSIGN_OR_RETURN(input_, media::InputFile::open(arguments_.input));
    ASSIGN_OR_RETURN(info_, media::probe(input_));
    RETURN_IF_ERROR(measure({"a decoder", [this] { return open_decoder(); }, [this] { source_.reset(); }}));
    RETURN_IF_ERROR(
        measure({"a decoder, 1 frame", [this] { return decode(1); }, [this] { source_.reset(); }}));
    return measure({"a decoder, 20 frames", [this] { return decode(20); }, [this] { source_.reset(); }});
  }

 private:
  Status allocate(MemoryKind kind) {
    ASSIGN_OR_RETURN(buffer_, device_.allocate(kind, kBytes));
    return ok_status();
  }
  Status make_stream() {
    ASSIGN_OR_RETURN(stream_, device_.make_stream());
    return stream_->wait(stream_->mark());
  }
  Status make_pipeline() {
    const v1::Bwdif options = bwdif_options();
    const google::protobuf::Message* const chain[] = {&options};
    ASSIGN_OR_RETURN(graph::Network network, make_network(device_, caches_, chain, kFormat));
    ASSIGN_OR_RETURN(pipeline_, graph::Pipeline::make(device_, std::move(network), {}));
    return ok_status();
  }
  Status open_decoder() {
    ASSIGN_OR_RETURN(source_, media::VideoSource::open(input_, {}));
    return ok_status();
  }
  Status decode(int frames) {
    RETURN_IF_ERROR(open_decoder());
    for (int i = 0; i < frames; i++) {
      ASSIGN_OR_RETURN(const auto frame, source_->next());
      if (!frame.has_value()) break;
    }
    return ok_status();
  }

  Status measure(const Step& step) {
    ASSIGN_OR_RETURN(const auto frames, Frames::open(device_));
    frames->start();
    std::this_thread::sleep_for(5 * kPause);
    std::vector<std::pair<TimePoint, TimePoint>> begins, ends;
    for (int i = 0; i < arguments_.repeat; i++) {
      const TimePoint start = clock_now();
      RETURN_IF_ERROR(step.begin());
      begins.emplace_back(start, clock_now());
      std::this_thread::sleep_for(kPause);
      const TimePoint end = clock_now();
      step.end();
      ends.emplace_back(end, clock_now());
      std::this_thread::sleep_for(kPause);
    }
    const std::vector<Frames::Latency> latencies = frames->stop();
    RETURN_IF_ERROR(frames->status());
    fmt::print("{:<28} {:>10.2f} {:>10.2f} {:>9.2f} ms {:>9.2f} ms\n", step.name, longest(begins),
               longest(ends), worst(latencies, begins), worst(latencies, ends));
    std::fflush(stdout);
    return ok_status();
  }

  static double longest(const std::vector<std::pair<TimePoint, TimePoint>>& spans) {
    double most = 0;
    for (const auto& [from, to] : spans) most = std::max(most, ms(to - from));
    return most;
  }
  // Returns the worst latency of the frames that are due or in work in one of the spans.
  static double worst(const std::vector<Frames::Latency>& latencies,
                      const std::vector<std::pair<TimePoint, TimePoint>>& spans) {
    double most = 0;
    for (const Frames::Latency& frame : latencies)
      for (const auto& [from, to] : spans) {
        const TimePoint back = frame.due + std::chrono::duration_cast<Duration>(
                                               std::chrono::duration<double, std::milli>(frame.ms));
        if (frame.due <= to && back >= from) most = std::max(most, frame.ms);
      }
    return most;
  }

  const Arguments& arguments_;
  Device& device_;
  std::unique_ptr<device::Buffer> buffer_;
  std::unique_ptr<device::Stream> stream_;
  filters::DeviceCaches caches_;
  std::unique_ptr<graph::Pipeline> pipeline_;
  std::unique_ptr<media::VideoSource> source_;
  media::InputFilePtr input_;
  media::MediaInfo info_;
};

Status run(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto device, device::open_device(arguments.device));
  return Bench(arguments, *device).run();
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  weft::bench::Arguments arguments;
  weft::bench::CommandLine line(
      "Measures the latency of a stream while another thread opens and closes jobs.");
  line.add_option("--device", arguments.device, "Device");
  line.add_option("--input", arguments.input, "Clip, for the rows that decode");
  line.add_option("--repeat", arguments.repeat, "Repeats of each row")->check(weft::bench::kPositive);
  line.read(argc, argv);
  const weft::Status status = weft::bench::run(arguments);
  if (!status.ok()) fmt::print(stderr, "opening_bench: {}\n", weft::message_of(status));
  return status.ok() ? 0 : 1;
}
