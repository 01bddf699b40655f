// SPDX-License-Identifier: Apache-2.0
#include "server/worker/foreground_job.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/printable.h"
#include "options/job_files.h"
#include "options/job_kinds.h"
#include "options/validate.h"
#include "server/channel/status_message.h"
#include "server/media/file.h"

namespace weft::worker {
namespace {

using channel::FileDescriptor;
using internal::v1::FromWorker;
using internal::v1::ToWorker;

constexpr Duration kReportInterval = std::chrono::seconds(1);

void say(std::string_view text) { std::fputs((printable(text) + "\n").c_str(), stderr); }

StatusOr<v1::Job> read_order(const std::string& path) {
  const std::ifstream file(path);
  if (!file.is_open()) return media::system_error(errno, "opened", path);
  std::ostringstream text;
  text << file.rdbuf();
  v1::Job job;
  const auto read = google::protobuf::util::JsonStringToMessage(text.str(), &job);
  if (!read.ok()) {
    // a sentence, followed by lines that show the position in the text
    std::string reason(read.message());
    reason = reason.substr(0, reason.find('\n'));
    if (reason.ends_with('.')) reason.pop_back();
    return invalid_argument(
        "The file {} is not an order as `weft show --order` prints it ({}); print it again.", path, reason);
  }
  RETURN_IF_ERROR(options::to_status(options::validate(job.spec(), "spec")));
  return job;
}

StatusOr<FileDescriptor> open_path(const std::string& path, int flags) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags));
  if (!file.is_open()) return media::system_error(errno, "opened", path);
  return file;
}

// Opens the inputs, then the work folder.
StatusOr<std::vector<FileDescriptor>> open_files(const options::JobFiles& files,
                                                 const std::string& work_folder) {
  std::vector<FileDescriptor> open;
  for (const options::JobFile& input : files.inputs) {
    ASSIGN_OR_RETURN(FileDescriptor file, open_path(input.is_sequence ? input.folder() : input.path, 0));
    open.push_back(std::move(file));
  }
  if (::mkdir(work_folder.c_str(), 0700) != 0 && errno != EEXIST)
    return media::system_error(errno, "made", work_folder);
  ASSIGN_OR_RETURN(FileDescriptor folder, open_path(work_folder, O_DIRECTORY));
  if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0)
    return aborted("Another process works in {}; wait for its end.", work_folder);
  open.push_back(std::move(folder));
  return open;
}

ToWorker start_of(const v1::Job& job) {
  ToWorker message;
  internal::v1::StartJob& start = *message.mutable_start_job();
  start.set_job_id(job.id());
  start.set_attempt(job.attempt());
  *start.mutable_spec() = job.spec();
  *start.mutable_settings() = job.settings();
  start.set_owner_weight(1);
  return message;
}

// The daemon's end of the channel for one job.
class Overseer {
 public:
  Overseer(FileDescriptor socket, std::string unit) : channel_(std::move(socket)), unit_(std::move(unit)) {}

  // Runs the job and blocks until the worker ends. Returns OK if the job has finished.
  Status run(const ToWorker& start, const std::vector<FileDescriptor>& files) {
    std::vector<int> descriptors;
    for (const FileDescriptor& file : files) descriptors.push_back(file.get());
    RETURN_IF_ERROR(channel_.send(start, descriptors, Duration::max()));
    for (FromWorker message; channel_.receive(message, nullptr, Duration::max()).ok();) take(message);
    return outcome_;
  }

 private:
  void take(const FromWorker& message) {
    switch (message.message_case()) {
      case FromWorker::kReady:
        if (message.ready().has_error()) outcome_ = channel::to_status(message.ready().error());
        break;
      case FromWorker::kProgress:
        report(message.progress().progress());
        break;
      case FromWorker::kLogLine:
        say(fmt::format("{}: {}", message.log_line().level(), message.log_line().text()));
        break;
      case FromWorker::kJobFinished:
        end(ok_status(), message.job_finished().result());
        break;
      case FromWorker::kJobStopped:
        end(channel::to_status(message.job_stopped().error()), message.job_stopped().result());
        break;
      default:
        break;
    }
  }
  void report(const v1::JobProgress& progress) {
    const TimePoint now = std::chrono::steady_clock::now();
    if (now < next_report_) return;
    next_report_ = now + kReportInterval;
    say(fmt::format("{}: {} of {} {}s, {:.1f} a second", progress.stage(), progress.units_done(),
                    progress.units_total(), unit_, progress.units_per_second()));
  }
  void end(Status status, const v1::JobResult& result) {
    outcome_ = std::move(status);
    google::protobuf::util::JsonPrintOptions options;
    options.add_whitespace = true;
    std::string text;
    if (google::protobuf::util::MessageToJsonString(result, &text, options).ok()) std::puts(text.c_str());
    ToWorker shutdown;
    shutdown.mutable_shutdown();
    static_cast<void>(channel_.send(shutdown, {}, Duration::max()).ok());
  }

  channel::Channel channel_;
  const std::string unit_;
  TimePoint next_report_{};
  Status outcome_ = unavailable("The worker ended before the job.");
};

Status run_job(const std::string& order_file, SessionOptions options) {
  ASSIGN_OR_RETURN(const v1::Job job, read_order(order_file));
  const options::JobFiles files = options::files_of_job(job.spec());
  const std::string work_folder = order_file + ".work";
  ASSIGN_OR_RETURN(const std::vector<FileDescriptor> open, open_files(files, work_folder));
  if (options.device_id.empty()) options.device_id = job.settings().device();
  if (options.device_id.empty()) options.device_id = job.device();
  if (options.device_id.empty()) options.device_id = "cpu";
  ASSIGN_OR_RETURN(auto ends, channel::make_socket_pair());
  const std::jthread session([&options, socket = std::move(ends.first)]() mutable {
    channel::Channel channel(std::move(socket));
    run_device_session(channel, options);
  });
  RETURN_IF_ERROR(Overseer(std::move(ends.second), options::unit_of(job.spec())).run(start_of(job), open));
  for (const options::JobFile& output : files.outputs)
    say(fmt::format("Finished: {}/{}", work_folder, output.finished_name));
  return ok_status();
}

}  // namespace

int run_foreground_job(const std::string& order_file, SessionOptions options) {
  const Status status = run_job(order_file, std::move(options));
  if (status.ok()) return kExitDone;
  say(message_of(status));
  return kExitJobFailed;
}

}  // namespace weft::worker
