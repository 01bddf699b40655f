// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/transform_iterator.h>

#include "bench/peers/peers.h"

namespace weft::bench {
namespace {

template <class T>
T* address_at(std::span<const uint64_t> addresses, size_t i) {
  return reinterpret_cast<T*>(addresses[i]);
}

std::string text_of(cudaError_t result) {
  return result == cudaSuccess ? ""
                               : std::string(cudaGetErrorName(result)) + ": " + cudaGetErrorString(result);
}
std::string text_of(cublasStatus_t result) {
  return result == CUBLAS_STATUS_SUCCESS ? "" : std::string("cuBLAS: ") + cublasGetStatusString(result);
}

struct IsKept {
  __host__ __device__ bool operator()(int entry) const { return entry != 0; }
};

// A function of CUB. A first call returns the size of the temporary memory. The memory is kept for
// later calls.
template <class Call>
class CubWay final : public LibraryWay {
 public:
  CubWay(int device, int64_t n) : n_(n) { error_ = text_of(cudaSetDevice(device)); }
  ~CubWay() override { cudaFree(memory_); }
  std::string run(void* stream, std::span<const uint64_t> addresses, int64_t) override {
    if (memory_ == nullptr && error_.empty()) {
      error_ = text_of(Call::call(nullptr, bytes_, addresses, n_, nullptr));
      if (error_.empty()) error_ = text_of(cudaMalloc(&memory_, bytes_ + 1));
    }
    if (!error_.empty()) return error_;
    return text_of(Call::call(memory_, bytes_, addresses, n_, static_cast<cudaStream_t>(stream)));
  }

 private:
  const int64_t n_;
  void* memory_ = nullptr;
  size_t bytes_ = 0;
  std::string error_;
};

struct SelectIf {
  static cudaError_t call(void* memory, size_t& bytes, std::span<const uint64_t> addresses, int64_t n,
                          cudaStream_t stream) {
    return cub::DeviceSelect::If(memory, bytes, address_at<const int>(addresses, 0),
                                 address_at<int>(addresses, 1), address_at<unsigned>(addresses, 2), int(n),
                                 IsKept{}, stream);
  }
};

struct SelectFlagged {
  static cudaError_t call(void* memory, size_t& bytes, std::span<const uint64_t> addresses, int64_t n,
                          cudaStream_t stream) {
    const auto flags = thrust::make_transform_iterator(address_at<const int>(addresses, 0), IsKept{});
    return cub::DeviceSelect::Flagged(memory, bytes, address_at<const int>(addresses, 0), flags,
                                      address_at<int>(addresses, 1), address_at<unsigned>(addresses, 2),
                                      int(n), stream);
  }
};

struct ReduceSum {
  static cudaError_t call(void* memory, size_t& bytes, std::span<const uint64_t> addresses, int64_t n,
                          cudaStream_t stream) {
    return cub::DeviceReduce::Sum(memory, bytes, address_at<const unsigned>(addresses, 0),
                                  address_at<unsigned>(addresses, 1), int(n), stream);
  }
};

// A function that allocates its temporary memory in each run, and waits for the number that it
// returns.
class CopyIf final : public LibraryWay {
 public:
  CopyIf(int device, int64_t n) : n_(n) { error_ = text_of(cudaSetDevice(device)); }
  std::string run(void* stream, std::span<const uint64_t> addresses, int64_t) override {
    if (!error_.empty()) return error_;
    const auto cuda_stream = static_cast<cudaStream_t>(stream);
    const int* const source = address_at<const int>(addresses, 0);
    int* const target = address_at<int>(addresses, 1);
    try {
      const int* const end =
          thrust::copy_if(thrust::cuda::par.on(cuda_stream), source, source + n_, target, IsKept{});
      const auto kept = unsigned(end - target);
      return text_of(cudaMemcpyAsync(address_at<unsigned>(addresses, 2), &kept, sizeof(kept),
                                     cudaMemcpyHostToDevice, cuda_stream));
    } catch (const std::exception& error) {
      return error.what();
    }
  }

 private:
  const int64_t n_;
  std::string error_;
};

// A function of cuBLAS. cuBLAS has column-major matrices; a row-major matrix of Weft is a
// transposed one.
class BlasWay : public LibraryWay {
 public:
  BlasWay(int device, int64_t n) : n_(int(n)) {
    error_ = text_of(cudaSetDevice(device));
    if (error_.empty()) error_ = text_of(cublasCreate(&handle_));
  }
  ~BlasWay() override {
    if (handle_ != nullptr) cublasDestroy(handle_);
  }
  std::string run(void* stream, std::span<const uint64_t> addresses, int64_t stride) final {
    if (error_.empty()) error_ = text_of(cublasSetStream(handle_, static_cast<cudaStream_t>(stream)));
    return error_.empty() ? text_of(call(addresses, int(stride))) : error_;
  }

 protected:
  virtual cublasStatus_t call(std::span<const uint64_t> addresses, int stride) = 0;
  static constexpr float kOne = 1, kZero = 0;
  cublasHandle_t handle_ = nullptr;
  const int n_;

 private:
  std::string error_;
};

class Sgemv final : public BlasWay {
  using BlasWay::BlasWay;
  cublasStatus_t call(std::span<const uint64_t> addresses, int stride) override {
    return cublasSgemv(handle_, CUBLAS_OP_T, n_, n_, &kOne, address_at<const float>(addresses, 0), stride,
                       address_at<const float>(addresses, 1), 1, &kZero, address_at<float>(addresses, 2), 1);
  }
};

// Multiplies without TF32, which cuBLAS uses only on request.
class Sgemm final : public BlasWay {
  using BlasWay::BlasWay;
  cublasStatus_t call(std::span<const uint64_t> addresses, int stride) override {
    return cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n_, n_, n_, &kOne,
                       address_at<const float>(addresses, 1), stride, address_at<const float>(addresses, 0),
                       stride, &kZero, address_at<float>(addresses, 2), stride);
  }
};

class GemmOfHalves final : public BlasWay {
  using BlasWay::BlasWay;
  cublasStatus_t call(std::span<const uint64_t> addresses, int stride) override {
    return cublasGemmEx(
        handle_, CUBLAS_OP_N, CUBLAS_OP_N, n_, n_, n_, &kOne, address_at<const void>(addresses, 1),
        CUDA_R_16F, stride, address_at<const void>(addresses, 0), CUDA_R_16F, stride, &kZero,
        address_at<void>(addresses, 2), CUDA_R_32F, stride, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  }
};

template <class Way>
std::unique_ptr<LibraryWay> make_way(int device, int64_t n) {
  return std::make_unique<Way>(device, n);
}

}  // namespace

std::span<const LibraryPeer> library_peers() {
  static constexpr LibraryPeer kPeers[] = {
      {"cub::DeviceSelect::If", "compaction", "reduce then scan", false, make_way<CubWay<SelectIf>>},
      {"cub::DeviceSelect::Flagged", "compaction", "reduce then scan", false,
       make_way<CubWay<SelectFlagged>>},
      {"thrust::copy_if", "compaction", "reduce then scan", true, make_way<CopyIf>},
      {"cub::DeviceReduce::Sum", "reduction", "shuffle tree", false, make_way<CubWay<ReduceSum>>},
      {"cublasSgemv", "gemv", "ours", false, make_way<Sgemv>},
      {"cublasSgemm", "gemm", "register blocked", false, make_way<Sgemm>},
      {"cublasGemmEx fp16", "gemm", "tensor cores", false, make_way<GemmOfHalves>},
  };
  return kPeers;
}

}  // namespace weft::bench
