// SPDX-License-Identifier: Apache-2.0
// A worker that has no device: it looks into files, one question at a time. A file that kills it, or keeps it for too long, is
// refused, and another worker is started. (A file is blamed for a death only when a second worker dies too.)
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/queue/event_loop.h"
#include "server/queue/prober.h"
#include "server/queue/worker_process.h"

namespace weft::queue {

// Lives on the loop's thread; ask() is for any.
class FileWorker {
 public:
  using Answer = std::function<void(StatusOr<internal::v1::FromWorker>)>;

  // `name` stands in the log. `arguments`: the program first; --probe and --channel are added. `most_waiting`: questions; beyond,
  // UNAVAILABLE.
  FileWorker(EventLoop& loop, std::string name, std::vector<std::string> arguments, Duration timeout,
             size_t most_waiting, const Clock& clock);

  // `question`: ProbeJob or ReadPicture, whose number is filled in; `files` go with it. Returns at once; `answer` is called
  // once, on any thread, and must not block. INVALID_ARGUMENT: the file is to blame; UNAVAILABLE: ask again. Other errors are the
  // worker's.
  void ask(internal::v1::ToWorker question, std::vector<channel::FileDescriptor> files, Answer answer);

  // On the loop's thread.
  void set_timeout(Duration timeout) { timeout_ = timeout; }
  void tick();
  void shut_down();
  bool is_gone() const { return process_ == nullptr; }

 private:
  struct Question {
    internal::v1::ToWorker message;
    std::vector<channel::FileDescriptor> files;
    Answer answer;
    int tries = 0;
  };

  void ask_next();
  Status launch();
  void on_message(const internal::v1::FromWorker& message);
  void on_gone(const std::string& reason);
  void answer_current(StatusOr<internal::v1::FromWorker> answer);

  EventLoop& loop_;
  const std::string name_;
  const std::vector<std::string> arguments_;
  Duration timeout_;
  const size_t most_waiting_;
  const Clock& clock_;
  std::unique_ptr<WorkerProcess> process_;
  std::deque<std::shared_ptr<Question>> waiting_;
  std::shared_ptr<Question> current_;
  uint64_t request_ = 0;  // of the current question
  TimePoint asked_;
  bool too_long_ = false;  // the worker is killed because of the current question
  bool ending_ = false;
};

inline constexpr size_t kMaxWaitingProbes = 1000;
inline constexpr size_t kMaxPictures = 8;  // asked for, or on their way to a client

// Asks a file worker.
class WorkerProber final : public Prober {
 public:
  explicit WorkerProber(FileWorker& worker) : worker_(worker) {}

  void probe(const v1::JobSpec& spec, std::vector<OpenInput> inputs, Answer answer) override;

 private:
  FileWorker& worker_;
};

}  // namespace weft::queue
