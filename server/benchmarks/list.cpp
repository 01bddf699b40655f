// SPDX-License-Identifier: Apache-2.0
// All benchmarks, and which of their cases a job asks for.
#include <algorithm>
#include <charconv>

#include "options/option.h"
#include "options/validate.h"
#include "options/words.h"
#include "server/benchmarks/benchmark.h"

namespace weft::benchmarks {

std::vector<Benchmark> benchmark_table();  // written by the build

namespace {

constexpr int64_t kLargestSize = int64_t{1} << 40;

// A number or a power of two: "4096", "2^24". -1: it is none.
int64_t parse_number(std::string_view text) {
  int64_t base = 0, exponent = 1;
  const char* const end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, base);
  if (read.ec != std::errc()) return -1;
  if (read.ptr != end) {
    if (base != 2 || *read.ptr != '^') return -1;
    read = std::from_chars(read.ptr + 1, end, exponent);
    if (read.ec != std::errc() || read.ptr != end || exponent < 0 || exponent > 40) return -1;
    base = int64_t{1} << exponent;
  }
  return base < 0 || base > kLargestSize ? -1 : base;
}

bool takes(const Benchmark& benchmark, const CaseSize& size) {
  if ((size.y == 0) != (benchmark.sizes[0].y == 0)) return false;
  const auto within = [](int64_t value, int64_t least, int64_t most) {
    return value >= least && value <= most;
  };
  return within(size.x, benchmark.smallest.x, benchmark.largest.x) &&
         (size.y == 0 || within(size.y, benchmark.smallest.y, benchmark.largest.y));
}

}  // namespace

std::string name_of(const Benchmark& benchmark) {
  return options::choice_name(v1::BenchmarkName_descriptor(), benchmark.name);
}

std::string to_string(const CaseSize& size) {
  return size.y == 0 ? fmt::format("{}", size.x) : fmt::format("{}x{}", size.x, size.y);
}

StatusOr<CaseSize> parse_size(std::string_view text) {
  const size_t cross = text.find('x');
  CaseSize size{parse_number(text.substr(0, cross))};
  if (cross != std::string_view::npos) size.y = parse_number(text.substr(cross + 1));
  if (size.x >= 0 && (cross == std::string_view::npos || size.y > 0)) return size;
  return invalid_argument(
      "'{}' is no size; give a number such as 4096, a power such as 2^24, or columns and rows such as "
      "1920x1080.",
      text);
}

std::string_view to_string(Limit limit) {
  switch (limit) {
    case Limit::kMemory:
      return "memory";
    case Limit::kFp32:
      return "fp32";
    case Limit::kTensor:
      return "fp16 tensor";
    case Limit::kHostToDevice:
      return "host to device";
    case Limit::kDeviceToHost:
      return "device to host";
    case Limit::kNone:
      break;
  }
  return "";
}

std::span<const Benchmark> all_benchmarks() {
  static const std::vector<Benchmark> kAll = [] {
    std::vector<Benchmark> all = benchmark_table();
    std::ranges::sort(all, {}, &Benchmark::name);
    return all;
  }();
  return kAll;
}

const Benchmark* find_benchmark(v1::BenchmarkName name) {
  for (const Benchmark& benchmark : all_benchmarks())
    if (benchmark.name == name) return &benchmark;
  return nullptr;
}

namespace {

// What a job asks for, read.
struct Wanted {
  std::vector<const Benchmark*> benchmarks;
  std::vector<CaseSize> sizes;
  std::vector<std::string> variants;
};

StatusOr<Wanted> read_wanted(const v1::BenchmarkJob& job, std::vector<options::Violation>& violations,
                             std::string_view field) {
  Wanted wanted;
  for (const Benchmark& benchmark : all_benchmarks())
    if (job.names().empty() ||
        std::find(job.names().begin(), job.names().end(), benchmark.name) != job.names().end())
      wanted.benchmarks.push_back(&benchmark);
  for (int i = 0; i < job.sizes_size(); i++) {
    const StatusOr<CaseSize> size = parse_size(job.sizes(i));
    if (!size.ok()) violations.push_back({fmt::format("{}.sizes[{}]", field, i), message_of(size.status())});
    if (size.ok()) wanted.sizes.push_back(*size);
  }
  wanted.variants.assign(job.variants().begin(), job.variants().end());
  return wanted;
}

}  // namespace

StatusOr<std::vector<PlannedCase>> plan_cases(const v1::BenchmarkJob& job, const device::DeviceInfo* device,
                                              std::string_view field) {
  std::vector<options::Violation> violations;
  ASSIGN_OR_RETURN(const Wanted wanted, read_wanted(job, violations, field));
  std::vector<PlannedCase> planned;
  std::vector<bool> used_sizes(wanted.sizes.size()), used_variants(wanted.variants.size());
  for (const Benchmark* benchmark : wanted.benchmarks) {
    std::vector<CaseSize> sizes;
    for (size_t i = 0; i < wanted.sizes.size(); i++) {
      if (!takes(*benchmark, wanted.sizes[i])) continue;
      sizes.push_back(wanted.sizes[i]);
      used_sizes[i] = true;
    }
    if (wanted.sizes.empty())
      sizes = device == nullptr || device->is_software ? benchmark->sizes_in_software : benchmark->sizes;
    for (const std::string_view variant : benchmark->variants) {
      const auto given = std::find(wanted.variants.begin(), wanted.variants.end(), variant);
      if (!wanted.variants.empty() && given == wanted.variants.end()) continue;
      const bool is_elsewhere = device != nullptr && device->kind != device::BackendKind::kCuda &&
                                variant == benchmark->cuda_variant;
      if (is_elsewhere && given == wanted.variants.end()) continue;
      if (given != wanted.variants.end()) used_variants[size_t(given - wanted.variants.begin())] = true;
      std::vector<std::string_view> inputs = benchmark->inputs;
      if (inputs.empty()) inputs.push_back("");
      for (const std::string_view input : inputs)
        for (const CaseSize& size : sizes)
          planned.push_back({benchmark, {std::string(variant), std::string(input), size}});
    }
  }
  std::vector<std::string> names;
  for (const Benchmark* benchmark : wanted.benchmarks) names.push_back(name_of(*benchmark));
  for (size_t i = 0; i < used_sizes.size(); i++)
    if (!used_sizes[i])
      violations.push_back(
          {fmt::format("{}.sizes", field),
           fmt::format("{} is not a size that {} can have; `weft help submit bench` says which there are.",
                       to_string(wanted.sizes[i]), fmt::join(names, ", "))});
  for (size_t i = 0; i < used_variants.size(); i++) {
    if (used_variants[i]) continue;
    std::vector<std::string_view> all;
    for (const Benchmark* benchmark : wanted.benchmarks)
      all.insert(all.end(), benchmark->variants.begin(), benchmark->variants.end());
    violations.push_back(
        {fmt::format("{}.variants", field),
         fmt::format("There is no variant '{}'; there are: {}.", wanted.variants[i], fmt::join(all, ", "))});
  }
  if (!violations.empty()) return options::to_status(violations);
  return planned;
}

}  // namespace weft::benchmarks
