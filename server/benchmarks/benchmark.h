// SPDX-License-Identifier: Apache-2.0
// Describes the benchmarks of a device: their variants, inputs and sizes. Creates runnable cases.
//
//   const Benchmark& benchmark = *find_benchmark(v1::BENCHMARK_NAME_VECTOR);
//   const CaseSpec spec{"add", "", CaseSize{1 << 20}};
//   ASSIGN_OR_RETURN(std::unique_ptr<BenchmarkCase> one, benchmark.make(device, spec));
//
// A benchmark is a function `Benchmark <name>_benchmark()` in a file of this folder; the build
// finds it. The functions of case_runs.h time a case.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"
#include "weft/v1/benchmark.pb.h"

namespace weft::benchmarks {

// Number of elements, or columns and rows. The text form is "4096" or "1920x1080"; parse_size()
// also accepts "2^24".
struct CaseSize {
  int64_t x = 0;
  int64_t y = 0;  // 0 if the size is a single number
  bool operator==(const CaseSize&) const = default;
};
std::string to_string(const CaseSize& size);
// Parses a size. INVALID_ARGUMENT: the text is not a size, or a number is above 2^40.
StatusOr<CaseSize> parse_size(std::string_view text);

// Hardware limit that bounds a case.
enum class Limit { kNone, kMemory, kFp32, kTensor, kHostToDevice, kDeviceToHost };
std::string_view to_string(Limit limit);

// Work of a run, independent of the algorithm.
struct CaseCost {
  double units = 0;       // number of units (Benchmark::unit) that a run processes
  double bytes = 0;       // bytes, if each input is read once and each output is written once
  double operations = 0;  // arithmetic operations; a fused multiply-add counts as two
  Limit limit = Limit::kMemory;
};

// End marks of the phases of a run, in order.
using PhaseMarks = std::vector<device::Mark>;

// Device addresses of the inputs and outputs of a run, for a library that performs the same work.
struct CaseAddresses {
  std::vector<uint64_t> addresses;  // in the order stated in the benchmark's file
  int64_t stride = 0;               // elements from one row to the next; 0 if the data has no rows
};

// A variant with one input at one size on a device, with initialised inputs. Not thread-safe: one
// thread at a time may use a case.
class BenchmarkCase {
 public:
  virtual ~BenchmarkCase() = default;

  const CaseCost& cost() const { return cost_; }
  // Returns the names of a run's phases in order, or an empty list if a run has a single phase.
  virtual std::vector<std::string> phases() const { return {}; }

  // Enqueues a run. Every run computes the same result. Runs of consecutive turns use separate
  // copies of the data, which are together larger than the device's cache, so that each run reads
  // its data from memory. Writes the end of each phase to `marks` unless `marks` is null.
  virtual void enqueue(device::Stream& stream, int64_t turn, PhaseMarks* marks) = 0;

  // Returns the addresses of the run of this turn, or no addresses if no library performs the same
  // work.
  virtual CaseAddresses addresses(int64_t) const { return {}; }

  // Returns whether a run includes work of the host. If it does, enqueue() may block, so it is
  // called on a thread that may wait.
  virtual bool works_on_host() const { return false; }

  // Returns the time of the runs since the last call: `by_stream`, the time by the stream's
  // timestamps, unless the case uses other streams. Errors are those of that work.
  virtual StatusOr<Duration> take_time(Duration by_stream) { return by_stream; }

  // Compares the result of the finished run of turn 0 with a reference computation. DATA_LOSS: the
  // result is wrong; the message contains the position.
  virtual Status verify() = 0;

 protected:
  explicit BenchmarkCase(const CaseCost& cost) : cost_(cost) {}

 private:
  CaseCost cost_;
};

struct CaseSpec {
  std::string variant;  // name of one of the benchmark's variants
  std::string input;    // name of one of the benchmark's inputs; empty if it has no inputs
  CaseSize size;
};

struct Benchmark {
  v1::BenchmarkName name = v1::BENCHMARK_NAME_UNSPECIFIED;
  std::string_view unit;                   // name of the unit, in the singular: "element"
  std::vector<std::string_view> variants;  // at least one
  // empty if the benchmark has a single unnamed input
  std::vector<std::string_view> inputs;
  std::vector<CaseSize> sizes;                      // default sizes on a GPU
  std::vector<CaseSize> sizes_in_software;          // default sizes on the CPU
  CaseSize smallest{1}, largest{int64_t{1} << 28};  // permitted sizes in each dimension
  // Creates a case. UNIMPLEMENTED, FAILED_PRECONDITION: the device does not support the variant;
  // the message contains the reason. RESOURCE_EXHAUSTED: memory is insufficient. INVALID_ARGUMENT:
  // the size is not permitted.
  StatusOr<std::unique_ptr<BenchmarkCase>> (*make)(device::Device& device, const CaseSpec& spec) = nullptr;
  // name of a variant for CUDA alone, which runs only on request; empty if there is no such variant
  std::string_view cuda_variant{};
};

// Returns the name of the benchmark on the command line.
std::string name_of(const Benchmark& benchmark);

// Returns all benchmarks in order of BenchmarkName, which is the order of execution. The benchmarks
// exist until the program ends.
std::span<const Benchmark> all_benchmarks();
// Returns the benchmark with this name, or null if it does not exist.
const Benchmark* find_benchmark(v1::BenchmarkName name);

// A case of a job, in order of execution.
struct PlannedCase {
  const Benchmark* benchmark = nullptr;
  CaseSpec spec;
};
// Returns the cases of `job`. A null `device` selects the sizes for software. INVALID_ARGUMENT,
// with field violations under `field`: no benchmark has the variant or size.
StatusOr<std::vector<PlannedCase>> plan_cases(const v1::BenchmarkJob& job, const device::DeviceInfo* device,
                                              std::string_view field);

}  // namespace weft::benchmarks
