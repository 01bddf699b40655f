// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/file_worker.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "options/job_files.h"
#include "server/channel/status_message.h"

namespace weft::queue {
namespace {

constexpr std::chrono::seconds kSlowAnswer{1};  // after so long another question need not wait for it

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

std::vector<std::string> paths_of(const internal::v1::ToWorker& message) {
  if (!message.has_probe_job()) return {message.read_picture().file()};
  std::vector<std::string> paths;
  for (const options::JobFile& input : options::files_of_job(message.probe_job().spec()).inputs)
    paths.push_back(input.path);
  return paths;
}

// The kernel's number of the mount that an open file lies on, without asking its file system; 0: not known.
int mount_id_of(int fd) {
  std::ifstream facts("/proc/self/fdinfo/" + std::to_string(fd));
  for (std::string word; facts >> word;) {
    int id = 0;
    if (word == "mnt_id:" && facts >> id) return id;
  }
  return 0;
}

}  // namespace

FileWorker::FileWorker(EventLoop& loop, FileThreads& threads, Settings settings, const Clock& clock)
    : loop_(loop), threads_(threads), settings_(std::move(settings)), clock_(clock) {}

void FileWorker::ask(internal::v1::ToWorker message, std::vector<channel::FileDescriptor> files,
                     Answer answer) {
  const auto question = std::make_shared<Question>();
  const std::vector<std::string> paths = paths_of(message);
  // Behind those that have paths a picture's memory may come.
  for (size_t i = 0; i < std::min(paths.size(), files.size()); i++)
    question->mounts.insert(mount_id_of(files[i].get()));
  question->files = threads_.keep(paths, std::move(files));
  question->message = std::move(message);
  question->answer = std::move(answer);
  loop_.post([this, question] {
    if (ending_) return question->answer(ends());
    if (waiting_.size() >= settings_.most_waiting)
      return question->answer(
          unavailable("Too many files wait to be looked into ({}); ask again soon.", waiting_.size()));
    waiting_.push_back(question);
    ask_next();
  });
}

StatusOr<FileWorker::Looker*> FileWorker::launch() {
  std::vector<std::string> arguments = settings_.arguments;
  for (const std::string& word :
       {std::string("--probe"), std::string("--channel"), std::to_string(kWorkerChannelDescriptor)})
    arguments.push_back(word);
  Looker* const looker = &lookers_.emplace_back();
  WorkerProcess::Events events{
      [this, looker](const internal::v1::FromWorker& message) { on_message(*looker, message); },
      [this, looker](const std::string& reason) { on_gone(*looker, reason); }};
  auto process = WorkerProcess::start(loop_, settings_.name, arguments, -1, std::move(events));
  if (!process.ok()) {
    lookers_.pop_back();
    return process.status();
  }
  looker->process = *std::move(process);
  return looker;
}

// One with nothing to do. Null: none, or those that there are may soon have.
FileWorker::Looker* FileWorker::find_free() {
  for (Looker& looker : lookers_)
    if (!looker.current && !looker.is_killed) return &looker;
  return nullptr;
}

void FileWorker::put(Looker& looker, std::shared_ptr<Question> question) {
  looker.current = std::move(question);
  looker.mounts = looker.current->mounts;
  looker.request = ++last_request_;
  looker.asked = clock_.now();
  set_request(looker.current->message, looker.request);
  std::vector<int> descriptors;
  for (const channel::FileDescriptor& file : *looker.current->files) descriptors.push_back(file.get());
  looker.current->tries++;
  // A worker that takes no message is killed; its end answers.
  static_cast<void>(looker.process->send(looker.current->message, descriptors, looker.current->files).ok());
}

bool FileWorker::is_slow(const Looker& looker) const {
  return looker.is_killed || (looker.current && clock_.now() > looker.asked + kSlowAnswer);
}

// A file system that keeps one worker would keep another.
bool FileWorker::may_be_asked(const Question& question) const {
  return std::none_of(lookers_.begin(), lookers_.end(), [&](const Looker& looker) {
    return is_slow(looker) && std::any_of(question.mounts.begin(), question.mounts.end(),
                                          [&](int mount) { return looker.mounts.contains(mount); });
  });
}

void FileWorker::ask_next() {
  while (true) {
    Looker* looker = find_free();
    const bool all_are_slow =
        std::all_of(lookers_.begin(), lookers_.end(), [this](const Looker& each) { return is_slow(each); });
    if (looker == nullptr && (!all_are_slow || int(lookers_.size()) >= kMostFileWorkers)) return;
    const auto next = std::find_if(waiting_.begin(), waiting_.end(),
                                   [this](const auto& each) { return may_be_asked(*each); });
    if (next == waiting_.end()) return;
    const std::shared_ptr<Question> question = *next;
    waiting_.erase(next);
    if (looker == nullptr) {
      const StatusOr<Looker*> launched = launch();
      if (!launched.ok()) {
        question->answer(launched.status());
        continue;
      }
      looker = *launched;
    }
    put(*looker, question);
  }
}

void FileWorker::answer(Looker& looker, StatusOr<internal::v1::FromWorker> answer) {
  const std::shared_ptr<Question> question = std::exchange(looker.current, nullptr);
  if (question) question->answer(std::move(answer));
}

void FileWorker::on_message(Looker& looker, const internal::v1::FromWorker& message) {
  if (!looker.current || request_of(message) != looker.request) return;
  answer(looker, message);
  ask_next();
  const bool is_one_more = !looker.current && &looker != &lookers_.front();
  if (!is_one_more || looker.is_killed) return;
  looker.is_killed = true;
  looker.process->dismiss("There is nothing to do for it.");
}

void FileWorker::on_gone(Looker& looker, const std::string& reason) {
  const std::shared_ptr<Question> question = std::exchange(looker.current, nullptr);
  lookers_.remove_if([&](const Looker& each) { return &each == &looker; });
  if (ending_) return;
  // It may have died of what came before, or been dead already.
  if (question && question->tries == 1)
    waiting_.push_front(question);
  else if (question)
    question->answer(invalid_argument(
        "Looking into the input ends the program that does it; the file may be damaged. {}", reason));
  ask_next();
}

// A file system that hangs keeps a killed process, and nobody waits for that.
void FileWorker::tick() {
  for (auto each = lookers_.begin(); each != lookers_.end();) {
    Looker& looker = *each++;  // which on_gone may take away
    looker.process->read();
    if (looker.current && clock_.now() > looker.asked + settings_.timeout) {
      looker.is_killed = true;
      looker.process->kill("It looks into a file for too long.");
      answer(looker,
             invalid_argument("Looking into the input takes too long (more than {} s); the file may be "
                              "damaged, or its file system does not answer.",
                              std::chrono::duration_cast<std::chrono::seconds>(settings_.timeout).count()));
    }
    looker.process->tick();
  }
  ask_next();
}

void FileWorker::shut_down() {
  ending_ = true;
  for (Looker& looker : lookers_) {
    looker.process->dismiss("The daemon stops.");
    answer(looker, ends());
  }
  for (const auto& question : waiting_) question->answer(ends());
  waiting_.clear();
}

void WorkerProber::probe(const v1::JobSpec& spec, std::vector<channel::FileDescriptor> inputs,
                         const channel::Credentials& submitter, Answer answer) {
  internal::v1::ToWorker message;
  *message.mutable_probe_job()->mutable_spec() = spec;
  *message.mutable_probe_job()->mutable_submitter() = submitter;
  worker_.ask(std::move(message), std::move(inputs),
              [answer = std::move(answer)](const StatusOr<internal::v1::FromWorker>& found) {
                if (!found.ok()) return answer(found.status());
                const Status error = channel::to_status(found->probe_answer().error());
                if (!error.ok()) return answer(error);
                answer(found->probe_answer().estimate());
              });
}

}  // namespace weft::queue
