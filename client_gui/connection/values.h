// SPDX-License-Identifier: Apache-2.0
// What the dashboard knows of servers, jobs and devices, as plain values: what crosses from the connection's threads to the
// thread of the windows.
#pragma once

#include <QMetaType>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

// The API's enumerations, without its messages: those take a compiler seconds, and most sources need none.
namespace weft::v1 {
enum DeviceState : int;
enum JobClass : int;
enum JobState : int;
enum StreamClass : int;
}  // namespace weft::v1

namespace weft::gui {

// A job as a row of a table. Numbers that are not known are negative.
struct JobRow {
  QString id;
  int64_t revision = 0;
  v1::JobState state{};
  v1::JobClass job_class{};
  int priority = 0;
  int attempt = 0;
  int max_attempts = 0;
  double done = -1;                         // 0 to 1
  int64_t units_done = 0, units_total = 0;  // source frames, images; 0 in all: not known
  double rate = -1;                         // units (frames, images) a second
  double eta_seconds = -1;                  // until it ends
  double submit_time = 0;                   // seconds since 1970
  double end_time = 0;                      // 0: it has not ended
  QString kind;                             // "video"
  QString files;                            // "in.ts -> out.mkv"
  QString folder;                           // of the output
  QString device;
  QString owner;
  QString labels;                         // "reel=7 show=news"
  QString note;                           // why it waits or failed, in a sentence
  QString limited_by;                     // what a running one waits for: "decoding"; empty: not known
  int64_t units_in = -1, units_out = -1;  // frames, images; of a job that succeeded
  int64_t first_unit = 0;                 // of the input, that a part of it begins with
  bool is_set = false;                    // of several files, each with a picture
};

// One try at running a job. Times are seconds since 1970; 0: not yet.
struct AttemptRow {
  int number = 0;
  QString device;
  double start_time = 0;
  double end_time = 0;
  QString error;
};

// What one stage of a job's pipeline took.
struct StageRow {
  QString name;     // "decode"
  double rate = 0;  // units a second that it would do alone
  double part = 0;  // of the job's time that it was at work, 0 to 1; stages overlap
};

// What a job found of a device, one benchmark or kernel.
struct FindingRow {
  QString name;         // "compaction", "video/bwdif.uint8_t"
  int cases = 0;        // of a benchmark
  int faults = 0;       // of them that were not timed
  double share = -1;    // of the limit, the best of its cases; negative: none is known
  QString limit;        // which
  QString shape;        // of a kernel: that was chosen: "64x4"
  double speed_up = 0;  // by it, against the default one
};

// All that is known of one job. Times are seconds since 1970, 0: not yet; negative numbers are not known.
struct JobDetail {
  QString id;
  int64_t revision = 0;
  QString input, output;  // what was found in the file's headers, what will be written
  QStringList input_paths, output_paths;
  QString unit;   // "frame"
  QString stage;  // what it is doing
  double submit_time = 0, start_time = 0, end_time = 0;
  // Of a queued job, as the server explains it.
  QStringList reasons;  // why it waits, most important first
  double begins_in_seconds = -1, own_seconds = -1;
  QString chosen_device;
  double wall_seconds = -1, gpu_seconds = -1;
  int64_t units_in = -1, units_out = -1, output_bytes = -1;
  bool reads_files = false, writes_files = false;  // jobs of its kind do
  int segments = -1, segments_resumed = -1;
  QStringList notes;
  std::vector<AttemptRow> attempts;
  std::vector<StageRow> stages;
  std::vector<FindingRow> findings;
  QString specification;  // as JSON, with its settings
};

struct LogRow {
  int attempt = 0;
  QString time, level, text;
};
inline constexpr size_t kMostLogLines = 10000;  // that are kept

// Something to be done to a job.
struct JobCommand {
  enum class Kind { kPause, kResume, kCancel, kRetry, kPriority };
  Kind kind = Kind::kPause;
  QString id;
  int priority = 0;  // kPriority
};

// Something to be done to a device.
struct DeviceOrder {
  enum class Kind { kDrain, kResume };
  Kind kind = Kind::kDrain;
  QString id;
};

// What became of an order.
struct OrderAnswer {
  QString id;      // of the job or device
  QString reason;  // why it could not be carried out, in a sentence; empty: it was
  std::optional<DeviceOrder::Kind> of_device{};  // what it was about; nothing: a job
};

// What a device did in one interval. Parts are of the interval, 0 to 1.
struct DeviceSampleRow {
  double time = 0;                                         // of its end, seconds since 1970
  double interval = 0;                                     // seconds
  double realtime = 0, normal = 0, spare = 0, others = 0;  // who had the device; their sum is at most 1
  double left = 0;                                         // what realtime streams and other programs left
  double budget = 0;                                       // of that, what jobs might use
};

// A stream that lives on a device. Times in seconds.
struct StreamRow {
  quint64 number = 0;
  v1::StreamClass stream_class{};
  QString owner;
  QString filter;
  QString frames;   // "1920x1080"
  double rate = 0;  // pictures a second
  double p50 = 0, p99 = 0;
  double deadline = -1;  // negative: none
  int64_t pictures = 0, missed = 0;

  bool operator==(const StreamRow&) const = default;
};

struct DeviceRow {
  QString id;
  QString name;
  v1::DeviceState state{};
  QString reason;  // why it is not in service, in a sentence
  int jobs = 0;    // that run on it
  int worker_starts = 0;
  int64_t memory_bytes = 0;               // 0: not known
  std::optional<DeviceSampleRow> sample;  // the newest; what follows is of it
  int64_t memory_used_bytes = 0;          // by the daemon's work
  int64_t total_memory_used_bytes = -1;   // by every program; negative: not known
  int last_batch = 0;                     // units
  double rate = 0;                        // units a second
  double load = 0;                        // part of the time that admitted streams and other programs take
  QString hardware;                       // "45 °C, 121 of 700 W, 1980 MHz"
  QString others_note;                    // what is done about other programs, in a sentence
  std::vector<StreamRow> streams;
  bool server_draining = false;  // its daemon is about to stop
};

// All devices of a server.
struct DeviceRows {
  std::vector<DeviceRow> devices;
  QStringList notes;  // a sentence for each that cannot be used
};

// What jobs took that came to an end: on a day, of an owner, of a kind.
struct TotalsRow {
  QString name;  // "2026-11-22", "ann", "bwdif"
  int64_t succeeded = 0, failed = 0, cancelled = 0;
  int64_t units = 0;  // source frames, images
  double gpu_seconds = 0;

  int64_t jobs() const { return succeeded + failed + cancelled; }
};

struct FailureRow {
  QString reason;  // "data-loss"
  int64_t jobs = 0;
  QString message;  // of the newest
};

// What a server did over some days.
struct Statistics {
  std::vector<TotalsRow> days;           // each, in order
  std::vector<TotalsRow> owners, kinds;  // the most device time first
  std::vector<FailureRow> failures;      // the most frequent first
  QString error;                         // why there is nothing of that, in a sentence
};

struct BenchmarkRuns;  // benchmark_runs.h

// What happened since the last delivery, in this order: a snapshot began (what it does not tell is gone when it ends), jobs
// came or changed (a job once, as it is now), jobs were forgotten, the snapshot ended. Of devices: all of them, if any
// changed. And what was asked for: statistics, details, lines of the log that is followed, answers to orders.
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
  std::shared_ptr<const BenchmarkRuns> benchmarks;  // null: not asked for, or not there yet
};

// A server, and how it is reached.
struct ServerPlace {
  QString address;  // "unix:PATH" or "HOST:PORT"; empty: where the daemon of this machine is
  bool tls = false;
  QString roots_file;        // with TLS: the authorities that are trusted, PEM; empty: those of the system
  QString server_name;       // with TLS: what the certificate is to be for; empty: the address's host
  QString token;             // with TLS: says who asks; empty: none
  bool keeps_token = false;  // the token is stored with the other settings

  bool operator==(const ServerPlace&) const = default;
};

enum class LinkState {
  kConnecting,  // nothing is known yet
  kLive,
  kStale,    // connected, but nothing came although something should have
  kOffline,  // no connection; tried again and again
};

// How it stands with a server.
struct Link {
  LinkState state = LinkState::kConnecting;
  double age_seconds = -1;       // of what is known; negative: nothing is
  double retry_in_seconds = -1;  // until the next try; negative: none is planned
  QString reason;                // kOffline: why, in a sentence
  bool shuts_down = false;       // kLive, kStale: the daemon is about to stop
};

}  // namespace weft::gui
