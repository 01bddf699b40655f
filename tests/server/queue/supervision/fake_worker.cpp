// SPDX-License-Identifier: Apache-2.0
// Acts as weft-worker in the supervisor's tests, and as the worker of a GPU with kGpuBytes of
// memory in scenarios. The first word of the job's input selects its behaviour with a job. Its
// option --mode selects its behaviour at the start. It finishes a job without files at once.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/status.h"
#include "options/job_files.h"
#include "server/channel/channel.h"
#include "server/channel/status_message.h"
#include "server/channel/worker_exit.h"
#include "weft/internal/v1/worker.pb.h"

namespace {

using namespace weft;
using internal::v1::FromWorker;
using internal::v1::ToWorker;
using std::chrono::milliseconds;

struct Job {
  std::string what;
  internal::v1::StartJob start;
};

std::string first_word(int fd) {
  char text[64] = {};
  if (::pread(fd, text, sizeof(text) - 1, 0) < 0) return "";
  return std::string(text, std::strcspn(text, " \n"));
}

// Memory of the GPU: jobs may take 8 GB of it, since a margin stays free.
constexpr int64_t kGpuBytes = 8'000'000'000 + (int64_t{256} << 20);

// Returns the bytes in "needs=5000,2500", in MB.
std::vector<int64_t> megabytes_in(std::string_view word) {
  std::vector<int64_t> bytes;
  for (size_t at = word.find('='); at != std::string_view::npos; at = word.find(',', at + 1))
    bytes.push_back(std::atoll(word.data() + at + 1) * 1'000'000);
  return bytes;
}

v1::DeviceKind kind_of(std::string_view device) {
  return device == "cpu" ? v1::DEVICE_KIND_CPU : v1::DEVICE_KIND_CUDA;
}

v1::DeviceStatus status_of(const std::string& device) {
  v1::DeviceStatus status;
  status.set_id(device);
  status.set_kind(kind_of(device));
  if (device != "cpu") status.set_memory_bytes(kGpuBytes);
  return status;
}

class FakeWorker {
 public:
  explicit FakeWorker(int fd) : channel_(channel::FileDescriptor(fd)) {}

  int run(const std::string& device, const std::string& mode) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (mode == "silent") ::pause();
    if (!device.empty()) say_ready(device, mode);
    if (mode == "self-test-fails") return 11;
    while (true) {
      ToWorker message;
      std::vector<channel::FileDescriptor> files;
      const Status got = channel_.receive(message, &files, milliseconds(20));
      if (got.code() == StatusCode::kDeadlineExceeded) {
        progress();
        continue;
      }
      if (!got.ok() || message.has_shutdown()) return 0;
      if (message.has_start_job()) start(message.start_job(), files);
      if (message.has_stop_job()) stop(message.stop_job());
      if (message.has_start_stream()) start_stream(message.start_stream());
      // The job ends with an error that contains its priority and the weight of its owner.
      if (message.has_change_job() && job_)
        stopped(job_->start,
                cancelled("Its priority is {}, its owner weighs {}.",
                          message.change_job().settings().priority(), message.change_job().owner_weight()),
                false);
      if (message.has_probe_job()) probe(message.probe_job(), files.empty() ? -1 : files[0].get());
      if (message.has_read_picture())
        read_picture(message.read_picture(), files.at(0).get(), files.at(1).get());
    }
  }

 private:
  void send(const FromWorker& message) {
    if (!channel_.send(message, {}, std::chrono::seconds(10)).ok()) std::exit(10);
  }

  void say_ready(const std::string& device, const std::string& mode) {
    FromWorker message;
    *message.mutable_ready()->mutable_device() = status_of(device);
    message.mutable_ready()->mutable_device()->set_name("fake");
    if (mode == "self-test-fails")
      *message.mutable_ready()->mutable_error() = channel::to_message(internal_error("It adds wrongly."));
    send(message);
  }

  void start(const internal::v1::StartJob& start, std::vector<channel::FileDescriptor>& files) {
    const bool reads = !options::files_of_job(start.spec()).inputs.empty();
    const std::string what = reads ? first_word(files.at(0).get()) : "finish";
    std::fprintf(stderr, "fake worker: %s\n", what.c_str());
    if (what == "crash") std::abort();
    if (what == "finish") return finish(start, files.back().get());
    if (what == "full") return stopped(start, resource_exhausted("No space is left."), true);
    if (what == "fail") return stopped(start, invalid_argument("The file is broken."), false);
    if (what.starts_with("others=")) {
      report_others(megabytes_in(what).front());
      return finish(start, files.back().get());
    }
    if (what.starts_with("shrinks="))
      return stopped(start, cancelled("Its batches are halved {} times.", start.batch_halvings()), false);
    if (what == "weigh")
      return stopped(start, cancelled("Its owner weighs {}.", start.owner_weight()), false);
    job_ = Job{what, start};
    folder_ = std::move(files.back());
  }

  // Reports the device memory of other programs.
  void report_others(int64_t bytes) {
    FromWorker message;
    v1::DeviceSample& sample = *message.mutable_device_report()->mutable_sample();
    sample.set_device("cuda:0");
    sample.mutable_readings()->set_memory_other_bytes(bytes);
    send(message);
  }

  // Ends the stream with an error that contains the weight of its owner, unless the owner is
  // "stays".
  void start_stream(const internal::v1::StartStream& start) {
    if (start.open().settings().owner() == "stays") return;
    FromWorker message;
    message.mutable_stream_stopped()->set_stream(start.stream());
    *message.mutable_stream_stopped()->mutable_error() =
        channel::to_message(cancelled("Its owner weighs {}.", start.owner_weight()));
    send(message);
  }

  void finish(const internal::v1::StartJob& start, int folder) {
    for (const options::JobFile& output : options::files_of_job(start.spec()).outputs) {
      const int file = ::openat(folder, output.finished_name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
      if (file < 0 || ::write(file, "done", 4) != 4) std::abort();
      ::close(file);
    }
    FromWorker message;
    message.mutable_segment_finished()->set_job_id(start.job_id());
    message.mutable_segment_finished()->set_attempt(start.attempt());
    message.mutable_segment_finished()->set_units_done(4);
    send(message);
    message.mutable_job_finished()->set_job_id(start.job_id());
    message.mutable_job_finished()->set_attempt(start.attempt());
    message.mutable_job_finished()->mutable_result()->set_units_out(4);
    send(message);
  }

  void stopped(const internal::v1::StartJob& start, const Status& error, bool retriable) {
    FromWorker message;
    message.mutable_job_stopped()->set_job_id(start.job_id());
    message.mutable_job_stopped()->set_attempt(start.attempt());
    message.mutable_job_stopped()->set_retriable(retriable);
    message.mutable_job_stopped()->set_out_of_space(error.code() == StatusCode::kResourceExhausted);
    *message.mutable_job_stopped()->mutable_error() = channel::to_message(error);
    send(message);
  }

  void stop(const internal::v1::StopJob& stop) {
    if (!job_ || job_->start.job_id() != stop.job_id() || job_->what == "deaf" || job_->what == "waits")
      return;
    folder_.reset();
    stopped(job_->start, cancelled("It was told to stop."), false);
    job_.reset();
  }

  // Reports progress. Jobs "work", "deaf" and "needs=..." advance; "waits" also reports a wait for
  // a file system; other jobs do not advance.
  void progress() {
    if (!job_) return;
    FromWorker message;
    message.mutable_progress()->set_job_id(job_->start.job_id());
    message.mutable_progress()->set_attempt(job_->start.attempt());
    if (job_->what == "work" || job_->what == "deaf" || job_->what == "waits" ||
        job_->what.starts_with("needs="))
      heartbeat_++;
    if (job_->what == "waits") {
      message.mutable_progress()->mutable_file_wait()->set_doing("written");
      message.mutable_progress()->mutable_file_wait()->set_file("segment");
      message.mutable_progress()->mutable_file_wait()->mutable_waited()->set_seconds(3);
    }
    message.mutable_progress()->set_heartbeat(heartbeat_);
    message.mutable_progress()->mutable_progress()->set_units_done(int64_t(heartbeat_));
    send(message);
  }

  void probe(const internal::v1::ProbeJob& job, int input) {
    const std::string what = first_word(input);
    if (what == "crash") std::abort();
    if (what == "hang") ::pause();
    if (what == "eats") ::_exit(channel::kExitOutOfMemory);
    FromWorker message;
    message.mutable_probe_answer()->set_request(job.request());
    message.mutable_probe_answer()->mutable_estimate()->set_units_in(9);
    if (what == "large") {
      message.mutable_probe_answer()->mutable_estimate()->set_host_bytes(3'000'000);
      message.mutable_probe_answer()->mutable_estimate()->set_shared_bytes(7'000'000);
    }
    if (what.starts_with("needs=") || what.starts_with("shrinks="))
      for (const int64_t bytes : megabytes_in(what))
        message.mutable_probe_answer()->mutable_estimate()->add_device_bytes(bytes);
    if (what == "fail")
      *message.mutable_probe_answer()->mutable_error() =
          channel::to_message(invalid_argument("There is no video stream."));
    send(message);
  }

  // Returns a picture with one sample, the number of the picture.
  void read_picture(const internal::v1::ReadPicture& order, int input, int memory) {
    const std::string what = first_word(input);
    if (what == "crash") std::abort();
    if (what == "hang") ::pause();
    FromWorker message;
    message.mutable_picture_answer()->set_request(order.request());
    if (what == "fail")
      *message.mutable_picture_answer()->mutable_error() =
          channel::to_message(out_of_range("The file has no picture {}.", order.index()));
    const auto sample = char(order.index());
    if (::write(memory, &sample, 1) != 1) std::abort();
    message.mutable_picture_answer()->mutable_description()->set_width(1);
    send(message);
  }

  channel::Channel channel_;
  std::optional<Job> job_;
  channel::FileDescriptor folder_;
  uint64_t heartbeat_ = 0;
};

int list_devices(const std::string& mode) {
  if (mode == "silent") ::pause();
  if (mode == "broken") {
    std::cerr << "a library is missing\n";
    return 127;
  }
  internal::v1::DeviceList list;
  for (const char* id : {"cpu", "cuda:0"}) {
    v1::DeviceStatus& device = *list.add_devices();
    device = status_of(id);
    device.set_uuid(std::string("uuid of ") + id);
  }
  list.add_notes("There is no Vulkan.");
  list.SerializeToOstream(&std::cout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> flags;
  for (int i = 1; i < argc; i++) {
    const bool takes_value = i + 1 < argc && std::string_view(argv[i + 1]).substr(0, 2) != "--";
    flags[argv[i]] = takes_value ? argv[i + 1] : "";
    if (takes_value) i++;
  }
  if (flags.contains("--list-devices")) return list_devices(flags["--mode"]);
  return FakeWorker(std::atoi(flags["--channel"].c_str())).run(flags["--device"], flags["--mode"]);
}
