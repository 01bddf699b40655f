// SPDX-License-Identifier: Apache-2.0
// Workers that have no device: they look into files. A file that kills one, or keeps it for too long, is refused, and another worker
// is started. (A file is blamed for a death only when a second worker dies too.) One does it all, a question at a time, while its
// answers come soon; where they do not, as a file system hangs, questions about files of others get a worker more.
#pragma once

#include <deque>
#include <functional>
#include <list>
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

// Lives on the loop's thread; ask() is for any.
class FileWorker {
 public:
  using Answer = std::function<void(StatusOr<internal::v1::FromWorker>)>;

  struct Settings {
    std::string name;                    // in the log
    std::vector<std::string> arguments;  // the program first; --probe and --channel are added
    Duration timeout;
    size_t most_waiting;  // questions; beyond, UNAVAILABLE
  };

  // `clock`: the loop's own (PresenceClock). `threads` close the files. All outlive this.
  FileWorker(EventLoop& loop, FileThreads& threads, Settings settings, const Clock& clock);

  // `question`: ProbeJob or ReadPicture, whose number is filled in; `files` go with it. Returns at once; `answer` is called
  // once, on any thread, and must not block. INVALID_ARGUMENT: the file is to blame; UNAVAILABLE: ask again. Other errors are the
  // worker's.
  void ask(internal::v1::ToWorker question, std::vector<channel::FileDescriptor> files, Answer answer);

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
    Answer answer;
    int tries = 0;
  };
  // A process, and what it looks into.
  struct Looker {
    std::unique_ptr<WorkerProcess> process;
    std::shared_ptr<Question> current;
    std::set<int> mounts;  // of the newest question
    uint64_t request = 0;  // of the current question
    TimePoint asked;
    bool is_killed = false;
  };

  void ask_next();
  bool is_slow(const Looker& looker) const;
  bool may_be_asked(const Question& question) const;
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
  std::deque<std::shared_ptr<Question>> waiting_;
  uint64_t last_request_ = 0;
  bool ending_ = false;
};

inline constexpr size_t kMaxWaitingProbes = 1000;
inline constexpr size_t kMaxPictures = 8;  // asked for, or on their way to a client

// Asks a file worker.
class WorkerProber final : public Prober {
 public:
  explicit WorkerProber(FileWorker& worker) : worker_(worker) {}

  void probe(const v1::JobSpec& spec, std::vector<channel::FileDescriptor> inputs,
             const channel::Credentials& submitter, Answer answer) override;

 private:
  FileWorker& worker_;
};

}  // namespace weft::queue
