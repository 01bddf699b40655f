// SPDX-License-Identifier: Apache-2.0
// Tests the daemon's messages about streams while streams are opened and run.
#include "server/worker/stream/stream_host.h"

#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "tests/server/worker/device/held_work.h"
#include "tests/server/worker/jobs.h"
#include "tests/server/worker/stream/stream_orders.h"

namespace weft::worker {
namespace {

using internal::v1::FromWorker;
using internal::v1::ToWorker;

class StreamHostTest : public testing::Test {
 protected:
  void start(v1::StreamClass stream_class) {
    ToWorker message;
    *message.mutable_start_stream() = order_of(stream_class);
    std::vector<channel::FileDescriptor> none;
    EXPECT_TRUE(host_.handle(message, none));
  }
  void stop() {
    ToWorker message;
    message.mutable_stop_stream()->set_stream(kStream);
    std::vector<channel::FileDescriptor> none;
    EXPECT_TRUE(host_.handle(message, none));
  }
  // Blocks until a message of the kind arrives, removes it from the queue and returns it.
  FromWorker wait_for(FromWorker::MessageCase kind) {
    std::unique_lock lock(mutex_);
    FromWorker found;
    changed_.wait(lock, [&] {
      for (auto message = messages_.begin(); message != messages_.end(); ++message) {
        if (message->message_case() != kind) continue;
        found = *message;
        messages_.erase(message);
        return true;
      }
      return false;
    });
    return found;
  }
  size_t messages() {
    const std::lock_guard lock(mutex_);
    return messages_.size();
  }

  static constexpr uint64_t kStream = 7;  // stream number of order_of()
  filters::DeviceCaches caches_;
  DeviceLoop loop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<FromWorker> messages_;
  StreamHost host_{{cpu_device(), loop_, caches_}, [this](const FromWorker& message) {
                     const std::lock_guard lock(mutex_);
                     messages_.push_back(message);
                     changed_.notify_all();
                   }};
};

TEST_F(StreamHostTest, AStreamThatIsOpenedIsSaidToWaitAndEndsWhenItIsStopped) {
  HeldWork running(loop_, "runs");
  ASSERT_TRUE(running.has_started());
  start(v1::STREAM_CLASS_REALTIME);
  while (messages() == 0) {
    host_.report_waiting();
    std::this_thread::yield();
  }
  EXPECT_EQ(wait_for(FromWorker::kStreamWaiting).stream_waiting().stream(), kStream);
  stop();
  const FromWorker stopped = wait_for(FromWorker::kStreamStopped);
  EXPECT_EQ(StatusCode(stopped.stream_stopped().error().code()), StatusCode::kCancelled);
  host_.report_waiting();
  EXPECT_EQ(messages(), 0u) << "nothing waits any more";
  while (!host_.is_empty()) EXPECT_FALSE(host_.supervise());
}

TEST_F(StreamHostTest, TheDevicesTimeCountsThatOpeningTook) {
  start(v1::STREAM_CLASS_REALTIME);
  wait_for(FromWorker::kStreamStarted);
  const auto busy = loop_.totals().busy;
  EXPECT_GT(std::accumulate(busy.begin(), busy.end(), Duration(0)), Duration(0))
      << "what a frame costs was measured";
  EXPECT_EQ(host_.totals().units, 0);
  stop();
  wait_for(FromWorker::kStreamStopped);
  while (!host_.is_empty()) EXPECT_FALSE(host_.supervise());
}

}  // namespace
}  // namespace weft::worker
