// SPDX-License-Identifier: Apache-2.0
#include "bench/spare_time/work.h"

#include <algorithm>
#include <chrono>

#include "bench/filter_work.h"
#include "bench/filters/material.h"
#include "bench/filters/recorded_batch.h"

namespace weft::bench {
namespace {

using device::Buffer;
using device::Device;
using device::MemoryKind;
using device::Stream;

// Draws noise, so that every branch of the filter runs.
void draw(Buffer& staging) {
  uint32_t random = 1;
  for (std::byte& byte : staging.host_bytes()) {
    random = random * 1664525u + 1013904223u;
    byte = std::byte(random >> 24);
  }
}

class Bwdif final : public Work {
 public:
  static StatusOr<std::unique_ptr<Work>> make(Device& device, const VideoFormat& format, int max_units,
                                              int units_a_launch) {
    auto work = std::make_unique<Bwdif>();
    filters::DeviceCaches caches;
    const v1::Bwdif options = bwdif_options();
    const google::protobuf::Message* const chain[] = {&options};
    ASSIGN_OR_RETURN(work->network_, make_network(device, caches, chain, format));
    work->max_units_ = max_units;
    work->units_a_launch_ = std::min(units_a_launch, max_units);
    ASSIGN_OR_RETURN(const auto frame,
                     device.allocate(MemoryKind::kUpload, graph::FrameLayout::of(format).frame_bytes));
    draw(*frame);
    ASSIGN_OR_RETURN(work->batch_,
                     NodeBatch::make(device, *work->network_.nodes()[0].node, max_units, *frame));
    return work;
  }

  void enqueue(Stream& stream, int units) override {
    for (int done = 0; done < units; done += units_a_launch_)
      batch_.enqueue(stream, std::min(units - done, units_a_launch_));
  }
  int max_units() const override { return max_units_; }

 private:
  graph::Network network_;
  NodeBatch batch_;
  int max_units_ = 1;
  int units_a_launch_ = 1;
};

class FilterWork final : public Work {
 public:
  static StatusOr<std::unique_ptr<Work>> make(Device& device, const VideoFormat& format,
                                              const std::string& filter, const std::string& options,
                                              int max_units) {
    auto work = std::make_unique<FilterWork>();
    work->max_units_ = max_units;
    ASSIGN_OR_RETURN(graph::Network network, make_network(device, work->caches_, filter, options, format));
    const graph::FrameLayout layout = graph::FrameLayout::of(format);
    std::vector<std::byte> material(kDrawnFrames * layout.frame_bytes);
    draw_all(material.data(), layout);
    ASSIGN_OR_RETURN(work->batch_, RecordedBatch::record(device, std::move(network), 1, material));
    return work;
  }

  void enqueue(Stream& stream, int units) override {
    for (int i = 0; i < std::min(units, max_units_); i++) batch_->enqueue(stream, 0);
  }
  int max_units() const override { return max_units_; }

 private:
  filters::DeviceCaches caches_;
  std::unique_ptr<RecordedBatch> batch_;
  int max_units_ = 1;
};

class Copies final : public Work {
 public:
  Copies(std::unique_ptr<Buffer> from, std::unique_ptr<Buffer> to, size_t unit_bytes, int max_units)
      : from_(std::move(from)), to_(std::move(to)), unit_bytes_(unit_bytes), max_units_(max_units) {}
  void enqueue(Stream& stream, int units) override {
    stream.copy(*to_, 0, *from_, 0, unit_bytes_ * size_t(std::min(units, max_units_)));
  }
  int max_units() const override { return max_units_; }

 private:
  std::unique_ptr<Buffer> from_, to_;
  size_t unit_bytes_;
  int max_units_;
};

}  // namespace

StatusOr<std::unique_ptr<Work>> make_bwdif(Device& device, const VideoFormat& format, int max_units,
                                           int units_a_launch) {
  return Bwdif::make(device, format, max_units, units_a_launch);
}

StatusOr<std::unique_ptr<Work>> make_filter(Device& device, const VideoFormat& format,
                                            const std::string& filter, const std::string& options,
                                            int max_units) {
  return FilterWork::make(device, format, filter, options, max_units);
}

StatusOr<std::unique_ptr<Work>> make_copies(Device& device, size_t unit_bytes, int max_units) {
  ASSIGN_OR_RETURN(auto from, device.allocate(MemoryKind::kDevice, unit_bytes * size_t(max_units)));
  ASSIGN_OR_RETURN(auto to, device.allocate(MemoryKind::kDevice, unit_bytes * size_t(max_units)));
  ASSIGN_OR_RETURN(const auto stream, device.make_stream());
  stream->fill(*from, 0, from->size_bytes(), std::byte{0x5a});
  RETURN_IF_ERROR(stream->wait_all());
  return std::make_unique<Copies>(std::move(from), std::move(to), unit_bytes, max_units);
}

StatusOr<Duration> unit_cost(Device& device, Work& work, int units, Duration busy) {
  constexpr size_t kFirst = 3, kFewest = 9;
  struct Batch {
    device::Mark begin, end;
  };
  ASSIGN_OR_RETURN(const auto stream, device.make_stream());
  std::vector<Duration> late;  // times of the second half
  size_t ended = 0;
  const auto start = [&]() -> Batch {
    const device::Mark begin = stream->mark();
    work.enqueue(*stream, units);
    return {begin, stream->mark()};
  };
  const auto begin = std::chrono::steady_clock::now();
  Batch batch = start();
  for (auto now = begin; now < begin + busy || ended < kFirst + kFewest;
       now = std::chrono::steady_clock::now()) {
    const Batch next = start();  // keeps the device busy
    RETURN_IF_ERROR(stream->wait(batch.end));
    ASSIGN_OR_RETURN(const Duration time, stream->elapsed(batch.begin, batch.end));
    if (++ended > kFirst && now >= begin + busy / 2) late.push_back(time / units);
    batch = next;
  }
  RETURN_IF_ERROR(stream->wait_all());
  const auto middle = late.begin() + std::ptrdiff_t(late.size() / 2);
  std::nth_element(late.begin(), middle, late.end());
  return std::max(*middle, Duration(1));
}

}  // namespace weft::bench
