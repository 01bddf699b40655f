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

// Sets the number of a question of either kind.
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

// Returns the kernel's id of the mount of an open file, without access to its file system, or 0 if
// unknown.
int mount_id_of(int fd) {
  std::ifstream info("/proc/self/fdinfo/" + std::to_string(fd));
  for (std::string word; info >> word;) {
    int id = 0;
    if (word == "mnt_id:" && info >> id) return id;
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
  // After the files with paths, `files` may contain the memory for a picture.
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

StatusOr<FileWorker::ProbeWorker*> FileWorker::launch() {
  std::vector<std::string> arguments = settings_.arguments;
  for (const std::string& word :
       {std::string("--probe"), std::string("--channel"), std::to_string(kWorkerChannelDescriptor)})
    arguments.push_back(word);
  if (settings_.memory_bytes > 0) {
    arguments.emplace_back("--memory");
    arguments.push_back(std::to_string(settings_.memory_bytes));
  }
  ProbeWorker* const probe_worker = &probe_workers_.emplace_back();
  WorkerProcess::Events events{
      [this, probe_worker](const internal::v1::FromWorker& message) { on_message(*probe_worker, message); },
      [this, probe_worker](const std::string& reason) { on_gone(*probe_worker, reason); }};
  auto process = WorkerProcess::start(loop_, settings_.name, arguments, -1, std::move(events));
  if (!process.ok()) {
    probe_workers_.pop_back();
    return process.status();
  }
  probe_worker->process = *std::move(process);
  probe_worker->idle_since = clock_.now();
  return probe_worker;
}

// Returns a worker without a question, or null.
FileWorker::ProbeWorker* FileWorker::find_free() {
  for (ProbeWorker& probe_worker : probe_workers_)
    if (!probe_worker.current && !probe_worker.is_killed) return &probe_worker;
  return nullptr;
}

void FileWorker::put(ProbeWorker& probe_worker, std::shared_ptr<Question> question) {
  probe_worker.current = std::move(question);
  probe_worker.mounts = probe_worker.current->mounts;
  probe_worker.owner = probe_worker.current->owner;
  probe_worker.request = ++last_request_;
  turns_[probe_worker.owner] = probe_worker.request;
  probe_worker.asked = clock_.now();
  set_request(probe_worker.current->message, probe_worker.request);
  std::vector<int> descriptors;
  for (const channel::FileDescriptor& file : *probe_worker.current->files) descriptors.push_back(file.get());
  probe_worker.current->tries++;
  // If sending fails, the worker is killed, and on_gone() handles the question.
  static_cast<void>(
      probe_worker.process->send(probe_worker.current->message, descriptors, probe_worker.current->files)
          .ok());
}

// Returns true if the limits per owner and per file system permit the question, so that no owner or
// file system occupies all workers.
bool FileWorker::may_be_asked(const Question& question) const {
  int of_owner = 0;
  std::map<int, int> of_mount, of_both;
  for (const ProbeWorker& probe_worker : probe_workers_) {
    if (!probe_worker.current && !probe_worker.is_killed) continue;
    const bool is_owners = probe_worker.owner == question.owner;
    of_owner += int(is_owners);
    for (const int mount : probe_worker.mounts) {
      of_mount[mount]++;
      of_both[mount] += int(is_owners);
    }
  }
  return of_owner < kFileWorkersOfOwner &&
         std::all_of(question.mounts.begin(), question.mounts.end(), [&](int mount) {
           return of_mount[mount] < kFileWorkersOfMount && of_both[mount] < kFileWorkersOfOwnerAndMount;
         });
}

// Returns the oldest eligible question of the owner with the least recent turn.
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
  if (int(probe_workers_.size()) >= kMostFileWorkers) return false;
  const bool all_are_killed = std::all_of(probe_workers_.begin(), probe_workers_.end(),
                                          [](const ProbeWorker& each) { return each.is_killed; });
  return all_are_killed || clock_.now() >= question.since + settings_.patience;
}

void FileWorker::ask_next() {
  while (true) {
    const auto next = find_next();
    if (next == waiting_.end()) break;
    const std::shared_ptr<Question> question = *next;
    ProbeWorker* probe_worker = find_free();
    if (probe_worker == nullptr && !may_launch(*question)) break;
    waiting_.erase(next);
    if (probe_worker == nullptr) {
      const StatusOr<ProbeWorker*> launched = launch();
      if (!launched.ok()) {
        question->answer(launched.status());
        continue;
      }
      probe_worker = *launched;
    }
    put(*probe_worker, question);
  }
  if (waiting_.empty()) turns_.clear();
}

void FileWorker::answer(ProbeWorker& probe_worker, StatusOr<internal::v1::FromWorker> answer) {
  const std::shared_ptr<Question> question = std::exchange(probe_worker.current, nullptr);
  if (question) question->answer(std::move(answer));
}

void FileWorker::on_message(ProbeWorker& probe_worker, const internal::v1::FromWorker& message) {
  if (!probe_worker.current || request_of(message) != probe_worker.request) return;
  probe_worker.idle_since = clock_.now();
  answer(probe_worker, message);
  ask_next();
}

Status FileWorker::too_much_memory(const Question& question) const {
  return invalid_argument(
      "The input ({}) needs more than {:.1f} GiB of memory to be looked at; give a smaller one, or let the "
      "daemon's "
      "probe-memory-bytes ({}) be more.",
      question.file, double(settings_.memory_bytes) / double(int64_t{1} << 30), settings_.memory_bytes);
}

void FileWorker::on_gone(ProbeWorker& probe_worker, const std::string& reason) {
  const std::shared_ptr<Question> question = std::exchange(probe_worker.current, nullptr);
  const bool is_for_memory = probe_worker.process->exit_status() == channel::kExitOutOfMemory;
  probe_workers_.remove_if([&](const ProbeWorker& each) { return &each == &probe_worker; });
  if (ending_) return;
  // The worker may have died because of an earlier question, so the question is repeated once.
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

// Checks timeouts. The question of a killed worker is answered at once, since a hanging file system
// may delay the end of the process.
void FileWorker::tick() {
  for (auto each = probe_workers_.begin(); each != probe_workers_.end();) {
    ProbeWorker& probe_worker = *each++;  // on_gone may remove it from the list
    probe_worker.process->read();
    if (probe_worker.current && clock_.now() > probe_worker.asked + settings_.timeout) {
      probe_worker.is_killed = true;
      probe_worker.process->kill("It looks into a file for too long.");
      answer(probe_worker,
             invalid_argument("Looking into the input ({}) takes too long (more than {} s); the file may be "
                              "damaged, or its file system does not answer.",
                              probe_worker.current->file, seconds_of(settings_.timeout)));
    }
    const bool idles =
        !probe_worker.current && !probe_worker.is_killed && &probe_worker != &probe_workers_.front();
    if (idles && clock_.now() > probe_worker.idle_since + kFileWorkerIdles) {
      probe_worker.is_killed = true;
      probe_worker.process->dismiss("There is nothing to do for it.");
    }
    probe_worker.process->tick();
  }
  ask_next();
}

void FileWorker::shut_down() {
  ending_ = true;
  for (ProbeWorker& probe_worker : probe_workers_) {
    probe_worker.process->dismiss("The daemon stops.");
    answer(probe_worker, ends());
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
