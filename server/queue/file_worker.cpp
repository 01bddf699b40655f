// SPDX-License-Identifier: Apache-2.0
#include "server/queue/file_worker.h"

#include "server/channel/status_message.h"
#include "server/queue/job_files.h"

namespace weft::queue {
namespace {

Status ends() { return unavailable("The daemon stops; ask again when it runs."); }

// Either kind of question, and of answer, has a number.
void set_request(internal::v1::ToWorker& message, uint64_t request) {
  if (message.has_probe_job())
    message.mutable_probe_job()->set_request(request);
  else
    message.mutable_read_picture()->set_request(request);
}
uint64_t request_of(const internal::v1::FromWorker& message) {
  return message.has_probe_answer() ? message.probe_answer().request() : message.picture_answer().request();
}

}  // namespace

FileWorker::FileWorker(EventLoop& loop, std::string name, std::vector<std::string> arguments,
                       Duration timeout, size_t most_waiting, const Clock& clock)
    : loop_(loop),
      name_(std::move(name)),
      arguments_(std::move(arguments)),
      timeout_(timeout),
      most_waiting_(most_waiting),
      clock_(clock) {}

void FileWorker::ask(internal::v1::ToWorker message, std::vector<channel::FileDescriptor> files,
                     Answer answer) {
  auto question =
      std::make_shared<Question>(Question{std::move(message), std::move(files), std::move(answer)});
  loop_.post([this, question] {
    if (ending_) return question->answer(ends());
    if (waiting_.size() >= most_waiting_)
      return question->answer(
          unavailable("Too many files wait to be looked into ({}); ask again soon.", waiting_.size()));
    waiting_.push_back(question);
    ask_next();
  });
}

Status FileWorker::launch() {
  std::vector<std::string> arguments = arguments_;
  for (const std::string& word :
       {std::string("--probe"), std::string("--channel"), std::to_string(kWorkerChannelDescriptor)})
    arguments.push_back(word);
  WorkerProcess::Events events{[this](const internal::v1::FromWorker& message) { on_message(message); },
                               [this](const std::string& reason) { on_gone(reason); }};
  ASSIGN_OR_RETURN(process_, WorkerProcess::start(loop_, name_, arguments, -1, std::move(events)));
  return ok_status();
}

void FileWorker::ask_next() {
  while (!current_ && !waiting_.empty()) {
    current_ = waiting_.front();
    waiting_.pop_front();
    if (!process_) {
      if (Status started = launch(); !started.ok()) {
        answer_current(started);
        continue;
      }
    }
    set_request(current_->message, ++request_);
    std::vector<int> descriptors;
    for (const channel::FileDescriptor& file : current_->files) descriptors.push_back(file.get());
    current_->tries++;
    asked_ = clock_.now();
    too_long_ = false;
    // A worker that takes no message is killed; its end answers.
    static_cast<void>(process_->send(current_->message, descriptors).ok());
  }
}

void FileWorker::answer_current(StatusOr<internal::v1::FromWorker> answer) {
  const std::shared_ptr<Question> question = std::exchange(current_, nullptr);
  if (question) question->answer(std::move(answer));
}

void FileWorker::on_message(const internal::v1::FromWorker& message) {
  if (!current_ || request_of(message) != request_) return;
  answer_current(message);
  ask_next();
}

void FileWorker::on_gone(const std::string& reason) {
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

void FileWorker::tick() {
  if (process_) process_->tick();  // on_gone may take it away
  if (process_ && current_ && !too_long_ && clock_.now() > asked_ + timeout_) {
    too_long_ = true;
    process_->kill("It looks into a file for too long.");
  }
}

void FileWorker::shut_down() {
  ending_ = true;
  if (process_) process_->dismiss("The daemon stops.");
  answer_current(ends());
  for (const auto& question : waiting_) question->answer(ends());
  waiting_.clear();
}

void WorkerProber::probe(const v1::JobSpec& spec, std::vector<OpenInput> inputs, Answer answer) {
  internal::v1::ToWorker message;
  *message.mutable_probe_job()->mutable_spec() = spec;
  add_inputs(options::paths_of_job(spec).inputs, *message.mutable_probe_job()->mutable_inputs());
  std::vector<channel::FileDescriptor> files;
  for (OpenInput& input : inputs) files.push_back(std::move(input.file));
  worker_.ask(std::move(message), std::move(files),
              [answer = std::move(answer)](const StatusOr<internal::v1::FromWorker>& found) {
                if (!found.ok()) return answer(found.status());
                const Status error = channel::to_status(found->probe_answer().error());
                if (!error.ok()) return answer(error);
                answer(found->probe_answer().estimate());
              });
}

}  // namespace weft::queue
