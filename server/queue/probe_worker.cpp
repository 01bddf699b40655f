// SPDX-License-Identifier: Apache-2.0
#include "server/queue/probe_worker.h"

#include "server/channel/status_message.h"
#include "server/queue/job_files.h"

namespace weft::queue {
namespace {

Status ends() { return unavailable("The daemon stops; ask again when it runs."); }

}  // namespace

ProbeWorker::ProbeWorker(EventLoop& loop, std::vector<std::string> arguments, Duration timeout,
                         const Clock& clock)
    : loop_(loop), arguments_(std::move(arguments)), timeout_(timeout), clock_(clock) {}

void ProbeWorker::probe(const v1::JobSpec& spec, std::vector<OpenInput> inputs, Answer answer) {
  auto question = std::make_shared<Question>(Question{spec, std::move(inputs), std::move(answer)});
  loop_.post([this, question] {
    if (ending_) return question->answer(ends());
    if (waiting_.size() >= kMaxWaitingProbes)
      return question->answer(
          unavailable("Too many files wait to be looked into ({}); submit again soon.", waiting_.size()));
    waiting_.push_back(question);
    ask_next();
  });
}

Status ProbeWorker::launch() {
  std::vector<std::string> arguments = arguments_;
  for (const std::string& word :
       {std::string("--probe"), std::string("--channel"), std::to_string(kWorkerChannelDescriptor)})
    arguments.push_back(word);
  WorkerProcess::Events events{[this](const internal::v1::FromWorker& message) { on_message(message); },
                               [this](const std::string& reason) { on_gone(reason); }};
  ASSIGN_OR_RETURN(process_, WorkerProcess::start(loop_, "probe", arguments, -1, std::move(events)));
  return ok_status();
}

void ProbeWorker::ask_next() {
  while (!current_ && !waiting_.empty()) {
    current_ = waiting_.front();
    waiting_.pop_front();
    if (!process_) {
      if (Status started = launch(); !started.ok()) {
        answer_current(started);
        continue;
      }
    }
    internal::v1::ToWorker message;
    message.mutable_probe_job()->set_request(++request_);
    *message.mutable_probe_job()->mutable_spec() = current_->spec;
    add_inputs(options::paths_of_job(current_->spec).inputs, *message.mutable_probe_job()->mutable_inputs());
    std::vector<int> descriptors;
    for (const OpenInput& input : current_->inputs) descriptors.push_back(input.file.get());
    current_->tries++;
    asked_ = clock_.now();
    too_long_ = false;
    // A worker that takes no message is killed; its end answers.
    static_cast<void>(process_->send(message, descriptors).ok());
  }
}

void ProbeWorker::answer_current(StatusOr<v1::JobEstimate> answer) {
  const std::shared_ptr<Question> question = std::exchange(current_, nullptr);
  if (question) question->answer(std::move(answer));
}

void ProbeWorker::on_message(const internal::v1::FromWorker& message) {
  if (!message.has_probe_answer() || message.probe_answer().request() != request_ || !current_) return;
  const Status error = channel::to_status(message.probe_answer().error());
  if (error.ok()) {
    answer_current(message.probe_answer().estimate());
  } else {
    answer_current(error);
  }
  ask_next();
}

void ProbeWorker::on_gone(const std::string& reason) {
  process_.reset();
  if (ending_) return;
  if (current_ && !too_long_ && current_->tries == 1) {
    // It may have died of what came before, or been dead already.
    waiting_.push_front(std::exchange(current_, nullptr));
  } else if (too_long_) {
    answer_current(
        invalid_argument("Looking into the input takes too long (more than {} s); the file may be damaged.",
                         std::chrono::duration_cast<std::chrono::seconds>(timeout_).count()));
  } else {
    answer_current(invalid_argument(
        "Looking into the input ends the program that does it; the file may be damaged. {}", reason));
  }
  ask_next();
}

void ProbeWorker::tick() {
  if (process_) process_->tick();  // on_gone may take it away
  if (process_ && current_ && !too_long_ && clock_.now() > asked_ + timeout_) {
    too_long_ = true;
    process_->kill("It looks into a file for too long.");
  }
}

void ProbeWorker::shut_down() {
  ending_ = true;
  if (process_) process_->kill("The daemon stops.");
  answer_current(ends());
  for (const auto& question : waiting_) question->answer(ends());
  waiting_.clear();
}

}  // namespace weft::queue
