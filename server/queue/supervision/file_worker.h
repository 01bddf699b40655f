// SPDX-License-Identifier: Apache-2.0
// Workers that have no device: they look into files, each at one file at a time. A file that kills one, or takes too long or too much
// memory, is refused, and another worker is started. (A file is blamed for a death only when a second worker dies too.) One does it
// all while its answers come soon; a question that has waited for `patience` gets a worker more. Owners take turns, and neither one
// owner nor one file system can have all workers.
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

inline constexpr int kMostFileWorkers = 4;  // that live, or are killed and wait for a file system that hangs
inline constexpr int kFileWorkersOfOwner = 3;  // of them, at work for one owner
inline constexpr int kFileWorkersOfMount = 3;  // on files of one file system
inline constexpr int kFileWorkersOfOwnerAndMount = 2;
inline constexpr std::chrono::seconds kFileWorkerIdles{
    10};  // one of several that has nothing to do ends after so long

// Lives on the loop's thread; ask() is for any.
class FileWorker {
 public:
  using Answer = std::function<void(StatusOr<internal::v1::FromWorker>)>;

  struct Settings {
    std::string name;                    // in the log
    std::vector<std::string> arguments;  // the program first; --probe and --channel are added
    Duration timeout;
    int64_t memory_bytes;  // that a worker may take; 0: the fake of a test knows no limit
    size_t most_waiting;   // questions; beyond, UNAVAILABLE
    size_t most_waiting_of_owner;
    Duration patience;  // of a question, before another worker is started for it
  };

  // `clock`: the loop's own (PresenceClock). `threads` close the files. All outlive this.
  FileWorker(EventLoop& loop, FileThreads& threads, Settings settings, const Clock& clock);

  // `question`: ProbeJob or ReadPicture, whose number is filled in; `files` go with it. `owner`: whose turn it takes. Returns at
  // once; `answer` is called once, on any thread, and must not block. INVALID_ARGUMENT: the file is to blame; UNAVAILABLE: ask
  // again. Other errors are the worker's.
  void ask(internal::v1::ToWorker question, std::vector<channel::FileDescriptor> files,
           const std::string& owner, Answer answer);

  // On the loop's thread.
  void set_timeout(Duration timeout) { settings_.timeout = timeout; }
  void tick();
  void shut_down();
  bool is_gone() const { return lookers_.empty(); }

 private:
  struct Question {
    internal::v1::ToWorker message;
    SharedFiles files;
    std::set<int> mounts;  // that the files lie on
    std::string file;      // the first one's path, for sentences
    std::string owner;
    TimePoint since;
    Answer answer;
    int tries = 0;
  };
  // A process, and what it looks into.
  struct Looker {
    std::unique_ptr<WorkerProcess> process;
    std::shared_ptr<Question> current;
    std::set<int> mounts;  // of the newest question
    std::string owner;     // its
    uint64_t request = 0;  // of the current question
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
  Looker* find_free();
  StatusOr<Looker*> launch();
  void put(Looker& looker, std::shared_ptr<Question> question);
  void on_message(Looker& looker, const internal::v1::FromWorker& message);
  void on_gone(Looker& looker, const std::string& reason);
  void answer(Looker& looker, StatusOr<internal::v1::FromWorker> answer);

  EventLoop& loop_;
  FileThreads& threads_;
  Settings settings_;
  const Clock& clock_;
  std::list<Looker> lookers_;
  Waiting waiting_;
  std::map<std::string, uint64_t> turns_;  // of owners: the request that was asked last for them
  uint64_t last_request_ = 0;
  bool ending_ = false;
};

inline constexpr size_t kMaxWaitingProbes = 1000;
inline constexpr size_t kMaxWaitingProbesOfOwner = 500;
inline constexpr std::chrono::milliseconds kProbePatience{50};  // in which most probes are answered
inline constexpr std::chrono::seconds kPicturePatience{
    1};  // the worker that has a video open is worth a wait
// A picture is decoded whole, and there are the file, its samples and what is shown of them.
inline constexpr int kPictureMemoryFactor = 2;
inline constexpr size_t kMaxPictures = 8;  // asked for, or on their way to a client

// Asks a file worker.
class WorkerProber final : public Prober {
 public:
  explicit WorkerProber(FileWorker& worker) : worker_(worker) {}

  void probe(const v1::JobSpec& spec, std::vector<channel::FileDescriptor> inputs,
             const channel::Credentials& submitter, bool plan_graph, Answer answer) override;

 private:
  FileWorker& worker_;
};

}  // namespace weft::queue
