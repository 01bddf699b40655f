// SPDX-License-Identifier: Apache-2.0
// Measures the queue's speed, without gRPC: durable submits from 1 and from 32 threads, also with
// jobs queued already, against SQLite alone in the same run; then reads with very many jobs, and
// the memory of these jobs.
//
//   queue_bench [--folder FOLDER] [--seconds S] [--queued N] [--many N] [--json FILE]
//
// FOLDER holds the store: the disk's fsync bounds the rate of durable submits.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/log.h"
#include "bench/command_line.h"
#include "server/queue/queue.h"
#include "server/queue/store/schema.h"

namespace weft::queue {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr int kOwners = 20;  // number of owners of the jobs

struct Arguments {
  std::string folder = ".";
  double seconds = 5;
  int queued = 10'000;
  int many = 100'000;
  std::string json;
};

struct Row {
  std::string what;
  int threads = 1;
  double per_second = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  double worst_ms = 0;
};

[[noreturn]] void give_up(const Status& status) {
  std::fprintf(stderr, "queue_bench: %s\n", message_of(status).c_str());
  std::exit(1);
}

Submission make_submission(int64_t number) {
  Submission submission;
  v1::VideoJob& job = *submission.spec.mutable_video();
  job.set_input(fmt::format("/srv/recordings/2026/11/recording-{:08}.ts", number));
  job.set_output(fmt::format("/srv/progressive/2026/11/recording-{:08}.mkv", number));
  job.add_filters()->mutable_bwdif();
  submission.settings.set_job_class(v1::JOB_CLASS_NORMAL);
  submission.settings.set_owner(fmt::format("owner {}", number % kOwners));
  (*submission.settings.mutable_labels())["batch"] = "nightly";
  submission.request_id = fmt::format("00000000-0000-4000-8000-{:012}", number);
  return submission;
}

template <class T, class Call>
T ask(Call call) {
  std::promise<StatusOr<T>> promise;
  call([&](StatusOr<T> value) { promise.set_value(std::move(value)); });
  StatusOr<T> value = promise.get_future().get();
  if (!value.ok()) give_up(value.status());
  return *std::move(value);
}

// Calls `work` on `threads` threads for `seconds`, and measures each call.
Row measure(std::string what, int threads, double seconds, const std::function<void()>& work) {
  std::vector<std::vector<double>> times;
  times.resize(size_t(threads));
  std::vector<std::thread> running;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < threads; i++)
    running.emplace_back([&, i] {
      for (auto now = std::chrono::steady_clock::now(); Seconds(now - begin).count() < seconds;) {
        work();
        const auto after = std::chrono::steady_clock::now();
        times[size_t(i)].push_back(Seconds(after - now).count() * 1e3);
        now = after;
      }
    });
  for (std::thread& thread : running) thread.join();
  const double wall = Seconds(std::chrono::steady_clock::now() - begin).count();
  std::vector<double> all;
  for (const auto& part : times) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  const auto quantile = [&](double q) {
    return all[std::min(all.size() - 1, size_t(q * double(all.size())))];
  };
  return {std::move(what), threads, double(all.size()) / wall, quantile(0.5), quantile(0.99), all.back()};
}

// Measures the disk's limit: one row per commit, by one connection, with the store's settings.
Row measure_sqlite(const Arguments& arguments, const std::string& folder) {
  StatusOr<Database> db = open_store(folder + "/plain.db", migrations(), "FULL");
  if (!db.ok()) give_up(db.status());
  StatusOr<Statement> insert = db->prepare(
      "INSERT INTO jobs (id, state, revision, fingerprint, failures, deaths, publishing, cleanup, "
      "keeps_work, units_finished, body) VALUES (?, 1, 1, 0, 0, 0, 0, 0, 0, 0, zeroblob(300))");
  if (!insert.ok()) give_up(insert.status());
  int64_t number = 0;
  return measure("SQLite alone, a row a commit", 1, arguments.seconds, [&] {
    if (const Status status = insert->bind(1, std::to_string(number++)).run(); !status.ok()) give_up(status);
  });
}

class Bench {
 public:
  explicit Bench(const std::string& folder) : config_{.state_folder = folder} { open(); }

  void open() {
    queue_.reset();
    StatusOr<std::unique_ptr<Queue>> queue = Queue::open(config_, clock_);
    if (!queue.ok()) give_up(queue.status());
    queue_ = *std::move(queue);
    ask<QueueCounts>([&](auto done) { queue_->counts(done); });
  }

  Row submits(std::string what, int threads, double seconds) {
    return measure(std::move(what), threads, seconds, [&] {
      ask<v1::Job>([&](auto done) { queue_->submit(make_submission(number_++), done); });
    });
  }
  // Submits jobs without waiting for each, so that many share a commit.
  void fill(int64_t count) {
    while (number_ < count) {
      constexpr int kTogether = 1000;
      std::promise<void> promise;
      std::atomic<int> left{kTogether};
      for (int i = 0; i < kTogether; i++)
        queue_->submit(make_submission(number_++), [&](const StatusOr<v1::Job>& job) {
          if (!job.ok()) give_up(job.status());
          if (--left == 0) promise.set_value();
        });
      promise.get_future().wait();
    }
  }
  Row list(std::string what, double seconds, const v1::ListJobsRequest& request) {
    return measure(std::move(what), 1, seconds,
                   [&] { ask<v1::ListJobsResponse>([&](auto done) { queue_->list(request, done); }); });
  }

 private:
  QueueConfig config_;
  SystemClock clock_;
  std::unique_ptr<Queue> queue_;
  std::atomic<int64_t> number_{0};
};

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * double(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void print(const Row& row) {
  fmt::print("{:<52} {:>8} {:>12.0f} {:>10.3f} {:>10.3f} {:>10.3f}\n", row.what, row.threads, row.per_second,
             row.p50_ms, row.p99_ms, row.worst_ms);
  std::fflush(stdout);
}

void write_json(const std::vector<Row>& rows, const std::string& path) {
  std::ofstream file(path);
  file << "[\n";
  for (size_t i = 0; i < rows.size(); i++)
    file << fmt::format(
        R"(  {{"what": "{}", "threads": {}, "per_second": {:.1f}, "p50_ms": {:.4f}, "p99_ms": {:.4f}, "worst_ms": {:.4f}}}{})",
        rows[i].what, rows[i].threads, rows[i].per_second, rows[i].p50_ms, rows[i].p99_ms, rows[i].worst_ms,
        i + 1 < rows.size() ? ",\n" : "\n");
  file << "]\n";
}

std::vector<Row> run(const Arguments& arguments, const std::string& folder) {
  std::vector<Row> rows;
  const auto add = [&](Row row) {
    print(row);
    rows.push_back(std::move(row));
  };
  fmt::print("{:<52} {:>8} {:>12} {:>10} {:>10} {:>10}\n", "", "threads", "per second", "p50 ms", "p99 ms",
             "worst ms");
  add(measure_sqlite(arguments, folder));
  {
    Bench bench(folder + "/empty");
    add(bench.submits("submit, empty queue", 1, arguments.seconds));
    add(bench.submits("submit, empty queue", 32, arguments.seconds));
  }
  Bench bench(folder + "/queued");
  bench.fill(arguments.queued);
  const std::string queued = fmt::format("submit, {} jobs queued", arguments.queued);
  add(bench.submits(queued, 1, arguments.seconds));
  add(bench.submits(queued, 32, arguments.seconds));

  const double before = resident_mib();
  Bench many(folder + "/many");
  many.fill(arguments.many);
  const double after = resident_mib();
  v1::ListJobsRequest request;
  add(many.list(fmt::format("list a page of {} jobs", arguments.many), arguments.seconds / 2, request));
  request.mutable_filter()->add_states(v1::JOB_STATE_FAILED);
  add(many.list("  those of a state that none is in", arguments.seconds / 2, request));
  request.mutable_filter()->clear_states();
  request.mutable_filter()->set_text("recording-00000007.ts");
  add(many.list("  those with a text in a path", arguments.seconds / 2, request));
  const auto begin = std::chrono::steady_clock::now();
  many.open();
  const double open_ms = Seconds(std::chrono::steady_clock::now() - begin).count() * 1e3;
  add({fmt::format("open a store of {} jobs", arguments.many), 1, 1e3 / open_ms, open_ms, open_ms, open_ms});
  fmt::print("memory: {:.2f} KiB a job\n", (after - before) * 1024 / arguments.many);
  return rows;
}

}  // namespace
}  // namespace weft::queue

int main(int argc, char** argv) {
  weft::queue::Arguments arguments;
  weft::bench::CommandLine line("Measures the queue without gRPC, and its store against SQLite alone.");
  line.add_option("--folder", arguments.folder, "Folder of the store");
  line.add_option("--seconds", arguments.seconds, "Length of each measurement, in seconds")
      ->check(weft::bench::kPositive);
  line.add_option("--queued", arguments.queued, "Jobs in the queue for the deep rows")
      ->check(weft::bench::kNotNegative);
  line.add_option("--many", arguments.many, "Jobs in the store for the reads")->check(weft::bench::kPositive);
  line.add_option("--json", arguments.json, "File for the rows as JSON");
  line.read(argc, argv);
  static_cast<void>(weft::start_log({.program = "queue_bench", .level = "warning"}));
  std::string folder = arguments.folder + "/queue-bench-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    std::fprintf(stderr, "queue_bench: no folder can be made in %s: %s\n", arguments.folder.c_str(),
                 std::strerror(errno));
    return 1;
  }
  const std::vector<weft::queue::Row> rows = weft::queue::run(arguments, folder);
  std::filesystem::remove_all(folder);
  if (!arguments.json.empty()) weft::queue::write_json(rows, arguments.json);
  return 0;
}
