// SPDX-License-Identifier: Apache-2.0
// The worker that has no device: it looks into input files at submit, one at a time. A file that kills it, or keeps it
// for too long, is refused, and another worker is started. (A file is blamed for a death only when a second worker dies too.)
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/queue/event_loop.h"
#include "server/queue/prober.h"
#include "server/queue/worker_process.h"

namespace weft::queue {

inline constexpr size_t kMaxWaitingProbes = 1000;  // beyond: UNAVAILABLE

// Lives on the loop's thread; probe() is for any.
class ProbeWorker final : public Prober {
 public:
  // `arguments`: the program first; --probe and --channel are added.
  ProbeWorker(EventLoop& loop, std::vector<std::string> arguments, Duration timeout, const Clock& clock);

  void probe(const v1::JobSpec& spec, std::vector<OpenInput> inputs, Answer answer) override;

  // On the loop's thread.
  void set_timeout(Duration timeout) { timeout_ = timeout; }
  void tick();
  void shut_down();
  bool is_gone() const { return process_ == nullptr; }

 private:
  struct Question {
    v1::JobSpec spec;
    std::vector<OpenInput> inputs;
    Answer answer;
    int tries = 0;
  };

  void ask_next();
  Status launch();
  void on_message(const internal::v1::FromWorker& message);
  void on_gone(const std::string& reason);
  void answer_current(StatusOr<v1::JobEstimate> answer);

  EventLoop& loop_;
  const std::vector<std::string> arguments_;
  Duration timeout_;
  const Clock& clock_;
  std::unique_ptr<WorkerProcess> process_;
  std::deque<std::shared_ptr<Question>> waiting_;
  std::shared_ptr<Question> current_;
  uint64_t request_ = 0;  // of the current question
  TimePoint asked_;
  bool too_long_ = false;  // the worker is killed because of the current question
  bool ending_ = false;
};

}  // namespace weft::queue
