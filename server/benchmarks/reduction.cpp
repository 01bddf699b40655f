// SPDX-License-Identifier: Apache-2.0
// Benchmarks the sum of a vector of 32-bit words modulo 2^32, which is exact in any order.
// Addresses: words, sum.
#include "kernels/bench/reduction.kernel"

#include "server/benchmarks/benchmark.h"
#include "server/benchmarks/case_data.h"
#include "server/benchmarks/rotation.h"

namespace weft::benchmarks {
namespace {

constexpr uint32_t kReductionLanes = 256;  // lanes of a block
constexpr int64_t kWordsOfLane = 16;       // words that a lane reads at once

uint32_t word_of(int64_t i) { return uint32_t(mixed(uint64_t(i))); }

class Reduction final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const CaseSpec& spec) {
    if (spec.variant == "reduce instruction" && device.info().kind != device::BackendKind::kCuda)
      return unimplemented("Only CUDA has an instruction that sums a warp.");
    std::unique_ptr<Reduction> made(new Reduction(spec.size.x, spec.variant == "atomics"));
    const int kernel = spec.variant == "shared memory"        ? 1
                       : spec.variant == "shuffle tree"       ? 2
                       : spec.variant == "reduce instruction" ? 3
                                                              : 4;
    ASSIGN_OR_RETURN(made->kernel_, device.load(fmt::format("bench/reduction.{}", kernel)));
    std::vector<uint32_t> words(size_t(rounded_up(spec.size.x, int64_t{4})));
    for (int64_t i = 0; i < spec.size.x; i++) words[size_t(i)] = word_of(i);
    const size_t bytes = words.size() * sizeof(uint32_t);
    ASSIGN_OR_RETURN(made->source_, Rotation::make(device, bytes_of(words), bytes));
    ASSIGN_OR_RETURN(made->sum_, Rotation::make(device, sizeof(uint32_t), bytes));
    // Enough blocks to saturate a GPU's memory, but not more than can run at the same time or than
    // the work requires.
    const auto most = int64_t(device.info().compute_units) * (device.info().is_software ? 1 : 4);
    const int64_t blocks =
        std::clamp(rounded_up(spec.size.x, kWordsOfLane * kReductionLanes) / (kWordsOfLane * kReductionLanes),
                   int64_t{1}, most);
    made->blocks_ = uint32_t(blocks);
    const std::vector<uint32_t> none(size_t(rounded_up(blocks, int64_t{4})));
    ASSIGN_OR_RETURN(made->parts_, Rotation::make(device, bytes_of(none), kRotationBytes));
    return made;
  }

  std::vector<std::string> phases() const override {
    if (by_atomics_) return {};
    return {"blocks", "their sums"};
  }
  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks* marks) override {
    namespace k = kernels::reduction;
    const uint32_t lanes = blocks_ * kReductionLanes;
    k::Params params{source_.at<k::Fours>(turn), sum_.at<k::Sums>(turn),
                     int(source_.bytes() / sizeof(uint32_t) / 4), int(lanes)};
    if (by_atomics_) {
      stream.fill(sum_.buffer(), sum_.offset(turn), sizeof(uint32_t), std::byte{0});
      stream.launch(*kernel_, {lanes}, params);
      return;
    }
    params.sums = parts_.at<k::Sums>(0);
    stream.launch(*kernel_, {lanes}, params);
    if (marks != nullptr) marks->push_back(stream.mark());
    stream.launch(*kernel_, {kReductionLanes},
                  k::Params{parts_.at<k::Fours>(0), sum_.at<k::Sums>(turn),
                            int(parts_.bytes() / sizeof(uint32_t) / 4), int(kReductionLanes)});
    if (marks != nullptr) marks->push_back(stream.mark());
  }
  CaseAddresses addresses(int64_t turn) const override {
    return {{source_.address(turn), sum_.address(turn)}};
  }
  Status verify() override {
    uint32_t wanted = 0;
    for (int64_t i = 0; i < words_; i++) wanted += word_of(i);
    ASSIGN_OR_RETURN(const auto found, sum_.download_as<uint32_t>());
    if (found[0] == wanted) return ok_status();
    return data_loss("The sum is {}, and {} is right.", found[0], wanted);
  }

 private:
  Reduction(int64_t words, bool by_atomics)
      : BenchmarkCase({double(words), 4.0 * double(words), double(words), Limit::kMemory}),
        words_(words),
        by_atomics_(by_atomics) {}
  const int64_t words_;
  const bool by_atomics_;
  uint32_t blocks_ = 1;
  const device::Kernel* kernel_ = nullptr;
  Rotation source_, sum_, parts_;
};

}  // namespace

Benchmark reduction_benchmark() {
  return {v1::BENCHMARK_NAME_REDUCTION,
          "element",
          {"shared memory", "shuffle tree", "reduce instruction", "atomics"},
          {},
          powers_of_two({16, 20, 24, 28}),
          powers_of_two({16, 20}),
          CaseSize{1},
          CaseSize{int64_t{1} << 28},
          Reduction::make};
}

}  // namespace weft::benchmarks
