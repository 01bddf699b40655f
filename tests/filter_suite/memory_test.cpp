// SPDX-License-Identifier: Apache-2.0
// Tests the memory accesses of filters' nodes: each node is enqueued on an arena with random slots
// and paddings, which is filled with known bytes before.
#include <algorithm>

#include <gmock/gmock.h>

#include "kernels/video/frames.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/reference.h"

namespace weft::filters {
namespace {

class FilterMemory : public DeviceTest {};
WEFT_ON_EVERY_DEVICE(FilterMemory);

using device::MemoryKind;

constexpr int kUnits = 2;

// An arena of a node for the test: units at positions in random order with a guard around each.
class NodeBench {
 public:
  NodeBench(Node& node, std::vector<PortFormat> inputs, std::mt19937& random) : node_(node) {
    const size_t padding = 64 * (random() % 4);
    for (const PortFormat& format : inputs) inputs_.push_back(PortLayout::of(format, padding));
    for (const PortFormat& format : node.descriptor().outputs)
      outputs_.push_back(PortLayout::of(format, padding));
    const TimeRulePtr& rule = node.descriptor().rule;
    units_out_ = rule == nullptr || rule->is_by_unit() ? 1 : rule->most_units(1);
    shape_ =
        RowShape::of(std::vector<int>(outputs_.size(), rule == nullptr ? 1 : rule->targets()), windows());
    std::vector<size_t> sizes;
    for (int unit = 0; unit < kUnits; unit++) {
      for (size_t i = 0; i < outputs_.size(); i++)
        sizes.insert(sizes.end(), size_t(units_out_), outputs_[i].unit_bytes);
      for (size_t i = 0; i < inputs_.size(); i++)
        sizes.insert(sizes.end(), size_t(slots(i)), inputs_[i].unit_bytes);
    }
    std::vector<size_t> order(sizes.size());
    for (size_t i = 0; i < order.size(); i++) order[i] = i;
    std::ranges::shuffle(order, random);
    places_.resize(sizes.size());
    for (const size_t i : order) {
      bytes_ += kSlotUnitBytes;
      places_[i] = int32_t(bytes_ / kSlotUnitBytes);
      bytes_ += sizes[i];
    }
    bytes_ += kSlotUnitBytes;
    write_rows(random);
  }

  // Returns the arena after the node's work. Before the work, all of it is `fill`, except for noise
  // in the samples of the inputs.
  StatusOr<std::vector<std::byte>> work(device::Device& device, std::byte fill, uint32_t seed);

  // Sets the samples of the outputs to `fill`, up to the row alignment, since bytes of the
  // alignment have no meaning.
  void clear_outputs(std::vector<std::byte>& arena, std::byte fill) const {
    for_each_unit([&](const PortLayout& layout, size_t slot_begin, bool is_output) {
      if (is_output)
        for_each_row(layout, [&](size_t offset, size_t bytes) {
          std::fill_n(arena.begin() + ptrdiff_t(slot_begin + offset),
                      round_up(bytes, FrameLayout::kRowAlignment), fill);
        });
    });
  }
  // Returns the samples of the outputs, one after the other.
  std::vector<std::byte> outputs_of(const std::vector<std::byte>& arena) const {
    std::vector<std::byte> samples;
    for_each_unit([&](const PortLayout& layout, size_t slot_begin, bool is_output) {
      if (is_output)
        for_each_row(layout, [&](size_t offset, size_t bytes) {
          samples.insert(samples.end(), arena.begin() + ptrdiff_t(slot_begin + offset),
                         arena.begin() + ptrdiff_t(slot_begin + offset + bytes));
        });
    });
    return samples;
  }
  std::vector<std::byte> arena_before(std::byte fill, uint32_t seed) const {
    std::vector<std::byte> arena(bytes_, fill);
    std::mt19937 random(seed);
    for_each_unit([&](const PortLayout& layout, size_t slot_begin, bool is_output) {
      if (is_output) return;
      const bool is_wide =
          layout.format.kind == PortKind::kPicture && layout.format.video.sample_bytes() == 2;
      const uint32_t high = is_wide ? uint32_t((1 << (layout.format.video.bit_depth - 8)) - 1) : 255;
      for_each_row(layout, [&](size_t offset, size_t bytes) {
        for (size_t i = 0; i < bytes; i++)
          arena[slot_begin + offset + i] = std::byte(random() & (is_wide && i % 2 == 1 ? high : 255));
      });
    });
    return arena;
  }

 private:
  std::vector<std::pair<int, int>> windows() const {
    std::vector<std::pair<int, int>> windows;
    for (const Window& window : node_.descriptor().inputs) windows.emplace_back(window.before, window.after);
    return windows;
  }
  int slots(size_t input) const {
    return node_.descriptor().inputs[input].before + 1 + node_.descriptor().inputs[input].after;
  }
  void write_rows(std::mt19937& random) {
    size_t next = 0;
    for (int unit = 0; unit < kUnits; unit++) {
      std::vector<int32_t> row(size_t(shape_.ints), -1);
      row[ROW_FLAGS] = int32_t(random() & FLAG_BOTTOM_FIRST);
      row[ROW_WORD] = 0;
      for (size_t i = 0; i < outputs_.size(); i++)
        for (int k = 0; k < units_out_; k++) row[size_t(shape_.targets[i] + k)] = places_[next++];
      for (size_t i = 0; i < inputs_.size(); i++)
        for (int k = 0; k < slots(i); k++)
          row[size_t(shape_.inputs[i] - node_.descriptor().inputs[i].before + k)] = places_[next++];
      rows_.insert(rows_.end(), row.begin(), row.end());
    }
  }
  template <class Visit>
  void for_each_unit(Visit visit) const {
    size_t next = 0;
    for (int unit = 0; unit < kUnits; unit++) {
      for (size_t i = 0; i < outputs_.size(); i++)
        for (int k = 0; k < units_out_; k++)
          visit(outputs_[i], size_t(places_[next++]) * kSlotUnitBytes, true);
      for (size_t i = 0; i < inputs_.size(); i++)
        for (int k = 0; k < slots(i); k++) visit(inputs_[i], size_t(places_[next++]) * kSlotUnitBytes, false);
    }
  }
  template <class Visit>
  static void for_each_row(const PortLayout& layout, Visit visit) {
    if (layout.format.kind == PortKind::kPixels) {
      const size_t pixels = size_t(layout.format.width) * size_t(layout.format.height);
      return visit(0, pixels * bytes_of_pixel(layout.format.pixels));
    }
    if (layout.format.bytes > 0) return visit(0, layout.format.bytes);
    for (int plane = 0; plane < layout.format.video.planes(); plane++) {
      const PlaneLayout& slot_begin = layout.frame.planes[size_t(plane)];
      for (int y = 0; y < slot_begin.height; y++)
        visit(slot_begin.offset_bytes + size_t(y) * size_t(slot_begin.stride_bytes),
              size_t(slot_begin.width) * size_t(layout.format.video.sample_bytes()));
    }
  }

  Node& node_;
  std::vector<PortLayout> inputs_, outputs_;
  RowShape shape_;
  int units_out_ = 1;
  std::vector<int32_t> places_, rows_;
  size_t bytes_ = 0;
};

StatusOr<std::vector<std::byte>> NodeBench::work(device::Device& device, std::byte fill, uint32_t seed) {
  const std::vector<std::byte> before = arena_before(fill, seed);
  std::vector<int32_t> words = rows_;
  words.resize(round_up(words.size(), 64));
  const size_t layouts_offset = words.size() * sizeof(int32_t);
  std::vector<const PortLayout*> inputs, outputs;
  for (const PortLayout& layout : inputs_) inputs.push_back(&layout);
  for (const PortLayout& layout : outputs_) outputs.push_back(&layout);
  for (const auto* ports : {&inputs, &outputs})
    for (const PortLayout* port : *ports) {
      words.resize(words.size() + LAYOUT_INTS);
      write_layout(*port, &words[words.size() - LAYOUT_INTS]);
    }
  const size_t word_bytes = words.size() * sizeof(int32_t);
  ASSIGN_OR_RETURN(const auto stream, device.make_stream());
  ASSIGN_OR_RETURN(const auto up, device.allocate(MemoryKind::kUpload, before.size()));
  ASSIGN_OR_RETURN(const auto words_up, device.allocate(MemoryKind::kUpload, word_bytes));
  ASSIGN_OR_RETURN(const auto down, device.allocate(MemoryKind::kDownload, before.size()));
  ASSIGN_OR_RETURN(const auto arena, device.allocate(MemoryKind::kDevice, before.size()));
  ASSIGN_OR_RETURN(const auto tables, device.allocate(MemoryKind::kDevice, word_bytes));
  ASSIGN_OR_RETURN(const auto scratch,
                   device.allocate(MemoryKind::kDevice, std::max<size_t>(node_.scratch_bytes(kUnits), 256)));
  std::ranges::copy(before, up->host());
  std::ranges::copy(std::as_bytes(std::span(words)), words_up->host());
  stream->copy(*arena, 0, *up, 0, before.size());
  stream->copy(*tables, 0, *words_up, 0, word_bytes);
  stream->fill(*scratch, 0, scratch->size_bytes(), fill);
  Step step;
  step.arena = arena.get();
  step.table = tables.get();
  step.rows = rows_;
  step.shape = &shape_;
  step.layouts = tables.get();
  step.layouts_offset_bytes = layouts_offset;
  step.inputs = inputs;
  step.outputs = outputs;
  step.units = kUnits;
  step.scratch = scratch.get();
  node_.enqueue(*stream, step);
  stream->copy(*down, 0, *arena, 0, before.size());
  RETURN_IF_ERROR(stream->wait_all());
  return std::vector<std::byte>(down->host(), down->host() + before.size());
}

// Expects of every node of a network, with noise in all inputs, that it only changes its outputs,
// and that they depend only on the samples of its inputs.
void expect_honest(device::Device& device, Network& network, std::mt19937& random, const std::string& what) {
  for (const Network::NodeInfo& info : network.nodes()) {
    std::vector<PortFormat> inputs;
    for (const int input : info.inputs) inputs.push_back(network.ports()[size_t(input)].format);
    NodeBench bench(*info.node, inputs, random);
    const uint32_t seed = uint32_t(random());
    std::vector<std::byte> expected;
    for (const int value : {0xCD, 0x00, 0xFF}) {
      const auto fill = std::byte(value);
      auto after = bench.work(device, fill, seed);
      ASSERT_THAT(after, IsOk());
      std::vector<std::byte> outputs = bench.outputs_of(*after);
      if (expected.empty()) expected = outputs;
      ASSERT_TRUE(outputs == expected)
          << what << ", node " << info.node->descriptor().name << ": reads what is not its input";
      std::vector<std::byte> before = bench.arena_before(fill, seed);
      bench.clear_outputs(*after, fill);
      ASSERT_TRUE(*after == before) << what << ", node " << info.node->descriptor().name
                                    << ": writes beside its outputs";
    }
  }
}

TEST_P(FilterMemory, NodesTouchNothingButTheirPorts) {
  std::mt19937 random(77);
  const int sizes = is_slow(device()) ? 2 : 4;
  for (const Setting& setting : settings_for(device()))
    for (int i = 0; i < sizes; i++) {
      const VideoFormat format{1 + int(random() % 140), 1 + int(random() % 60), Chroma(random() % 4),
                               random() % 2 == 0 ? 8 : 8 + int(random() % 9)};
      for (int alternative = -1; alternative < setting.filter->alternatives; alternative++) {
        auto network = expand(&device(), {setting.options}, format, {}, alternative);
        if (network.status().code() == StatusCode::kInvalidArgument) continue;
        ASSERT_THAT(network, IsOk());
        ASSERT_NO_FATAL_FAILURE(expect_honest(device(), *network, random, describe(setting, format)));
      }
    }
}

// All kernels of a filter are tested on all devices: flags, one picture and two, every material,
// many sizes.
TEST_P(FilterMemory, AlternativesGiveTheSame) {
  std::mt19937 random(79);
  for (const Setting& setting : every_setting()) {
    const int sizes = setting.filter->tolerance == 0 ? 20 : 2;  // the model of a network is slow
    for (int alternative = 0; alternative < setting.filter->alternatives; alternative++)
      for (int i = 0; i < sizes; i++) {
        const VideoFormat format{1 + int(random() % 140), 1 + int(random() % 60), Chroma(random() % 4),
                                 random() % 2 == 0 ? 8 : 8 + int(random() % 9)};
        Clip clip = make_clip(format, 4, kMaterials[random() % 3], uint32_t(random()));
        for (FrameInfo& info : clip.infos) info.interlaced = random() % 3 != 0;
        auto network = expand(&device(), {setting.options}, format, {}, alternative);
        ASSERT_THAT(network, IsOk());
        const auto actual = run_network(device(), *std::move(network), clip);
        ASSERT_THAT(actual, IsOk());
        ASSERT_NO_FATAL_FAILURE(
            expect_like_model(*setting.filter, reference(*setting.options, clip).frames, pictures_of(*actual),
                              fmt::format("{} alternative {}", describe(setting, format), alternative)));
      }
  }
}

}  // namespace
}  // namespace weft::filters
