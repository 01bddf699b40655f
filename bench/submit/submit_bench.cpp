// SPDX-License-Identifier: Apache-2.0
// Measures durable submits per second through gRPC: one client, 32 clients, and both with 10,000
// jobs queued.
//
//   build/release/bin/submit_bench [--folder FOLDER] [--seconds S] [--queued N] [--json FILE]
//
// The program starts the weftd of its own folder and drains its device, so that jobs stay queued.
// FOLDER holds the store. The measured figure depends on its disk, because a submit is acknowledged
// after fsync. Each submit is checked in full: message, files, space. The probe of the input,
// always the same, is cached.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include "base/status.h"
#include "bench/command_line.h"
#include "bench/daemon.h"
#include "weft/v1/device_service.grpc.pb.h"
#include "weft/v1/job_service.grpc.pb.h"

namespace {

using namespace weft;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

struct Options {
  std::string folder = ".";
  double seconds = 5;
  int queued = 10'000;
  std::string json;
};

struct Row {
  std::string name;
  int clients = 0;
  size_t submits = 0;
  double per_second = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  double worst_ms = 0;
};

// Returns a separate connection for each caller, or null if the daemon does not answer.
std::shared_ptr<grpc::Channel> connect(const bench::Daemon& daemon) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  auto channel = grpc::CreateCustomChannel(daemon.address(), grpc::InsecureChannelCredentials(), arguments);
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(30))) return nullptr;
  return channel;
}

// Drains the devices, so that jobs stay queued.
Status drain_devices(const bench::Daemon& daemon) {
  const auto channel = connect(daemon);
  if (!channel) return unavailable("The daemon does not answer.");
  grpc::ClientContext context;
  v1::DrainDevicesResponse response;
  const grpc::Status drained = v1::DeviceService::NewStub(channel)->DrainDevices(&context, {}, &response);
  return drained.ok() ? ok_status() : unavailable("No device is drained: {}", drained.error_message());
}

class Bench {
 public:
  Bench(const bench::Daemon& daemon, std::string folder) : daemon_(daemon), folder_(std::move(folder)) {}

  // Submits from `clients` threads until the time has passed or `most` jobs are submitted.
  StatusOr<Row> run(const std::string& name, int clients, double seconds, size_t most) {
    std::vector<std::vector<double>> times(size_t(clients), std::vector<double>{});
    std::vector<std::unique_ptr<v1::JobService::Stub>> stubs;
    for (int i = 0; i < clients; i++) {
      const auto channel = connect(daemon_);
      if (!channel) return unavailable("The daemon does not answer.");
      stubs.push_back(v1::JobService::NewStub(channel));
    }
    std::atomic<size_t> left{most};
    std::atomic<bool> failed{false};
    const auto begin = Clock::now();
    const auto end =
        begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    std::vector<std::thread> threads;
    for (size_t i = 0; i < size_t(clients); i++)
      threads.emplace_back([&, i] {
        while (!failed && Clock::now() < end && left.load() > 0) {
          left--;
          const double time = submit(*stubs[i]);
          if (time < 0) failed = true;
          times[i].push_back(time);
        }
      });
    for (std::thread& thread : threads) thread.join();
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    if (failed) return internal_error("A submit fails; see above.");
    return make_row(name, clients, times, elapsed);
  }

 private:
  // Returns the duration in milliseconds, or a negative number after a failure.
  double submit(v1::JobService::Stub& stub) {
    v1::SubmitJobRequest request;
    const size_t number = next_++;
    v1::VideoJob& job = *request.mutable_spec()->mutable_video();
    job.set_input(folder_ + "/in.y4m");
    job.set_output(fmt::format("{}/out-{}.mkv", folder_, number));
    job.add_filters()->mutable_bwdif();
    request.set_request_id(fmt::format("bench-{}", number));
    grpc::ClientContext context;
    v1::SubmitJobResponse response;
    const auto begin = Clock::now();
    const grpc::Status status = stub.SubmitJob(&context, request, &response);
    if (!status.ok()) fmt::print(stderr, "submit: {}\n", status.error_message());
    return status.ok() ? Milliseconds(Clock::now() - begin).count() : -1;
  }

  static Row make_row(const std::string& name, int clients, const std::vector<std::vector<double>>& times,
                      double elapsed) {
    std::vector<double> all;
    for (const auto& each : times) all.insert(all.end(), each.begin(), each.end());
    std::sort(all.begin(), all.end());
    const auto share = [&](double p) {
      return all.empty() ? 0 : all[std::min(all.size() - 1, size_t(double(all.size()) * p))];
    };
    return {name, clients, all.size(), double(all.size()) / elapsed, share(0.5), share(0.99), share(1)};
  }

  const bench::Daemon& daemon_;
  const std::string folder_;
  std::atomic<size_t> next_{0};
};

void print(const std::vector<Row>& rows) {
  fmt::print("{:<22} {:>8} {:>9} {:>10} {:>9} {:>9} {:>9}\n", "", "clients", "submits", "per second",
             "p50 ms", "p99 ms", "worst ms");
  for (const Row& row : rows)
    fmt::print("{:<22} {:>8} {:>9} {:>10.0f} {:>9.2f} {:>9.2f} {:>9.2f}\n", row.name, row.clients,
               row.submits, row.per_second, row.p50_ms, row.p99_ms, row.worst_ms);
}

void write_json(const std::vector<Row>& rows, const std::string& path) {
  std::ofstream file(path);
  file << "{\"bench\": \"submit\", \"version\": \"" WEFT_VERSION "\", \"rows\": [";
  for (size_t i = 0; i < rows.size(); i++) {
    const Row& row = rows[i];
    file << fmt::format(
        "{}\n  {{\"name\": \"{}\", \"clients\": {}, \"submits\": {}, \"per_second\": {:.1f}, \"p50_ms\": "
        "{:.3f}, \"p99_ms\": {:.3f}, "
        "\"worst_ms\": {:.3f}}}",
        i == 0 ? "" : ",", row.name, row.clients, row.submits, row.per_second, row.p50_ms, row.p99_ms,
        row.worst_ms);
  }
  file << "\n]}\n";
}

Status measure(const Options& options, const std::string& folder) {
  bench::make_input(folder + "/in.y4m");
  bench::Daemon daemon(folder);
  if (!daemon.start()) return unavailable("The daemon ({}) does not start.", bench::Daemon::program());
  RETURN_IF_ERROR(drain_devices(daemon));
  Bench bench(daemon, folder);
  constexpr size_t kNoLimit = size_t(-1) / 2;
  std::vector<Row> rows;
  ASSIGN_OR_RETURN(const Row warm, bench.run("warm-up", 1, 1, 100));
  ASSIGN_OR_RETURN(const Row one, bench.run("submit", 1, options.seconds, kNoLimit));
  ASSIGN_OR_RETURN(const Row many, bench.run("submit", 32, options.seconds, kNoLimit));
  const size_t there = warm.submits + one.submits + many.submits;
  if (there < size_t(options.queued))
    RETURN_IF_ERROR(bench.run("fill", 32, 600, size_t(options.queued) - there).status());
  const std::string deep = fmt::format("{} or more queued", options.queued);
  ASSIGN_OR_RETURN(const Row deep_one, bench.run(deep, 1, options.seconds, kNoLimit));
  ASSIGN_OR_RETURN(const Row deep_many, bench.run(deep, 32, options.seconds, kNoLimit));
  rows = {one, many, deep_one, deep_many};
  print(rows);
  if (!options.json.empty()) write_json(rows, options.json);
  return ok_status();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  bench::CommandLine line("Measures durable submits through gRPC.");
  line.add_option("--folder", options.folder, "Folder of the store");
  line.add_option("--seconds", options.seconds, "Length of each measurement, in seconds")
      ->check(bench::kPositive);
  line.add_option("--queued", options.queued, "Jobs in the queue for the last rows")
      ->check(bench::kNotNegative);
  line.add_option("--json", options.json, "File for the rows as JSON");
  line.read(argc, argv);
  std::string folder = std::filesystem::absolute(options.folder) / "submit-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    std::fprintf(stderr, "submit_bench: no folder can be made in %s\n", options.folder.c_str());
    return 73;
  }
  const Status status = measure(options, folder);
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (!status.ok()) std::fprintf(stderr, "submit_bench: %s\n", message_of(status).c_str());
  return status.ok() ? 0 : 1;
}
