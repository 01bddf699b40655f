// SPDX-License-Identifier: Apache-2.0
// Tests all streams together: their devices, their limits, and their ends.
#include "server/streams/streams.h"

#include <atomic>
#include <fstream>
#include <functional>
#include <mutex>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options/validate.h"
#include "tests/server/streams/fixture.h"

namespace weft::streams {
namespace {

v1::DeviceStatus device(const std::string& id, v1::DeviceKind kind,
                        v1::DeviceState state = v1::DEVICE_STATE_IN_SERVICE) {
  v1::DeviceStatus result;
  result.set_id(id);
  result.set_kind(kind);
  result.set_state(state);
  result.set_name(id == "vulkan:9" ? "llvmpipe (LLVM 15)" : id);
  return result;
}

TEST(ChooseDeviceTest, TakesTheOneAskedForOrTheBest) {
  const std::vector<v1::DeviceStatus> devices = {
      device("cpu", v1::DEVICE_KIND_CPU), device("cuda:0", v1::DEVICE_KIND_CUDA),
      device("cuda:1", v1::DEVICE_KIND_CUDA),
      device("cuda:2", v1::DEVICE_KIND_CUDA, v1::DEVICE_STATE_DRAINED),
      device("vulkan:9", v1::DEVICE_KIND_VULKAN)};
  EXPECT_EQ(choose_device(devices, "", {}, false)->id(), "cuda:0");
  EXPECT_EQ(choose_device(devices, "", {{"cuda:0", 2}, {"cuda:1", 1}}, false)->id(), "cuda:1");
  EXPECT_EQ(choose_device(devices, "cpu", {}, false)->id(), "cpu");
  EXPECT_EQ(choose_device(devices, "vulkan:9", {}, false)->id(), "vulkan:9");
  EXPECT_THAT(choose_device(devices, "cuda:2", {}, true), StatusIs(StatusCode::kUnavailable, "cuda:2"));
  EXPECT_THAT(choose_device(devices, "cuda:7", {}, true), StatusIs(StatusCode::kNotFound, "cpu, cuda:0"));
  EXPECT_THAT(choose_device({device("vulkan:9", v1::DEVICE_KIND_VULKAN)}, "", {}, true),
              StatusIs(StatusCode::kUnavailable));
  v1::DeviceStatus taken = device("cpu", v1::DEVICE_KIND_CPU, v1::DEVICE_STATE_TAKEN);
  taken.set_reason("The device cpu is taken by weftd, process 7.");
  EXPECT_THAT(choose_device({taken, device("vulkan:9", v1::DEVICE_KIND_VULKAN)}, "", {}, true),
              StatusIs(StatusCode::kUnavailable,
                       "No device is in service. cpu: The device cpu is taken by weftd, process 7."));
}

TEST(ChooseDeviceTest, WaitsForABetterOneThatStarts) {
  const std::vector<v1::DeviceStatus> devices = {
      device("cpu", v1::DEVICE_KIND_CPU), device("cuda:0", v1::DEVICE_KIND_CUDA, v1::DEVICE_STATE_STARTING)};
  EXPECT_EQ(choose_device(devices, "", {}, true)->id(), "cuda:0");
  EXPECT_EQ(choose_device(devices, "cuda:0", {}, true)->state(), v1::DEVICE_STATE_STARTING);
  EXPECT_EQ(choose_device(devices, "", {}, false)->id(), "cpu");
  EXPECT_THAT(choose_device(devices, "cuda:0", {}, false),
              StatusIs(StatusCode::kUnavailable, "cuda:0 takes no stream now. Its worker still starts."));
}

// Workers that start every stream at once.
class ReadyWorkers final : public queue::StreamWorkers {
 public:
  void start_stream(std::string_view, internal::v1::StartStream order, queue::SharedFiles files,
                    std::shared_ptr<queue::StreamEvents> events) override {
    const std::lock_guard lock(mutex_);
    last_order = order;
    last_files = std::move(files);
    started_.emplace_back(order.stream(), std::move(events));
  }
  void send_to_stream(std::string_view, uint64_t, internal::v1::ToWorker message,
                      queue::SharedFiles files) override {
    const std::lock_guard lock(mutex_);
    if (!message.has_stream_memory()) return;
    last_ring = message.stream_memory().layout();
    last_files = std::move(files);
    rings++;
  }
  void leave_stream(std::string_view, uint64_t) override { left++; }
  void kill_worker_of_stream(std::string_view, uint64_t, std::string_view) override {}

  size_t started() {
    const std::lock_guard lock(mutex_);
    return started_.size();
  }
  // Sends the worker's plan of the pictures for the newest stream.
  void say(const internal::v1::StreamStarted& planned) {
    internal::v1::FromWorker message;
    *message.mutable_stream_started() = planned;
    std::shared_ptr<queue::StreamEvents> events;
    {
      const std::lock_guard lock(mutex_);
      events = started_.back().second;
    }
    events->on_stream_message(message);
  }
  std::atomic<int> left{0};
  std::atomic<int> rings{0};
  internal::v1::RingLayout last_ring;
  // Order of the newest stream.
  internal::v1::StartStream last_order;
  queue::SharedFiles last_files;

 private:
  std::mutex mutex_;
  std::vector<std::pair<uint64_t, std::shared_ptr<queue::StreamEvents>>> started_;
};

class StreamsTest : public ::testing::Test {
 protected:
  std::shared_ptr<StreamSession> open(const v1::OpenStream& request = small_stream()) {
    auto stream = streams_->make(true, {}, [this] { hang_ups_++; });
    v1::ProcessFramesRequest message;
    *message.mutable_open() = request;
    stream->receive(message, [] {});
    return stream;
  }
  static Status end_of(StreamSession& stream) {
    std::optional<Status> end;
    stream.next([&](const auto& response) { end = response.status(); });
    return end.value_or(ok_status());
  }
  static bool wait_until(const std::function<bool()>& is_true) {
    for (int i = 0; i < 4000 && !is_true(); i++) ::poll(nullptr, 0, 5);
    return is_true();
  }

  VirtualClock clock_;
  ReadyWorkers workers_;
  std::atomic<int> hang_ups_{0};
  std::atomic<v1::DeviceState> state_{v1::DEVICE_STATE_IN_SERVICE};
  std::atomic<int> polls_{0};
  std::atomic<int64_t> free_bytes_{-1};  // of the device's memory; below 0: unknown
  std::unique_ptr<Streams> streams_ = *Streams::start(
      {},
      [this](auto done) {
        v1::DeviceStatus only = device("cpu", v1::DEVICE_KIND_CPU, state_);
        if (free_bytes_ >= 0) only.set_memory_free_bytes(free_bytes_);
        done(std::vector<v1::DeviceStatus>{only});
        polls_++;
      },
      workers_, clock_);
};

TEST_F(StreamsTest, AreCountedAndLimited) {
  std::vector<std::shared_ptr<StreamSession>> open_streams;
  for (int i = 0; i < kMaxStreams; i++) open_streams.push_back(open());
  EXPECT_TRUE(wait_until([this] { return workers_.started() == size_t(kMaxStreams); }));
  const auto refused = open();
  EXPECT_THAT(end_of(*refused), StatusIs(StatusCode::kResourceExhausted, "at most 64"));
  // The place of a stream becomes free when its client has disconnected.
  open_streams[5]->cancel();
  open_streams.erase(open_streams.begin() + 5);
  EXPECT_TRUE(wait_until([this] { return streams_->count() == kMaxStreams - 1; }));
  const auto taken = open();
  EXPECT_TRUE(wait_until([this] { return workers_.started() == size_t(kMaxStreams) + 1; }));
  EXPECT_EQ(workers_.left, 1);
}

// Jobs and other streams keep the memory that is planned for them.
TEST_F(StreamsTest, TheWorkerIsToldTheMemoryThatIsFree) {
  const auto first = open();
  EXPECT_TRUE(wait_until([this] { return workers_.started() == 1; }));
  EXPECT_FALSE(workers_.last_order.has_most_device_bytes());
  free_bytes_ = 12'345;
  const auto second = open();
  EXPECT_TRUE(wait_until([this] { return workers_.started() == 2; }));
  EXPECT_EQ(workers_.last_order.most_device_bytes(), 12'345);
}

TEST_F(StreamsTest, AnUnknownDeviceIsRefusedByName) {
  v1::OpenStream request = small_stream();
  request.mutable_settings()->set_device("cuda:3");
  const auto stream = open(request);
  EXPECT_TRUE(wait_until([&] { return stream->is_over(); }));
  EXPECT_THAT(end_of(*stream), StatusIs(StatusCode::kNotFound, "cuda:3"));
}

TEST_F(StreamsTest, AStreamWaitsForADeviceThatStarts) {
  state_ = v1::DEVICE_STATE_STARTING;
  const auto stream = open();
  EXPECT_TRUE(wait_until([this] { return polls_ >= 3; }));
  EXPECT_FALSE(stream->is_over());
  EXPECT_EQ(workers_.started(), 0u);
  state_ = v1::DEVICE_STATE_IN_SERVICE;
  EXPECT_TRUE(wait_until([this] { return workers_.started() == 1; }));
  EXPECT_FALSE(stream->is_over());
}

TEST_F(StreamsTest, AStreamDoesNotWaitForEver) {
  state_ = v1::DEVICE_STATE_STARTING;
  const auto stream = open();
  EXPECT_TRUE(wait_until([&] {
    clock_.advance(std::chrono::milliseconds(400));
    return stream->is_over();
  }));
  EXPECT_THAT(end_of(*stream), StatusIs(StatusCode::kUnavailable, "cpu: Its worker still starts."));
}

TEST_F(StreamsTest, AFileThatAFilterNamesIsOpenedForTheWorkerOrTheFieldIsNamed) {
  const std::string path = ::testing::TempDir() + fmt::format("kernel-{}", ::getpid());
  std::ofstream(path) << "a kernel";
  v1::OpenStream request = small_stream();
  set_filters(request, "bloom=kernel=" + path);
  const auto stream = open(request);
  EXPECT_TRUE(wait_until([this] { return workers_.started() == 1; }));
  EXPECT_EQ(workers_.last_order.open().filters(0).bloom().kernel(), path);
  ASSERT_EQ(workers_.last_files->size(), 1u);
  char begin = 0;
  EXPECT_EQ(::pread(workers_.last_files->at(0).get(), &begin, 1, 0), 1);
  EXPECT_EQ(begin, 'a');
  ::unlink(path.c_str());

  const auto refused = open(request);
  EXPECT_TRUE(wait_until([&] { return refused->is_over(); }));
  const Status end = end_of(*refused);
  EXPECT_THAT(end, StatusIs(StatusCode::kInvalidArgument, "does not exist (" + path));
  ASSERT_EQ(options::violations_of(end).size(), 1u);
  EXPECT_EQ(options::violations_of(end)[0].field, "open.filters[0].bloom.kernel");
}

TEST_F(StreamsTest, TheRingIsMadeForThePicturesThatTheWorkerPlans) {
  const auto stream = open();
  EXPECT_TRUE(wait_until([this] { return workers_.started() == 1; }));
  workers_.say(started(1920, 1080));
  EXPECT_TRUE(wait_until([this] { return workers_.rings == 1; }));
  EXPECT_GE(workers_.last_ring.picture_slot_bytes(), 1920 * 1080);
  EXPECT_EQ(workers_.last_ring.picture_slots(), 2 * kMaxFrameSlots);
  const int64_t bytes = kMaxFrameSlots * workers_.last_ring.frame_slot_bytes() +
                        2 * kMaxFrameSlots * workers_.last_ring.picture_slot_bytes();
  struct stat facts {};
  ASSERT_EQ(::fstat(workers_.last_files->at(0).get(), &facts), 0);
  EXPECT_EQ(facts.st_size, bytes);
}

TEST_F(StreamsTest, AStreamWhosePicturesNeedMoreThanThereIsEnds) {
  const auto stream = open();
  EXPECT_TRUE(wait_until([this] { return workers_.started() == 1; }));
  internal::v1::StreamStarted many = started(kMaxPictureSide, kMaxPictureSide);
  many.mutable_picture_rate()->set_numerator(25 * kMaxPicturesPerFrame);  // 64 slots of 256 MiB
  workers_.say(many);
  EXPECT_TRUE(wait_until([&] { return stream->is_over(); }));
  EXPECT_THAT(end_of(*stream), StatusIs(StatusCode::kResourceExhausted, "memory of all streams is short"));
  EXPECT_EQ(workers_.rings, 0);
}

TEST_F(StreamsTest, AllEndWhenTheDaemonStops) {
  const auto stream = open();
  EXPECT_TRUE(wait_until([this] { return workers_.started() == 1; }));
  streams_->stop();
  EXPECT_THAT(end_of(*stream), StatusIs(StatusCode::kUnavailable, "daemon stops"));
  EXPECT_EQ(workers_.left, 1);
  EXPECT_THAT(end_of(*open()), StatusIs(StatusCode::kUnavailable, "daemon stops"));
}

TEST_F(StreamsTest, WhileTheDaemonDrainsStreamsGoOnAndNoneBegins) {
  const auto stream = open();
  EXPECT_TRUE(wait_until([this] { return workers_.started() == 1; }));
  streams_->drain();
  EXPECT_THAT(end_of(*open()), StatusIs(StatusCode::kUnavailable, "daemon stops"));
  EXPECT_FALSE(stream->is_over());
  EXPECT_EQ(streams_->count(), 1);
  stream->cancel();
  EXPECT_TRUE(wait_until([this] { return streams_->count() == 0; }));
}

TEST_F(StreamsTest, ACallWhoseClientReadsNoEndIsHungUp) {
  const auto stream = open();
  stream->cancel();  // The end of this stream is not read.
  EXPECT_TRUE(wait_until([this] {
    clock_.advance(std::chrono::seconds(1));
    return hang_ups_ == 1;
  }));
}

}  // namespace
}  // namespace weft::streams
