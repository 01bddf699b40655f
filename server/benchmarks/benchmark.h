// SPDX-License-Identifier: Apache-2.0
// What a device can be measured by: benchmarks, their variants, inputs and sizes, and a case of one of them, ready to run.
//
//   const Benchmark& benchmark = *find_benchmark(v1::BENCHMARK_NAME_VECTOR);
//   ASSIGN_OR_RETURN(std::unique_ptr<BenchmarkCase> one, benchmark.make(device, {"add", "", CaseSize{1 << 20}}));
//
// A benchmark is a function `Benchmark <name>_benchmark()` of a file of this folder, which the build finds. case_runs.h times a case.
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

// Elements, or columns and rows. Its text is "4096" or "1920x1080"; parse_size() takes "2^24" as well.
struct CaseSize {
  int64_t x = 0;
  int64_t y = 0;  // 0: it has one number
  bool operator==(const CaseSize&) const = default;
};
std::string to_string(const CaseSize& size);
// INVALID_ARGUMENT: it is none, or beyond 2^40.
StatusOr<CaseSize> parse_size(std::string_view text);

// Which limit of a device a case comes up against first.
enum class Limit { kNone, kMemory, kFp32, kTensor, kHostToDevice, kDeviceToHost };
std::string_view to_string(Limit limit);

// What a run of a case has to do, whatever the way.
struct CaseCost {
  double units = 0;       // of the benchmark
  double bytes = 0;       // read and written, each once
  double operations = 0;  // arithmetic; a fused multiplication and addition is two
  Limit limit = Limit::kMemory;
};

// Where the phases of a run end, in their order.
using PhaseMarks = std::vector<device::Mark>;

// Where what a run reads and what it writes lie on the device, for a library that does the same.
struct CasePlaces {
  std::vector<uint64_t> addresses;  // in the order that the benchmark's file states
  int64_t stride = 0;               // of rows, in elements; 0: there are none
};

// One variant with one input at one size, on a device: memory is there, inputs are in it. One thread at a time.
class BenchmarkCase {
 public:
  virtual ~BenchmarkCase() = default;

  const CaseCost& cost() const { return cost_; }
  // Parts that a run has, in their order; empty: it is one.
  virtual std::vector<std::string> phases() const { return {}; }

  // Enqueues a run, which gives the same result each time. Runs of turns that follow one another have copies of the data of their
  // own, together larger than the device's cache, so that each finds its own in memory. `marks` gets the end of each phase; null:
  // nobody asks.
  virtual void enqueue(device::Stream& stream, int64_t turn, PhaseMarks* marks) = 0;

  // Of the run of this turn; empty where no library does the same.
  virtual CasePlaces places(int64_t) const { return {}; }

  // Its run is the host's work too: enqueue() may wait, and is called where that keeps nobody.
  virtual bool works_on_host() const { return false; }

  // The time of the runs since it was last asked: what the stream's timestamps say, unless the case's work is on streams of its own.
  // Errors are those of that work.
  virtual StatusOr<Duration> take_time(Duration by_stream) { return by_stream; }

  // Compares what the run of turn 0 gave, after it has ended, with a plain computation. DATA_LOSS: it is wrong, with the place.
  virtual Status verify() = 0;

 protected:
  explicit BenchmarkCase(const CaseCost& cost) : cost_(cost) {}

 private:
  CaseCost cost_;
};

struct CaseSpec {
  std::string variant;  // of its benchmark's
  std::string input;    // of its benchmark's; empty where it has none
  CaseSize size;
};

struct Benchmark {
  v1::BenchmarkName name = v1::BENCHMARK_NAME_UNSPECIFIED;
  std::string_view unit;                            // what `units` counts, for one: "element"
  std::vector<std::string_view> variants;           // at least one
  std::vector<std::string_view> inputs;             // empty: there is one, without a name
  std::vector<CaseSize> sizes;                      // unless others are asked for, on a GPU
  std::vector<CaseSize> sizes_in_software;          // the same where the device is the CPU
  CaseSize smallest{1}, largest{int64_t{1} << 28};  // that it takes, in each direction
  // UNIMPLEMENTED, FAILED_PRECONDITION: the device has no such variant, and why. RESOURCE_EXHAUSTED: memory is short. INVALID_ARGUMENT:
  // the size is not one of its own.
  StatusOr<std::unique_ptr<BenchmarkCase>> (*make)(device::Device& device, const CaseSpec& spec) = nullptr;
  std::string_view
      cuda_variant{};  // one that other devices do not have, and run where it is asked for alone; empty: there is none
};

std::string name_of(const Benchmark& benchmark);  // as on the command line

// All, in the order of BenchmarkName, in which they run. They live as long as the program.
std::span<const Benchmark> all_benchmarks();
const Benchmark* find_benchmark(v1::BenchmarkName name);  // null: there is none

// A case that a job asks for, in the order in which it runs.
struct PlannedCase {
  const Benchmark* benchmark = nullptr;
  CaseSpec spec;
};
// What `job` asks for. Sizes are those for software where nothing is known of the device (null). INVALID_ARGUMENT with field
// violations under `field`: a variant or a size that none of the benchmarks has.
StatusOr<std::vector<PlannedCase>> plan_cases(const v1::BenchmarkJob& job, const device::DeviceInfo* device,
                                              std::string_view field);

}  // namespace weft::benchmarks
