// SPDX-License-Identifier: Apache-2.0
// Measures a whole job with the null encoder against each of its stages alone: the fraction of the
// slowest stage's rate that remains when all stages run together. It should be at least 90% if the
// device is not the processor that decodes.
//
//   end_to_end_bench [--device ID] [--input FILE] [--frames N] [--filters CHAIN]
//                    [--segments-at-once N,N,...] [--repeat N] [--json FILE]
//
// Without --input the ffmpeg program makes a 1080i MPEG-2 clip. A clip that is shorter than N
// frames is used whole. With --segments-at-once there is a row for each number of segments that the
// job renders at the same time, and one for that many decoders alone; 0: the job chooses the number
// by measurement.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <google/protobuf/util/time_util.h>
#include <unistd.h>

#include "bench/command_line.h"
#include "options/chain.h"
#include "server/media/read/probe/probe.h"
#include "server/worker/video/filter_stage.h"
#include "server/worker/video/video_plan.h"
#include "server/worker/video/video_runner.h"

namespace weft::worker {
namespace {

struct Arguments {
  std::string device = "cpu";
  std::string input;
  std::string filters = "bwdif";
  std::string json;
  std::vector<int> segments_at_once = {1};
  int frames = 600;
  int repeat = 3;
};

struct Row {
  std::string what;
  double frames_per_s = 0;  // source frames per second; the best of the repeats
  std::string remark = {};
};

// limit of the segments at once if the job chooses the number
constexpr int kMostMeasured = 8;

// number of frames that are filtered repeatedly when the filter runs alone
constexpr int kFramesInMemory = 48;

double seconds_since(TimePoint start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double seconds_of(const google::protobuf::Duration& duration) {
  return double(google::protobuf::util::TimeUtil::DurationToNanoseconds(duration)) * 1e-9;
}

// A folder that is removed with the object.
class WorkFolder {
 public:
  WorkFolder() : path_((std::filesystem::temp_directory_path() / "weft-bench-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) std::perror("mkdtemp");
  }
  ~WorkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

StatusOr<std::string> make_clip(const WorkFolder& folder, int frames) {
  const std::string path = folder.path() + "/clip.ts";
  const std::string command = fmt::format(
      "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=size=1920x1080:rate=60000/1001 -vf "
      "tinterlace=interleave_top "
      "-frames:v {} -c:v mpeg2video -flags +ildct+ilme -b:v 20M '{}'",
      frames, path);
  if (std::system(command.c_str()) != 0)
    return unavailable("The ffmpeg program makes no clip; give one with --input.");
  return path;
}

// The objects that a measurement of a stage needs.
struct Subject {
  device::Device* device = nullptr;
  media::InputFilePtr input;
  v1::JobSpec spec;
  VideoPlan plan;
  int frames = 0;
  std::vector<media::SourceFrame> in_memory;
};

StatusOr<int> decode_all(const Subject& subject) {
  ASSIGN_OR_RETURN(const auto source, media::VideoSource::open(subject.input, subject.plan.source));
  int frames = 0;
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<media::SourceFrame> frame, source->next());
    if (!frame.has_value()) return frames;
    frames++;
  }
}

// Returns the rate of several decoders together; each one decodes the whole input.
StatusOr<double> decode_alone(const Subject& subject, int decoders) {
  const TimePoint start = std::chrono::steady_clock::now();
  std::vector<StatusOr<int>> frames(size_t(decoders), StatusOr<int>(0));
  {
    std::vector<std::jthread> threads;
    for (StatusOr<int>& each : frames) threads.emplace_back([&] { each = decode_all(subject); });
  }
  int sum = 0;
  for (const StatusOr<int>& each : frames) {
    RETURN_IF_ERROR(each.status());
    sum += *each;
  }
  return sum / seconds_since(start);
}

StatusOr<double> filter_alone(const Subject& subject) {
  JobMeter meter;
  FilterStage::Start start;
  start.pictures_held = 34;
  DeviceLoop loop;
  start.source.cost_key = subject.plan.chain.cost_key;
  filters::DeviceCaches caches;
  ASSIGN_OR_RETURN(graph::Network network, subject.plan.chain.expand({*subject.device, loop, caches}));
  RETURN_IF_ERROR(graph::prepare(*subject.device, network));
  ASSIGN_OR_RETURN(const auto filter,
                   FilterStage::open(*subject.device, loop, std::move(network), start, meter));
  BoundedQueue<media::SourceFrame> frames(32);
  BoundedQueue<OutputPicture> pictures(32);
  const std::jthread feeder([&] {
    for (int i = 0; i < subject.frames; i++) {
      media::SourceFrame frame = subject.in_memory[size_t(i) % subject.in_memory.size()];
      frame.index = i;
      frame.pts = i * frame.duration;
      frame.discontinuity = false;
      if (!frames.push(std::move(frame))) return;
    }
    frames.close();
  });
  const std::jthread reader([&] {
    while (pictures.pop().has_value()) continue;
  });
  const TimePoint begin = std::chrono::steady_clock::now();
  const Status ran = filter->run(frames, pictures);
  const double seconds = seconds_since(begin);
  frames.abandon();
  pictures.abandon();
  RETURN_IF_ERROR(ran);
  return subject.frames / seconds;
}

// Detects the end of a job's set-up (opening of the file, the decoder and the device's buffers):
// later messages of the job follow decoded frames.
class SetUpWatch final : public JobEvents {
 public:
  void watch(const JobMeter& meter) { meter_ = &meter; }
  TimePoint set_up_end() const { return set_up_end_; }
  void on_segment_finished(int, int64_t) override {}
  void on_log(std::string_view, std::string_view) override {
    if (meter_->decode.units == 0) set_up_end_ = std::chrono::steady_clock::now();
  }

 private:
  const JobMeter* meter_ = nullptr;
  TimePoint set_up_end_ = {};
};

struct WholeJob {
  double frames_per_s = 0;  // source frames per second without the set-up
  double set_up_s = 0;
  std::string stages;  // activity of each stage during its busy time
};

StatusOr<WholeJob> whole_job(const Subject& subject, int segments_at_once) {
  const WorkFolder folder;
  JobOrder job;
  job.id = "bench";
  job.spec = subject.spec;
  OpenJobFile& input = job.inputs.emplace_back();
  input.declared.option = "input";
  input.declared.path = subject.input->name();
  input.descriptor = channel::FileDescriptor(::open(subject.input->name().c_str(), O_RDONLY | O_CLOEXEC));
  job.outputs.push_back({.option = "output", .path = "/out.null", .finished_name = "finished"});
  job.work_folder =
      channel::FileDescriptor(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  SetUpWatch events;
  DeviceLoop loop;
  filters::DeviceCaches caches;
  DeviceShare share{*subject.device, loop, caches};
  share.lanes = segments_at_once;
  if (segments_at_once == 0) job.segments_at_once = kMostMeasured;
  if (segments_at_once == 1) job.spec.mutable_video()->mutable_encoding()->set_segment_frames(1'000'000);
  VideoRunner runner(std::move(job), share, events);
  events.watch(runner.meter());
  const TimePoint begin = std::chrono::steady_clock::now();
  const JobEnd end = runner.run();
  RETURN_IF_ERROR(end.status);
  WholeJob whole;
  whole.frames_per_s = double(end.result.units_in()) / seconds_since(events.set_up_end());
  whole.set_up_s = std::chrono::duration<double>(events.set_up_end() - begin).count();
  for (const v1::StageRate& stage : end.result.stages())
    whole.stages += fmt::format("{}{} {:.0f}", whole.stages.empty() ? "" : ", ", stage.stage(),
                                double(stage.units()) / std::max(seconds_of(stage.busy()), 1e-9));
  return whole;
}

StatusOr<Subject> prepare(const Arguments& arguments, device::Device& device, const std::string& input) {
  Subject subject;
  subject.device = &device;
  ASSIGN_OR_RETURN(subject.input, media::InputFile::open(input));
  v1::VideoJob& job = *subject.spec.mutable_video();
  job.set_input(std::filesystem::absolute(input));
  job.set_output("/out.null");
  job.mutable_encoding()->set_encoder(v1::ENCODER_NULL);
  RETURN_IF_ERROR(options::parse_chain(arguments.filters, job, *options::chain_of(job.GetDescriptor())));
  ASSIGN_OR_RETURN(const media::MediaInfo info, media::probe(subject.input));
  ASSIGN_OR_RETURN(subject.plan, plan_video(subject.spec, info, "out.null"));
  ASSIGN_OR_RETURN(const auto source, media::VideoSource::open(subject.input, subject.plan.source));
  while (true) {
    ASSIGN_OR_RETURN(std::optional<media::SourceFrame> frame, source->next());
    if (!frame.has_value()) break;
    subject.frames++;
    if (int(subject.in_memory.size()) < kFramesInMemory) subject.in_memory.push_back(*std::move(frame));
  }
  return subject;
}

StatusOr<std::vector<Row>> measure(const Arguments& arguments, const Subject& subject) {
  using Part = std::function<StatusOr<double>(const Subject&)>;
  std::vector<std::pair<std::string, Part>> parts = {
      {"decode alone", [](const Subject& whole) { return decode_alone(whole, 1); }},
      {"filter alone", filter_alone}};
  for (const int decoders : arguments.segments_at_once)
    if (decoders > 1)
      parts.emplace_back(fmt::format("{} decoders alone", decoders),
                         [decoders](const Subject& whole) { return decode_alone(whole, decoders); });
  std::vector<Row> rows;
  for (const auto& [what, run] : parts) {
    Row row{what, 0};
    for (int i = 0; i < arguments.repeat; i++) {
      ASSIGN_OR_RETURN(const double rate, run(subject));
      row.frames_per_s = std::max(row.frames_per_s, rate);
    }
    rows.push_back(row);
  }
  for (const int segments : arguments.segments_at_once) {
    Row row{segments == 1   ? "end to end"
            : segments == 0 ? "end to end, measured number of segments at once"
                            : fmt::format("end to end, {} segments at once", segments)};
    for (int i = 0; i < arguments.repeat; i++) {
      ASSIGN_OR_RETURN(const WholeJob whole, whole_job(subject, segments));
      if (whole.frames_per_s < row.frames_per_s) continue;
      row.frames_per_s = whole.frames_per_s;
      row.remark =
          fmt::format("set-up {:.0f} ms; busy stages, units/s: {}", whole.set_up_s * 1000, whole.stages);
    }
    rows.push_back(row);
  }
  return rows;
}

Status report(const Arguments& arguments, const Subject& subject, const std::vector<Row>& rows) {
  const double slowest = std::min(rows[0].frames_per_s, rows[1].frames_per_s);
  // Stages that share processors cannot all run at their separate rates.
  const double shared = 1 / (1 / rows[0].frames_per_s + 1 / rows[1].frames_per_s);
  const double whole = std::ranges::find(rows, "end to end", &Row::what)->frames_per_s;
  const device::DeviceInfo& info = subject.device->info();
  fmt::print("{} on {} ({}), {} source frames, {} threads of the machine\n", summary_of(subject.plan.info),
             info.id, info.name, subject.frames, std::thread::hardware_concurrency());
  for (const Row& row : rows)
    fmt::print("  {:<48} {:9.1f} frames/s  {}\n", row.what, row.frames_per_s, row.remark);
  fmt::print("  share of the slowest stage alone: {:.1f}%\n", 100 * whole / slowest);
  if (info.is_software)
    fmt::print("  share of what one processor for all allows: {:.1f}%\n", 100 * whole / shared);
  if (arguments.json.empty()) return ok_status();
  std::string all_rows;
  for (const Row& row : rows)
    all_rows += fmt::format("{}\"{}\": {:.2f}", all_rows.empty() ? "" : ", ", row.what, row.frames_per_s);
  std::ofstream json(arguments.json);
  json << fmt::format(
      "{{\"bench\": \"end_to_end\", \"device\": \"{}\", \"name\": \"{}\", \"filter\": \"{}\", \"input\": "
      "\"{}\", "
      "\"frames\": {}, \"threads\": {}, \"decode_frames_per_s\": {:.2f}, \"filter_frames_per_s\": {:.2f}, "
      "\"end_to_end_frames_per_s\": {:.2f}, \"share_of_slowest\": {:.4f}, \"share_of_shared_processor\": "
      "{:.4f}, \"rows\": {{{}}}}}\n",
      info.id, info.name, arguments.filters, summary_of(subject.plan.info), subject.frames,
      std::thread::hardware_concurrency(), rows[0].frames_per_s, rows[1].frames_per_s, whole, whole / slowest,
      whole / shared, all_rows);
  return json.good() ? ok_status() : unavailable("The file {} cannot be written.", arguments.json);
}

Status run(const Arguments& arguments) {
  const WorkFolder folder;
  std::string input = arguments.input;
  if (input.empty()) {
    ASSIGN_OR_RETURN(input, make_clip(folder, arguments.frames));
  }
  ASSIGN_OR_RETURN(const auto device, device::open_device(std::string_view(arguments.device)));
  ASSIGN_OR_RETURN(const Subject subject, prepare(arguments, *device, input));
  ASSIGN_OR_RETURN(const std::vector<Row> rows, measure(arguments, subject));
  return report(arguments, subject, rows);
}

}  // namespace
}  // namespace weft::worker

int main(int argc, char** argv) {
  weft::worker::Arguments arguments;
  weft::bench::CommandLine line("Times a whole job, and each of its stages alone.");
  line.add_option("--device", arguments.device, "Device");
  line.add_option("--input", arguments.input, "Clip; default: one that ffmpeg makes");
  line.add_option("--frames", arguments.frames, "Frames of the clip")->check(weft::bench::kPositive);
  line.add_option("--filters", arguments.filters, "Chain of filters");
  line.add_option("--segments-at-once", arguments.segments_at_once, "Numbers of segments; 0: measured")
      ->delimiter(',');
  line.add_option("--repeat", arguments.repeat, "Repeats; the best counts")->check(weft::bench::kPositive);
  line.add_option("--json", arguments.json, "File for the result as JSON");
  line.read(argc, argv);
  const weft::Status status = weft::worker::run(arguments);
  if (status.ok()) return 0;
  std::fprintf(stderr, "end_to_end_bench: %s\n", weft::message_of(status).c_str());
  return 1;
}
