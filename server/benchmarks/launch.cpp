// SPDX-License-Identifier: Apache-2.0
// Many small pieces of work: a launch each, the same out of a recording (a CUDA graph), one launch with a row of its grid each, or one after
// the other in a single block.
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

constexpr uint32_t kPieceLanes = 256;
constexpr int64_t kMostRecordings = 8;  // each of a copy of its own: launches are what counts, and not memory

class Launches final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const CaseSpec& spec) {
    const auto pieces = uint32_t(spec.size.x);
    std::unique_ptr<Launches> made(new Launches(pieces));
    if (spec.variant == "single" || spec.variant == kGraph) made->launches_ = pieces;
    if (spec.variant == "together") made->rows_ = pieces;
    ASSIGN_OR_RETURN(made->kernel_, device.load("bench/launch"));
    const size_t bytes = size_t(pieces) * kPieceLanes * sizeof(uint32_t);
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
    const auto each = int(pieces_ / launches_ / rows_);
    for (uint32_t i = 0; i < launches_; i++)
      stream.launch(*kernel_, {kPieceLanes, rows_}, k::Params{target_.at<k::Words>(turn), int(i), each});
  }
  Status verify() override {
    RETURN_IF_ERROR(replay_);
    ASSIGN_OR_RETURN(const auto found, target_.download_as<uint32_t>());
    for (uint32_t piece = 0; piece < pieces_; piece++)
      for (uint32_t lane = 0; lane < kPieceLanes; lane++) {
        const uint32_t word = found[size_t(piece) * kPieceLanes + lane], wanted = (piece + 1) * (lane + 3);
        if (word != wanted)
          return data_loss("Word {} of piece {} is {}, and {} is right.", lane, piece, word, wanted);
      }
    return ok_status();
  }

 private:
  explicit Launches(uint32_t pieces)
      : BenchmarkCase({double(pieces), double(pieces) * kPieceLanes * sizeof(uint32_t), 0, Limit::kNone}),
        pieces_(pieces) {}
  const uint32_t pieces_;
  uint32_t launches_ = 1, rows_ = 1;
  const device::Kernel* kernel_ = nullptr;
  Rotation target_;
  std::vector<std::unique_ptr<device::Recording>> recordings_;  // of turns
  Status replay_;                                               // the first error
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
