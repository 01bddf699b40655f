// SPDX-License-Identifier: Apache-2.0
// Benchmarks the SAD of two planes of bytes, for each block of 16 x 16 samples. The padding of
// partial blocks is equal in both planes.
#include "kernels/bench/sad.kernel"

#include <cstdlib>

#include "server/benchmarks/benchmark.h"
#include "server/benchmarks/case_data.h"
#include "server/benchmarks/rotation.h"

namespace weft::benchmarks {
namespace {

constexpr int64_t kSadBlock = 16;

class SadBlocks final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const CaseSpec& spec) {
    std::unique_ptr<SadBlocks> made(new SadBlocks(spec.size));
    ASSIGN_OR_RETURN(made->kernel_, device.load(spec.variant == "packed" ? "bench/sad.4" : "bench/sad.1"));
    const std::vector<uint8_t> a = made->plane(0), b = made->plane(1);
    const size_t sums = size_t(made->blocks_x() * made->blocks_y()) * sizeof(uint32_t);
    const size_t case_bytes = 2 * a.size() + sums;
    ASSIGN_OR_RETURN(made->a_, Rotation::make(device, bytes_of(a), case_bytes));
    ASSIGN_OR_RETURN(made->b_, Rotation::make(device, bytes_of(b), case_bytes));
    ASSIGN_OR_RETURN(made->sums_, Rotation::make(device, sums, case_bytes));
    return made;
  }
  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks*) override {
    namespace k = kernels::sad;
    stream.launch(*kernel_, {uint32_t(blocks_x()), uint32_t(blocks_y())},
                  k::Params{a_.at<k::Bytes>(turn), b_.at<k::Bytes>(turn), sums_.at<k::Sums>(turn),
                            int(blocks_x()), int(blocks_y())});
  }
  Status verify() override {
    const std::vector<uint8_t> a = plane(0), b = plane(1);
    std::vector<uint32_t> wanted(size_t(blocks_x() * blocks_y()));
    for (int64_t y = 0; y < size_.y; y++)
      for (int64_t x = 0; x < size_.x; x++) {
        const auto i = size_t(y * blocks_x() * kSadBlock + x);
        wanted[size_t(y / kSadBlock * blocks_x() + x / kSadBlock)] +=
            uint32_t(std::abs(int(a[i]) - int(b[i])));
      }
    ASSIGN_OR_RETURN(const auto found, sums_.download_as<uint32_t>());
    for (size_t i = 0; i < wanted.size(); i++)
      if (found[i] != wanted[i])
        return data_loss("The sum of block {} is {}, and {} is right.", i, found[i], wanted[i]);
    return ok_status();
  }

 private:
  explicit SadBlocks(const CaseSize& size)
      : BenchmarkCase(
            {double(size.x * size.y),
             2.0 * double(size.x * size.y) + 4.0 * double(size.x * size.y) / (kSadBlock * kSadBlock),
             2.0 * double(size.x * size.y), Limit::kMemory}),
        size_(size) {}

  int64_t blocks_x() const { return rounded_up(size_.x, kSadBlock) / kSadBlock; }
  int64_t blocks_y() const { return rounded_up(size_.y, kSadBlock) / kSadBlock; }
  std::vector<uint8_t> plane(uint64_t which) const {
    std::vector<uint8_t> bytes(size_t(blocks_x() * blocks_y() * kSadBlock * kSadBlock));
    for (int64_t y = 0; y < size_.y; y++)
      for (int64_t x = 0; x < size_.x; x++)
        bytes[size_t(y * blocks_x() * kSadBlock + x)] = uint8_t(mixed(uint64_t(y * size_.x + x) * 2 + which));
    return bytes;
  }

  const CaseSize size_;
  const device::Kernel* kernel_ = nullptr;
  Rotation a_, b_, sums_;
};

}  // namespace

Benchmark sad_benchmark() {
  return {v1::BENCHMARK_NAME_SAD,
          "pixel",
          {"scalar", "packed"},
          {},
          {{1920, 1080}, {4096, 4096}, {16384, 16384}},
          {{1920, 1080}},
          CaseSize{1, 1},
          CaseSize{16384, 16384},
          SadBlocks::make};
}

}  // namespace weft::benchmarks
