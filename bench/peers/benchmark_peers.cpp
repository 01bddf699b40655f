// SPDX-License-Identifier: Apache-2.0
// Measures the cases of server/benchmarks by CUDA's libraries (peers.h). Each case is checked
// before it is timed, as in jobs of benchmarks. With --ours each case of Weft is measured too,
// alternately with the libraries'. Prints a weft.v1.BenchmarkResult as JSON.
//
//   benchmark_peers [--device cuda:0] [--name compaction]... [--size 2^24]... [--runs 11] [--ours]
#include <algorithm>

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include "bench/command_line.h"
#include "bench/peers/peers.h"
#include "server/benchmarks/case_runs.h"

namespace weft::benchmarks {

// Reads the size of a case. Returns false for other text.
static bool lexical_cast(const std::string& text, CaseSize& size) {
  const StatusOr<CaseSize> read = parse_size(text);
  if (read.ok()) size = *read;
  return read.ok();
}

}  // namespace weft::benchmarks

namespace weft::bench {
namespace {

using benchmarks::Benchmark;
using benchmarks::BenchmarkCase;
using benchmarks::CaseSize;
using benchmarks::CaseSpec;

// A case computed by a library, on the data of a case of Weft, which checks the output.
class PeerCase final : public BenchmarkCase {
 public:
  PeerCase(std::unique_ptr<BenchmarkCase> lender, std::unique_ptr<LibraryWay> way, bool waits)
      : BenchmarkCase(lender->cost()), lender_(std::move(lender)), way_(std::move(way)), waits_(waits) {}

  void enqueue(device::Stream& stream, int64_t turn, benchmarks::PhaseMarks*) override {
    const benchmarks::CaseAddresses addresses = lender_->addresses(turn);
    const std::string error = way_->run(stream.native(), addresses.addresses, addresses.stride);
    if (error_.empty()) error_ = error;
  }
  bool works_on_host() const override { return waits_; }
  Status verify() override {
    if (!error_.empty()) return failed_precondition("The library says: {}", error_);
    return lender_->verify();
  }

 private:
  const std::unique_ptr<BenchmarkCase> lender_;
  const std::unique_ptr<LibraryWay> way_;
  const bool waits_;
  std::string error_;
};

// Returns the number in an id such as "cuda:1".
StatusOr<int> ordinal_of(const device::DeviceInfo& info) {
  int ordinal = 0;
  const size_t colon = info.id.find(':');
  const char* const end = info.id.data() + info.id.size();
  if (info.kind != device::BackendKind::kCuda || colon == std::string::npos ||
      std::from_chars(info.id.data() + colon + 1, end, ordinal).ptr != end)
    return invalid_argument("'{}' is no device of CUDA's; give one such as cuda:0.", info.id);
  return ordinal;
}

StatusOr<std::unique_ptr<BenchmarkCase>> make_peer_case(device::Device& device, const CaseSpec& spec) {
  for (const LibraryPeer& peer : library_peers()) {
    if (peer.name != spec.variant) continue;
    ASSIGN_OR_RETURN(const int ordinal, ordinal_of(device.info()));
    for (const Benchmark& benchmark : benchmarks::all_benchmarks()) {
      if (name_of(benchmark) != peer.benchmark) continue;
      CaseSpec lent = spec;
      lent.variant = peer.lender;
      ASSIGN_OR_RETURN(auto lender, benchmark.make(device, lent));
      return std::make_unique<PeerCase>(std::move(lender), peer.make(ordinal, spec.size.x), peer.waits);
    }
  }
  return not_found("There is no peer '{}'.", spec.variant);
}

struct Arguments {
  std::string device = "cuda:0";
  std::vector<std::string> names;
  std::vector<CaseSize> sizes;
  int runs = 11;
  bool ours = false;
};

bool is_wanted(const Arguments& arguments, const Benchmark& benchmark) {
  return arguments.names.empty() ||
         std::ranges::find(arguments.names, name_of(benchmark)) != arguments.names.end();
}

// Measures the cases of a benchmark: the peers one after the other, then Weft, for each input and
// size.
Status measure_benchmark(device::Device& device, const Arguments& arguments, const Benchmark& ours,
                         const benchmarks::DeviceLimits& limits, v1::BenchmarkResult& result) {
  Benchmark theirs = ours;
  theirs.make = make_peer_case;
  theirs.variants.clear();
  for (const LibraryPeer& peer : library_peers())
    if (peer.benchmark == name_of(ours)) theirs.variants.push_back(peer.name);
  if (theirs.variants.empty()) return ok_status();
  std::vector<std::string_view> inputs = ours.inputs;
  if (inputs.empty()) inputs.push_back("");
  std::vector<const Benchmark*> both = {&theirs};
  if (arguments.ours) both.push_back(&ours);
  for (const std::string_view input : inputs)
    for (const CaseSize& size : arguments.sizes.empty() ? ours.sizes : arguments.sizes)
      for (const Benchmark* benchmark : both)
        for (const std::string_view variant : benchmark->variants) {
          const CaseSpec spec{std::string(variant), std::string(input), size};
          ASSIGN_OR_RETURN(*result.add_measurements(),
                           benchmarks::measure(device, {benchmark, spec}, arguments.runs, limits,
                                               benchmarks::run_at_once));
        }
  return ok_status();
}

Status run(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto device, device::open_device(arguments.device));
  RETURN_IF_ERROR(ordinal_of(device->info()).status());
  ASSIGN_OR_RETURN(const benchmarks::DeviceLimits limits,
                   benchmarks::measure_limits(*device, benchmarks::run_at_once));
  v1::BenchmarkResult result;
  v1::BenchmarkConditions& conditions = *result.mutable_conditions();
  conditions.set_device(device->info().id);
  conditions.set_device_name(device->info().name);
  conditions.set_driver(device->info().driver);
  conditions.set_copy_bytes_per_second(limits.copy_bytes_per_second);
  conditions.set_fp32_operations_per_second(limits.fp32_operations_per_second);
  conditions.set_fp16_tensor_operations_per_second(limits.tensor_operations_per_second);
  for (const Benchmark& benchmark : benchmarks::all_benchmarks())
    if (is_wanted(arguments, benchmark))
      RETURN_IF_ERROR(measure_benchmark(*device, arguments, benchmark, limits, result));
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(result, &json, options).ok())
    return internal_error("The result cannot be written as JSON.");
  fmt::print("{}", json);
  return ok_status();
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  weft::bench::Arguments arguments;
  weft::bench::CommandLine line("Times the cases of benchmarks by CUDA's libraries.");
  line.add_option("--device", arguments.device, "Device of CUDA");
  line.add_option("--name", arguments.names, "Benchmark; can be repeated; default: all");
  line.add_option("--size", arguments.sizes, "Size of a case; can be repeated; default: the benchmark's own")
      ->type_name("SIZE");
  line.add_option("--runs", arguments.runs, "Runs of a case")->check(weft::bench::kPositive);
  line.add_flag("--ours", arguments.ours, "Weft's cases too");
  line.read(argc, argv);
  const weft::Status status = weft::bench::run(arguments);
  if (!status.ok()) fmt::print(stderr, "benchmark_peers: {}\n", weft::message_of(status));
  return status.ok() ? 0 : 1;
}
