// SPDX-License-Identifier: Apache-2.0
// Benchmarks the product of square matrices, in fp32, or in fp16 with fp32 sums. The entries are
// small integers, so that sums are exact in any order. The product is checked by R. Freivalds'
// method ("Fast probabilistic algorithms", 1979): C r = A (B r) with integers r of 20 bits,
// exactly; a wrong row passes with probability 2^-20. Addresses: A, B, C.
#include "kernels/bench/gemm.kernel"

#include "kernels/bench/gemm_blocked.kernel"
#include "kernels/bench/gemm_tensor.kernel"
#include "server/benchmarks/benchmark.h"
#include "server/benchmarks/case_data.h"
#include "server/benchmarks/gemm.h"
#include "server/benchmarks/rotation.h"

namespace weft::benchmarks {
namespace {

constexpr int64_t kBlockedTile = 128;

// Returns the fp16 bits of an integer from -4 to 4.
uint16_t half_bits_of(int number) {
  constexpr uint16_t kMagnitudes[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
  return uint16_t(kMagnitudes[number < 0 ? -number : number] | (number < 0 ? 0x8000 : 0));
}

}  // namespace

size_t gemm_tensor_bytes(const device::DeviceInfo& info) {
  if (info.has_warpgroups) return WIDE_BYTES;
  return info.shared_memory_bytes >= TENSOR_BYTES(TENSOR_STAGES) ? TENSOR_BYTES(TENSOR_STAGES)
                                                                 : TENSOR_BYTES(TENSOR_STAGES_FEWEST);
}

namespace {

class Gemm final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const CaseSpec& spec) {
    const bool by_tensor_cores = spec.variant == "tensor cores";
    if (by_tensor_cores && device.info().kind != device::BackendKind::kCuda)
      return unimplemented("Tensor cores are used through CUDA alone.");
    std::unique_ptr<Gemm> made(new Gemm(spec.size.x, by_tensor_cores));
    made->by_blocks_ = spec.variant == "register blocked";
    made->is_tiled_ = spec.variant == "tiled";
    if (by_tensor_cores) {
      ASSIGN_OR_RETURN(made->kernel_, device.load("bench/gemm_tensor", gemm_tensor_bytes(device.info())));
    } else {
      ASSIGN_OR_RETURN(made->kernel_, device.load(made->by_blocks_  ? "bench/gemm_blocked"
                                                  : made->is_tiled_ ? "bench/gemm.2"
                                                                    : "bench/gemm.1"));
    }
    const size_t entries = size_t(made->stride_ * made->stride_), entry_bytes = by_tensor_cores ? 2 : 4;
    const size_t case_bytes = entries * (2 * entry_bytes + sizeof(float));
    for (int operand = 0; operand < 2; operand++) {
      std::vector<std::byte> data(entries * entry_bytes);
      made->fill(operand, data);
      ASSIGN_OR_RETURN(made->operands_[operand], Rotation::make(device, data, case_bytes));
    }
    ASSIGN_OR_RETURN(made->product_, Rotation::make(device, entries * sizeof(float), case_bytes));
    return made;
  }
  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks*) override {
    if (by_tensor_cores_)
      enqueue_tensor(stream, turn);
    else if (by_blocks_)
      enqueue_blocked(stream, turn);
    else
      enqueue_plain(stream, turn);
  }
  CaseAddresses addresses(int64_t turn) const override {
    return {{operands_[0].address(turn), operands_[1].address(turn), product_.address(turn)}, stride_};
  }
  Status verify() override;

 private:
  Gemm(int64_t n, bool by_tensor_cores)
      : BenchmarkCase({double(n) * double(n), double(n) * double(n) * (by_tensor_cores ? 8 : 12),
                       2.0 * double(n) * double(n) * double(n),
                       by_tensor_cores ? Limit::kTensor : Limit::kFp32}),
        n_(n),
        stride_(rounded_up(n, by_tensor_cores ? int64_t{TENSOR_COLUMNS} : kBlockedTile)),
        by_tensor_cores_(by_tensor_cores) {}

  int entry(int operand, int64_t y, int64_t x) const { return small_number(y * n_ + x, operand); }
  void fill(int operand, std::span<std::byte> data) const {
    for (int64_t y = 0; y < n_; y++)
      for (int64_t x = 0; x < n_; x++) {
        const auto at = size_t(y * stride_ + x);
        const int number = entry(operand, y, x);
        if (by_tensor_cores_)
          reinterpret_cast<uint16_t*>(data.data())[at] = half_bits_of(number);
        else
          reinterpret_cast<float*>(data.data())[at] = float(number);
      }
  }
  // Multiplies an operand and a vector.
  std::vector<int64_t> times(int operand, const std::vector<int64_t>& vector) const {
    std::vector<int64_t> product(size_t(n_), 0);
    for (int64_t y = 0; y < n_; y++)
      for (int64_t x = 0; x < n_; x++) product[size_t(y)] += entry(operand, y, x) * vector[size_t(x)];
    return product;
  }
  Status wrong_row(int64_t y, std::span<const float> row) const;

  void enqueue_plain(device::Stream& stream, int64_t turn) {
    namespace k = kernels::gemm;
    const auto lanes = uint32_t(is_tiled_ ? rounded_up(n_, int64_t{16}) : n_);
    stream.launch(*kernel_, {lanes, lanes},
                  k::Params{operands_[0].at<k::Floats>(turn), operands_[1].at<k::Floats>(turn),
                            product_.at<k::Floats>(turn), int(n_), int(stride_)});
  }
  void enqueue_blocked(device::Stream& stream, int64_t turn) {
    namespace k = kernels::gemm_blocked;
    const auto tiles = uint32_t(stride_ / kBlockedTile);
    stream.launch(
        *kernel_, {tiles * 256, tiles},
        k::Params{operands_[0].at<k::Fours>(turn), operands_[1].at<k::Fours>(turn),
                  product_.at<k::Fours>(turn), int((n_ + BLOCKED_STEP - 1) / BLOCKED_STEP), int(stride_)});
  }
  void enqueue_tensor(device::Stream& stream, int64_t turn) {
    namespace k = kernels::gemm_tensor;
    const auto tiles = uint32_t(stride_ / TENSOR_ROWS * (stride_ / TENSOR_COLUMNS));
    stream.launch(*kernel_, {tiles * TENSOR_LANES},
                  k::Params{operands_[0].at<k::Halves>(turn), operands_[1].at<k::Halves>(turn),
                            product_.at<k::Floats>(turn), int(stride_)});
  }

  const int64_t n_, stride_;
  const bool by_tensor_cores_;
  bool by_blocks_ = false, is_tiled_ = false;
  const device::Kernel* kernel_ = nullptr;
  Rotation operands_[2], product_;
};

Status Gemm::wrong_row(int64_t y, std::span<const float> row) const {
  for (int64_t x = 0; x < n_; x++) {
    int64_t sum = 0;
    for (int64_t k = 0; k < n_; k++) sum += entry(0, y, k) * entry(1, k, x);
    if (row[size_t(x)] != float(sum))
      return data_loss("Entry {} of row {} is {}, and {} is right.", x, y, row[size_t(x)], sum);
  }
  return internal_error("Row {} is right, and its check says that it is not.", y);
}

Status Gemm::verify() {
  std::vector<int64_t> vector;
  for (int64_t i = 0; i < n_; i++) vector.push_back(int64_t(mixed(uint64_t(i)) >> 44));
  const std::vector<int64_t> wanted = times(0, times(1, vector));
  ASSIGN_OR_RETURN(const auto found, product_.download_as<float>());
  for (int64_t y = 0; y < n_; y++) {
    const std::span<const float> row(found.data() + y * stride_, size_t(n_));
    double sum = 0;  // exact if the row is correct, since the sum is below 2^53
    for (int64_t x = 0; x < n_; x++) sum += double(row[size_t(x)]) * double(vector[size_t(x)]);
    if (sum != double(wanted[size_t(y)])) return wrong_row(y, row);
  }
  return ok_status();
}

}  // namespace

Benchmark gemm_benchmark() {
  return {v1::BENCHMARK_NAME_GEMM,
          "element",
          {"naive", "tiled", "register blocked", "tensor cores"},
          {},
          {CaseSize{1024}, CaseSize{2048}, CaseSize{4096}, CaseSize{8192}},
          {CaseSize{128}, CaseSize{256}},
          CaseSize{1},
          CaseSize{16384},
          Gemm::make};
}

}  // namespace weft::benchmarks
