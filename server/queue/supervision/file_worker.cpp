// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/file_worker.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "options/job_files.h"
#include "server/channel/status_message.h"
#include "server/channel/worker_exit.h"

namespace weft::queue {
namespace {

int64_t seconds_of(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

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
                     const std::string& owner, Answer answer) {
  const auto question = std::make_shared<Question>();
  const std::vector<std::string> paths = paths_of(message);
  // Behind those that have paths a picture's memory may come.
  for (size_t i = 0; i < std::min(paths.size(), files.size()); i++)
    question->mounts.insert(mount_id_of(files[i].get()));
  question->files = threads_.keep(paths, std::move(files));
  question->file = paths.empty() ? "" : paths[0];
  question->owner = owner;
  question->message = std::move(message);
  question->answer = std::move(answer);
  loop_.post([this, question] {
    if (ending_) return question->answer(ends());
    const auto of_owner = size_t(std::count_if(
        waiting_.begin(), waiting_.end(), [&](const auto& each) { return each->owner == question->owner; }));
    if (waiting_.size() >= settings_.most_waiting || of_owner >= settings_.most_waiting_of_owner)
      return question->answer(
          unavailable("Too many files wait to be looked into ({}, of them {} of user {}, at most {} and {}); "
                      "ask again soon.",
                      waiting_.size(), of_owner, question->owner, settings_.most_waiting,
                      settings_.most_waiting_of_owner));
    question->since = clock_.now();
    waiting_.push_back(question);
    ask_next();
  });
}

StatusOr<FileWorker::Looker*> FileWorker::launch() {
  std::vector<std::string> arguments = settings_.arguments;
  for (const std::string& word :
       {std::string("--probe"), std::string("--channel"), std::to_string(kWorkerChannelDescriptor)})
    arguments.push_back(word);
  if (settings_.memory_bytes > 0) {
    arguments.emplace_back("--memory");
    arguments.push_back(std::to_string(settings_.memory_bytes));
  }
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
  looker->idle_since = clock_.now();
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
  looker.owner = looker.current->owner;
  looker.request = ++last_request_;
  turns_[looker.owner] = looker.request;
  looker.asked = clock_.now();
  set_request(looker.current->message, looker.request);
  std::vector<int> descriptors;
  for (const channel::FileDescriptor& file : *looker.current->files) descriptors.push_back(file.get());
  looker.current->tries++;
  // A worker that takes no message is killed; its end answers.
  static_cast<void>(looker.process->send(looker.current->message, descriptors, looker.current->files).ok());
}

// One owner or one file system that keeps workers leaves some to others.
bool FileWorker::may_be_asked(const Question& question) const {
  int of_owner = 0;
  std::map<int, int> of_mount, of_both;
  for (const Looker& looker : lookers_) {
    if (!looker.current && !looker.is_killed) continue;
    const bool is_owners = looker.owner == question.owner;
    of_owner += int(is_owners);
    for (const int mount : looker.mounts) {
      of_mount[mount]++;
      of_both[mount] += int(is_owners);
    }
  }
  return of_owner < kFileWorkersOfOwner &&
         std::all_of(question.mounts.begin(), question.mounts.end(), [&](int mount) {
           return of_mount[mount] < kFileWorkersOfMount && of_both[mount] < kFileWorkersOfOwnerAndMount;
         });
}

// Of those that may be asked, the oldest of the owner whose last turn is longest ago.
FileWorker::Waiting::iterator FileWorker::find_next() {
  auto found = waiting_.end();
  uint64_t turn_of_found = 0;
  for (auto each = waiting_.begin(); each != waiting_.end(); each++) {
    const auto known = turns_.find((*each)->owner);
    const uint64_t turn = known == turns_.end() ? 0 : known->second;
    if (found != waiting_.end() && turn >= turn_of_found) continue;
    if (!may_be_asked(**each)) continue;
    found = each;
    turn_of_found = turn;
  }
  return found;
}

bool FileWorker::may_launch(const Question& question) const {
  if (int(lookers_.size()) >= kMostFileWorkers) return false;
  const bool all_are_killed =
      std::all_of(lookers_.begin(), lookers_.end(), [](const Looker& each) { return each.is_killed; });
  return all_are_killed || clock_.now() >= question.since + settings_.patience;
}

void FileWorker::ask_next() {
  while (true) {
    const auto next = find_next();
    if (next == waiting_.end()) break;
    const std::shared_ptr<Question> question = *next;
    Looker* looker = find_free();
    if (looker == nullptr && !may_launch(*question)) break;
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
  if (waiting_.empty()) turns_.clear();
}

void FileWorker::answer(Looker& looker, StatusOr<internal::v1::FromWorker> answer) {
  const std::shared_ptr<Question> question = std::exchange(looker.current, nullptr);
  if (question) question->answer(std::move(answer));
}

void FileWorker::on_message(Looker& looker, const internal::v1::FromWorker& message) {
  if (!looker.current || request_of(message) != looker.request) return;
  looker.idle_since = clock_.now();
  answer(looker, message);
  ask_next();
}

Status FileWorker::too_much_memory(const Question& question) const {
  return invalid_argument(
      "The input ({}) needs more than {:.1f} GiB of memory to be looked at; give a smaller one, or let the "
      "daemon's "
      "probe-memory-bytes ({}) be more.",
      question.file, double(settings_.memory_bytes) / double(int64_t{1} << 30), settings_.memory_bytes);
}

void FileWorker::on_gone(Looker& looker, const std::string& reason) {
  const std::shared_ptr<Question> question = std::exchange(looker.current, nullptr);
  const bool is_for_memory = looker.process->exit_status() == channel::kExitOutOfMemory;
  lookers_.remove_if([&](const Looker& each) { return &each == &looker; });
  if (ending_) return;
  // It may have died of what came before, or been dead already.
  if (question && is_for_memory)
    question->answer(too_much_memory(*question));
  else if (question && question->tries == 1)
    waiting_.push_front(question);
  else if (question)
    question->answer(invalid_argument(
        "Looking into the input ({}) ends the program that does it; the file may be damaged. {}",
        question->file, reason));
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
             invalid_argument("Looking into the input ({}) takes too long (more than {} s); the file may be "
                              "damaged, or its file system does not answer.",
                              looker.current->file, seconds_of(settings_.timeout)));
    }
    const bool idles = !looker.current && !looker.is_killed && &looker != &lookers_.front();
    if (idles && clock_.now() > looker.idle_since + kFileWorkerIdles) {
      looker.is_killed = true;
      looker.process->dismiss("There is nothing to do for it.");
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
                         const channel::Credentials& submitter, bool plan_graph, Answer answer) {
  internal::v1::ToWorker message;
  *message.mutable_probe_job()->mutable_spec() = spec;
  *message.mutable_probe_job()->mutable_submitter() = submitter;
  message.mutable_probe_job()->set_plan_graph(plan_graph);
  worker_.ask(std::move(message), std::move(inputs), std::to_string(submitter.user()),
              [answer = std::move(answer)](const StatusOr<internal::v1::FromWorker>& found) {
                if (!found.ok()) return answer(found.status());
                const Status error = channel::to_status(found->probe_answer().error());
                if (!error.ok()) return answer(error);
                answer(found->probe_answer().estimate());
              });
}

}  // namespace weft::queue
