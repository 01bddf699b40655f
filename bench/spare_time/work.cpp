// SPDX-License-Identifier: Apache-2.0
#include "bench/spare_time/work.h"

#include <algorithm>
#include <chrono>

#include "server/filters/frame_table.h"

namespace weft::bench {
namespace {

using device::Buffer;
using device::Device;
using device::MemoryKind;
using device::Stream;
using filters::FrameLayout;
using filters::FrameTableEntry;

// Noise: every way through the filter is taken.
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
    v1::DeinterlaceOptions options;
    options.set_filter(v1::DEINTERLACE_FILTER_BWDIF);
    options.set_rate(v1::OUTPUT_RATE_FIELD);
    options.set_parity(v1::PARITY_TOP);
    options.set_frames(v1::FRAME_SELECTION_ALL);
    ASSIGN_OR_RETURN(work->filter_, filters::make_deinterlacer(device, format, options));
    ASSIGN_OR_RETURN(const auto stream, device.make_stream());
    const FrameLayout layout = FrameLayout::of(format);
    const int count = work->max_units_ = max_units;
    work->units_a_launch_ = std::min(units_a_launch, max_units);
    ASSIGN_OR_RETURN(work->source_,
                     device.allocate(MemoryKind::kDevice, layout.frame_bytes * size_t(count + 2)));
    ASSIGN_OR_RETURN(work->target_,
                     device.allocate(MemoryKind::kDevice, layout.frame_bytes * size_t(2 * count)));
    ASSIGN_OR_RETURN(work->table_,
                     device.allocate(MemoryKind::kDevice, sizeof(FrameTableEntry) * size_t(count)));
    ASSIGN_OR_RETURN(const auto entries, device.allocate(MemoryKind::kUpload, work->table_->size_bytes()));
    ASSIGN_OR_RETURN(const auto frame, device.allocate(MemoryKind::kUpload, layout.frame_bytes));
    draw(*frame);
    for (int i = 0; i < count; i++) {
      FrameTableEntry entry{};
      entry.previous = i;
      entry.current = i + 1;
      entry.next = i + 2;
      entry.target[0] = 2 * i;
      entry.target[1] = 2 * i + 1;
      reinterpret_cast<FrameTableEntry*>(entries->host())[i] = entry;
    }
    stream->copy(*work->table_, 0, *entries, 0, entries->size_bytes());
    for (int i = 0; i < count + 2; i++)
      stream->copy(*work->source_, size_t(i) * layout.frame_bytes, *frame, 0, layout.frame_bytes);
    RETURN_IF_ERROR(stream->wait_all());
    work->batch_ = {{work->source_.get(), 0, layout, count + 2},
                    {work->target_.get(), 0, layout, 2 * count},
                    work->table_.get(),
                    0,
                    count,
                    nullptr};
    return work;
  }

  void enqueue(Stream& stream, int units) override {
    filters::Batch batch = batch_;
    for (int done = 0; done < units; done += batch.count) {
      batch.count = std::min(units - done, units_a_launch_);
      filter_->enqueue(stream, batch);
    }
  }
  int max_units() const override { return max_units_; }

 private:
  std::unique_ptr<filters::Filter> filter_;
  std::unique_ptr<Buffer> source_, target_, table_;
  filters::Batch batch_;
  int max_units_ = 1;
  int units_a_launch_ = 1;
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
  std::vector<Duration> late;  // of those in the second half
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
    const Batch next = start();  // the device is never idle
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
