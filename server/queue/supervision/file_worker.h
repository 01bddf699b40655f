// SPDX-License-Identifier: Apache-2.0
// Runs workers without a device, which read properties or pictures from files. Each worker reads
// one file at a time. A file that ends a worker, or takes too long or too much memory, is refused,
// and another worker is started. (A death counts against a file only if a second worker dies of it,
// too.) One worker handles all questions while it answers soon; another worker is started for a
// question that has waited for `patience`. Owners take turns, and neither one owner nor one file
// system can occupy all workers.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/queue/admission/prober.h"
#include "server/queue/files/file_threads.h"
#include "server/queue/records/workers.h"
#include "server/queue/supervision/event_loop.h"
#include "server/queue/supervision/worker_process.h"

namespace weft::queue {

// Limit of the workers, including killed ones that a hanging file system keeps from ending.
inline constexpr int kMostFileWorkers = 4;
inline constexpr int kFileWorkersOfOwner = 3;  // workers that one owner occupies
inline constexpr int kFileWorkersOfMount = 3;  // workers occupied by files of one file system
inline constexpr int kFileWorkersOfOwnerAndMount = 2;
// Idle time after which one of several workers ends.
inline constexpr std::chrono::seconds kFileWorkerIdles{10};

// Used on the loop's thread, except ask(), which any thread may call.
class FileWorker {
 public:
  using Answer = std::function<void(StatusOr<internal::v1::FromWorker>)>;

  struct Settings {
    std::string name;                    // name in the log
    std::vector<std::string> arguments;  // begins with the program; --probe and --channel are added
    Duration timeout;
    int64_t memory_bytes;  // memory limit of a worker; 0: no limit (test workers have none)
    size_t most_waiting;   // questions; UNAVAILABLE beyond
    size_t most_waiting_of_owner;
    Duration patience;  // age of a question at which another worker is started for it
  };

  // `clock` is the PresenceClock of the loop. `threads` close the files. All of them outlive this
  // object.
  FileWorker(EventLoop& loop, FileThreads& threads, Settings settings, const Clock& clock);

  // Sends a question to a worker, with `files`. `question` is a ProbeJob or ReadPicture; its number
  // is set here. `owner` is charged with a turn. Returns at once; `answer` is called once, on any
  // thread, and must not block. INVALID_ARGUMENT: the file is the cause. UNAVAILABLE: the caller
  // may repeat the question. Other errors come from the worker.
  void ask(internal::v1::ToWorker question, std::vector<channel::FileDescriptor> files,
           const std::string& owner, Answer answer);

  // The following functions are called on the loop's thread.
  void set_timeout(Duration timeout) { settings_.timeout = timeout; }
  void tick();
  void shut_down();
  bool is_gone() const { return probe_workers_.empty(); }

 private:
  struct Question {
    internal::v1::ToWorker message;
    SharedFiles files;
    std::set<int> mounts;  // mounts of the files
    std::string file;      // path of the first file, for messages
    std::string owner;
    TimePoint since;
    Answer answer;
    int tries = 0;
  };
  // A worker process and its current question.
  struct ProbeWorker {
    std::unique_ptr<WorkerProcess> process;
    std::shared_ptr<Question> current;
    std::set<int> mounts;  // mounts of the newest question's files
    std::string owner;     // owner of the newest question
    uint64_t request = 0;  // number of the current question
    TimePoint asked;
    TimePoint idle_since;
    bool is_killed = false;
  };
  using Waiting = std::deque<std::shared_ptr<Question>>;

  void ask_next();
  bool may_be_asked(const Question& question) const;
  Waiting::iterator find_next();
  bool may_launch(const Question& question) const;
  Status too_much_memory(const Question& question) const;
  ProbeWorker* find_free();
  StatusOr<ProbeWorker*> launch();
  void put(ProbeWorker& probe_worker, std::shared_ptr<Question> question);
  void on_message(ProbeWorker& probe_worker, const internal::v1::FromWorker& message);
  void on_gone(ProbeWorker& probe_worker, const std::string& reason);
  void answer(ProbeWorker& probe_worker, StatusOr<internal::v1::FromWorker> answer);

  EventLoop& loop_;
  FileThreads& threads_;
  Settings settings_;
  const Clock& clock_;
  std::list<ProbeWorker> probe_workers_;
  Waiting waiting_;
  std::map<std::string, uint64_t> turns_;  // number of the newest question, by owner
  uint64_t last_request_ = 0;
  bool ending_ = false;
};

inline constexpr size_t kMaxWaitingProbes = 1000;
inline constexpr size_t kMaxWaitingProbesOfOwner = 500;
inline constexpr std::chrono::milliseconds kProbePatience{50};  // duration of most probes
// Longer than for probes, since the worker that has the video open answers sooner than a new one.
inline constexpr std::chrono::seconds kPicturePatience{1};
// Factor of the memory limit. A picture is decoded whole: memory holds the file, its samples and
// the part shown.
inline constexpr int kPictureMemoryFactor = 2;
inline constexpr size_t kMaxPictures = 8;  // pictures being decoded or sent to clients

// Probes jobs with a FileWorker.
class WorkerProber final : public Prober {
 public:
  explicit WorkerProber(FileWorker& worker) : worker_(worker) {}

  void probe(const v1::JobSpec& spec, std::vector<channel::FileDescriptor> inputs,
             const channel::Credentials& submitter, bool plan_graph, Answer answer) override;

 private:
  FileWorker& worker_;
};

}  // namespace weft::queue
