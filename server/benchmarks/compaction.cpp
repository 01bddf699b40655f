// SPDX-License-Identifier: Apache-2.0
// Benchmarks stream compaction: it copies the nonzero entries in order and counts them. The kernels
// cite the papers. Addresses: entries, kept entries, their number.
#include "kernels/bench/compaction_block_counts.kernel"
#include "kernels/bench/compaction_block_move.kernel"
#include "kernels/bench/compaction_look_back.kernel"
#include "kernels/bench/compaction_scan.kernel"
#include "kernels/bench/compaction_sequence_counts.kernel"
#include "kernels/bench/compaction_sequence_move.kernel"
#include "kernels/bench/compaction_tile_counts.kernel"
#include "kernels/bench/compaction_tile_move.kernel"
#include "kernels/bench/compaction_totals.kernel"
#include "server/benchmarks/benchmark.h"
#include "server/benchmarks/case_data.h"
#include "server/benchmarks/rotation.h"

namespace weft::benchmarks {
namespace {

using device::MemoryKind;

constexpr int64_t kBlockEntries = 256;
constexpr int64_t kScanned = 4096;  // counts that a block of compaction_scan processes
constexpr std::string_view kCounting = "1,0,3,0,5";

// Returns the percentage of nonzero entries of an input, or -1 if every second entry is nonzero.
int kept_percent(std::string_view input) {
  if (input == kCounting) return -1;
  if (input == "all") return 100;
  if (input == "none") return 0;
  return std::stoi(std::string(input.substr(input.find(' ') + 1)));
}

// Returns entry i. Nonzero entries are unique, so that their order can be checked.
int32_t entry_of(int percent, int64_t i) {
  const auto value = int32_t(i + 1);
  if (percent < 0) return i % 2 == 0 ? value : 0;
  const uint64_t bits = mixed(uint64_t(i));
  if (int(bits % 100) >= percent) return 0;
  return (bits >> 32 & 1) != 0 ? -value : value;
}

enum class Way { kSequences, kLaneAnEntry, kTiles, kLookBack };
Way way_of(std::string_view variant) {
  if (variant == "billeter") return Way::kSequences;
  if (variant == "per lane") return Way::kLaneAnEntry;
  return variant == "look-back" ? Way::kLookBack : Way::kTiles;
}

class Compaction final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const CaseSpec& spec) {
    const Way way = way_of(spec.variant);
    if (way == Way::kLookBack && device.info().kind != device::BackendKind::kCuda)
      return unimplemented(
          "The look-back's blocks wait for each other, and only CUDA promises that those that have begun go "
          "on.");
    const int percent = kept_percent(spec.input);
    std::vector<int32_t> entries(size_t(rounded_up(spec.size.x, int64_t{4})));
    int64_t kept = 0;
    for (int64_t i = 0; i < spec.size.x; i++) {
      entries[size_t(i)] = entry_of(percent, i);
      kept += entries[size_t(i)] != 0 ? 1 : 0;
    }
    std::unique_ptr<Compaction> made(new Compaction(way, spec.size.x, percent, kept));
    const size_t bytes = entries.size() * sizeof(int32_t);
    ASSIGN_OR_RETURN(made->source_, Rotation::make(device, bytes_of(entries), 2 * bytes));
    ASSIGN_OR_RETURN(made->target_, Rotation::make(device, bytes, 2 * bytes));
    ASSIGN_OR_RETURN(made->total_, Rotation::make(device, sizeof(uint32_t), 2 * bytes));
    RETURN_IF_ERROR(made->load(device));
    return made;
  }

  std::vector<std::string> phases() const override {
    if (way_ == Way::kLookBack) return {};
    return {"count", way_ == Way::kSequences ? "prefix" : "scan", "move"};
  }
  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks* marks) override {
    if (way_ == Way::kLookBack) return enqueue_look_back(stream, turn);
    enqueue_counts(stream, turn);
    if (marks != nullptr) marks->push_back(stream.mark());
    enqueue_scan(stream, turn);
    if (marks != nullptr) marks->push_back(stream.mark());
    enqueue_move(stream, turn);
    if (marks != nullptr) marks->push_back(stream.mark());
  }
  CaseAddresses addresses(int64_t turn) const override {
    return {{source_.address(turn), target_.address(turn), total_.address(turn)}};
  }
  Status verify() override;

 private:
  Compaction(Way way, int64_t entries, int percent, int64_t kept)
      : BenchmarkCase({double(entries), 4.0 * double(entries + kept), 0, Limit::kMemory}),
        way_(way),
        entries_(entries),
        percent_(percent),
        kept_(kept) {}

  Status load(device::Device& device);
  uint32_t lanes() const;  // lanes of the phases over the entries
  void enqueue_look_back(device::Stream& stream, int64_t turn);
  void enqueue_counts(device::Stream& stream, int64_t turn);
  void enqueue_scan(device::Stream& stream, int64_t turn);
  void enqueue_move(device::Stream& stream, int64_t turn);
  int fours() const { return int((entries_ + 3) / 4); }
  // Returns the bytes of the look-back state of a launch.
  size_t states_bytes() const {
    return size_t(rounded_up((counters_ + 1) * LOOK_BACK_STRIDE, int64_t{64})) * sizeof(uint32_t);
  }

  const Way way_;
  const int64_t entries_;
  const int percent_;
  const int64_t kept_;
  int64_t counters_ = 0;  // number of sequences, blocks or tiles
  int per_sequence_ = 0;  // entries of a sequence
  uint32_t subgroup_lanes_ = 1;
  size_t launches_ = 0;  // number of look-back launches
  const device::Kernel* count_ = nullptr;
  const device::Kernel* totals_ = nullptr;
  const device::Kernel* scan_ = nullptr;
  const device::Kernel* move_ = nullptr;
  Rotation source_, target_, total_;
  // Counters, and totals of 4096 counters each. They are small, and a run writes and reads them.
  // Look-back uses two sets of states for alternating launches; each launch clears the other set.
  std::unique_ptr<device::Buffer> counts_, counts_totals_;
};

Status Compaction::load(device::Device& device) {
  const auto tiles = [this](int64_t entries) {
    return std::max((entries_ + entries - 1) / entries, int64_t{1});
  };
  std::string_view name = "tile";
  counters_ = tiles(TILE_ENTRIES);
  if (way_ == Way::kLaneAnEntry) {
    name = "block";
    counters_ = tiles(kBlockEntries);
  } else if (way_ == Way::kSequences) {
    name = "sequence";
    counters_ = SEQUENCES;
    subgroup_lanes_ = device.info().subgroup_lanes;
    per_sequence_ = int(rounded_up((entries_ + SEQUENCES - 1) / SEQUENCES, int64_t{128}));
  } else if (way_ == Way::kLookBack) {
    counters_ = tiles(LOOK_BACK_ENTRIES);
    ASSIGN_OR_RETURN(move_, device.load("bench/compaction_look_back"));
    const std::vector<std::byte> zeros(2 * states_bytes());
    ASSIGN_OR_RETURN(counts_, uploaded(device, zeros));
    return ok_status();
  }
  ASSIGN_OR_RETURN(count_, device.load(fmt::format("bench/compaction_{}_counts", name)));
  ASSIGN_OR_RETURN(move_, device.load(fmt::format("bench/compaction_{}_move", name)));
  ASSIGN_OR_RETURN(scan_, device.load("bench/compaction_scan"));
  ASSIGN_OR_RETURN(totals_, device.load("bench/compaction_totals"));
  ASSIGN_OR_RETURN(counts_, device.allocate(MemoryKind::kDevice, size_t(counters_) * sizeof(uint32_t)));
  const int64_t blocks = (counters_ + kScanned - 1) / kScanned;
  ASSIGN_OR_RETURN(counts_totals_, device.allocate(MemoryKind::kDevice, size_t(blocks) * sizeof(uint32_t)));
  return ok_status();
}

uint32_t Compaction::lanes() const {
  if (way_ == Way::kSequences) return SEQUENCES * subgroup_lanes_;
  return uint32_t(counters_ * 256);
}

void Compaction::enqueue_look_back(device::Stream& stream, int64_t turn) {
  namespace k = kernels::compaction_look_back;
  const size_t own = launches_ % 2 * states_bytes(), next = states_bytes() - own;
  launches_++;
  stream.launch(*move_, {uint32_t(counters_ * LOOK_BACK_LANES)},
                k::Params{source_.at<k::Entries>(turn), target_.at<k::Entries>(turn),
                          device::at<k::States>(*counts_, own), device::at<k::States>(*counts_, next),
                          total_.at<k::Counts>(turn), int(entries_), int(counters_)});
}

void Compaction::enqueue_counts(device::Stream& stream, int64_t turn) {
  if (way_ == Way::kSequences) {
    namespace k = kernels::compaction_sequence_counts;
    stream.launch(*count_, {lanes()},
                  k::Params{source_.at<k::Entries>(turn), device::at<k::Counts>(*counts_), int(entries_),
                            per_sequence_});
  } else if (way_ == Way::kLaneAnEntry) {
    namespace k = kernels::compaction_block_counts;
    stream.launch(*count_, {lanes()},
                  k::Params{source_.at<k::Entries>(turn), device::at<k::Counts>(*counts_), int(entries_)});
  } else {
    namespace k = kernels::compaction_tile_counts;
    stream.launch(*count_, {lanes()},
                  k::Params{source_.at<k::Fours>(turn), device::at<k::Counts>(*counts_), fours()});
  }
}

void Compaction::enqueue_scan(device::Stream& stream, int64_t turn) {
  namespace k = kernels::compaction_scan;
  namespace totals = kernels::compaction_totals;
  const auto counts = device::at<k::Counts>(*counts_), before = device::at<k::Counts>(*counts_totals_);
  const auto total = total_.at<k::Counts>(turn);
  const int64_t blocks = (counters_ + kScanned - 1) / kScanned;
  if (blocks > 1) {
    stream.launch(*totals_, {uint32_t(blocks * 256)},
                  totals::Params{device::at<totals::Counts>(*counts_),
                                 device::at<totals::Counts>(*counts_totals_), int(counters_)});
    stream.launch(*scan_, {256}, k::Params{before, before, total, int(blocks), 1});
  }
  stream.launch(*scan_, {uint32_t(blocks * 256)},
                k::Params{counts, before, total, int(counters_), blocks > 1 ? 0 : 1});
}

void Compaction::enqueue_move(device::Stream& stream, int64_t turn) {
  if (way_ == Way::kSequences) {
    namespace k = kernels::compaction_sequence_move;
    stream.launch(*move_, {lanes()},
                  k::Params{source_.at<k::Entries>(turn), target_.at<k::Entries>(turn),
                            device::at<k::Counts>(*counts_), int(entries_), per_sequence_});
  } else if (way_ == Way::kLaneAnEntry) {
    namespace k = kernels::compaction_block_move;
    stream.launch(*move_, {lanes()},
                  k::Params{source_.at<k::Entries>(turn), target_.at<k::Entries>(turn),
                            device::at<k::Counts>(*counts_), int(entries_)});
  } else {
    namespace k = kernels::compaction_tile_move;
    stream.launch(*move_, {lanes()},
                  k::Params{source_.at<k::Fours>(turn), target_.at<k::Entries>(turn),
                            device::at<k::Counts>(*counts_), fours()});
  }
}

Status Compaction::verify() {
  ASSIGN_OR_RETURN(const auto total, total_.download_as<uint32_t>());
  if (int64_t(total[0]) != kept_) return data_loss("{} entries are kept, and {} is right.", total[0], kept_);
  ASSIGN_OR_RETURN(const auto found, target_.download_as<int32_t>());
  int64_t index = 0;
  for (int64_t i = 0; i < entries_; i++) {
    const int32_t entry = entry_of(percent_, i);
    if (entry == 0) continue;
    if (found[size_t(index)] != entry)
      return data_loss("Entry {} of those kept is {}, and {} is right.", index, found[size_t(index)], entry);
    index++;
  }
  return ok_status();
}

}  // namespace

Benchmark compaction_benchmark() {
  return {v1::BENCHMARK_NAME_COMPACTION,
          "element",
          {"billeter", "per lane", "look-back", "reduce then scan"},
          {kCounting, "random 50%", "random 10%", "random 90%", "all", "none"},
          powers_of_two({10, 16, 20, 24, 26, 28}),
          powers_of_two({10, 16, 18}),
          CaseSize{0},
          CaseSize{int64_t{1} << 28},
          Compaction::make};
}

}  // namespace weft::benchmarks
