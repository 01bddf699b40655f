// SPDX-License-Identifier: Apache-2.0
// Fixture of a stream on the CPU device without daemon and client. The test pushes frames of one
// shade and takes the pictures.
#pragma once

#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <fcntl.h>

#include "server/worker/stream/stream_runner.h"
#include "tests/server/worker/stream/stream_orders.h"

namespace weft::worker {

class StreamRunnerTest : public ::testing::Test, public RunnerEvents {
 protected:
  StreamRunnerTest() {
    ring_ = static_cast<std::byte*>(
        ::mmap(nullptr, kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0));
    auto device = device::open_device(std::string_view("cpu"));
    EXPECT_THAT(device, IsOk());
    device_ = *std::move(device);
  }
  ~StreamRunnerTest() override { ::munmap(ring_, kRingBytes); }

  StatusOr<std::unique_ptr<StreamRunner>> open(const internal::v1::StartStream& order) {
    auto opened = open_without_ring(order);
    if (opened.ok()) (*opened)->share(ring_layout(), *channel::duplicate(memory_.get()));
    return opened;
  }
  StatusOr<std::unique_ptr<StreamRunner>> open_without_ring(const internal::v1::StartStream& order) {
    std::vector<channel::FileDescriptor> files;
    for (const options::JobFile& input : options::files_of_stream(order.open()))
      files.emplace_back(::open(input.path.c_str(), O_RDONLY | O_CLOEXEC));
    return StreamRunner::open({*device_, loop_, caches_}, order, std::move(files), *this, preparing_);
  }
  void on_frame_taken(int slot) override {
    const std::lock_guard lock(mutex_);
    free_frames_.push_back(slot);
    changed_.notify_all();
  }
  void on_picture(int slot, const v1::PictureFacts& facts) override {
    const std::lock_guard lock(mutex_);
    facts_.push_back(facts);
    shades_.push_back(int(ring_[kFrameSlots * kFrameBytes + slot * kFrameBytes]));
    if (holds_pictures_)
      held_.push_back(slot);
    else
      runner_->free_picture(slot);
    changed_.notify_all();
  }

  // Pushes frames of one shade each as slots become free, then ends the input.
  void feed(int frames, TimePoint arrival) {
    for (int i = 0; i < frames; i++) {
      internal::v1::StreamFrame frame;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !free_frames_.empty(); });
        frame.set_slot(free_frames_.front());
        free_frames_.erase(free_frames_.begin());
      }
      std::memset(ring_ + frame.slot() * kFrameBytes, i + 1, kFrameBytes);
      frame.set_arrival_ns(arrival.time_since_epoch().count());
      runner_->add_frame(frame);
    }
    runner_->end_input();
  }
  StreamEnd run(int frames, TimePoint arrival = std::chrono::steady_clock::now()) {
    const std::jthread feeding([&] { feed(frames, arrival); });
    return runner_->run();
  }

  const channel::FileDescriptor memory_ = ring_memory();
  std::byte* ring_ = nullptr;
  std::unique_ptr<device::Device> device_;
  filters::DeviceCaches caches_;
  DeviceLoop loop_;
  Preparing preparing_{loop_};
  std::unique_ptr<StreamRunner> runner_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> free_frames_{0, 1, 2, 3};
  std::vector<v1::PictureFacts> facts_;
  std::vector<int> shades_;
  bool holds_pictures_ = false;
  std::vector<int> held_;
};

}  // namespace weft::worker
