// SPDX-License-Identifier: Apache-2.0
// Tests the shares of the processors: the nice levels and the processors of a worker's threads, and
// the slots of jobs. Threads of jobs give way to those of streams. x265 raises the level of some of
// its threads by 10 more.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <sched.h>

#include "base/thread_share.h"
#include "tests/scenarios/stream_scenario.h"

namespace weft::scenarios {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

class ThreadLevelsTest : public StreamScenario {
 protected:
  using StreamScenario::StreamScenario;
  using Levels = std::map<pid_t, int>;  // nice levels above that of the worker's first thread

  pid_t worker() { return pid_t(daemon_.device("cpu")->worker_pid()); }
  // Returns nullopt if the thread has ended.
  static std::optional<int> nice_of(pid_t process, pid_t thread) {
    std::ifstream file(fmt::format("/proc/{}/task/{}/stat", process, thread));
    std::string text((std::istreambuf_iterator<char>(file)), {});
    if (text.empty()) return std::nullopt;
    std::istringstream fields(text.substr(text.rfind(')') + 2));  // from the third field on
    std::string field;
    for (int number = 3; number <= 19; number++) fields >> field;
    return std::stoi(field);
  }
  Levels levels() {
    const pid_t process = worker();
    const int base = nice_of(process, process).value_or(0);
    Levels found;
    for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process))) {
      const auto thread = pid_t(std::stoi(entry.path().filename()));
      if (const auto nice = nice_of(process, thread)) found[thread] = *nice - base;
    }
    return found;
  }
  // Returns the threads of `now` that `before` does not have.
  static Levels new_threads(const Levels& now, const Levels& before) {
    Levels found;
    for (const auto& [thread, level] : now)
      if (!before.contains(thread)) found[thread] = level;
    return found;
  }
  std::string submit(v1::Encoder encoder, v1::JobClass job_class, const std::string& output) {
    v1::SubmitJobRequest order = request(clip(60), path(output));
    order.mutable_spec()->mutable_video()->mutable_encoding()->set_encoder(encoder);
    order.mutable_settings()->set_job_class(job_class);
    const std::string id = daemon_.submit(order);
    daemon_.wait_for(id, [](const v1::Job& job) { return job.progress().outputs_done() > 0; });
    return id;
  }
  void cancel(const std::string& id) {
    v1::CancelJobRequest request;
    request.set_id(id);
    v1::CancelJobResponse response;
    EXPECT_TRUE(daemon_.jobs().CancelJob(call_context().get(), request, &response).ok());
  }
};

TEST_F(ThreadLevelsTest, ThreadsOfJobsAreNicerThanThoseOfStreams) {
  const Levels idle = levels();
  const std::string normal = submit(v1::ENCODER_X265, v1::JOB_CLASS_NORMAL, "normal.mkv");
  const Levels with_normal = new_threads(levels(), idle);
  EXPECT_THAT(with_normal, Contains(Pair(testing::_, kNormalNice)));
  for (const auto& [thread, level] : with_normal) EXPECT_GE(level, kNormalNice) << thread;
  cancel(normal);
  daemon_.wait_for_end_of(normal);
  ASSERT_TRUE(wait_until([&] { return daemon_.device("cpu")->job_ids().empty(); }));

  const Levels before = levels();
  const std::string spare = submit(v1::ENCODER_X265, v1::JOB_CLASS_SPARE, "spare.mkv");
  const Levels with_spare = levels();
  EXPECT_THAT(new_threads(with_spare, before), Contains(Pair(testing::_, kSpareNice)));
  for (const auto& [thread, level] : new_threads(with_spare, before)) EXPECT_GE(level, kNormalNice) << thread;

  const auto stream = open_small(v1::STREAM_CLASS_REALTIME);
  ASSERT_THAT(stream, IsOk());
  for (int frame = 0; frame < 3; frame++) push(**stream);  // bwdif needs the next frame
  ASSERT_THAT((*stream)->pull(), IsOk());
  // Threads of the job come and go, with segments. Those of the stream stay.
  const auto has_own_level = [&](const auto& thread) { return thread.second == 0; };
  EXPECT_TRUE(
      wait_until([&] { return std::ranges::any_of(new_threads(levels(), with_spare), has_own_level); }));
  EXPECT_EQ(levels()[worker()], 0);
  cancel(spare);
  daemon_.wait_for_end_of(spare);
  const auto is_below_jobs = [](const auto& thread) { return thread.second < kSpareNice; };
  EXPECT_TRUE(wait_until([&] { return std::ranges::all_of(levels(), is_below_jobs); }))
      << "no thread of the stream has the level of a job";
}

class ProcessorsTest : public ThreadLevelsTest {
 protected:
  ProcessorsTest() : ThreadLevelsTest({"--device", "cpu", "--cpu-affinity", "0"}) {}
  static std::set<int> processors_of(pid_t thread) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(thread, sizeof(set), &set) != 0) return {};
    std::set<int> processors;
    for (int processor = 0; processor < CPU_SETSIZE; processor++)
      if (CPU_ISSET(size_t(processor), &set)) processors.insert(processor);
    return processors;
  }
};

// x265 binds its threads to nodes of memory itself.
TEST_F(ProcessorsTest, ThreadsOfJobsKeepToTheirProcessors) {
  const std::set<int> all = processors_of(worker());
  const Levels idle = levels();
  const std::string id = submit(v1::ENCODER_X264, v1::JOB_CLASS_SPARE, "out.mkv");
  int kept = 0;
  for (const auto& [thread, level] : new_threads(levels(), idle)) {
    const std::set<int> processors = processors_of(thread);
    // Threads of the device have a lower level, and ended ones have no processors.
    if (level < kSpareNice || processors.empty()) continue;
    EXPECT_EQ(processors, std::set<int>{0}) << thread;
    kept++;
  }
  EXPECT_GT(kept, 0);
  EXPECT_EQ(processors_of(worker()), all);
  cancel(id);
  daemon_.wait_for_end_of(id);
}

class SlotsTest : public ThreadLevelsTest {
 protected:
  SlotsTest() : ThreadLevelsTest({"--device", "cpu", "--jobs-per-device", "2", "--cpu-slots", "3"}) {}
};

TEST_F(SlotsTest, AJobWithX265WaitsForTheSlotsOfAnother) {
  const std::string first = submit(v1::ENCODER_X265, v1::JOB_CLASS_NORMAL, "1.mkv");
  v1::SubmitJobRequest order = request(clip(60), path("2.mkv"));
  order.mutable_spec()->mutable_video()->mutable_encoding()->set_encoder(v1::ENCODER_X265);
  const std::string second = daemon_.submit(order);
  const v1::Job waiting = daemon_.get(second);
  EXPECT_EQ(waiting.estimate().cpu_slots(), 2) << "a thread of the encoder, and one";
  EXPECT_THAT(waiting.waiting_reason(),
              HasSubstr("Waits for CPU slots: it needs 2 of 3 CPU slots, jobs have 2 (cpu_slots)"));
  cancel(first);
  daemon_.wait_for(second, [](const v1::Job& job) { return job.state() == v1::JOB_STATE_RUNNING; });
  cancel(second);
  daemon_.wait_for_end_of(second);
}

}  // namespace
}  // namespace weft::scenarios
