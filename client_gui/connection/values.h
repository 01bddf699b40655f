// SPDX-License-Identifier: Apache-2.0
// Defines plain values of servers, jobs and devices, as the connection's threads pass them to the
// GUI thread.
#pragma once

#include <QMetaType>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

// Forward declarations of the API's enumerations, since the headers of its messages take seconds to
// compile.
namespace weft::v1 {
enum DeviceState : int;
enum JobClass : int;
enum JobState : int;
enum StreamClass : int;
}  // namespace weft::v1

namespace weft::gui {

// A job as a row of a table. Unknown numbers are negative.
struct JobRow {
  QString id;
  int64_t revision = 0;
  v1::JobState state{};
  v1::JobClass job_class{};
  int priority = 0;
  int attempt = 0;
  int max_attempts = 0;
  double done = -1;                         // completed fraction, 0 to 1
  int64_t units_done = 0, units_total = 0;  // source frames or images; total 0: unknown
  double rate = -1;                         // units (frames, images) per second
  double eta_seconds = -1;                  // seconds until the end
  double submit_time = 0;                   // time of submission, seconds since 1970
  double end_time = 0;                      // time of the end, seconds since 1970; 0: not ended
  QString kind;                             // kind of the job: "video"
  QString files;                            // displayed file names: "in.ts -> out.mkv"
  QString folder;                           // folder of the output
  QString device;
  QString owner;
  QString labels;                         // labels of the job: "reel=7 show=news"
  QString note;                           // reason for the wait or the failure, one sentence
  QString limited_by;                     // bottleneck of a running job: "decoding"
  int64_t units_in = -1, units_out = -1;  // frames or images of a succeeded job
  int64_t first_unit = 0;                 // first processed unit of the input
  // true: the job has several files, and each one has a picture
  bool is_set = false;
};

// An attempt of a job. Times are seconds since 1970; 0: not yet.
struct AttemptRow {
  int number = 0;
  QString device;
  double start_time = 0;
  double end_time = 0;
  QString error;
};

// The throughput of a stage of a job's pipeline.
struct StageRow {
  QString name;     // name of the stage: "decode"
  double rate = 0;  // units per second while the stage is busy
  double part = 0;  // busy fraction of the job's time, 0 to 1; the times of stages overlap
};

// The result of one benchmark or one tuned kernel.
struct FindingRow {
  QString name;         // name of the benchmark ("compaction") or kernel ("video/bwdif.uint8_t")
  int cases = 0;        // number of cases of the benchmark
  int faults = 0;       // number of cases without a time
  double share = -1;    // best share of the limit; negative: unknown
  QString limit;        // name of the limit
  QString shape;        // chosen shape of the kernel's launches: "64x4"
  double speed_up = 0;  // speed-up over the default shape
};

// The details of a job. Times are seconds since 1970; 0: not yet. Unknown numbers are negative.
struct JobDetail {
  QString id;
  int64_t revision = 0;
  QString input, output;  // contents of the input file, and format of the output
  QStringList input_paths, output_paths;
  QString unit;   // name of a unit in the singular: "frame"
  QString stage;  // current activity
  double submit_time = 0, start_time = 0, end_time = 0;
  // The server's explanation of a queued job.
  QStringList reasons;  // reasons for the wait, most important first
  double begins_in_seconds = -1, own_seconds = -1;
  QString chosen_device;
  double wall_seconds = -1, gpu_seconds = -1;
  int64_t units_in = -1, units_out = -1, output_bytes = -1;
  // true if jobs of this kind have input files, output files
  bool reads_files = false, writes_files = false;
  int segments = -1, segments_resumed = -1;
  QStringList notes;
  std::vector<AttemptRow> attempts;
  std::vector<StageRow> stages;
  std::vector<FindingRow> findings;
  QString specification;  // specification and settings as JSON
};

struct LogRow {
  int attempt = 0;
  QString time, level, text;
};
inline constexpr size_t kMostLogLines = 10000;  // limit of kept lines

// An order for a job.
struct JobCommand {
  enum class Kind { kPause, kResume, kCancel, kRetry, kPriority };
  Kind kind = Kind::kPause;
  QString id;
  int priority = 0;  // priority for kPriority
};

// An order for a device.
struct DeviceOrder {
  enum class Kind { kDrain, kResume };
  Kind kind = Kind::kDrain;
  QString id;
};

// The answer to an order.
struct OrderAnswer {
  QString id;      // ID of the job or device
  QString reason;  // reason of the refusal, one sentence; empty: success
  // kind of the device order; nothing: the order was for a job
  std::optional<DeviceOrder::Kind> of_device{};
};

// The use of a device in one interval. Fractions are of the interval, 0 to 1.
struct DeviceSampleRow {
  double time = 0;      // end of the interval, seconds since 1970
  double interval = 0;  // length of the interval, seconds
  // Fractions of device time by class; the sum is at most 1.
  double realtime = 0, normal = 0, spare = 0, external_load = 0;
  double left = 0;    // fraction not used by realtime streams and other programs
  double budget = 0;  // fraction that jobs may use; part of `left`
};

// A stream on a device. Times are in seconds.
struct StreamRow {
  quint64 number = 0;
  v1::StreamClass stream_class{};
  QString owner;
  QString filter;
  QString frames;   // size of the frames: "1920x1080"
  double rate = 0;  // frames per second
  double p50 = 0, p99 = 0;
  double deadline = -1;  // seconds; negative: the stream has no deadline
  int64_t pictures = 0, missed = 0;

  bool operator==(const StreamRow&) const = default;
};

struct DeviceRow {
  QString id;
  QString name;
  v1::DeviceState state{};
  QString reason;  // reason why the device is out of service, one sentence
  int jobs = 0;    // number of running jobs
  int worker_starts = 0;
  int64_t memory_bytes = 0;               // memory of the device; 0: unknown
  std::optional<DeviceSampleRow> sample;  // newest sample; the next fields were measured with it
  int64_t memory_used_bytes = 0;          // used by the daemon
  int64_t total_memory_used_bytes = -1;   // used by all programs; negative: unknown
  int last_batch = 0;                     // units of the last batch
  double rate = 0;                        // units per second
  // fraction of time reserved for streams and other programs, 0 to 1
  double load = 0;
  QString hardware;            // readings: "45 °C, 121 of 700 W, 1980 MHz"
  QString external_load_note;  // treatment of other programs, one sentence
  std::vector<StreamRow> streams;
  bool server_draining = false;  // true: the daemon is about to stop
  bool queue_paused = false;     // true: no job starts on any device
};

// The devices of a server.
struct DeviceRows {
  std::vector<DeviceRow> devices;
  QStringList notes;  // one sentence for each unavailable device
};

// The totals of ended jobs of a day, an owner or a kind.
struct TotalsRow {
  QString name;  // day, owner or kind: "2026-11-22", "ann", "bwdif"
  int64_t succeeded = 0, failed = 0, cancelled = 0;
  int64_t units = 0;  // source frames or images
  double gpu_seconds = 0;

  int64_t jobs() const { return succeeded + failed + cancelled; }
};

struct FailureRow {
  QString reason;  // code of the error: "data-loss"
  int64_t jobs = 0;
  QString message;  // message of the newest failure
};

// The statistics of a server over some days.
struct Statistics {
  std::vector<TotalsRow> days;           // all days in order
  std::vector<TotalsRow> owners, kinds;  // in descending order of device time
  std::vector<FailureRow> failures;      // in descending order of the number of jobs
  // reason for missing data, one sentence; empty: data are present
  QString error;
};

struct BenchmarkRuns;  // defined in benchmark_runs.h
struct JobDecisions;   // defined in decisions.h

// The changes since the last delivery, and the answers to requests. The changes are applied in the
// order of the members: a snapshot begins (at its end, jobs that it does not contain are removed);
// jobs are added or changed, each once and in its newest state; jobs are removed; the snapshot
// ends. If any device has changed, `devices` contains all of them.
struct Delivery {
  bool snapshot_begins = false;
  std::vector<JobRow> jobs;
  std::vector<QString> forgotten;
  bool snapshot_ends = false;
  std::optional<DeviceRows> devices;
  std::vector<JobDetail> details;
  std::deque<LogRow> log;
  std::vector<OrderAnswer> answers;
  std::optional<Statistics> statistics;
  std::shared_ptr<const BenchmarkRuns> benchmarks;  // null: not fetched since the last delivery
  std::shared_ptr<const JobDecisions> decisions;    // null: not fetched since the last delivery
};

// A server's address and the security of the connection.
struct ServerEndpoint {
  QString address;  // address, "unix:PATH" or "HOST:PORT"; empty: the daemon of this machine
  bool tls = false;
  // TLS: file of the trusted authorities, PEM; empty: system certificates
  QString roots_file;
  QString server_name;       // TLS: name expected in the certificate; empty: host of the address
  QString token;             // TLS: token that identifies the user; empty: none
  bool keeps_token = false;  // true: the token is stored with the settings

  bool operator==(const ServerEndpoint&) const = default;
};

enum class LinkState {
  kConnecting,  // no data has arrived
  kLive,
  kStale,    // connected, but expected messages are missing
  kOffline,  // no connection; reconnects periodically
};

// The state of the connection to a server.
struct Link {
  LinkState state = LinkState::kConnecting;
  double age_seconds = -1;  // seconds since the last message; negative: no data has arrived
  // seconds until the next attempt to connect; negative: none is planned
  double retry_in_seconds = -1;
  QString reason;             // kOffline: reason, one sentence
  bool shuts_down = false;    // kLive, kStale: true if the daemon is about to stop
  bool queue_paused = false;  // kLive, kStale: true if no job starts
};

}  // namespace weft::gui
