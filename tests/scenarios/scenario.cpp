// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/scenario.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/set_filters.h"

extern char** environ;

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPollInterval{10};

int exit_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

pid_t spawn_program(const std::vector<std::string>& words, const std::string& log,
                    const std::vector<std::string>& environment = {}) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> variables;
  for (char** each = environ; *each != nullptr; each++) variables.push_back(*each);
  for (const std::string& each : environment) variables.push_back(const_cast<char*>(each.c_str()));
  variables.push_back(nullptr);
  pid_t pid = -1;
  if (::posix_spawnp(&pid, arguments[0], &files, nullptr, arguments.data(), variables.data()) != 0) pid = -1;
  posix_spawn_file_actions_destroy(&files);
  return pid;
}

// Objects with the lifetime of the test program.
struct SharedFolder {
  SharedFolder() {
    char name[] = "/tmp/weft-clips.XXXXXX";
    path = ::mkdtemp(name);
  }
  ~SharedFolder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  std::string path;
};
const std::string& shared_folder() {
  static const SharedFolder folder;
  return folder.path;
}

}  // namespace

int run(const std::vector<std::string>& words, std::string* output) {
  char name[] = "/tmp/weft-run.XXXXXX";
  const int file = ::mkstemp(name);
  ::close(file);
  const pid_t pid = spawn_program(words, name);
  int status = 127 << 8;
  if (pid > 0) ::waitpid(pid, &status, 0);
  if (output != nullptr) *output = read_file(name);
  fs::remove(name);
  return exit_status(status);
}

bool wait_until(const std::function<bool()>& is_true, milliseconds deadline) {
  const auto end = Clock::now() + deadline;
  while (!is_true()) {
    if (Clock::now() > end) return false;
    ::poll(nullptr, 0, int(kPollInterval.count()));
  }
  return true;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

int64_t resident_bytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  int64_t all = 0;
  int64_t resident = 0;
  file >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

int open_descriptors(pid_t pid) {
  std::error_code error;
  const fs::directory_iterator entries("/proc/" + std::to_string(pid) + "/fd", error);
  EXPECT_FALSE(error) << "only root sees what a daemon has open";
  return int(std::distance(begin(entries), end(entries)));
}

std::unique_ptr<grpc::ClientContext> call_context(milliseconds deadline) {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() + deadline);
  return context;
}

// --- Daemon
// -------------------------------------------------------------------------------------------------

Daemon::Daemon(std::string folder, std::vector<std::string> arguments, std::string program)
    : folder_(std::move(folder)),
      address_("unix:" + folder_ + "/weft.sock"),
      arguments_(std::move(arguments)),
      program_(std::move(program)) {
  fs::create_directories(folder_);
}

Daemon::~Daemon() {
  kill();
  if (testing::Test::HasFailure())
    fprintf(stderr, "--- log of the daemon in %s\n%s\n", folder_.c_str(), log().c_str());
}

void Daemon::spawn(const std::vector<std::string>& environment) {
  std::vector<std::string> words{program_,
                                 "--state-dir",
                                 state_folder(),
                                 "--cache-dir",
                                 folder_ + "/cache",
                                 "--lock-dir",
                                 folder_ + "/locks",
                                 "--listen",
                                 address_,
                                 "--low-disk-bytes",
                                 "0",
                                 "--drain-timeout",
                                 "60"};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  pid_ = spawn_program(words, folder_ + "/weftd.log", environment);
  const auto channel = new_channel();
  jobs_ = v1::JobService::NewStub(channel);
  devices_ = v1::DeviceService::NewStub(channel);
}

bool Daemon::start() {
  spawn();
  return wait_until_it_answers();
}

bool Daemon::wait_until_it_answers() {
  const auto channel = new_channel();
  const bool decided = wait_until([&] {
    if (!is_running()) return true;
    return channel->WaitForConnected(std::chrono::system_clock::now() + milliseconds(20));
  });
  return decided && is_running();
}

bool Daemon::is_running() {
  if (pid_ <= 0) return false;
  siginfo_t info{};
  return ::waitid(P_PID, id_t(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

void Daemon::signal(int number) {
  if (pid_ > 0) ::kill(pid_, number);
}

int Daemon::wait_for_end() {
  if (!wait_until([&] { return !is_running(); })) ADD_FAILURE() << "The daemon does not end in time.";
  if (is_running()) signal(SIGKILL);
  int status = 0;
  if (pid_ > 0) ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return exit_status(status);
}

void Daemon::kill() {
  if (pid_ <= 0) return;
  signal(SIGKILL);
  wait_for_end();
}

int Daemon::stop() {
  signal(SIGTERM);
  return wait_for_end();
}

std::string Daemon::log() const { return read_file(folder_ + "/weftd.log"); }

std::shared_ptr<grpc::Channel> Daemon::new_channel() const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // time for a connection on a busy machine
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 100);
  return grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
}

grpc::Status Daemon::submit(const v1::SubmitJobRequest& request, v1::SubmitJobResponse* response,
                            milliseconds deadline) {
  return jobs_->SubmitJob(call_context(deadline).get(), request, response);
}

std::string Daemon::submit(const v1::SubmitJobRequest& request) {
  v1::SubmitJobResponse response;
  const grpc::Status status = submit(request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.job().id();
}

v1::Job Daemon::get(const std::string& id) {
  if (id.empty()) return {};
  v1::GetJobRequest request;
  request.set_id(id);
  v1::GetJobResponse response;
  const grpc::Status status = jobs_->GetJob(call_context().get(), request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.job();
}

v1::ListJobsResponse Daemon::list() {
  v1::ListJobsRequest request;
  request.set_page_size(1000);
  v1::ListJobsResponse response;
  const grpc::Status status = jobs_->ListJobs(call_context().get(), request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

std::optional<v1::DeviceStatus> Daemon::device(const std::string& id) {
  v1::ListDevicesResponse response;
  if (!devices_->ListDevices(call_context().get(), {}, &response).ok()) return std::nullopt;
  for (const v1::DeviceStatus& each : response.devices())
    if (each.id() == id) return each;
  return std::nullopt;
}

v1::Job Daemon::wait_for(const std::string& id, const std::function<bool(const v1::Job&)>& is_there) {
  if (id.empty()) return {};  // The submit was refused and has failed the test.
  v1::WatchJobsRequest request;
  request.mutable_filter()->add_ids(id);
  const auto context = call_context();
  const auto reader = jobs_->WatchJobs(context.get(), request);
  v1::WatchJobsResponse event;
  while (reader->Read(&event))
    if (event.job().id() == id && is_there(event.job())) {
      context->TryCancel();
      return event.job();
    }
  ADD_FAILURE() << "The job does not come there: " << reader->Finish().error_message() << "\n"
                << get(id).DebugString();
  return {};
}

v1::Job Daemon::wait_for_end_of(const std::string& id) { return wait_for(id, has_ended); }

// --- Jobs
// -------------------------------------------------------------------------------------------------

std::string clip(int seconds) {
  static std::map<int, std::string> made;
  std::string& path = made[seconds];
  if (!path.empty()) return path;
  path = shared_folder() + "/" + std::to_string(seconds) + ".ts";
  std::string words;
  const int status = run({"ffmpeg",
                          "-v",
                          "error",
                          "-nostdin",
                          "-y",
                          "-f",
                          "lavfi",
                          "-i",
                          "testsrc2=size=320x240:rate=50",
                          "-f",
                          "lavfi",
                          "-i",
                          "sine=f=330:b=2:r=48000",
                          "-t",
                          std::to_string(seconds),
                          "-vf",
                          "tinterlace=interleave_top,setfield=tff",
                          "-c:v",
                          "mpeg2video",
                          "-flags",
                          "+ilme+ildct",
                          "-g",
                          "12",
                          "-b:v",
                          "2M",
                          "-c:a",
                          "mp2",
                          "-f",
                          "mpegts",
                          path},
                         &words);
  EXPECT_EQ(status, 0) << words;
  return path;
}

ScenarioTest::ScenarioTest() {
  char name[] = "/tmp/weft-scenario.XXXXXX";
  folder_ = ::mkdtemp(name);
}

ScenarioTest::~ScenarioTest() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

v1::SubmitJobRequest ScenarioTest::request(const std::string& input, const std::string& output) const {
  v1::SubmitJobRequest result;
  v1::VideoJob& job = *result.mutable_spec()->mutable_video();
  job.set_input(input);
  job.set_output(output);
  set_filters(job, "bwdif");
  job.mutable_encoding()->set_encoder(v1::ENCODER_FFV1);
  job.mutable_encoding()->set_encoder_threads(1);
  job.mutable_encoding()->set_segment_frames(25);
  result.mutable_settings()->set_max_attempts(100);
  return result;
}

const std::string& ScenarioTest::undisturbed(const std::string& input) {
  static std::map<std::string, std::string> made;
  std::string& bytes = made[input];
  if (!bytes.empty()) return bytes;
  class Plain final : public ScenarioTest {
    void TestBody() override {}

   public:
    std::string make(const std::string& from) {
      Daemon daemon(path("daemon"));
      EXPECT_TRUE(daemon.start());
      const v1::Job job = daemon.wait_for_end_of(daemon.submit(request(from, path("out.mkv"))));
      EXPECT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.DebugString();
      return read_file(path("out.mkv"));
    }
  } plain;
  bytes = plain.make(input);
  EXPECT_FALSE(bytes.empty());
  return bytes;
}

std::vector<std::string> ScenarioTest::leftovers() const {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder_))
    if (entry.path().filename().string().find(".weft-") != std::string::npos)
      found.push_back(entry.path().filename().string());
  return found;
}

}  // namespace weft::scenarios
