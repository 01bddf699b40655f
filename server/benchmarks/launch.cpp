// SPDX-License-Identifier: Apache-2.0
// Benchmarks many small kernels: separate launches, a recording (a CUDA graph), one launch with a
// grid row for each kernel, or all kernels in a single block.
#include "kernels/bench/launch.kernel"

#include <algorithm>
#include <memory>
#include <vector>

#include "server/benchmarks/benchmark.h"
#include "server/benchmarks/case_data.h"
#include "server/benchmarks/rotation.h"
#include "server/device/recording.h"

namespace weft::benchmarks {
namespace {

constexpr uint32_t kChunkLanes = 256;
// Limit of the recordings, one for each copy of the data. A few copies suffice, since the benchmark
// measures launches and not memory.
constexpr int64_t kMostRecordings = 8;

class Launches final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const CaseSpec& spec) {
    const auto chunks = uint32_t(spec.size.x);
    std::unique_ptr<Launches> made(new Launches(chunks));
    if (spec.variant == "single" || spec.variant == kGraph) made->launches_ = chunks;
    if (spec.variant == "together") made->rows_ = chunks;
    ASSIGN_OR_RETURN(made->kernel_, device.load("bench/launch"));
    const size_t bytes = size_t(chunks) * kChunkLanes * sizeof(uint32_t);
    ASSIGN_OR_RETURN(made->target_, Rotation::make(device, bytes, bytes));
    if (spec.variant == kGraph) RETURN_IF_ERROR(made->record(device));
    return made;
  }
  static constexpr std::string_view kGraph = "graph";

  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks*) override {
    if (recordings_.empty()) return launch(stream, turn);
    const Status replayed = recordings_[size_t(turn) % recordings_.size()]->replay(stream);
    if (replay_.ok()) replay_ = replayed;
  }
  Status record(device::Device& device) {
    ASSIGN_OR_RETURN(const auto stream, device.make_stream());
    for (int64_t turn = 0; turn < std::min(target_.copies(), kMostRecordings); turn++) {
      ASSIGN_OR_RETURN(auto recording, device::record(*stream, [&] { launch(*stream, turn); }));
      recordings_.push_back(std::move(recording));
    }
    return stream->wait_all();
  }
  void launch(device::Stream& stream, int64_t turn) const {
    namespace k = kernels::launch;
    const auto each = int(chunks_ / launches_ / rows_);
    for (uint32_t i = 0; i < launches_; i++)
      stream.launch(*kernel_, {kChunkLanes, rows_}, k::Params{target_.at<k::Words>(turn), int(i), each});
  }
  Status verify() override {
    RETURN_IF_ERROR(replay_);
    ASSIGN_OR_RETURN(const auto found, target_.download_as<uint32_t>());
    for (uint32_t chunk = 0; chunk < chunks_; chunk++)
      for (uint32_t lane = 0; lane < kChunkLanes; lane++) {
        const uint32_t word = found[size_t(chunk) * kChunkLanes + lane], wanted = (chunk + 1) * (lane + 3);
        if (word != wanted)
          return data_loss("Word {} of piece {} is {}, and {} is right.", lane, chunk, word, wanted);
      }
    return ok_status();
  }

 private:
  explicit Launches(uint32_t chunks)
      : BenchmarkCase({double(chunks), double(chunks) * kChunkLanes * sizeof(uint32_t), 0, Limit::kNone}),
        chunks_(chunks) {}
  const uint32_t chunks_;
  uint32_t launches_ = 1, rows_ = 1;
  const device::Kernel* kernel_ = nullptr;
  Rotation target_;
  std::vector<std::unique_ptr<device::Recording>> recordings_;  // by turn
  Status replay_;                                               // first error of a replay
};

}  // namespace

Benchmark launch_benchmark() {
  return {v1::BENCHMARK_NAME_LAUNCH,
          "kernel",
          {"single", "graph", "together", "fused"},
          {},
          {CaseSize{16}, CaseSize{256}, CaseSize{1024}},
          {CaseSize{16}, CaseSize{256}},
          CaseSize{1},
          CaseSize{4096},
          Launches::make,
          Launches::kGraph};
}

}  // namespace weft::benchmarks
